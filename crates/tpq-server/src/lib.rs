//! A server of SQL on traces.

pub mod page;
