//! The protobuf wire format of a Perfetto trace.
//!
//! Frequent messages are read in place; rare ones are decoded to Rust types. This crate knows
//! fields and their encoding, not the meaning of a trace: it has no clocks, tables or files.

mod decode;
mod descriptor;
pub mod ftrace;
pub mod json;
pub mod message;
pub mod reflect;
pub mod text;
pub mod wire;

pub use decode::decode;

/// Numbers of fields by message, from `protos/`: `fields::sys_stats::MEMINFO`, and for kernel
/// events `fields::ftrace::sched_switch::PREV_COMM`.
#[allow(missing_docs)]
pub mod fields {
    include!(concat!(env!("OUT_DIR"), "/field_numbers.rs"));
}
