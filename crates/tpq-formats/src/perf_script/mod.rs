//! Text that `perf script` prints of samples: a line with the thread, the time and the event, and a
//! line for each function of its call stack, the innermost first.
//!
//! ```text
//! perf  7496/7496  [003] 264874.155353:    1001001 cpu-clock:
//!     ffffffff810d47be smp_call_function_single+0x1e ([kernel.kallsyms])
//!         7f81ee50c5d7 ioctl (/lib/x86_64-linux-gnu/libc-2.27.so)
//! ```

mod sample;
mod sample_lines;

use tpq_clock::MONOTONIC;
use tpq_decode::{FormatDecoder, RunEvent, format_run_kind};
use tpq_ingest::RunKind;
use tpq_tables::{Stats, Tables};
use tpq_trackers::stacks::SourceLine;
use tpq_trackers::track::{NamePriority, Tid, Trackers};

use self::sample::{Sample, StackFrame};
use self::sample_lines::SampleLines;
use crate::samples::{StackSample, callsite, named_frame, push_sample};
use crate::text::{TextReader, text_of};
use crate::{DefaultClock, OpenFile, OpenedFile, TraceFormat};

const SAMPLES: RunKind = format_run_kind(7);
const SOURCE: &str = "perf_text";

pub(crate) const FORMAT: TraceFormat =
    TraceFormat::of_one_clock(DefaultClock::OfFile(MONOTONIC), open);

pub(crate) const DECODER: FormatDecoder =
    FormatDecoder { runs: &[(SAMPLES, decode_sample)], text_of: |_, _| None };

fn open(file: OpenFile<'_>) -> OpenedFile<'_> {
    let reader = TextReader::new(file, SampleLines);
    OpenedFile { reader: Box::new(reader), work: None }
}

fn decode_sample(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    _: &mut Stats,
) {
    let Some(sample) = Sample::parse(event.message()) else { return };
    let tid = |id: u32| Tid { machine: event.machine, id: i64::from(id) };
    let utid = match sample.pid {
        Some(pid) => trackers.processes.thread_of_process(tid(sample.tid), tid(pid), tables),
        None => trackers.processes.thread(tid(sample.tid), tables),
    };
    let upid = sample.pid.map(|pid| trackers.processes.process(tid(pid), tables));
    let name = tables.strings.intern_bytes(sample.comm);
    let before = tables.thread.name.get(utid);
    trackers.processes.name_thread(utid, name, NamePriority::Other, tables);
    if let Some(upid) = upid.filter(|_| sample.pid == Some(sample.tid)) {
        // A process goes by its main thread, unless another source names it.
        let of_process = tables.process.name.get(upid);
        if of_process.is_null() || of_process == before {
            tables.process.name.set(upid, name);
        }
    }
    // A stack is printed from its innermost function.
    let mut stack: Vec<StackFrame<'_>> = sample.frames().collect();
    stack.reverse();
    let mut frames = Vec::with_capacity(stack.len());
    for frame in stack {
        let (binary, function) = (text_of(frame.binary), text_of(frame.function));
        frames.push(named_frame(&binary, &function, SourceLine::default(), trackers, tables));
    }
    let callsite = callsite(frames, trackers, tables);
    let sample = StackSample { ts: event.ts, utid, upid, callsite };
    push_sample(SOURCE, sample, trackers, tables);
}
