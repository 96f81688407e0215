//! The deferred writer: writes tables that no decoder and no tracker reads, namely args, kernel
//! events and thread states.
//!
//! ```text
//! decoders, trackers ──▶ DeferredWrites ──batches──▶ DeferredWriter ──▶ args, ftrace_event, thread_state
//! ```
//!
//! Reading args (annotations, JSON, fields of kernel events and system calls), deduplicating them
//! and writing these tables takes about as long as all other decoding. So decoders only append
//! entries that state the location of the args, and number the arg sets; a writer on another thread
//! processes the entries in the same order. Columns hold the numbers until the ids are known.
//!
//! An entry must be complete: the writer has no access to trackers or other tables.

mod entries;
mod index;
mod kernel_event;
mod known_sets;
mod recent;
mod rows;
mod stage;
mod texts;
mod thread_state;
mod writer;

pub use entries::DeferredWrites;
pub use kernel_event::{EventArgs, FUNCTIONS, KernelEvent, NextTask};
pub use stage::DeferredStage;
pub use thread_state::StateEvent;
pub use writer::{DeferredWriter, Written};
