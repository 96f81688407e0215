//! Decoding of the events of lines.
//!
//! The details of most lines are converted to the message of the kernel event, which its decoder
//! then reads. [`PAIRS`] lists events with details in `key=value` form, [`OTHERS`] events in other
//! forms. Events in neither list are ignored.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use tpq_proto::fields::ftrace::{
    binder_transaction as binder_transaction_fields,
    binder_transaction_received as binder_received_fields, cpu_frequency_limits as limits_fields,
    ftrace_event, irq_handler_exit as irq_exit_fields, rss_stat as rss_stat_fields,
    sched_switch as switch_fields, suspend_resume as suspend_fields, sys_enter as sys_enter_fields,
    sys_exit as sys_exit_fields, task_newtask as newtask_fields,
};
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
    ("cpu_frequency", ftrace_event::CPU_FREQUENCY, &["state", "cpu_id"]),
    ("cpu_idle", ftrace_event::CPU_IDLE, &["state", "cpu_id"]),
    ("clock_enable", ftrace_event::CLOCK_ENABLE, &["state"]),
    ("clock_disable", ftrace_event::CLOCK_DISABLE, &["state"]),
    ("clock_set_rate", ftrace_event::CLOCK_SET_RATE, &["state"]),
    ("softirq_entry", ftrace_event::SOFTIRQ_ENTRY, &["vec"]),
    ("softirq_exit", ftrace_event::SOFTIRQ_EXIT, &["vec"]),
    ("irq_handler_entry", ftrace_event::IRQ_HANDLER_ENTRY, &["irq"]),
    ("binder_lock", ftrace_event::BINDER_LOCK, &[]),
    ("binder_locked", ftrace_event::BINDER_LOCKED, &[]),
    ("binder_unlock", ftrace_event::BINDER_UNLOCK, &[]),
    ("workqueue_execute_end", ftrace_event::WORKQUEUE_EXECUTE_END, &[]),
    ("task_rename", ftrace_event::TASK_RENAME, &["pid"]),
    ("sched_process_free", ftrace_event::SCHED_PROCESS_FREE, &["pid"]),
    (
        "binder_transaction_alloc_buf",
        ftrace_event::BINDER_TRANSACTION_ALLOC_BUF,
        &["data_size", "offsets_size"],
    ),
    ("signal_deliver", ftrace_event::SIGNAL_DELIVER, &["sig"]),
    ("signal_generate", ftrace_event::SIGNAL_GENERATE, &["sig", "pid"]),
    ("oom_score_adj_update", ftrace_event::OOM_SCORE_ADJ_UPDATE, &["pid", "oom_score_adj"]),
    ("gpu_frequency", ftrace_event::GPU_FREQUENCY, &["state"]),
    ("mark_victim", ftrace_event::MARK_VICTIM, &["pid"]),
    ("gpu_mem_total", ftrace_event::GPU_MEM_TOTAL, &["pid", "size"]),
    ("thermal_temperature", ftrace_event::THERMAL_TEMPERATURE, &["temp"]),
    ("cdev_update", ftrace_event::CDEV_UPDATE, &["target"]),
    ("wakeup_source_activate", ftrace_event::WAKEUP_SOURCE_ACTIVATE, &[]),
    ("wakeup_source_deactivate", ftrace_event::WAKEUP_SOURCE_DEACTIVATE, &[]),
    ("binder_command", ftrace_event::BINDER_COMMAND, &["cmd"]),
    ("binder_return", ftrace_event::BINDER_RETURN, &["cmd"]),
    ("local_timer_entry", ftrace_event::LOCAL_TIMER_ENTRY, &[]),
    ("local_timer_exit", ftrace_event::LOCAL_TIMER_EXIT, &[]),
    ("dmabuf_rss_stat", ftrace_event::DMABUF_RSS_STAT, &["rss"]),
];

/// Events that are written in ways of their own.
pub(super) const OTHERS: &[(&str, Read)] = &[
    ("sched_switch", sched_switch),
    ("sched_waking", sched_waking),
    ("sched_blocked_reason", sched_blocked_reason),
    ("tracing_mark_write", marker),
    ("print", marker),
    // A name of the tracepoint of markers in some kernels.
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

/// Reads the details of an event; `None` if they are malformed.
pub(super) type Read = fn(&mut LineContext<'_>) -> Option<()>;

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
pub(super) struct LineContext<'a> {
    details: Details<'a>,
    event: &'a FtraceEvent<'a>,
    trackers: &'a mut Trackers,
    tables: &'a mut Tables,
    stats: &'a mut Stats,
}

/// Decodes a line; `None` if its details are malformed.
pub(super) fn decode(
    line: &SystraceLine<'_>,
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Option<()> {
    let Some(reading) = READINGS.get(line.event) else { return Some(()) };
    let mut context =
        LineContext { details: Details(line.details), event, trackers, tables, stats };
    match *reading {
        Reading::Pairs(field, needs) => context.pairs(field, needs),
        Reading::Own(read) => read(&mut context),
    }
}

impl LineContext<'_> {
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
fn sched_switch(line: &mut LineContext<'_>) -> Option<()> {
    let mut message = Message::of_pairs(ftrace_event::SCHED_SWITCH, line.details);
    if line.need(&["prev_pid", "prev_prio", "next_pid", "next_prio"]).is_some() {
        if line.number("prev_state").is_none() {
            let letters = line.details.word("prev_state").unwrap_or_default();
            message.int(switch_fields::PREV_STATE, state_bits(letters));
        }
    } else {
        use switch_fields::*;
        let (previous, next) = (line.details.before(" ==> ")?, line.details.after(" ==> ")?);
        let (previous, state) = split_last(previous, b' ')?;
        message.int(PREV_STATE, state_bits(state));
        let fields = [[PREV_COMM, PREV_PID, PREV_PRIO], [NEXT_COMM, NEXT_PID, NEXT_PRIO]];
        for ([comm_at, pid_at, prio_at], task) in fields.into_iter().zip([previous, next]) {
            let (comm, pid, prio) = short_task(task)?;
            message.text(comm_at, comm);
            message.int(pid_at, pid);
            message.int(prio_at, prio);
        }
    }
    line.decode(ftrace_event::SCHED_SWITCH, &message);
    Some(())
}

/// Also names the woken thread: this can be the only line of a thread that never runs.
fn sched_waking(line: &mut LineContext<'_>) -> Option<()> {
    let (comm, pid) = match line.number("pid") {
        Some(pid) => (line.details.text("comm").unwrap_or_default(), pid),
        None => {
            let end = line.details.before("]")?.len() + 1;
            let (comm, pid, _) = short_task(line.details.0.get(..end)?)?;
            (comm, pid)
        }
    };
    let woken = line.event.tid(i32::try_from(pid).ok()?);
    let LineContext { event, trackers, tables, .. } = line;
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
fn sched_blocked_reason(line: &mut LineContext<'_>) -> Option<()> {
    let pid = i32::try_from(line.number("pid")?).ok()?;
    let io_wait = line.number("iowait")? != 0;
    let caller = line.details.text("caller").unwrap_or_default();
    let function = line.tables.strings.intern_bytes(caller);
    let utid = line.trackers.processes.thread(line.event.tid(pid), line.tables);
    let io_wait = Some(io_wait);
    line.trackers.deferred.push_state(StateEvent::Blocked { utid, io_wait, function });
    Some(())
}

/// Text that a program wrote to the trace marker. Other text is counted where markers are read.
fn marker(line: &mut LineContext<'_>) -> Option<()> {
    let text = line.details.0;
    let text = text.strip_prefix(b"tracing_mark_write:").map_or(text, <[u8]>::trim_ascii_start);
    text::decode_marker(line.event, text, line.trackers, line.tables, line.stats);
    Some(())
}

/// Its keys are shorter than the names of the fields.
fn cpu_frequency_limits(line: &mut LineContext<'_>) -> Option<()> {
    let limit = |short, long| line.number(short).or_else(|| line.number(long));
    let mut message = Message::default();
    message.int(limits_fields::MIN_FREQ, limit("min", "min_freq")?);
    message.int(limits_fields::MAX_FREQ, limit("max", "max_freq")?);
    message.int(limits_fields::CPU_ID, line.number("cpu_id")?);
    line.decode(ftrace_event::CPU_FREQUENCY_LIMITS, &message);
    Some(())
}

fn workqueue_execute_start(line: &mut LineContext<'_>) -> Option<()> {
    let function = line.details.after("function ")?;
    let LineContext { event, trackers, tables, stats, .. } = line;
    let track = event.thread_track(trackers, tables);
    let [category, name] =
        [b"workqueue", function].map(|text: &[u8]| tables.strings.intern_bytes(text));
    let slice = NewSlice { ts: event.ts, track, category, name, arg_set_id: None };
    trackers.begin_slice(slice, ArgSet::default(), tables, stats);
    Some(())
}

fn binder_transaction(line: &mut LineContext<'_>) -> Option<()> {
    let mut message = Message::default();
    let fields = [
        (binder_transaction_fields::DEBUG_ID, "transaction"),
        (binder_transaction_fields::TARGET_NODE, "dest_node"),
        (binder_transaction_fields::TO_PROC, "dest_proc"),
        (binder_transaction_fields::TO_THREAD, "dest_thread"),
        (binder_transaction_fields::REPLY, "reply"),
    ];
    for (field, key) in fields {
        message.int(field, line.number(key)?);
    }
    message.int(binder_transaction_fields::FLAGS, line.number("flags").unwrap_or_default());
    let code = String::from_utf8_lossy(line.details.word("code").unwrap_or_default());
    let event = line.event.with_message(message.as_bytes());
    text::decode_transaction(&event, &code, line.trackers, line.tables, line.stats);
    Some(())
}

fn binder_transaction_received(line: &mut LineContext<'_>) -> Option<()> {
    let mut message = Message::default();
    message.int(binder_received_fields::DEBUG_ID, line.number("transaction")?);
    line.decode(ftrace_event::BINDER_TRANSACTION_RECEIVED, &message);
    Some(())
}

fn irq_handler_exit(line: &mut LineContext<'_>) -> Option<()> {
    let mut message = Message::default();
    message.int(irq_exit_fields::IRQ, line.number("irq")?);
    let is_handled = line.details.word("ret") == Some(b"handled");
    message.int(irq_exit_fields::RET, i64::from(is_handled));
    line.decode(ftrace_event::IRQ_HANDLER_EXIT, &message);
    Some(())
}

/// The kernel's counters of resident memory, in the order of their numbers.
const RSS_MEMBERS: [&[u8]; 4] =
    [b"MM_FILEPAGES", b"MM_ANONPAGES", b"MM_SWAPENTS", b"MM_SHMEMPAGES"];

/// Newer kernels name the counter and the unit of its size, older ones give numbers alone.
fn rss_stat(line: &mut LineContext<'_>) -> Option<()> {
    let named = |name: &[u8]| RSS_MEMBERS.iter().position(|&member| member == name);
    let member = match line.number("member") {
        Some(member) => member,
        None => named(line.details.word("type")?)? as i64,
    };
    let size = line.details.word("size")?;
    let mut message = Message::default();
    message.int(rss_stat_fields::MEMBER, member);
    message.int(rss_stat_fields::SIZE, number(size.strip_suffix(b"B").unwrap_or(size))?);
    if let Some(mm) = line.number("mm_id") {
        message.int(rss_stat_fields::CURR, line.number("curr").unwrap_or_default());
        message.int(rss_stat_fields::MM_ID, mm);
    }
    line.decode(ftrace_event::RSS_STAT, &message);
    Some(())
}

/// Such as `machine_suspend[3] begin`.
fn suspend_resume(line: &mut LineContext<'_>) -> Option<()> {
    let action = line.details.before("[")?;
    let value = number(line.details.between("[", "]")?)?;
    let mut message = Message::default();
    message.text(suspend_fields::ACTION, action);
    message.int(suspend_fields::VAL, value);
    message.int(suspend_fields::START, i64::from(line.details.after("]")? == b"begin"));
    line.decode(ftrace_event::SUSPEND_RESUME, &message);
    Some(())
}

/// Such as `NR 64 (1, 7ffe4000, 10, 0, 0, 0)`, with arguments in hexadecimal.
fn sys_enter(line: &mut LineContext<'_>) -> Option<()> {
    let mut message = Message::default();
    message.int(sys_enter_fields::ID, number(line.details.between("NR ", " ")?)?);
    for arg in line.details.between("(", ")")?.split(|&byte| byte == b',') {
        message.int(sys_enter_fields::ARGS, hex(arg.trim_ascii())?.cast_signed());
    }
    line.decode(ftrace_event::SYS_ENTER, &message);
    Some(())
}

/// Such as `NR 64 = 16`.
fn sys_exit(line: &mut LineContext<'_>) -> Option<()> {
    let mut message = Message::default();
    message.int(sys_exit_fields::ID, number(line.details.between("NR ", " = ")?)?);
    message.int(sys_exit_fields::RET, number(line.details.after(" = ")?)?);
    line.decode(ftrace_event::SYS_EXIT, &message);
    Some(())
}

/// Its flags are in hexadecimal, though nothing says so.
fn task_newtask(line: &mut LineContext<'_>) -> Option<()> {
    line.need(&["pid"])?;
    let flags = hex(line.details.word("clone_flags")?)?;
    let mut message = Message::of_pairs(ftrace_event::TASK_NEWTASK, line.details);
    message.int(newtask_fields::CLONE_FLAGS, flags.cast_signed());
    line.decode(ftrace_event::TASK_NEWTASK, &message);
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

/// The text before and after the last byte of that kind.
fn split_last(text: &[u8], byte: u8) -> Option<(&[u8], &[u8])> {
    let at = text.iter().rposition(|&found| found == byte)?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}
