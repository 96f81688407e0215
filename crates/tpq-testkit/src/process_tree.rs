//! What `/proc` said of processes and threads.

use crate::{Message, field};
use field::{Process, Thread};

message_type! {
    /// Processes and threads there are.
    ProcessTree
}

impl ProcessTree {
    /// None.
    pub fn new() -> Self {
        Self::default()
    }

    /// A process, the arguments it was started with and its user.
    pub fn process(self, pid: i32, ppid: i32, cmdline: &[&str], uid: i32) -> Self {
        let process = Message::new().int(Process::pid, pid.into()).int(Process::ppid, ppid.into());
        let process = cmdline.iter().fold(process, |m, word| m.bytes(Process::cmdline, word));
        let process = process.int(Process::uid, uid.into());
        Self(self.0.message(field::ProcessTree::processes, process))
    }

    /// A thread of the process `tgid`.
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
    /// None.
    pub fn new() -> Self {
        Self::default()
    }

    /// A process, the size of its address space, the memory it holds, and how readily the kernel
    /// would kill it.
    pub fn process(self, pid: i32, size_kb: u64, rss_kb: u64, oom_score_adj: i64) -> Self {
        let process = Message::new()
            .int(field::ProcessStatsProcess::pid, pid.into())
            .uint(field::ProcessStatsProcess::vm_size_kb, size_kb)
            .uint(field::ProcessStatsProcess::vm_rss_kb, rss_kb)
            .int(field::ProcessStatsProcess::oom_score_adj, oom_score_adj);
        Self(self.0.message(field::ProcessStats::processes, process))
    }
}
