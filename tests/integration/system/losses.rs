//! What a recording lost, in words.
