//! Dumps of Java heaps in the format HPROF, of Android's runtime and of other virtual machines.
//!
//! ```text
//! records ──▶ heap ──▶ names ──▶ graph ──▶ native_size ──▶ values ──▶ rows
//! ```
//!
//! The dump is one event, at the time in its header.

mod graph;
mod heap;
mod names;
mod native_size;
mod records;
mod rows;
mod values;

use tpq_clock::REALTIME;
use tpq_decode::{FormatDecoder, RunEvent, format_run_kind};
use tpq_ingest::RunKind;
use tpq_tables::{Stats, Tables};
use tpq_trackers::track::Trackers;

use self::records::{Header, walk};
use crate::document::{Document, DocumentFormat, DocumentReader, Events, Place};
use crate::{DefaultClock, OpenFile, OpenedFile, TraceFormat};

const FILE: RunKind = format_run_kind(45);
const DUMP: RunKind = format_run_kind(46);

pub(crate) const FORMAT: TraceFormat =
    TraceFormat::of_one_clock(DefaultClock::OfFile(REALTIME), open);

pub(crate) const DECODER: FormatDecoder =
    FormatDecoder { runs: &[(FILE, ignore_file), (DUMP, rows::decode_dump)], text_of: |_, _| None };

fn open(file: OpenFile<'_>) -> OpenedFile<'_> {
    let format = DocumentFormat { whole: FILE, is_text: false, read };
    DocumentReader::open(file, format)
}

/// Finds the time of the dump, and what is damaged in it.
fn read(bytes: &[u8]) -> Document {
    let Some(header) = Header::read(bytes) else {
        return Document::damaged(0, "the header of the heap dump cannot be read");
    };
    let time = i64::try_from(header.time_ms).unwrap_or(i64::MAX).saturating_mul(1_000_000);
    let problems = walk(bytes, header, |_, _| {});
    let dump = Events {
        kind: DUMP,
        times: vec![time],
        place: Place::Parts(std::iter::once(0..bytes.len()).collect()),
    };
    Document { events: vec![dump], problems, is_readable: true }
}

/// The dump itself is an event.
fn ignore_file(_: &RunEvent<'_>, _: &mut Trackers, _: &mut Tables, _: &mut Stats) {}
