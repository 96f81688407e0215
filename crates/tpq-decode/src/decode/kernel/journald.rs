//! Messages of the journal of a Linux system.

use tpq_ingest::Route;
use tpq_proto::fields::{systemd_journald_event, trace_packet};
use tpq_proto::wire::LastFields;
use tpq_tables::table::LogRow;
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Tid, Trackers};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::JOURNALD_EVENT, route: Route::Sorted, decode };

/// Fields that become arguments.
const ARGS: [(u32, &str); 4] = [
    (systemd_journald_event::COMM, "comm"),
    (systemd_journald_event::SYSTEMD_UNIT, "systemd_unit"),
    (systemd_journald_event::HOSTNAME, "hostname"),
    (systemd_journald_event::TRANSPORT, "transport"),
];

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let message = LastFields::<22>::new(packet.data);
    let counts = [
        (systemd_journald_event::NUM_TOTAL, Stat::SystemdJournalNumTotal),
        (systemd_journald_event::NUM_FAILED, Stat::SystemdJournalNumFailed),
    ];
    let mut counted = false;
    for (number, stat) in counts {
        if let Some(count) = message.get(number) {
            stats.set(stat, count.as_i64());
            counted = true;
        }
    }
    // Packets that count hold no message.
    if !counted {
        decode_message(packet, &message, trackers, tables);
    }
}

fn decode_message(
    packet: &Packet<'_>,
    message: &LastFields<'_, 22>,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    let id = |number| i64::from(message.uint(number) as u32);
    let pid = Tid { machine: packet.machine, id: id(systemd_journald_event::PID) };
    let tid = if message.has(systemd_journald_event::TID) {
        Tid { id: id(systemd_journald_event::TID), ..pid }
    } else {
        pid
    };
    let utid = (pid.id != 0).then(|| trackers.processes.thread_of_process(tid, pid, tables));
    let mut args = ArgSet::default();
    if message.has(systemd_journald_event::UID) {
        args.add(tables.strings.intern("uid"), ArgValue::Int(id(systemd_journald_event::UID)));
    }
    for (number, key) in ARGS {
        if message.has(number) {
            let value = ArgValue::String(crate::decode::text(message, number, tables));
            args.add(tables.strings.intern(key), value);
        }
    }
    let tag = crate::decode::text(message, systemd_journald_event::TAG, tables);
    let msg = tables.strings.intern_bytes(message.bytes(systemd_journald_event::MESSAGE));
    let log_source = tables.strings.intern("systemd_journald");
    let arg_set_id = trackers.deferred.intern(&args);
    trackers.bounds.include(packet.ts());
    let (ts, prio) = (packet.ts(), message.uint(systemd_journald_event::PRIO) as u32);
    tables.logs.push(LogRow { ts, utid, prio, log_source, tag, msg, arg_set_id });
}
