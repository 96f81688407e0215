//! Args: what decoders say beyond the columns of tables, and the stage that writes it down.
//!
//! ```text
//! decoders, trackers ──▶ Args (a log) ──batches──▶ ArgWriter ──▶ args, ftrace_event
//! ```
//!
//! Reading annotations and the fields of kernel events, finding sets that were written before, and
//! writing those that were not takes about as long as everything else decoders do, and nothing
//! they do depends on it. So they only note what there is to be read, and number their sets; a
//! writer on another thread does the rest, in the same order. Tables hold the numbers of sets until
//! the end, when their ids are known.

mod fingerprint;
mod index;
mod kernel_event;
mod log;
mod set;
mod stage;
mod texts;
mod writer;

pub(crate) use fingerprint::Fingerprint;
pub(crate) use kernel_event::{EventArgs, FUNCTIONS, KernelEvent};
pub(crate) use log::Args;
pub(crate) use set::{Annotated, ArgSet, ArgValue};
pub(crate) use stage::ArgStage;
pub(crate) use writer::ArgWriter;

/// Writes what was said so far into tables, as the end of an import does.
#[cfg(test)]
pub(crate) fn write_all(args: &mut Args, tables: &mut tpq_tables::Tables) {
    let bytes = tpq_ingest::TraceBytes::new([]);
    let writer = ArgWriter::new(&bytes, &tpq_ingest::Places::default(), 1, args);
    let mut stage = ArgStage::Here(Box::new(writer));
    stage.pass_on(args, tables);
    stage.finish().into_iter().for_each(|written| written.join(tables));
}
