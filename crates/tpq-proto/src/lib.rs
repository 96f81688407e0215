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
