//! Traces of Fuchsia (FXT): records of 8-byte words from several providers, each with tables of
//! strings and threads that its events refer to by number.
//!
//! Numbers get new meanings while a trace is written, and events are decoded in the order of time.
//! So [`tables`] keeps where in the file each meaning begins.

mod args;
mod events;
mod records;
mod sched;
mod tables;

use tpq_clock::BOOTTIME;
use tpq_decode::{FormatDecoder, RunEvent, format_run_kind};
use tpq_ingest::RunKind;
use tpq_tables::{Stat, Stats, Tables};
use tpq_trackers::track::{NamePriority, Tid, Trackers};

use self::args::{ArgKind, read_args};
use self::records::{Header, Words, read, records};
use self::tables::Definitions;
use crate::document::{DocumentFormat, DocumentReader};
use crate::{DefaultClock, OpenFile, OpenedFile, TraceFormat};

const TRACE: RunKind = format_run_kind(25);
const RECORDS: RunKind = format_run_kind(26);

pub(crate) const FORMAT: TraceFormat =
    TraceFormat::of_one_clock(DefaultClock::OfFile(BOOTTIME), open);

pub(crate) const DECODER: FormatDecoder = FormatDecoder {
    runs: &[(TRACE, decode_definitions), (RECORDS, decode_record)],
    text_of: |_, _| None,
};

fn open(file: OpenFile<'_>) -> OpenedFile<'_> {
    let format = DocumentFormat { whole: TRACE, is_text: false, read };
    DocumentReader::open(file, format)
}

/// Types of objects of the kernel.
const PROCESS: u64 = 1;
const THREAD: u64 = 2;

/// Decodes what records define, and the names of processes and threads.
fn decode_definitions(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut definitions = Definitions::default();
    for (range, record) in records(event.message()) {
        let Some(header) = Header::read(record) else { continue };
        let words = Words::behind_header(record);
        match header.kind() {
            records::kind::METADATA if header.reports_loss() => {
                stats.increment(Stat::FormatRecordsLost);
            }
            records::kind::METADATA
            | records::kind::INITIALIZATION
            | records::kind::STRING
            | records::kind::THREAD => {
                if definitions.add(range.start, header, words, tables).is_none() {
                    stats.increment(Stat::FuchsiaRecordReadError);
                }
            }
            records::kind::KERNEL_OBJECT => {
                let context = (event.machine, range.start);
                if name_object(context, header, words, &definitions, trackers, tables).is_none() {
                    stats.increment(Stat::FuchsiaRecordReadError);
                }
            }
            records::kind::EVENT | records::kind::SCHEDULER => {}
            other => stats.add_indexed(Stat::FormatRecordsNotRead, other as i64, 1),
        }
    }
    *trackers.file.states.get() = definitions;
}

/// Names a process or a thread.
fn name_object(
    (machine, offset): (u32, usize),
    header: Header,
    mut words: Words<'_>,
    definitions: &Definitions,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> Option<()> {
    let id = words.u64()?.cast_signed();
    let tid = |id| Tid { machine, id };
    let name = definitions.string(offset, header.bits(24, 39), &mut words, tables)?;
    match header.bits(16, 23) {
        PROCESS => {
            let upid = trackers.processes.process(tid(id), tables);
            tables.process.name.set(upid, name);
        }
        THREAD => {
            let count = header.bits(40, 43);
            let args = read_args(count, offset, &mut words, definitions, tables)?;
            let of = args.iter().find(|arg| tables.strings.get(arg.name) == "process");
            let pid = match of.map(|arg| arg.value) {
                Some(ArgKind::Koid(pid)) => pid.cast_signed(),
                None => 0,
                Some(_) => return None,
            };
            let utid = trackers.processes.thread_of_process(tid(id), tid(pid), tables);
            trackers.processes.name_thread(utid, name, NamePriority::Other, tables);
        }
        _ => {}
    }
    Some(())
}

/// Decodes an event or a switch.
fn decode_record(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let record = event.message();
    let span = event.run.payload.message_of(event.index).unwrap_or_default();
    let offset = usize::try_from(span.addr.saturating_sub(event.run.addr)).unwrap_or_default();
    let Some(header) = Header::read(record) else { return };
    let definitions: Definitions = std::mem::take(trackers.file.states.get());
    let mut context = Context {
        ts: event.ts,
        machine: event.machine,
        offset,
        definitions: &definitions,
        trackers,
        tables,
        stats,
    };
    let words = Words::behind_header(record);
    let read = match header.kind() {
        records::kind::EVENT => events::decode_event(header, words, &mut context),
        _ => sched::decode_sched(header, words, &mut context),
    };
    if read.is_none() {
        context.stats.increment(Stat::FuchsiaInvalidEvent);
    }
    *trackers.file.states.get() = definitions;
}

/// The context of a record.
struct Context<'a> {
    ts: i64,
    machine: u32,
    /// The place of the record in the file.
    offset: usize,
    definitions: &'a Definitions,
    trackers: &'a mut Trackers,
    tables: &'a mut Tables,
    stats: &'a mut Stats,
}

impl Context<'_> {
    /// A process or thread.
    fn tid(&self, id: u64) -> Tid {
        Tid { machine: self.machine, id: id.cast_signed() }
    }
}
