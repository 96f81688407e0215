//! What the events of lines mean.
//!
//! Most decoders of kernel events take over once the details of a line are the message that a
//! packet would have held: [`PAIRS`] are the events with details that name its fields. [`OTHERS`]
//! are written in ways of their own, or say what no message can. An event that is in neither list
//! is of no use here.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use tpq_tables::{Stats, Tables};

use super::details::{Details, hex, number};
use super::line::SystraceLine;
use super::message::Message;
use tpq_decode::ftrace::{FtraceEvent, text};
use tpq_trackers::args::ArgSet;
use tpq_trackers::deferred::StateEvent;
use tpq_trackers::track::{NamePriority, NewSlice, Trackers};

/// Events with details in pairs: the number of the field their message lies in, and the keys
/// that must have numbers.
pub(super) const PAIRS: &[(&str, u32, &[&str])] = &[
    ("cpu_frequency", 11, &["state", "cpu_id"]),
    ("cpu_idle", 13, &["state", "cpu_id"]),
    ("clock_enable", 14, &["state"]),
    ("clock_disable", 15, &["state"]),
    ("clock_set_rate", 16, &["state"]),
    ("softirq_entry", 24, &["vec"]),
    ("softirq_exit", 25, &["vec"]),
    ("irq_handler_entry", 36, &["irq"]),
    ("binder_lock", 53, &[]),
    ("binder_locked", 54, &[]),
    ("binder_unlock", 55, &[]),
    ("workqueue_execute_end", 57, &[]),
    ("task_rename", 236, &["pid"]),
    ("sched_process_free", 240, &["pid"]),
    ("binder_transaction_alloc_buf", 323, &["data_size", "offsets_size"]),
    ("signal_deliver", 324, &["sig"]),
    ("signal_generate", 325, &["sig", "pid"]),
    ("oom_score_adj_update", 326, &["pid", "oom_score_adj"]),
    ("gpu_frequency", 332, &["state"]),
    ("mark_victim", 334, &["pid"]),
    ("gpu_mem_total", 340, &["pid", "size"]),
    ("thermal_temperature", 341, &["temp"]),
    ("cdev_update", 342, &["target"]),
    ("wakeup_source_activate", 404, &[]),
    ("wakeup_source_deactivate", 405, &[]),
    ("binder_command", 485, &["cmd"]),
    ("binder_return", 486, &["cmd"]),
    ("local_timer_entry", 559, &[]),
    ("local_timer_exit", 560, &[]),
    ("dmabuf_rss_stat", 579, &["rss"]),
];

/// Events that are written in ways of their own.
pub(super) const OTHERS: &[(&str, Read)] = &[
    ("sched_switch", sched_switch),
    ("sched_waking", sched_waking),
    ("sched_blocked_reason", sched_blocked_reason),
    ("tracing_mark_write", marker),
    ("print", marker),
    // What some kernels called the tracepoint of markers.
    ("0", marker),
    ("cpu_frequency_limits", cpu_frequency_limits),
    ("workqueue_execute_start", workqueue_execute_start),
    ("binder_transaction", binder_transaction),
    ("binder_transaction_received", binder_transaction_received),
    ("irq_handler_exit", irq_handler_exit),
    ("rss_stat", rss_stat),
    ("suspend_resume", suspend_resume),
    ("sys_enter", sys_enter),
    ("sys_exit", sys_exit),
    ("task_newtask", task_newtask),
];

/// Reads the details of an event; `None` when they are not what they should be.
pub(super) type Read = fn(&mut Line<'_>) -> Option<()>;

/// How the details of an event are read.
#[derive(Clone, Copy)]
enum Reading {
    Pairs(u32, &'static [&'static str]),
    Own(Read),
}

static READINGS: LazyLock<FxHashMap<&'static [u8], Reading>> = LazyLock::new(|| {
    let pairs =
        PAIRS.iter().map(|&(name, field, needs)| (name.as_bytes(), Reading::Pairs(field, needs)));
    let others = OTHERS.iter().map(|&(name, read)| (name.as_bytes(), Reading::Own(read)));
    pairs.chain(others).collect()
});

/// A line, and everything it may change.
pub(super) struct Line<'a> {
    details: Details<'a>,
    event: &'a FtraceEvent<'a>,
    trackers: &'a mut Trackers,
    tables: &'a mut Tables,
    stats: &'a mut Stats,
}

/// Does what a line says; `None` when its details are not what they should be.
pub(super) fn decode(
    line: &SystraceLine<'_>,
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Option<()> {
    let Some(reading) = READINGS.get(line.event) else { return Some(()) };
    let mut on = Line { details: Details(line.details), event, trackers, tables, stats };
    match *reading {
        Reading::Pairs(field, needs) => on.pairs(field, needs),
        Reading::Own(read) => read(&mut on),
    }
}

impl Line<'_> {
    /// Decodes an event with details that name its fields.
    fn pairs(&mut self, field: u32, needs: &[&str]) -> Option<()> {
        self.need(needs)?;
        let message = Message::of_pairs(field, self.details);
        self.decode(field, &message);
        Some(())
    }

    /// Whether there are numbers under these keys.
    fn need(&self, keys: &[&str]) -> Option<()> {
        keys.iter().all(|key| self.details.number(key).is_some()).then_some(())
    }

    /// The number under a key.
    fn number(&self, key: &str) -> Option<i64> {
        self.details.number(key)
    }

    /// Decodes a message that lies in the field of that number.
    fn decode(&mut self, field: u32, message: &Message) {
        let event = self.event.with_message(message.as_bytes());
        text::decode(&event, field, self.trackers, self.tables, self.stats);
    }
}

/// A switch: as the kernel writes it, or in short as `trace-cmd` does.
fn sched_switch(on: &mut Line<'_>) -> Option<()> {
    let mut message = Message::of_pairs(4, on.details);
    if on.need(&["prev_pid", "prev_prio", "next_pid", "next_prio"]).is_some() {
        if on.number("prev_state").is_none() {
            message.int(4, state_bits(on.details.word("prev_state").unwrap_or_default()));
        }
    } else {
        let (previous, next) = (on.details.before(" ==> ")?, on.details.after(" ==> ")?);
        let (previous, state) = split_last(previous, b' ')?;
        message.int(4, state_bits(state));
        for (first, task) in [(1, previous), (5, next)] {
            let (comm, pid, prio) = short_task(task)?;
            message.text(first, comm);
            message.int(first + 1, pid);
            message.int(first + 2, prio);
        }
    }
    on.decode(4, &message);
    Some(())
}

/// Whoever is woken is named here, too: this may be the only line of a thread that never runs.
fn sched_waking(on: &mut Line<'_>) -> Option<()> {
    let (comm, pid) = match on.number("pid") {
        Some(pid) => (on.details.text("comm").unwrap_or_default(), pid),
        None => {
            let end = on.details.before("]")?.len() + 1;
            let (comm, pid, _) = short_task(on.details.0.get(..end)?)?;
            (comm, pid)
        }
    };
    let woken = on.event.tid(i32::try_from(pid).ok()?);
    let Line { event, trackers, tables, .. } = on;
    let utid = trackers.processes.thread(woken, tables);
    if !comm.is_empty() {
        let name = tables.strings.intern_bytes(comm);
        trackers.processes.name_thread(utid, name, NamePriority::Ftrace, tables);
    }
    let waker = event.utid(trackers, tables);
    let (ts, common_flags) = (event.ts, None);
    trackers.deferred.push_state(StateEvent::Wake { ts, utid, waker, common_flags });
    Some(())
}

/// The function is given by its name, which packets have under an id.
fn sched_blocked_reason(on: &mut Line<'_>) -> Option<()> {
    let pid = i32::try_from(on.number("pid")?).ok()?;
    let io_wait = on.number("iowait")? != 0;
    let caller = on.details.text("caller").unwrap_or_default();
    let function = on.tables.strings.intern_bytes(caller);
    let utid = on.trackers.processes.thread(on.event.tid(pid), on.tables);
    let io_wait = Some(io_wait);
    on.trackers.deferred.push_state(StateEvent::Blocked { utid, io_wait, function });
    Some(())
}

/// What a program wrote to the trace marker. What is no marker is counted where markers are read.
fn marker(on: &mut Line<'_>) -> Option<()> {
    let text = on.details.0;
    let text = text.strip_prefix(b"tracing_mark_write:").map_or(text, <[u8]>::trim_ascii_start);
    text::decode_marker(on.event, text, on.trackers, on.tables, on.stats);
    Some(())
}

/// Its keys are shorter than the names of the fields.
fn cpu_frequency_limits(on: &mut Line<'_>) -> Option<()> {
    let limit = |short, long| on.number(short).or_else(|| on.number(long));
    let mut message = Message::default();
    message.int(1, limit("min", "min_freq")?);
    message.int(2, limit("max", "max_freq")?);
    message.int(3, on.number("cpu_id")?);
    on.decode(12, &message);
    Some(())
}

fn workqueue_execute_start(on: &mut Line<'_>) -> Option<()> {
    let function = on.details.after("function ")?;
    let Line { event, trackers, tables, stats, .. } = on;
    let track = event.thread_track(trackers, tables);
    let [category, name] =
        [b"workqueue", function].map(|text: &[u8]| tables.strings.intern_bytes(text));
    let slice = NewSlice { ts: event.ts, track, category, name, arg_set_id: None };
    trackers.begin_slice(slice, ArgSet::default(), tables, stats);
    Some(())
}

fn binder_transaction(on: &mut Line<'_>) -> Option<()> {
    let mut message = Message::default();
    let keys = ["transaction", "dest_node", "dest_proc", "dest_thread", "reply"];
    for (field, key) in (1..).zip(keys) {
        message.int(field, on.number(key)?);
    }
    message.int(7, on.number("flags").unwrap_or_default());
    let code = String::from_utf8_lossy(on.details.word("code").unwrap_or_default());
    let event = on.event.with_message(message.as_bytes());
    text::decode_transaction(&event, &code, on.trackers, on.tables, on.stats);
    Some(())
}

fn binder_transaction_received(on: &mut Line<'_>) -> Option<()> {
    let mut message = Message::default();
    message.int(1, on.number("transaction")?);
    on.decode(51, &message);
    Some(())
}

fn irq_handler_exit(on: &mut Line<'_>) -> Option<()> {
    let mut message = Message::default();
    message.int(1, on.number("irq")?);
    message.int(2, i64::from(on.details.word("ret") == Some(b"handled")));
    on.decode(37, &message);
    Some(())
}

/// The kernel's counters of resident memory, in the order of their numbers.
const RSS_MEMBERS: [&[u8]; 4] =
    [b"MM_FILEPAGES", b"MM_ANONPAGES", b"MM_SWAPENTS", b"MM_SHMEMPAGES"];

/// Newer kernels name the counter and the unit of its size, older ones give numbers alone.
fn rss_stat(on: &mut Line<'_>) -> Option<()> {
    let named = |name: &[u8]| RSS_MEMBERS.iter().position(|&member| member == name);
    let member = match on.number("member") {
        Some(member) => member,
        None => named(on.details.word("type")?)? as i64,
    };
    let size = on.details.word("size")?;
    let mut message = Message::default();
    message.int(1, member);
    message.int(2, number(size.strip_suffix(b"B").unwrap_or(size))?);
    if let Some(mm) = on.number("mm_id") {
        message.int(3, on.number("curr").unwrap_or_default());
        message.int(4, mm);
    }
    on.decode(313, &message);
    Some(())
}

/// As `machine_suspend[3] begin`.
fn suspend_resume(on: &mut Line<'_>) -> Option<()> {
    let action = on.details.before("[")?;
    let value = number(on.details.between("[", "]")?)?;
    let mut message = Message::default();
    message.text(1, action);
    message.int(2, value);
    message.int(3, i64::from(on.details.after("]")? == b"begin"));
    on.decode(113, &message);
    Some(())
}

/// As `NR 64 (1, 7ffe4000, 10, 0, 0, 0)`, with arguments in hexadecimal.
fn sys_enter(on: &mut Line<'_>) -> Option<()> {
    let mut message = Message::default();
    message.int(1, number(on.details.between("NR ", " ")?)?);
    for arg in on.details.between("(", ")")?.split(|&byte| byte == b',') {
        message.int(2, hex(arg.trim_ascii())?.cast_signed());
    }
    on.decode(329, &message);
    Some(())
}

/// As `NR 64 = 16`.
fn sys_exit(on: &mut Line<'_>) -> Option<()> {
    let mut message = Message::default();
    message.int(1, number(on.details.between("NR ", " = ")?)?);
    message.int(2, number(on.details.after(" = ")?)?);
    on.decode(330, &message);
    Some(())
}

/// Its flags are in hexadecimal, though nothing says so.
fn task_newtask(on: &mut Line<'_>) -> Option<()> {
    on.need(&["pid"])?;
    let flags = hex(on.details.word("clone_flags")?)?;
    let mut message = Message::of_pairs(235, on.details);
    message.int(3, flags.cast_signed());
    on.decode(235, &message);
    Some(())
}

/// The bits that kernels before 4.14 gave the letters of a task's state; -1 for none there is.
/// Text has no layout of its own, so the one is used that is assumed where no kernel is known.
fn state_bits(letters: &[u8]) -> i64 {
    let mut bits = 0;
    let (letters, preempted) = match letters.strip_suffix(b"+") {
        Some(letters) => (letters, true),
        None => (letters, false),
    };
    for letter in letters {
        bits |= match letter {
            b'R' | b'|' => 0,
            b'S' => 0x1,
            b'D' => 0x2,
            b'T' => 0x4,
            b't' => 0x8,
            b'X' => 0x10,
            b'Z' => 0x20,
            b'x' => 0x40,
            b'K' => 0x80,
            b'W' => 0x100,
            b'P' => 0x200,
            b'N' => 0x400,
            b'I' => 0x402,
            _ => return -1,
        };
    }
    // Only a task that could continue to run is preempted.
    if preempted && bits == 0 { 0x800 } else { bits }
}

/// A task as `trace-cmd` writes it: `name:pid [priority]`.
fn short_task(text: &[u8]) -> Option<(&[u8], i64, i64)> {
    let (task, prio) = split_last(text.trim_ascii().strip_suffix(b"]")?, b'[')?;
    let (comm, pid) = split_last(task.trim_ascii(), b':')?;
    Some((comm.trim_ascii(), number(pid)?, number(prio)?))
}

/// What lies before and after the last byte of that kind.
fn split_last(text: &[u8], byte: u8) -> Option<(&[u8], &[u8])> {
    let at = text.iter().rposition(|&found| found == byte)?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}
