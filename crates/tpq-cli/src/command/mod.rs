//! The commands, one file each: `run` executes the command.

pub mod check;
pub mod clocks;
pub mod cluster;
pub mod completions;
pub mod export;
pub mod info;
pub mod ingest;
pub mod lake;
pub mod man;
pub mod merge;
pub mod query;
pub mod report;
pub mod serve;
pub mod shell;
pub mod summarize;
