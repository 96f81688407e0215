//! Transactions of binder, and its locks.
