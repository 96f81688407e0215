//! Records: names of threads, mappings of memory, samples, and what was lost.

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
use crate::text::text_of;

/// The flag of a mapping that states its build id in place of its file.
const HAS_BUILD_ID: u16 = 1 << 14;
/// The part of a record's flags that is the mode of the CPU.
const CPU_MODE: u16 = 7;
/// The kind of an update that names an event.
const UPDATE_NAME: u64 = 2;

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
        // These state how the records that follow are ordered.
        kind::FINISHED_ROUND | kind::FINISHED_INIT => Some(()),
        unknown => {
            context.stats.add_indexed(Stat::PerfUnknownRecordType, i64::from(unknown), 1);
            None
        }
    }
}

/// A thread has a new name.
fn comm(record: &Record<'_>, context: &mut Context<'_>) -> Option<()> {
    let mut numbers = Numbers(record.payload);
    let (pid, tid) = (numbers.u32()?, numbers.u32()?);
    let (pid, tid) = (context.tid(pid), context.tid(tid));
    let Context { trackers, tables, .. } = context;
    let name = tables.strings.intern_bytes(numbers.text());
    let utid = trackers.processes.thread_of_process(tid, pid, tables);
    trackers.processes.name_thread(utid, name, NamePriority::Ftrace, tables);
    if tid == pid {
        let upid = trackers.processes.process(pid, tables);
        tables.process.name.set(upid, name);
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
    session.processes.entry(upid).or_default().map(start, end, mapped);
    Some(())
}

/// The kernel lost records.
fn lost(record: &Record<'_>, context: &mut Context<'_>) -> Option<()> {
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
