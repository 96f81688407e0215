//! Functions of the kernel: the graph of their calls, and probes that were put on them.

use tpq_proto::fields::ftrace::{ftrace_event, funcgraph_entry, funcgraph_exit, kprobe_event};
use tpq_tables::{Stats, StringId, Tables};

use super::event::{Events, FtraceEvent};
use tpq_trackers::args::ArgSet;
use tpq_trackers::track::{Dimensions, NewSlice, SliceEnd, TrackKind, Trackers};

pub(super) const EVENTS: Events = &[
    (ftrace_event::FUNCGRAPH_ENTRY, call),
    (ftrace_event::FUNCGRAPH_EXIT, return_),
    (ftrace_event::KPROBE_EVENT, probe),
];

const THREAD_CALLS: TrackKind = TrackKind::slices("thread_funcgraph");
const CPU_CALLS: TrackKind = TrackKind::slices("cpu_funcgraph");

/// The fields of the function that is called, and of the one that returns.
const CALLED: u32 = funcgraph_entry::FUNC;
const RETURNING: u32 = funcgraph_exit::FUNC;

/// Kinds of probes.
const BEGIN: i64 = 1;
const END: i64 = 2;
const INSTANT: i64 = 3;

/// The track of what a thread calls. All idle threads have one tid, so theirs is that of the CPU.
fn calls_track(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables) -> u32 {
    let (kind, dimensions, name) = if event.pid == 0 {
        let name = format!("swapper{} -funcgraph", event.cpu);
        (CPU_CALLS, Dimensions::cpu(event.machine, event.cpu), name)
    } else {
        let utid = event.utid(trackers, tables);
        (THREAD_CALLS, Dimensions::thread(utid), "Funcgraph".to_owned())
    };
    let name = tables.strings.intern(&name);
    trackers.source.tracks.get(kind, dimensions, name, &mut trackers.deferred, tables)
}

fn call(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let name = event.symbol_or_hex(event.uint(CALLED), tables, stats);
    let track = calls_track(event, trackers, tables);
    let slice = NewSlice { ts: event.ts, track, name, ..NewSlice::default() };
    trackers.begin_slice(slice, ArgSet::default(), tables, stats);
}

fn return_(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let name = event.symbol_or_hex(event.uint(RETURNING), tables, stats);
    let track = calls_track(event, trackers, tables);
    let end = SliceEnd { ts: event.ts, track, name, ..SliceEnd::default() };
    trackers.end_slice(end, &ArgSet::default(), tables, stats);
}

fn probe(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let name: StringId = event.text(kprobe_event::NAME, tables);
    let track = event.thread_track(trackers, tables);
    let slice = NewSlice { ts: event.ts, track, name, ..NewSlice::default() };
    let none = ArgSet::default();
    match event.int(kprobe_event::TYPE) {
        BEGIN => {
            trackers.begin_slice(slice, none, tables, stats);
        }
        END => {
            let end = SliceEnd { ts: event.ts, track, name, ..SliceEnd::default() };
            trackers.end_slice(end, &none, tables, stats);
        }
        INSTANT => {
            trackers.instant(slice, &none, tables, stats);
        }
        _ => {}
    }
}
