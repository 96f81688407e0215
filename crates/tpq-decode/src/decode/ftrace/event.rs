//! What all events of the kernel have in common, and which function decodes which.

use std::borrow::Cow;
use std::sync::LazyLock;

use tpq_ingest::{Payload, Span};
use tpq_proto::wire::{Field, Fields, Value};
use tpq_tables::{Stat, Stats, StringId, Tables};

use super::{
    binder, block, buffers, bundle, clock, compact_sched, cpu, described, display, drm, f2fs,
    file_read, firmware, function, gpu, hypervisor, i2c, interrupt, mali, marker, memory, network,
    power, print, raw, reclaim, sched, secure, signal, socket, syscall, task, thermal, timer, ufs,
    video, virtio, wakeup_source, workqueue,
};
use crate::decoder::RunEvent;
use crate::interned::{Interned, field};
use crate::track::{Dimensions, Tid, TrackKind, Trackers, Utid};

/// An event with what it shares with all others.
pub(crate) struct FtraceEvent<'a> {
    /// When, in trace time.
    pub(crate) ts: i64,
    /// The machine's row.
    pub(crate) machine: u32,
    /// The CPU that recorded it.
    pub(crate) cpu: u32,
    /// The thread that was running.
    pub(crate) pid: i32,
    /// Whether it ran in an interrupt, and more; see the kernel's `trace_flag_type`.
    pub(crate) common_flags: Option<u32>,
    /// The event's own message.
    pub(crate) data: &'a [u8],
    /// Where in the trace that lies, if it does.
    pub(super) span: Option<Span>,
    /// The thread that was running, where it was looked up.
    utid: Option<Utid>,
    pub(super) generation: tpq_ingest::GenerationId,
    /// What its sequence interned; text is of none.
    interned: Option<&'a Interned<'a>>,
}

/// What an area does with an event.
pub(super) type DecodeEvent = fn(&FtraceEvent<'_>, &mut Trackers, &mut Tables, &mut Stats);

/// An area's events: the number of the field each lies in, and its function.
pub(super) type Events = &'static [(u32, DecodeEvent)];

/// The areas, each listing its own events.
const AREAS: &[Events] = &[
    sched::EVENTS,
    task::EVENTS,
    print::EVENTS,
    interrupt::EVENTS,
    timer::EVENTS,
    syscall::EVENTS,
    workqueue::EVENTS,
    signal::EVENTS,
    memory::EVENTS,
    cpu::EVENTS,
    block::EVENTS,
    network::EVENTS,
    buffers::EVENTS,
    clock::EVENTS,
    display::EVENTS,
    drm::EVENTS,
    file_read::EVENTS,
    firmware::EVENTS,
    gpu::EVENTS,
    hypervisor::EVENTS,
    mali::EVENTS,
    marker::EVENTS,
    power::EVENTS,
    reclaim::EVENTS,
    secure::EVENTS,
    thermal::EVENTS,
    video::EVENTS,
    virtio::EVENTS,
    socket::EVENTS,
    binder::EVENTS,
    function::EVENTS,
    wakeup_source::EVENTS,
    ufs::EVENTS,
    f2fs::EVENTS,
    i2c::EVENTS,
];

/// The numbers of all events that have a decoder.
pub(crate) fn numbers() -> impl Iterator<Item = u32> {
    AREAS.iter().flat_map(|area| area.iter()).map(|&(number, _)| number)
}

/// Decoders by field number.
static DECODERS: LazyLock<Vec<Option<DecodeEvent>>> = LazyLock::new(|| {
    let events = || AREAS.iter().flat_map(|area| area.iter());
    let last = events().map(|&(number, _)| number).max().unwrap_or_default();
    let mut decoders = vec![None; last as usize + 1];
    for &(number, decode) in events() {
        decoders[number as usize] = Some(decode);
    }
    decoders
});

/// Decodes an event of a run that a bundle was split into.
pub(crate) fn decode_run_event(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    if trackers.ftrace.is_before(event.ts) {
        stats.increment(Stat::FtracePacketBeforeTracingStart);
        return;
    }
    // What a CPU did before its first compact switch cannot be told, and is not of the trace.
    let compact = matches!(event.run.kind, compact_sched::SWITCHES | compact_sched::WAKINGS);
    if !compact || trackers.sched.running(event.cpu).is_some() {
        trackers.bounds.include(event.ts);
    }
    if trackers.ftrace.is_partial(event.machine, event.ts) {
        stats.increment(Stat::FtraceEventsBeforeAllCpus);
        match event.run.kind {
            compact_sched::SWITCHES => {
                compact_sched::follow_switch(event, trackers, tables, stats);
            }
            compact_sched::WAKINGS => compact_sched::record_waking(event, trackers, tables),
            bundle::EVENTS => {
                let mut ftrace = FtraceEvent::of_run(event);
                read_message(event, &mut ftrace, trackers, tables, stats);
            }
            _ => {}
        }
        return;
    }
    match event.run.kind {
        compact_sched::SWITCHES => {
            compact_sched::decode_switch(event, trackers, tables, stats);
        }
        compact_sched::WAKINGS => {
            compact_sched::decode_waking(event, trackers, tables, stats);
        }
        bundle::EVENTS => decode_message(event, trackers, tables, stats),
        _ => {}
    }
}

fn decode_message(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut ftrace = FtraceEvent::of_run(event);
    let kind = read_message(event, &mut ftrace, trackers, tables, stats);
    let Some(kind) = kind else { return };
    if let Some(decode) = DECODERS.get(kind as usize).copied().flatten() {
        decode(&ftrace, trackers, tables, stats);
    } else {
        described::decode(&ftrace, kind, trackers, tables, stats);
    }
}

/// Reads an event and writes it down as it is; gives the number of the field it lies in. The event
/// is filled where it is: giving it back takes longer than reading it.
fn read_message<'a>(
    event: &RunEvent<'a>,
    ftrace: &mut FtraceEvent<'a>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Option<u32> {
    let Payload::Bundle { addr, ranges } = &event.run.payload else { return None };
    let (offset, len) = ranges[event.index];
    let span = Span { addr: addr + u64::from(offset), len };
    let mut number = None;
    let mut fields = Fields::new(event.bytes.get(span));
    while let Some(field) = fields.next() {
        match (field.number, field.value) {
            (2, _) => ftrace.pid = field.as_i32(),
            (5, _) => ftrace.common_flags = Some(field.as_u32()),
            (kind, Value::Bytes(data)) => {
                ftrace.data = data;
                ftrace.span = Some(span.inner(fields.position() - data.len(), data.len()));
                number = Some(kind);
            }
            _ => {}
        }
    }
    // Whatever a thread was seen to do, it was there.
    let tid = Tid { machine: ftrace.machine, id: i64::from(ftrace.pid) };
    let utid = trackers.processes.thread(tid, tables);
    ftrace.utid = Some(utid);
    let (number, data) = (number?, ftrace.span?);
    raw::record(ftrace, (number, data), utid, trackers, tables, stats);
    Some(number)
}

/// Decodes an event that lies in the field of that number, if there is a decoder for it.
pub(super) fn decode_known(
    event: &FtraceEvent<'_>,
    number: u32,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    if let Some(decode) = DECODERS.get(number as usize).copied().flatten() {
        decode(event, trackers, tables, stats);
    }
}

impl<'a> FtraceEvent<'a> {
    /// An event of a run, of which nothing was read.
    fn of_run(event: &RunEvent<'a>) -> Self {
        Self {
            generation: event.run.generation,
            interned: Some(event.interned),
            ..Self::without_packet(event.ts, (event.machine, event.cpu), 0, &[])
        }
    }

    /// An event that no packet held, on a CPU of a machine and by the thread that was running.
    pub(crate) fn without_packet(
        ts: i64,
        (machine, cpu): (u32, u32),
        pid: i32,
        data: &'a [u8],
    ) -> Self {
        let generation = tpq_ingest::GenerationId::default();
        Self {
            ts,
            machine,
            cpu,
            pid,
            common_flags: None,
            data,
            span: None,
            utid: None,
            generation,
            interned: None,
        }
    }

    /// The same event with a message of its own.
    pub(crate) fn with_message<'b>(&self, data: &'b [u8]) -> FtraceEvent<'b>
    where
        'a: 'b,
    {
        FtraceEvent { data, span: None, ..*self }
    }

    /// The fields of the event's own message.
    pub(super) fn fields(&self) -> impl Iterator<Item = Field<'a>> + use<'a> {
        Fields::new(self.data)
    }

    /// The field of that number.
    pub(super) fn field(&self, number: u32) -> Option<Field<'a>> {
        self.fields().find(|field| field.number == number)
    }

    /// The number in a field; 0 where it is absent.
    pub(super) fn int(&self, number: u32) -> i64 {
        self.field(number).map(|field| field.as_i64()).unwrap_or_default()
    }

    /// The number in a field without a sign; 0 where it is absent.
    pub(super) fn uint(&self, number: u32) -> u64 {
        self.field(number).map(|field| field.as_u64()).unwrap_or_default()
    }

    /// The text in a field to build a name from; empty where it is absent.
    pub(super) fn part(&self, number: u32) -> Cow<'a, str> {
        String::from_utf8_lossy(
            self.field(number).map(|field| field.as_bytes()).unwrap_or_default(),
        )
    }

    /// The text in a field; NULL where it is absent.
    pub(super) fn text(&self, number: u32, tables: &mut Tables) -> StringId {
        match self.field(number) {
            Some(field) => tables.strings.intern_bytes(field.as_bytes()),
            None => StringId::NULL,
        }
    }

    /// A thread of the machine the event is from.
    pub(crate) fn tid(&self, id: i32) -> Tid {
        Tid { machine: self.machine, id: i64::from(id) }
    }

    /// The thread that was running.
    pub(crate) fn utid(&self, trackers: &mut Trackers, tables: &mut Tables) -> Utid {
        trackers.processes.thread(self.tid(self.pid), tables)
    }

    /// The same, for events by which no thread begins or ends.
    pub(super) fn running(&self, trackers: &mut Trackers, tables: &mut Tables) -> Utid {
        self.utid.unwrap_or_else(|| self.utid(trackers, tables))
    }

    /// The track of what the running thread executes.
    pub(crate) fn thread_track(&self, trackers: &mut Trackers, tables: &mut Tables) -> u32 {
        let utid = self.utid(trackers, tables);
        thread_track(utid, trackers, tables)
    }

    /// The track of the CPU, of a kind with one for each CPU.
    pub(super) fn cpu_track(
        &self,
        kind: TrackKind,
        title: &str,
        trackers: &mut Trackers,
        tables: &mut Tables,
    ) -> u32 {
        let dimensions = Dimensions::cpu(self.machine, self.cpu);
        let name = || format!("{title} Cpu {}", self.cpu);
        trackers.tracks.get_named(kind, dimensions, &mut trackers.deferred, tables, name)
    }

    /// The kernel function an id stands for, if the trace says.
    pub(super) fn symbol(
        &self,
        iid: u64,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Option<StringId> {
        let strings = &mut tables.strings;
        self.interned?.text(self.generation, field::KERNEL_SYMBOLS, iid, strings, stats)
    }

    /// The kernel function an id stands for, or the id itself in hexadecimal.
    pub(super) fn symbol_or_hex(
        &self,
        iid: u64,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> StringId {
        match self.symbol(iid, tables, stats) {
            Some(symbol) => symbol,
            None if iid == 0 => tables.strings.intern("0"),
            None => tables.strings.intern(&format!("{iid:#x}")),
        }
    }
}

/// The track of what a thread executes.
pub(super) fn thread_track(utid: Utid, trackers: &mut Trackers, tables: &mut Tables) -> u32 {
    trackers.tracks.execution(utid, &mut trackers.deferred, tables)
}
