//! Requests to block devices.

use tpq_proto::fields::ftrace::{block_io_start, ftrace_event};
use tpq_tables::{Stats, StringId, Tables};

use super::event::{Events, FtraceEvent};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Dimensions, NewSlice, SliceEnd, TrackKind, Trackers};

pub(super) const EVENTS: Events =
    &[(ftrace_event::BLOCK_IO_START, start), (ftrace_event::BLOCK_IO_DONE, done)];

const BLOCK_IO: TrackKind = TrackKind::slices("block_io");

fn track(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables) -> u32 {
    let dimension =
        Dimensions::machine(event.machine).number("block_device", event.int(block_io_start::DEV));
    let args = &mut trackers.deferred;
    trackers.source.tracks.get(BLOCK_IO, dimension, StringId::NULL, args, tables)
}

/// The first sector of the request.
fn sector(event: &FtraceEvent<'_>, tables: &mut Tables) -> ArgSet {
    ArgSet::of(
        [("sector", ArgValue::Uint(event.uint(block_io_start::SECTOR)))],
        &mut tables.strings,
    )
}

fn start(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let track = track(event, trackers, tables);
    let name = tables.strings.intern("block_io");
    let slice = NewSlice { ts: event.ts, track, name, ..NewSlice::default() };
    let args = sector(event, tables);
    trackers.begin_slice(slice, args, tables, stats);
}

fn done(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let track = track(event, trackers, tables);
    let name = tables.strings.intern("block_io");
    let end = SliceEnd { ts: event.ts, track, name, ..SliceEnd::default() };
    let args = sector(event, tables);
    trackers.end_slice(end, &args, tables, stats);
}
