//! Reports of simpleperf (`report-sample --protobuf`): records of protobuf, each with its size
//! before it.

mod report;

use rustc_hash::FxHashMap;
use tpq_clock::MONOTONIC;
use tpq_decode::{FormatDecoder, RunEvent, format_run_kind};
use tpq_ingest::RunKind;
use tpq_proto::fields::simpleperf_record::{
    self, file, lost_situation,
    sample::{self, call_chain_entry},
    thread,
};
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::{Stat, Stats, StringId, Tables};
use tpq_trackers::stacks::{NewFrame, SourceLine};
use tpq_trackers::track::{NamePriority, Tid, Trackers};

use self::report::{read, records};
use crate::document::{DocumentFormat, DocumentReader};
use crate::samples::{StackSample, callsite, push_sample};
use crate::{DefaultClock, OpenFile, OpenedFile, TraceFormat};

const REPORT: RunKind = format_run_kind(16);
const SAMPLES: RunKind = format_run_kind(17);
const SOURCE: &str = "simpleperf";

pub(crate) const FORMAT: TraceFormat =
    TraceFormat::of_one_clock(DefaultClock::OfFile(MONOTONIC), open);

pub(crate) const DECODER: FormatDecoder = FormatDecoder {
    runs: &[(REPORT, decode_report), (SAMPLES, decode_sample)],
    text_of: |_, _| None,
};

fn open(file: OpenFile<'_>) -> OpenedFile<'_> {
    let format = DocumentFormat { whole: REPORT, is_text: false, read };
    DocumentReader::open(file, format)
}

/// Binaries of a report, by number.
#[derive(Default)]
struct Files(FxHashMap<u32, File>);

/// A binary.
struct File {
    /// Row of the mapping.
    mapping: u32,
    /// Names of functions.
    symbols: Vec<StringId>,
}

/// Decodes all records but samples: binaries, threads and losses.
fn decode_report(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    for (_, record) in records(event.message()) {
        let Some(field) = Fields::new(record).last() else { continue };
        let bytes = field.as_bytes();
        match field.number {
            simpleperf_record::FILE => add_file(bytes, trackers, tables),
            simpleperf_record::THREAD => add_thread(bytes, event.machine, trackers, tables),
            simpleperf_record::LOST => {
                let lost = LastFields::<3>::new(bytes).int(lost_situation::LOST_COUNT);
                stats.add(Stat::PerfSamplesSkippedDataloss, lost);
            }
            simpleperf_record::SAMPLE | simpleperf_record::META_INFO => {}
            other => stats.add_indexed(Stat::FormatRecordsNotRead, i64::from(other), 1),
        }
    }
}

fn add_file(bytes: &[u8], trackers: &mut Trackers, tables: &mut Tables) {
    let message = LastFields::<3>::new(bytes);
    let path = tables.strings.intern_bytes(message.bytes(file::PATH));
    let symbols = Fields::new(bytes).filter(|field| field.number == file::SYMBOL);
    let file = File {
        mapping: trackers.source.stacks.mappings.placeholder(path, tables),
        symbols: symbols.map(|it| tables.strings.intern_bytes(it.as_bytes())).collect(),
    };
    let Files(files) = trackers.file.states.get();
    files.insert(message.uint(file::ID) as u32, file);
}

fn add_thread(bytes: &[u8], machine: u32, trackers: &mut Trackers, tables: &mut Tables) {
    let message = LastFields::<4>::new(bytes);
    let id = |field| Tid { machine, id: i64::from(message.uint(field) as u32) };
    let (tid, pid) = (id(thread::THREAD_ID), id(thread::PROCESS_ID));
    if tid.id == 0 || pid.id == 0 {
        return;
    }
    let utid = trackers.processes.thread_of_process(tid, pid, tables);
    if message.has(thread::THREAD_NAME) {
        let name = tables.strings.intern_bytes(message.bytes(thread::THREAD_NAME));
        trackers.processes.name_thread(utid, name, NamePriority::Other, tables);
    }
}

fn decode_sample(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let Some(field) = Fields::new(event.message()).last() else { return };
    let bytes = field.as_bytes();
    let id = i64::from(LastFields::<3>::new(bytes).int(sample::THREAD_ID) as i32);
    let utid = trackers.processes.thread(Tid { machine: event.machine, id }, tables);
    let entries = Fields::new(bytes).filter(|field| field.number == sample::CALLCHAIN);
    let mut frames = Vec::new();
    for entry in entries {
        let entry = LastFields::<4>::new(entry.as_bytes());
        let Files(files) = trackers.file.states.get();
        let Some(file) = files.get(&(entry.uint(call_chain_entry::FILE_ID) as u32)) else {
            return stats.increment(Stat::SimpleperfMissingFileMapping);
        };
        let symbol = usize::try_from(entry.int(call_chain_entry::SYMBOL_ID) as i32).ok();
        let name = symbol.and_then(|symbol| file.symbols.get(symbol).copied());
        let frame = NewFrame {
            mapping: file.mapping,
            rel_pc: entry.uint(call_chain_entry::VADDR_IN_FILE),
            name: name.unwrap_or(StringId::NULL),
            source: SourceLine::default(),
        };
        frames.push(trackers.source.stacks.frames.get(frame, tables));
    }
    // The innermost frame comes first.
    let callsite = callsite(frames.into_iter().rev(), trackers, tables);
    if callsite.is_some() {
        let sample = StackSample { ts: event.ts, utid, upid: None, callsite };
        push_sample(SOURCE, sample, trackers, tables);
    }
}
