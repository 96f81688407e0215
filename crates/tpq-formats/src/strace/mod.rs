//! Text of `strace`: a line for each system call, signal and exit.
//!
//! ```text
//! 1234 1700000000.123456 read(3, "abc", 1024) = 3 <0.000123>
//! 1234 1700000000.200000 wait4(-1, <unfinished ...>
//! [pid  1235] 1700000000.300000 --- SIGCHLD {si_signo=SIGCHLD} ---
//! ```
//!
//! A line needs the id of its thread (`-f`) and a time (`-ttt`). Times of the day (`-t`, `-tt`) are
//! taken to be of the first day of 1970, since they state no date. Times since the line before (`-r`
//! without `-t`) are summed up, from 0.

mod call_line;
mod lines;

use tpq_clock::REALTIME;
use tpq_decode::{FormatDecoder, RunEvent, format_run_kind};
use tpq_ingest::RunKind;
use tpq_tables::{Stats, Tables};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{NewSlice, SliceEnd, Tid, Trackers};

use self::call_line::{CallLine, What};
use self::lines::CallLines;
use crate::text::{TextReader, text_of};
use crate::{DefaultClock, OpenFile, OpenedFile, TraceFormat};

const LINES: RunKind = format_run_kind(14);
const CATEGORY: &str = "strace";

pub(crate) const FORMAT: TraceFormat =
    TraceFormat::of_one_clock(DefaultClock::OfFile(REALTIME), open);

pub(crate) const DECODER: FormatDecoder =
    FormatDecoder { runs: &[(LINES, decode_line)], text_of: |_, _| None };

fn open(file: OpenFile<'_>) -> OpenedFile<'_> {
    let reader = TextReader::new(file, CallLines::default());
    OpenedFile { reader: Box::new(reader), work: None }
}

fn decode_line(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let Ok(Some(line)) = CallLine::parse(event.message()) else { return };
    let Some(tid) = line.tid else { return };
    let tid = Tid { machine: event.machine, id: i64::from(tid) };
    let utid = trackers.processes.thread(tid, tables);
    let track = trackers.source.tracks.execution(utid, &mut trackers.deferred, tables);
    let category = tables.strings.intern(CATEGORY);
    let name = tables.strings.intern(&text_of(line.name));
    let ts = event.ts;
    let slice = NewSlice { ts, track, name, category, arg_set_id: None };
    let end = SliceEnd { ts, track, category, name };
    let mut args = ArgSet::default();
    for (key, value) in [("args", line.args), ("ret", line.ret)] {
        if let Some(value) = value {
            let value = ArgValue::String(tables.strings.intern(&text_of(value)));
            args.add(tables.strings.intern(key), value);
        }
    }
    trackers.bounds.include(ts);
    match line.what {
        What::Complete(dur) => {
            trackers.bounds.include(ts.saturating_add(dur));
            trackers.complete(slice, dur, &args, tables, stats);
        }
        What::Begun => {
            trackers.begin_slice(slice, args, tables, stats);
        }
        What::Ended => {
            trackers.end_slice(end, &args, tables, stats);
        }
        What::Continued => {
            trackers.end_slice(end, &args, tables, stats);
            trackers.begin_slice(slice, args, tables, stats);
        }
        What::Moment => {
            trackers.instant(slice, &args, tables, stats);
        }
    }
}
