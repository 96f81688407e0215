//! Calls between processes by binder, and its lock.

use tpq_proto::fields::ftrace::{
    binder_command, binder_return, binder_transaction, binder_transaction_alloc_buf,
    binder_transaction_received, ftrace_event,
};
use tpq_tables::{Stats, StringId, Tables};

use super::event::{Events, FtraceEvent, thread_track};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Command, NewSlice, Return, SliceEnd, Trackers, Transaction, Utid};

pub(super) const EVENTS: Events = &[
    (ftrace_event::BINDER_TRANSACTION, send),
    (ftrace_event::BINDER_TRANSACTION_RECEIVED, receive),
    (ftrace_event::BINDER_LOCK, wait),
    (ftrace_event::BINDER_LOCKED, lock),
    (ftrace_event::BINDER_UNLOCK, unlock),
    (ftrace_event::BINDER_TRANSACTION_ALLOC_BUF, allocate),
    (ftrace_event::BINDER_COMMAND, command),
    (ftrace_event::BINDER_RETURN, returned),
];

/// Flags of a transaction.
const FLAGS: [(u32, &str); 4] = [
    (ONE_WAY, "this is a one-way call: async, no return; "),
    (0x04, "contents are the components root object; "),
    (0x08, "contents are a 32-bit status code; "),
    (0x10, "allow replies with file descriptors; "),
];
const ONE_WAY: u32 = 0x01;

const TRANSACTION: &str = "binder transaction";
const REPLY: &str = "binder reply";
const WAITING: &str = "binder lock waiting";
const HELD: &str = "binder lock held";

fn slice(event: &FtraceEvent<'_>, track: u32, name: &str, tables: &mut Tables) -> NewSlice {
    let name = tables.strings.intern(name);
    let category = tables.strings.intern("binder");
    NewSlice { ts: event.ts, track, name, category, arg_set_id: None }
}

/// The end of the innermost open slice of a track.
fn any(event: &FtraceEvent<'_>, track: u32) -> SliceEnd {
    SliceEnd { ts: event.ts, track, ..SliceEnd::default() }
}

fn send(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let code = format!("0x{:02x}", event.uint(binder_transaction::CODE) as u32);
    send_code(event, &code, trackers, tables, stats);
}

/// Sends a transaction; its code is written as given.
pub(super) fn send_code(
    event: &FtraceEvent<'_>,
    code: &str,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let sender = event.utid(trackers, tables);
    let track = thread_track(sender, trackers, tables);
    let is_reply = event.int(binder_transaction::REPLY) as i32 == 1;
    let one_way = event.uint(binder_transaction::FLAGS) as u32 & ONE_WAY != 0;
    let args = transaction_args(event, is_reply, code, tables);
    let sent = if is_reply {
        let receiver = trackers
            .processes
            .thread(event.tid(event.int(binder_transaction::TO_THREAD) as i32), tables);
        let to = ArgValue::Int(i64::from(event.int(binder_transaction::TO_THREAD) as u32));
        add_args(track, REPLY, &receiver_args(to, receiver, tables), trackers, tables);
        trackers.end_slice(any(event, track), &args, tables, stats)
    } else if one_way {
        let slice = slice(event, track, "binder transaction async", tables);
        trackers.instant(slice, &args, tables, stats)
    } else {
        let slice = slice(event, track, TRANSACTION, tables);
        trackers.begin_slice(slice, args.clone(), tables, stats)
    };
    let transaction = Transaction { is_reply, one_way, args, track, slice: sent };
    trackers.source.binder.send(
        event.int(binder_transaction::DEBUG_ID) as i32,
        sender,
        transaction,
    );
}

fn transaction_args(
    event: &FtraceEvent<'_>,
    is_reply: bool,
    code: &str,
    tables: &mut Tables,
) -> ArgSet {
    let flags = event.uint(binder_transaction::FLAGS) as u32;
    let mut meaning: String =
        FLAGS.iter().filter(|(flag, _)| flags & flag != 0).map(|&(_, meaning)| meaning).collect();
    if flags == 0 {
        meaning.push_str("No Flags Set");
    }
    let flags = tables.strings.intern(&format!("0x{flags:02x} {meaning}"));
    let code = tables.strings.intern(&format!("{code} Java Layer Dependent"));
    let args = [
        (
            "transaction id",
            ArgValue::Int(i64::from(event.int(binder_transaction::DEBUG_ID) as i32)),
        ),
        (
            "destination node",
            ArgValue::Int(i64::from(event.int(binder_transaction::TARGET_NODE) as i32)),
        ),
        (
            "destination process",
            ArgValue::Int(i64::from(event.int(binder_transaction::TO_PROC) as u32)),
        ),
        ("reply transaction?", ArgValue::Bool(is_reply)),
        ("flags", ArgValue::String(flags)),
        ("code", ArgValue::String(code)),
        ("calling tid", ArgValue::Uint(u64::from(event.pid as u32))),
    ];
    ArgSet::of(args, &mut tables.strings)
}

fn receiver_args(tid: ArgValue, receiver: Utid, tables: &mut Tables) -> ArgSet {
    let name = tables.thread.name.get(receiver);
    let name = Some(name).filter(|name| !name.is_null());
    let args = [("destination thread", tid)]
        .into_iter()
        .chain(name.map(|name| ("destination name", ArgValue::String(name))));
    ArgSet::of(args, &mut tables.strings)
}

/// Gives args to the innermost open slice of a name.
fn add_args(track: u32, name: &str, args: &ArgSet, trackers: &mut Trackers, tables: &mut Tables) {
    let category = tables.strings.intern("binder");
    let name = tables.strings.intern(name);
    trackers.add_slice_args(track, category, name, args, tables);
}

fn receive(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let receiver = event.utid(trackers, tables);
    let Some(sent) = trackers
        .source
        .binder
        .receive(event.int(binder_transaction_received::DEBUG_ID) as i32, receiver)
    else {
        return;
    };
    let track = thread_track(receiver, trackers, tables);
    if sent.is_reply {
        trackers.end_slice(any(event, track), &ArgSet::default(), tables, stats);
        return;
    }
    let received = if sent.one_way {
        let slice = slice(event, track, "binder async rcv", tables);
        trackers.instant(slice, &sent.args, tables, stats)
    } else {
        let to = ArgValue::Uint(u64::from(event.pid as u32));
        let args = receiver_args(to, receiver, tables);
        add_args(sent.track, TRANSACTION, &args, trackers, tables);
        let slice = slice(event, track, REPLY, tables);
        trackers.begin_slice(slice, ArgSet::default(), tables, stats)
    };
    if let (Some(from), Some(to)) = (sent.slice, received) {
        trackers.file.flows.link(from, to, tables);
    }
}

/// The driver made room for a transaction.
fn allocate(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    let track = event.thread_track(trackers, tables);
    let args = [
        ("data size", ArgValue::Uint(event.uint(binder_transaction_alloc_buf::DATA_SIZE))),
        ("offsets size", ArgValue::Uint(event.uint(binder_transaction_alloc_buf::OFFSETS_SIZE))),
    ];
    let args = ArgSet::of(args, &mut tables.strings);
    add_args(track, TRANSACTION, &args, trackers, tables);
}

fn command(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    // Each also exists with buffers that hold pointers to others.
    let command = match event.uint(binder_command::CMD) as u32 {
        0x4040_6300 | 0x4048_6311 => Command::Transaction,
        0x4040_6301 | 0x4048_6312 => Command::Reply,
        _ => return,
    };
    let utid = event.utid(trackers, tables);
    trackers.source.binder.command(utid, command);
}

fn returned(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let what = match event.uint(binder_return::CMD) as u32 {
        // Without and with a security context.
        0x8040_7202 | 0x8048_7202 => Return::Transaction,
        0x8040_7203 => Return::Reply,
        // As it should be, or with the suspicion that there are too many.
        0x7206 | 0x7213 => Return::Complete,
        // The callee is dead, refused, is frozen, or has yet to thaw.
        0x7205 | 0x7211 | 0x7212 | 0x7214 => Return::Failed,
        _ => return,
    };
    let utid = event.utid(trackers, tables);
    if trackers.source.binder.returned(utid, what) {
        let track = thread_track(utid, trackers, tables);
        trackers.end_slice(any(event, track), &ArgSet::default(), tables, stats);
    }
}

fn wait(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let utid = event.utid(trackers, tables);
    trackers.source.binder.wait(utid);
    let track = thread_track(utid, trackers, tables);
    let slice = slice(event, track, WAITING, tables);
    trackers.begin_slice(slice, ArgSet::default(), tables, stats);
}

fn lock(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let utid = event.utid(trackers, tables);
    if !trackers.source.binder.lock(utid) {
        return;
    }
    let track = thread_track(utid, trackers, tables);
    trackers.end_slice(any(event, track), &ArgSet::default(), tables, stats);
    let slice = slice(event, track, HELD, tables);
    trackers.begin_slice(slice, ArgSet::default(), tables, stats);
}

fn unlock(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let utid = event.utid(trackers, tables);
    if !trackers.source.binder.unlock(utid) {
        return;
    }
    let track = thread_track(utid, trackers, tables);
    let category = tables.strings.intern("binder");
    let name: StringId = tables.strings.intern(HELD);
    let end = SliceEnd { ts: event.ts, track, category, name };
    trackers.end_slice(end, &ArgSet::default(), tables, stats);
}
