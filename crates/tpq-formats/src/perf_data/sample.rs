//! Samples.

use tpq_tables::table::ProfilerSampleRow;
use tpq_tables::{Stat, StringId};
use tpq_trackers::track::{MAX_CPUS, SampledTask, push_counter_set};

use super::attribute::{Attribute, Events, field};
use super::callchain::{Frame, callsite_of};
use super::counters::count;
use super::layout::{Numbers, Record};
use super::records::Context;
use super::session::SOURCE;

/// Fields of counter values, as bits of `read_format`.
mod format {
    pub(super) const TIME_ENABLED: u64 = 1 << 0;
    pub(super) const TIME_RUNNING: u64 = 1 << 1;
    pub(super) const ID: u64 = 1 << 2;
    pub(super) const GROUP: u64 = 1 << 3;
    pub(super) const LOST: u64 = 1 << 4;
}

/// The type of events that are tracepoints.
const TRACEPOINT: u32 = 2;
/// The part of a record's flags that is the mode of the CPU.
const CPU_MODE: u16 = 7;
/// Addresses from here on state the mode of those behind them.
const FIRST_MARK: u64 = 4095_u64.wrapping_neg();

/// The mode of a CPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum CpuMode {
    #[default]
    Unknown,
    Kernel,
    User,
    Hypervisor,
    GuestKernel,
    GuestUser,
}

impl CpuMode {
    /// The mode in the flags of a record.
    pub(super) fn of(misc: u16) -> Self {
        match misc {
            1 => Self::Kernel,
            2 => Self::User,
            3 => Self::Hypervisor,
            4 => Self::GuestKernel,
            5 => Self::GuestUser,
            _ => Self::Unknown,
        }
    }

    /// The mode that a mark in a call chain states.
    fn of_mark(mark: u64) -> Self {
        match mark.wrapping_neg() {
            32 => Self::Hypervisor,
            128 => Self::Kernel,
            512 => Self::User,
            2176 => Self::GuestKernel,
            2560 => Self::GuestUser,
            _ => Self::Unknown,
        }
    }

    /// Whether code of a kernel runs in it.
    pub(super) fn is_kernel(self) -> bool {
        matches!(self, Self::Kernel | Self::GuestKernel)
    }

    fn name(self) -> Option<&'static str> {
        match self {
            Self::Unknown => None,
            Self::Kernel => Some("kernel"),
            Self::User => Some("user"),
            Self::Hypervisor => Some("hypervisor"),
            Self::GuestKernel => Some("guest_kernel"),
            Self::GuestUser => Some("guest_user"),
        }
    }
}

/// A sample.
#[derive(Clone, Debug, Default)]
pub(super) struct Sample {
    ip: Option<u64>,
    /// Process and thread.
    task: Option<(u32, u32)>,
    has_time: bool,
    /// CPU.
    pub(super) cpu: Option<u32>,
    /// The number of events since the sample before.
    pub(super) period: Option<u64>,
    /// Values of counters that were read with it, by the ids of their events.
    pub(super) values: Vec<(Option<u64>, u64)>,
    /// Call chain, the innermost frame first.
    chain: Vec<Frame>,
}

impl Sample {
    /// Reads the fields that an event's samples have, in their fixed order.
    fn read(record: &Record<'_>, event: &Attribute) -> Option<Self> {
        let mut numbers = Numbers(record.payload);
        let has = |field| event.sample_type & field != 0;
        let mut sample = Self { has_time: has(field::TIME), ..Self::default() };
        if has(field::IDENTIFIER) {
            numbers.u64()?;
        }
        if has(field::IP) {
            sample.ip = Some(numbers.u64()?);
        }
        if has(field::TID) {
            sample.task = Some((numbers.u32()?, numbers.u32()?));
        }
        for skipped in [field::TIME, field::ADDR, field::ID, field::STREAM_ID] {
            if has(skipped) {
                numbers.u64()?;
            }
        }
        if has(field::CPU) {
            sample.cpu = Some(numbers.u32()?);
            numbers.u32()?;
        }
        if has(field::PERIOD) {
            sample.period = Some(numbers.u64()?);
        }
        if has(field::READ) {
            sample.values = values(&mut numbers, event.read_format)?;
        }
        let mode = CpuMode::of(record.misc & CPU_MODE);
        if has(field::CALLCHAIN) {
            sample.chain = chain(&mut numbers, mode)?;
        }
        if sample.chain.is_empty() {
            sample.chain.extend(sample.ip.map(|address| Frame { mode, address }));
        }
        Some(sample)
    }
}

/// Values of one counter, or of a group.
fn values(numbers: &mut Numbers<'_>, read_format: u64) -> Option<Vec<(Option<u64>, u64)>> {
    let has = |field| read_format & field != 0;
    let value_or_count = numbers.u64()?;
    for time in [format::TIME_ENABLED, format::TIME_RUNNING] {
        if has(time) {
            numbers.u64()?;
        }
    }
    let rest = |numbers: &mut Numbers<'_>| {
        let id = if has(format::ID) { Some(numbers.u64()?) } else { None };
        if has(format::LOST) {
            numbers.u64()?;
        }
        Some(id)
    };
    if !has(format::GROUP) {
        return Some(vec![(rest(numbers)?, value_or_count)]);
    }
    // More values than there are bytes are damage, and end the loop.
    let mut values = Vec::new();
    for _ in 0..value_or_count {
        let value = numbers.u64()?;
        values.push((rest(numbers)?, value));
    }
    Some(values)
}

/// The CPU, the time and the event of the kernel's tracer in a sample of a tracepoint.
pub(super) fn tracepoint<'a>(record: &Record<'a>, events: &Events) -> Option<(u32, u64, &'a [u8])> {
    let event = events.attributes.get(events.of_record(record)?)?;
    let has = |field| event.sample_type & field != 0;
    let needed = [field::RAW, field::CPU, field::TIME];
    if event.kind != TRACEPOINT || !needed.into_iter().all(has) {
        return None;
    }
    let before = [
        field::IDENTIFIER,
        field::IP,
        field::TID,
        field::TIME,
        field::ADDR,
        field::ID,
        field::STREAM_ID,
    ];
    let mut numbers = Numbers(record.payload);
    for _ in before.into_iter().filter(|&field| has(field)) {
        numbers.u64()?;
    }
    let cpu = numbers.u64()? as u32;
    if has(field::PERIOD) {
        numbers.u64()?;
    }
    if has(field::READ) {
        values(&mut numbers, event.read_format)?;
    }
    if has(field::CALLCHAIN) {
        let count = usize::try_from(numbers.u64()?).ok()?;
        numbers.take(count.checked_mul(8)?)?;
    }
    let len = numbers.u32()? as usize;
    let raw = numbers.take(len)?;
    (cpu <= MAX_CPUS).then_some((cpu, event.time(record)?, raw))
}

/// The addresses of a call chain.
fn chain(numbers: &mut Numbers<'_>, mut mode: CpuMode) -> Option<Vec<Frame>> {
    let count = numbers.u64()?;
    let mut frames = Vec::new();
    for _ in 0..count {
        let address = numbers.u64()?;
        match address >= FIRST_MARK {
            true => mode = CpuMode::of_mark(address),
            false => frames.push(Frame { mode, address }),
        }
    }
    Some(frames)
}

/// Decodes a sample; `None` if it cannot be read or says not when or of which thread it is.
pub(super) fn decode_sample(record: &Record<'_>, context: &mut Context<'_>) -> Option<()> {
    let number = context.session.events.of_record(record)?;
    let event = *context.session.events.attributes.get(number)?;
    let sample = Sample::read(record, &event)?;
    let (pid, tid) = sample.task.filter(|_| sample.has_time)?;
    if sample.cpu.is_some_and(|cpu| cpu > MAX_CPUS) {
        return None;
    }
    for unread in [field::BRANCH_STACK, field::STACK_USER] {
        if event.sample_type & unread != 0 {
            context.stats.add_indexed(Stat::FormatRecordsNotRead, unread.cast_signed(), 1);
        }
    }
    let mode = CpuMode::of(record.misc & CPU_MODE);
    if mode == CpuMode::Unknown {
        context.stats.increment(Stat::PerfSamplesCpuModeUnknown);
    }
    let (pid, tid) = (context.tid(pid), context.tid(tid));
    let utid = context.trackers.processes.thread_of_process(tid, pid, context.tables);
    let upid = context.trackers.processes.process(pid, context.tables);
    context.trackers.bounds.include(context.ts);
    let callsite_id = callsite_of(&sample.chain, upid, context);
    let counters = count(&sample, number, &event, context);
    let session_id = context.session.recorded.get(number).map(|recorded| recorded.session);
    let Context { ts, machine, trackers, tables, .. } = context;
    let ucpu = sample.cpu.map(|cpu| trackers.cpus.get(*machine, cpu, tables));
    let task = SampledTask { upid: Some(upid), utid: Some(utid), async_context: None };
    let cpu_mode = mode.name().map_or(StringId::NULL, |mode| tables.strings.intern(mode));
    let row = ProfilerSampleRow {
        ts: *ts,
        source: tables.strings.intern(SOURCE),
        task_context_id: Some(trackers.samples.task(task, tables)),
        execution_context_id: (ucpu.is_some() || !cpu_mode.is_null())
            .then(|| trackers.samples.execution(ucpu, cpu_mode, tables)),
        callsite_id,
        unwind_error: StringId::NULL,
        session_id,
        counter_set_id: push_counter_set(&counters, tables),
    };
    tables.profiler_sample.push(row);
    Some(())
}
