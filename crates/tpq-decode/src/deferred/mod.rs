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
mod fingerprint;
mod index;
mod kernel_event;
mod known_sets;
mod recent;
mod rows;
mod set;
mod stage;
mod texts;
mod thread_state;
mod writer;

pub(crate) use entries::DeferredWrites;
pub(crate) use fingerprint::Fingerprint;
pub(crate) use kernel_event::{EventArgs, FUNCTIONS, KernelEvent};
pub(crate) use set::{Annotated, ArgSet, ArgValue, JsonOrigin};
pub(crate) use stage::DeferredStage;
pub(crate) use thread_state::StateEvent;
pub(crate) use writer::{DeferredWriter, Written};

/// Writes what was said so far into tables, as the end of an import does.
#[cfg(test)]
pub(crate) fn write_all(trackers: &mut crate::track::Trackers, tables: &mut tpq_tables::Tables) {
    let bytes = tpq_ingest::TraceBytes::new([]);
    let writer =
        DeferredWriter::new(&bytes, &tpq_ingest::Sources::default(), 1, &trackers.deferred);
    let mut stage = DeferredStage::Here(Box::new(writer));
    stage.pass_on(&mut trackers.deferred, tables);
    if let Some(written) = stage.end().map(|writer| writer.finish()) {
        written.bounds().into_iter().for_each(|ts| trackers.bounds.include(ts));
        written.join(tables);
    }
}
