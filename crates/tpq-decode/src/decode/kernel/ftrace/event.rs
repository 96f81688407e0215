//! The fields that all kernel events share, and reading the fields of one event.

use std::borrow::Cow;

use tpq_ingest::Span;
use tpq_proto::fields::interned_data;
use tpq_proto::wire::{Field, Fields};
use tpq_tables::{Stats, StringId, Tables};

use crate::event::RunEvent;
use tpq_trackers::interned::Interned;
use tpq_trackers::track::{Dimensions, Tid, TrackKind, Trackers, Utid};

/// An event with what it shares with all others.
pub struct FtraceEvent<'a> {
    /// Timestamp, ns in trace time.
    pub ts: i64,
    /// The machine's row.
    pub machine: u32,
    /// The CPU that recorded it.
    pub cpu: u32,
    /// The thread that was running.
    pub pid: i32,
    /// Whether it ran in an interrupt, and more; see the kernel's `trace_flag_type`.
    pub common_flags: Option<u32>,
    /// The event's own message.
    pub data: &'a [u8],
    /// The location of the message; `None` for messages that are not in the trace.
    pub(super) span: Option<Span>,
    /// The thread that was running, where it was looked up.
    pub(super) utid: Option<Utid>,
    pub(super) generation: tpq_ingest::GenerationId,
    /// The interned data of its sequence; text has none.
    interned: Option<&'a Interned<'a>>,
}

/// The decoder of an area.
pub(super) type DecodeEvent = fn(&FtraceEvent<'_>, &mut Trackers, &mut Tables, &mut Stats);

/// An area's events: the number of the field each lies in, and its function.
pub(super) type Events = &'static [(u32, DecodeEvent)];

impl<'a> FtraceEvent<'a> {
    /// An event of a run, of which nothing was read.
    pub(super) fn of_run(event: &RunEvent<'a>) -> Self {
        Self {
            generation: event.run.generation,
            interned: Some(event.interned),
            ..Self::without_packet(event.ts, (event.machine, event.cpu), 0, &[])
        }
    }

    /// An event that no packet held, on a CPU of a machine and by the thread that was running.
    pub fn without_packet(ts: i64, (machine, cpu): (u32, u32), pid: i32, data: &'a [u8]) -> Self {
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
    pub fn with_message<'b>(&self, data: &'b [u8]) -> FtraceEvent<'b>
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
    pub fn tid(&self, id: i32) -> Tid {
        Tid { machine: self.machine, id: i64::from(id) }
    }

    /// The thread that was running.
    pub fn utid(&self, trackers: &mut Trackers, tables: &mut Tables) -> Utid {
        trackers.processes.thread(self.tid(self.pid), tables)
    }

    /// The same, for events by which no thread begins or ends.
    pub(super) fn running(&self, trackers: &mut Trackers, tables: &mut Tables) -> Utid {
        self.utid.unwrap_or_else(|| self.utid(trackers, tables))
    }

    /// The track of what the running thread executes.
    pub fn thread_track(&self, trackers: &mut Trackers, tables: &mut Tables) -> u32 {
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
        trackers.source.tracks.get_named(kind, dimensions, &mut trackers.deferred, tables, name)
    }

    /// The kernel function an id stands for, if the trace says.
    pub(super) fn symbol(
        &self,
        iid: u64,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Option<StringId> {
        let strings = &mut tables.strings;
        self.interned?.text(self.generation, interned_data::KERNEL_SYMBOLS, iid, strings, stats)
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
    trackers.source.tracks.execution(utid, &mut trackers.deferred, tables)
}
