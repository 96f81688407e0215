//! Processes and threads as read from /proc.

use rustc_hash::FxHashSet;
use tpq_ingest::Route;
use tpq_proto::decode;
use tpq_proto::fields::trace_packet;
use tpq_proto::message::ProcessTree;
use tpq_proto::message::process_tree::{Process, Thread};
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::args::ArgValue;
use tpq_trackers::track::{NamePriority, Tid, Trackers};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::PROCESS_TREE, route: Route::Sorted, decode: decode_tree };

/// Android gives each of its users this many user ids, one for each application.
const USERS_APART: u32 = 100_000;

/// The parent of all threads of the kernel.
const KTHREADD: i32 = 2;

fn decode_tree(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let Ok(tree) = decode::<ProcessTree>(packet.data) else {
        stats.increment(Stat::MalformedPackets);
        return;
    };
    let mut workers = FxHashSet::default();
    for process in &tree.processes {
        if process.ppid() == KTHREADD && !process.cmdline.is_empty() {
            workers.insert(process.pid());
        }
        add_process(packet, process, trackers, tables, stats);
    }
    for thread in &tree.threads {
        let is_worker = thread.tid() == thread.tgid() && workers.contains(&thread.tid());
        add_thread(packet.machine, thread, is_worker, trackers, tables, stats);
    }
}

/// A thread; the main one of a process can be missing, or in a tree of its own.
fn add_thread(
    machine: u32,
    thread: &Thread,
    of_kernel: bool,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let [tid, pid] = [thread.tid(), thread.tgid()].map(|id| Tid { machine, id: id.into() });
    let utid = trackers.processes.thread_of_process(tid, pid, tables);
    if !thread.name().is_empty() {
        let worker = of_kernel.then(|| worker_name(thread.name())).flatten();
        let name = tables.strings.intern(worker.unwrap_or(thread.name()));
        trackers.processes.name_thread(utid, name, NamePriority::ProcessTree, tables);
    }
    let tids = &thread.nstid;
    if !tids.is_empty() && !trackers.processes.namespaces.add_thread(pid, tid, tids) {
        stats.increment(Stat::NamespacedThreadMissingProcess);
    }
}

fn add_process(
    packet: &Packet<'_>,
    process: &Process,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let Some(arg0) = process.cmdline.first() else { return };
    let [pid, parent] = [process.pid(), process.ppid()]
        .map(|id| Tid { machine: packet.machine, id: i64::from(id) });
    if !process.nspid.is_empty() {
        trackers.processes.namespaces.add_process(pid, &process.nspid);
    }
    let worker = (process.ppid() == KTHREADD).then(|| worker_name(arg0)).flatten();
    let name = tables.strings.intern(worker.unwrap_or_else(|| program(&process.cmdline, arg0)));
    let cmdline = match worker {
        Some(worker) => tables.strings.intern(worker),
        None => tables.strings.intern(&process.cmdline.join(" ")),
    };
    let parent = trackers.processes.process(parent, tables);
    let upid = trackers.processes.process(pid, tables);
    trackers.processes.set_parent(upid, parent, tables, stats);
    tables.process.name.set(upid, name);
    tables.process.cmdline.set(upid, cmdline);
    if let Some(uid) = process.uid {
        let uid = uid as u32;
        tables.process.uid.set(upid, Some(uid));
        tables.process.android_user_id.set(upid, Some(uid / USERS_APART));
        tables.process.android_appid.set(upid, Some(uid % USERS_APART));
    }
    // The kernel reports 0 for its own first threads: their start time rounds to 0.
    if let Some(start) = process.process_start_from_boot {
        trackers.processes.start_of_process(upid, packet.at_boottime(start as i64), tables);
    }
    if let Some(is_kthread) = process.is_kthread {
        let key = tables.strings.intern("is_kthread");
        trackers.owner_args.put_of_process(upid, key, ArgValue::Bool(is_kthread));
    }
    // Kernel threads and processes that ended have no command line; what stands in its place is
    // the name of the main thread.
    if process.cmdline_is_comm() {
        let utid = trackers.processes.thread(pid, tables);
        trackers.processes.name_thread(utid, cmdline, NamePriority::ProcessTree, tables);
    }
}

/// The program a command line names. A program that overwrote its arguments to say what it does
/// leaves one argument in which spaces divide.
fn program<'a>(cmdline: &[String], arg0: &'a str) -> &'a str {
    match cmdline.len() {
        1 => arg0.split(' ').next().unwrap_or(arg0),
        _ => arg0,
    }
}

/// A kernel worker's name without the work it happened to do when it was read: for
/// `kworker/45:2-mm_percpu_wq`, `kworker/45:2`.
fn worker_name(arg0: &str) -> Option<&str> {
    let rest = arg0.strip_prefix("kworker/")?;
    let at = rest.find(['+', '-'])?;
    Some(&arg0[.."kworker/".len() + at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_go_by_their_pool() {
        assert_eq!(worker_name("kworker/45:2-mm_percpu_wq"), Some("kworker/45:2"));
        assert_eq!(worker_name("kworker/u8:1+events"), Some("kworker/u8:1"));
        assert_eq!(worker_name("kworker/u8:1"), None);
        assert_eq!(worker_name("worker-2"), None);
    }
}
