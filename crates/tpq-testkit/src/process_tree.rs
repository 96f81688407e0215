//! Processes and threads from `/proc`.

use crate::{Message, field};
use field::{Process, Thread};

message_type! {
    /// A list of processes and threads.
    ProcessTree
}

impl ProcessTree {
    /// Returns an empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a process, its command line and its user.
    pub fn process(self, pid: i32, ppid: i32, cmdline: &[&str], uid: i32) -> Self {
        let process = Message::new().int(Process::pid, pid.into()).int(Process::ppid, ppid.into());
        let process = cmdline.iter().fold(process, |m, word| m.bytes(Process::cmdline, word));
        let process = process.int(Process::uid, uid.into());
        Self(self.0.message(field::ProcessTree::processes, process))
    }

    /// Adds a thread of the process `tgid`.
    pub fn thread(self, tid: i32, tgid: i32, name: &str) -> Self {
        let thread = Message::new()
            .int(Thread::tid, tid.into())
            .bytes(Thread::name, name)
            .int(Thread::tgid, tgid.into());
        Self(self.0.message(field::ProcessTree::threads, thread))
    }
}

message_type! {
    /// Memory of processes at one moment.
    ProcessStats
}

impl ProcessStats {
    /// Returns an empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a process, the size of its address space, its resident memory in KiB, and its OOM score
    /// adjustment.
    pub fn process(self, pid: i32, size_kb: u64, rss_kb: u64, oom_score_adj: i64) -> Self {
        let process = Message::new()
            .int(field::ProcessStatsProcess::pid, pid.into())
            .uint(field::ProcessStatsProcess::vm_size_kb, size_kb)
            .uint(field::ProcessStatsProcess::vm_rss_kb, rss_kb)
            .int(field::ProcessStatsProcess::oom_score_adj, oom_score_adj);
        Self(self.0.message(field::ProcessStats::processes, process))
    }
}
