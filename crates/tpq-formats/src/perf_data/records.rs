//! Records: names of threads, mappings of memory, and what was lost. Others decode samples, and
//! threads that begin and end.

use tpq_decode::RunEvent;
use tpq_tables::table::StackProfileMappingRow;
use tpq_tables::{Stat, Stats, Tables};
use tpq_trackers::stacks::build_id_text;
use tpq_trackers::track::{NamePriority, Tid, Trackers};

use super::attribute::{Attribute, ids};
use super::features::{build_id, decode_feature};
use super::layout::{Numbers, Record, kind};
use super::memory::Mapped;
use super::sample::{CpuMode, decode_sample};
use super::session::Session;
use super::tasks::{exit, fork};
use crate::text::text_of;

/// The flag of a mapping that states its build id in place of its file.
const HAS_BUILD_ID: u16 = 1 << 14;
/// The flag of a name that a process has because it runs another program.
const IS_EXEC: u16 = 1 << 13;
/// The flag of samples that a filter of the recorder left out.
const ARE_FILTERED: u16 = 1 << 15;
/// The part of a record's flags that is the mode of the CPU.
const CPU_MODE: u16 = 7;
/// The kind of an update that names an event.
const UPDATE_NAME: u64 = 2;

/// Flags of a piece of hardware trace data, with the stat of each.
const AUX_FLAGS: [(u64, Stat); 3] = [
    (1 << 0, Stat::PerfAuxTruncated),
    (1 << 2, Stat::PerfAuxPartial),
    (1 << 3, Stat::PerfAuxCollision),
];

/// The context of a record.
pub(super) struct Context<'a> {
    pub(super) ts: i64,
    pub(super) machine: u32,
    pub(super) session: Session,
    pub(super) trackers: &'a mut Trackers,
    pub(super) tables: &'a mut Tables,
    pub(super) stats: &'a mut Stats,
}

impl Context<'_> {
    /// A thread or process of the machine.
    pub(super) fn tid(&self, id: u32) -> Tid {
        Tid { machine: self.machine, id: i64::from(id.cast_signed()) }
    }

    /// Whether a record states its time. The recorder describes what was there before with the
    /// time 0.
    pub(super) fn has_time(&self, record: &Record<'_>) -> bool {
        self.session.events.time(record).is_some_and(|time| time > 0)
    }
}

/// Decodes a record.
pub(super) fn decode_record(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let Ok(record) = Record::read_alone(event.message()) else { return };
    let session: Session = std::mem::take(trackers.file.states.get());
    let (ts, machine) = (event.ts, event.machine);
    let mut context = Context { ts, machine, session, trackers, tables, stats };
    if decode(&record, &mut context).is_none() {
        match record.kind {
            kind::SAMPLE => context.stats.increment(Stat::PerfSamplesSkipped),
            other => context.stats.add_indexed(Stat::PerfRecordSkipped, i64::from(other), 1),
        }
    }
    let Context { session, trackers, .. } = context;
    *trackers.file.states.get() = session;
}

/// Decodes a record; `None` if it cannot be read.
fn decode(record: &Record<'_>, context: &mut Context<'_>) -> Option<()> {
    match record.kind {
        kind::COMM => comm(record, context),
        kind::FORK => fork(record, context),
        kind::EXIT => exit(record, context),
        kind::MMAP | kind::MMAP2 => mmap(record, context),
        kind::SAMPLE => decode_sample(record, context),
        kind::LOST | kind::LOST_SAMPLES => lost(record, context),
        kind::ATTRIBUTE => attribute(record, context),
        kind::EVENT_UPDATE => event_update(record, context),
        kind::FEATURE => feature(record, context),
        kind::BUILD_ID => build_id(record, &mut context.session),
        kind::TRACING_DATA => {
            context.trackers.processes.idle_is_zero(context.machine, context.tables);
            Some(())
        }
        kind::AUX => aux(record, context),
        kind::AUXTRACE_INFO => aux_kind(record, context),
        kind::AUXTRACE => {
            if !context.session.knows_aux_kind {
                context.stats.increment(Stat::PerfAuxtraceMissing);
            }
            Some(())
        }
        // These state how the records that follow are ordered.
        kind::FINISHED_ROUND | kind::FINISHED_INIT => Some(()),
        known if has_no_rows(known) => Some(()),
        known if is_not_read(known) => {
            context.stats.add_indexed(Stat::PerfUnknownRecordType, i64::from(known), 1);
            Some(())
        }
        unknown => {
            context.stats.add_indexed(Stat::PerfUnknownRecordType, i64::from(unknown), 1);
            None
        }
    }
}

/// Whether records of a type state nothing that a table has: how fast events were sampled, which
/// kernel code and namespaces there are, how the recorder was set up.
fn has_no_rows(kind: u32) -> bool {
    matches!(
        kind,
        kind::THROTTLE
            | kind::UNTHROTTLE
            | kind::ITRACE_START
            | kind::NAMESPACES
            | kind::KSYMBOL
            | kind::BPF_EVENT
            | kind::CGROUP
            | kind::TEXT_POKE
            | kind::AUX_OUTPUT_HW_ID
            | kind::EVENT_TYPE
            | kind::ID_INDEX
            | kind::THREAD_MAP
            | kind::CPU_MAP
            | kind::STAT_CONFIG
            | kind::TIME_CONV
            | kind::BPF_METADATA
    )
}

/// Whether records of a type hold data that is not read: context switches without a tracepoint,
/// counters at the end of threads and of intervals, errors of decoders of hardware traces.
fn is_not_read(kind: u32) -> bool {
    matches!(
        kind,
        kind::READ
            | kind::SWITCH
            | kind::SWITCH_CPU_WIDE
            | kind::AUXTRACE_ERROR
            | kind::STAT
            | kind::STAT_ROUND
    )
}

/// A thread has a new name.
fn comm(record: &Record<'_>, context: &mut Context<'_>) -> Option<()> {
    let mut numbers = Numbers(record.payload);
    let (pid, tid) = (numbers.u32()?, numbers.u32()?);
    let (pid, tid) = (context.tid(pid), context.tid(tid));
    let Context { session, trackers, tables, .. } = context;
    let name = tables.strings.intern_bytes(numbers.text());
    let utid = trackers.processes.thread_of_process(tid, pid, tables);
    trackers.processes.name_thread(utid, name, NamePriority::Ftrace, tables);
    if tid == pid {
        let upid = trackers.processes.process(pid, tables);
        tables.process.name.set(upid, name);
        if record.misc & IS_EXEC != 0 {
            session.forget_memory(upid);
        }
    }
    Some(())
}

/// A part of a binary is mapped into memory.
fn mmap(record: &Record<'_>, context: &mut Context<'_>) -> Option<()> {
    let mut numbers = Numbers(record.payload);
    let (pid, tid) = (numbers.u32()?, numbers.u32()?);
    let (start, len, offset) = (numbers.u64()?, numbers.u64()?, numbers.u64()?);
    let mut own_id = None;
    if record.kind == kind::MMAP2 {
        let file = numbers.take(24)?;
        numbers.take(8)?;
        own_id = (record.misc & HAS_BUILD_ID != 0).then(|| {
            let len = usize::from(file.first().copied().unwrap_or_default()).min(20);
            build_id_text(file.get(4..4 + len).unwrap_or_default())
        });
    }
    let path = numbers.text();
    let is_kernel = CpuMode::of(record.misc & CPU_MODE).is_kernel();
    // Where addresses of the kernel are hidden, all of its modules are mapped at 0.
    if len == 0 && !path.starts_with(b"[kernel.kallsyms]") {
        return Some(());
    }
    let id = match &own_id {
        Some(id) => id,
        None => context.session.build_id(pid.cast_signed(), path),
    };
    let end = start.saturating_add(len);
    let row = StackProfileMappingRow {
        build_id: context.tables.strings.intern(id),
        exact_offset: offset.cast_signed(),
        start: start.cast_signed(),
        end: end.cast_signed(),
        name: context.tables.strings.intern(&text_of(path)),
        ..StackProfileMappingRow::default()
    };
    let row = context.tables.stack_profile_mapping.push(row);
    let binary = context.session.binary_of_path.get(path).copied();
    let mapped = Mapped { row, start, offset, binary };
    if is_kernel {
        context.session.kernel.map(start, end, mapped);
        return Some(());
    }
    let (pid, tid) = (context.tid(pid), context.tid(tid));
    let Context { trackers, tables, session, .. } = context;
    trackers.processes.thread_of_process(tid, pid, tables);
    let upid = trackers.processes.process(pid, tables);
    session.map(upid, (start, end), mapped);
    Some(())
}

/// A piece of hardware trace data was written.
fn aux(record: &Record<'_>, context: &mut Context<'_>) -> Option<()> {
    let mut numbers = Numbers(record.payload);
    let (_offset, _size, flags) = (numbers.u64()?, numbers.u64()?, numbers.u64()?);
    for (_, stat) in AUX_FLAGS.into_iter().filter(|(flag, _)| flags & flag != 0) {
        context.stats.increment(stat);
    }
    Some(())
}

/// The kind of hardware trace data. None is decoded.
fn aux_kind(record: &Record<'_>, context: &mut Context<'_>) -> Option<()> {
    let kind = Numbers(record.payload).u32()?;
    context.session.knows_aux_kind = true;
    context.stats.add_indexed(Stat::PerfUnknownAuxData, i64::from(kind), 1);
    Some(())
}

/// The kernel lost records.
fn lost(record: &Record<'_>, context: &mut Context<'_>) -> Option<()> {
    if record.kind == kind::LOST_SAMPLES && record.misc & ARE_FILTERED != 0 {
        return Some(());
    }
    let mut numbers = Numbers(record.payload);
    if record.kind == kind::LOST {
        numbers.u64()?;
    }
    let count = numbers.u64()?;
    let event = context.session.events.of_record(record);
    let event = event.and_then(|event| context.session.events.attributes.get(event));
    let cpu = event.and_then(|event| event.cpu(record)).unwrap_or_default();
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    context.stats.add_indexed(Stat::PerfCpuLostRecords, i64::from(cpu), count);
    Some(())
}

/// An event of a pipe.
fn attribute(record: &Record<'_>, context: &mut Context<'_>) -> Option<()> {
    let size = Numbers(record.payload.get(4..)?).u32()? as usize;
    let event = Attribute::read(record.payload)?;
    context.session.add(event, ids(record.payload.get(size..)?), context.tables);
    Some(())
}

/// More about an event of a pipe.
fn event_update(record: &Record<'_>, context: &mut Context<'_>) -> Option<()> {
    let mut numbers = Numbers(record.payload);
    let (update, id) = (numbers.u64()?, numbers.u64()?);
    if update == UPDATE_NAME {
        context.session.name_event(id, &text_of(numbers.text()));
    }
    Some(())
}

/// A feature of a pipe.
fn feature(record: &Record<'_>, context: &mut Context<'_>) -> Option<()> {
    let mut numbers = Numbers(record.payload);
    let number = u32::try_from(numbers.u64()?).ok()?;
    let Context { session, trackers, tables, stats, .. } = context;
    decode_feature(number, numbers.0, session, trackers, tables, stats);
    Some(())
}
