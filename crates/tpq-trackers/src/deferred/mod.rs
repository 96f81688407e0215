//! What decoders say and nothing they do depends on: args, kernel events as such, and the states of
//! threads.
//!
//! ```text
//! decoders, trackers ──▶ Ledger ──batches──▶ LedgerWriter ──▶ args, ftrace_event, thread_state
//! ```
//!
//! To read annotations, args in JSON, and the fields of kernel events and of system calls, to find
//! sets of args that were written before, and to write all this takes about as long as everything
//! else decoders do. So they only
//! note what there is to be read, and number their sets; a writer on another thread does the rest,
//! in the same order. Tables hold the numbers of sets until the end, when their ids are known.
//!
//! What is to be written here must say all there is to know: the writer sees no tracker and no
//! other table.

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
