//! Profiles of Firefox's profiler, in JSON. Other tools write them too: `perf script`, simpleperf.
//!
//! There are two forms. As it is recorded, a table is an array of rows, with a `schema` that names
//! the columns; as the web page stores it, a table is an object of columns. [`columns`] reads both.
//! Times are milliseconds.

mod columns;
mod markers;
mod tables;
mod threads;

use tpq_clock::MONOTONIC;
use tpq_decode::{FormatDecoder, RunEvent, format_run_kind};
use tpq_ingest::RunKind;
use tpq_tables::{Stat, Stats, Tables};
use tpq_trackers::track::Trackers;

use self::markers::decode_marker;
use self::tables::{ThreadStacks, decode_profile};
use self::threads::{NO_STACK, read};
use crate::document::{DocumentFormat, DocumentReader};
use crate::samples::{StackSample, push_sample};
use crate::{DefaultClock, OpenFile, OpenedFile, TraceFormat};

const PROFILE: RunKind = format_run_kind(9);
const SAMPLES: RunKind = format_run_kind(10);
const MARKERS: RunKind = format_run_kind(61);
const SOURCE: &str = "gecko";

pub(crate) const FORMAT: TraceFormat =
    TraceFormat::of_one_clock(DefaultClock::OfFile(MONOTONIC), open);

pub(crate) const DECODER: FormatDecoder = FormatDecoder {
    runs: &[(PROFILE, decode_profile), (SAMPLES, decode_sample), (MARKERS, decode_marker)],
    text_of: |_, _| None,
};

fn open(file: OpenFile<'_>) -> OpenedFile<'_> {
    let format = DocumentFormat { whole: PROFILE, is_text: true, read };
    DocumentReader::open(file, format)
}

/// The stacks of all threads of a profile.
#[derive(Default)]
struct ProfileStacks(Vec<ThreadStacks>);

fn decode_sample(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let &[thread, stack] = event.words().0 else { return };
    let ProfileStacks(threads) = trackers.file.states.get();
    let Some(thread) = threads.get(thread as usize) else { return };
    let callsite = match stack {
        NO_STACK => None,
        stack => match thread.callsites.get(stack as usize).copied().flatten() {
            Some((callsite, _)) => Some(callsite),
            None => return stats.increment(Stat::FormatParseErrors),
        },
    };
    let sample = StackSample { ts: event.ts, utid: thread.utid, upid: Some(thread.upid), callsite };
    push_sample(SOURCE, sample, trackers, tables);
}
