//! The commands, one file each: `run` does what the command's name says.

pub mod completions;
pub mod export;
pub mod info;
pub mod query;
pub mod shell;
