//! The wire format: what the bytes of a Perfetto trace say.
//!
//! Hot messages are read where they lie; cold ones become Rust types. This crate knows fields and
//! their encoding, not what a trace means: no clocks, no tables, no files.

mod decode;
mod descriptor;
pub mod ftrace;
pub mod message;
pub mod reflect;
pub mod text;
pub mod wire;

pub use decode::decode;

/// Numbers of fields by message, from `protos/`: `fields::sys_stats::MEMINFO`, and for kernel events
/// `fields::ftrace::sched_switch::PREV_COMM`.
#[allow(missing_docs)]
pub mod fields {
    include!(concat!(env!("OUT_DIR"), "/field_numbers.rs"));
}
