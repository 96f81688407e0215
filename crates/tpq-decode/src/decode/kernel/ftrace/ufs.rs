//! Commands to UFS storage.

use tpq_proto::fields::ftrace::{ftrace_event, ufshcd_clk_gating, ufshcd_command};
use tpq_tables::{Stats, Tables};

use super::event::{Events, FtraceEvent};
use tpq_trackers::args::ArgSet;
use tpq_trackers::track::{Dimensions, NewSlice, SliceEnd, TrackKind, Trackers};

pub(super) const EVENTS: Events =
    &[(ftrace_event::UFSHCD_COMMAND, command), (ftrace_event::UFSHCD_CLK_GATING, clock_gating)];

const COMMANDS: TrackKind = TrackKind::counter("ufs_command_count", None);
const COMMAND: TrackKind = TrackKind::slices("ufs_command_tag");
const CLOCK: TrackKind = TrackKind::counter("ufs_clkgating", None);

/// The fields of the event about the command.
const SENT: u64 = 0;
const COMPLETED: u64 = 1;

fn command(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (doorbell, tag, stage) = (
        event.uint(ufshcd_command::DOORBELL) as u32,
        event.uint(ufshcd_command::TAG) as u32,
        event.uint(ufshcd_command::STR_T),
    );
    // Each bit of the doorbell is a slot of the queue. Without one there is only this command.
    let waiting = match (doorbell, stage) {
        (0, COMPLETED) => 0,
        (0, _) => 1,
        (doorbell, _) => doorbell.count_ones(),
    };
    let machine = Dimensions::machine(event.machine);
    let name = tables.strings.intern("io.ufs.command.count");
    trackers.count((event.ts, f64::from(waiting)), COMMANDS, machine, name, tables);

    let title = tables.strings.intern(&format!("io.ufs.command.tag[{tag:03}]"));
    let dimensions = machine.number("ufs_tag", i64::from(tag));
    let track =
        trackers.source.tracks.get(COMMAND, dimensions, title, &mut trackers.deferred, tables);
    if stage == SENT {
        let name = tables.strings.intern(&operation(
            event.uint(ufshcd_command::OPCODE),
            event.uint(ufshcd_command::GROUP_ID) as u32,
        ));
        let slice = NewSlice { ts: event.ts, track, name, ..NewSlice::default() };
        trackers.begin_slice(slice, ArgSet::default(), tables, stats);
    } else {
        let end = SliceEnd { ts: event.ts, track, ..SliceEnd::default() };
        trackers.end_slice(end, &ArgSet::default(), tables, stats);
    }
}

/// A command as SCSI names it, with the group the kernel put it in.
fn operation(opcode: u64, group: u32) -> String {
    let name = match opcode {
        0 => "TEST UNIT READY",
        3 => "REQUEST SENSE",
        4 => "FORMAT UNIT",
        8 => "READ (6)",
        10 => "WRITE (6)",
        18 => "INQUIRY",
        27 => "START STOP UNIT",
        29 => "SEND DIAGNOSTIC",
        37 => "READ CAPACITY (10)",
        40 => "READ (10)",
        42 => "WRITE (10)",
        47 => "VERIFY",
        52 => "PRE-FETCH (10)",
        53 => "SYNCHRONIZE CACHE (10)",
        59 => "WRITE BUFFER",
        60 => "READ BUFFER",
        66 => "UNMAP",
        85 => "MODE SELECT (10)",
        90 => "MODE SENSE (10)",
        136 => "READ (16)",
        138 => "WRITE (16)",
        144 => "PRE-FETCH (16)",
        145 => "SYNCHRONIZE CACHE (16)",
        158 => "READ CAPACITY (16)",
        160 => "REPORT LUNS",
        162 => "SECURITY PROTOCOL IN",
        181 => "SECURITY PROTOCOL OUT",
        _ => "UNDEFINED",
    };
    match group {
        0 => name.to_owned(),
        group => format!("{name} (GID=0x{group:x})"),
    }
}

/// The clocks are off (0), about to be turned off (1) or on (2), or on (3): the kernel's numbers
/// put into this order.
fn clock_gating(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    _: &mut Stats,
) {
    let state = match event.int(ufshcd_clk_gating::STATE) {
        1 => 3,
        2 => 1,
        3 => 2,
        _ => 0,
    };
    let name = tables.strings.intern("io.ufs.clkgating (OFF:0/REQ_OFF/REQ_ON/ON:3)");
    let dimensions = Dimensions::machine(event.machine);
    trackers.count((event.ts, f64::from(state)), CLOCK, dimensions, name, tables);
}
