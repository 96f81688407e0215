//! Traces of methods that Android's runtime called (`am profile`, `Debug.startMethodTracing`). Lists
//! of threads and methods come before the calls, or, where calls are streamed, between them.

mod calls;

use rustc_hash::FxHashMap;
use tpq_clock::MONOTONIC;
use tpq_decode::{FormatDecoder, RunEvent, format_run_kind};
use tpq_ingest::RunKind;
use tpq_tables::{Stat, Stats, StringId, Tables};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{NamePriority, NewSlice, SliceEnd, Tid, Trackers};

use self::calls::{Part, read, walk};
use crate::document::{DocumentFormat, DocumentReader};
use crate::text::{number, text_of};
use crate::{DefaultClock, OpenFile, OpenedFile, TraceFormat};

const TRACE: RunKind = format_run_kind(23);
const CALLS: RunKind = format_run_kind(24);

pub(crate) const FORMAT: TraceFormat =
    TraceFormat::of_one_clock(DefaultClock::OfFile(MONOTONIC), open);

pub(crate) const DECODER: FormatDecoder =
    FormatDecoder { runs: &[(TRACE, decode_lists), (CALLS, decode_call)], text_of: |_, _| None };

fn open(file: OpenFile<'_>) -> OpenedFile<'_> {
    let format = DocumentFormat { whole: TRACE, is_text: false, read };
    DocumentReader::open(file, format)
}

/// Methods of a trace, by number.
#[derive(Default)]
struct Methods(FxHashMap<u32, Method>);

/// A method.
#[derive(Clone, Copy)]
struct Method {
    /// Class, name and signature.
    name: StringId,
    /// Path of its source; NULL if unknown.
    path: StringId,
    line: Option<u32>,
}

/// Decodes threads and methods.
fn decode_lists(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut methods = FxHashMap::default();
    let mut lost = 0;
    // What is damaged was counted when the times were read.
    let _ = walk(event.message(), |part| match part {
        Part::Thread(tid, name) => {
            let tid = Tid { machine: event.machine, id: i64::from(tid) };
            let utid = trackers.processes.thread(tid, tables);
            let name = tables.strings.intern(&text_of(name));
            trackers.processes.name_thread(utid, name, NamePriority::Other, tables);
        }
        Part::Method(line) => match method(line, tables) {
            Some((id, method)) => {
                methods.insert(id, method);
            }
            None => lost += 1,
        },
        Part::Overflow => stats.increment(Stat::FormatRecordsLost),
        Part::Call(_) => {}
    });
    stats.add(Stat::FormatParseErrors, lost);
    *trackers.file.states.get() = Methods(methods);
}

/// Reads a method: cells with tabs between, of which some may be missing.
fn method(line: &[u8], tables: &mut Tables) -> Option<(u32, Method)> {
    let line = text_of(line.trim_ascii());
    let cells: Vec<&str> = line.split('\t').collect();
    let id = cells.first()?.trim_start_matches("0x");
    let id = u32::from_str_radix(id, 16).ok()?;
    let class = cells.get(1).copied().unwrap_or_default();
    let (name, signature, path, line) = match cells[..] {
        [_, _, name, signature, path, line] => (name, signature, Some(path), Some(line)),
        [_, _, name, signature, ref rest @ ..] if signature.starts_with('(') => {
            (name, signature, rest.first().copied(), None)
        }
        [_, _, path, line, ..] => ("", "", Some(path), Some(line)),
        [_, _, path] => ("", "", Some(path), None),
        _ => ("", "", None, None),
    };
    let path = path.map(|path| match class.rsplit_once('/') {
        // A file without its folder, which is that of the class.
        Some((folder, _)) if line.is_some() && path.ends_with(".java") => {
            format!("{folder}/{path}")
        }
        _ => path.to_owned(),
    });
    let method = Method {
        name: tables.strings.intern(&format!("{class}.{name}: {signature}")),
        path: path.map_or(StringId::NULL, |path| tables.strings.intern(&path)),
        line: line.and_then(|line| number(line.as_bytes())),
    };
    Some((id, method))
}

fn decode_call(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let &[tid, method, is_exit] = event.words().0 else { return };
    let tid = Tid { machine: event.machine, id: i64::from(tid) };
    let utid = trackers.processes.thread(tid, tables);
    let track = trackers.source.tracks.execution(utid, &mut trackers.deferred, tables);
    trackers.bounds.include(event.ts);
    if is_exit != 0 {
        let end = SliceEnd { ts: event.ts, track, ..SliceEnd::default() };
        trackers.end_slice(end, &ArgSet::default(), tables, stats);
        return;
    }
    let Methods(methods) = trackers.file.states.get();
    let method = methods.get(&method).copied();
    if method.is_none() {
        // It has no name.
        stats.increment(Stat::FormatParseErrors);
    }
    let mut args = ArgSet::default();
    if let Some(path) = method.map(|method| method.path).filter(|path| !path.is_null()) {
        args.add(tables.strings.intern("pathname"), ArgValue::String(path));
    }
    if let Some(line) = method.and_then(|method| method.line) {
        args.add(tables.strings.intern("line_number"), ArgValue::Int(i64::from(line)));
    }
    let name = method.map_or(StringId::NULL, |method| method.name);
    let slice = NewSlice { ts: event.ts, track, name, ..NewSlice::default() };
    trackers.begin_slice(slice, args, tables, stats);
}
