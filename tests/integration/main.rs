//! Everything that is neither rows (`tests/slt.rs`) nor a comparison with recorded answers
//! (`tests/oracle.rs`): inputs that must not break tpq, invariants, the command line, and the
//! repository's own rules.

#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by panicking")]

#[path = "../rows/mod.rs"]
mod rows;

mod bad_input;
mod cache;
mod check_command;
mod cli;
mod clocks;
mod clocks_command;
#[cfg(target_os = "linux")]
mod cluster;
mod command;
mod compatibility_doc;
mod dependency_rule;
mod docs_paths;
mod each_command;
mod export_command;
mod formats;
mod health_line;
mod heap_packets;
mod hostile;
mod imported;
mod interrupts;
mod json;
mod lake;
mod layers;
mod left_out;
#[cfg(target_os = "linux")]
mod memory;
mod memory_snapshots;
mod merge_command;
mod merging;
mod metatrace;
mod modules;
mod mutations;
mod output_files;
mod page;
mod partial_cache;
mod profiles;
mod recorder;
mod recordings;
mod report_command;
#[cfg(target_os = "linux")]
mod running;
mod same_tables;
mod schemas;
mod server;
mod shell;
mod shortened;
mod sort_agreement;
mod summaries;
mod system;
mod systrace;
mod tables_doc;
mod text_filters;
mod track_events;
mod typed_args;
mod winscope;

/// The root of the repository.
const ROOT: &str = env!("CARGO_MANIFEST_DIR");
