//! Threads and processes across reuse of ids, names and late news.
