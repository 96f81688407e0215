//! Decoders, one file for each data source, in folders by area. A decoder turns bytes into calls of
//! trackers and has no state of its own; `DecoderStates` holds state that only one decoder uses.

pub(crate) mod android;
pub(crate) mod chrome;
pub(crate) mod clocks;
pub(crate) mod graphics;
pub(crate) mod heap;
pub(crate) mod kernel;
pub(crate) mod network;
pub(crate) mod power;
pub(crate) mod process;
pub(crate) mod profilers;
pub(crate) mod recorder;
pub(crate) mod track_event;
pub(crate) mod winscope;

use tpq_clock::Converter;
use tpq_ingest::{Bundle, GenerationId, Loss, Payload, Route, RunKind, SourceId, Span, SplitSink};
use tpq_proto::wire::{Fields, LastFields, Packed};
use tpq_tables::{Stat, Stats, StringId, Tables};

use self::track_event::Ahead;
use crate::event::RunEvent;
use tpq_trackers::interned::Interned;
use tpq_trackers::track::Trackers;

/// A packet on its way to its decoder.
pub(crate) struct Packet<'a> {
    /// The timestamp, in ns of trace time. `None` if the packet has none, or if nothing relates its
    /// clock to trace time.
    pub(crate) timestamp: Option<i64>,
    /// Whether it is decoded at once, before events that are older.
    pub(crate) early: bool,
    /// The payload.
    pub(crate) data: &'a [u8],
    /// The row of the machine it was recorded on.
    pub(crate) machine: u32,
    /// Converts that machine's boot time to trace time; `None` if no path leads there.
    pub(crate) boottime: Option<&'a Converter>,
    /// Converts that machine's coarse monotonic clock to trace time; `None` if no path leads there.
    pub(crate) monotonic_coarse: Option<&'a Converter>,
    /// Converts the clock of packets that name none to trace time; `None` if no path leads there.
    pub(crate) default_clock: Option<&'a Converter>,
    /// The location of the payload.
    pub(crate) span: Span,
    /// The source of the packet.
    pub(crate) source: SourceId,
    /// The state of its sequence.
    pub(crate) generation: GenerationId,
    /// Interned data of sequences.
    pub(crate) interned: &'a Interned<'a>,
    /// What was read of it before, if anything was.
    pub(crate) ahead: Option<&'a Ahead>,
}

impl<'a> Packet<'a> {
    /// A number for the data that is interned together with what the packet refers to: ids mean
    /// something within it.
    pub(crate) fn interned_scope(&self) -> u32 {
        self.interned.generation(self.generation).map_or(0, |generation| generation.interned)
    }

    /// A message that the packet refers to by the id it was interned under. A missing one is
    /// counted.
    pub(crate) fn interned_message(
        &self,
        kind: u32,
        iid: u64,
        stats: &mut Stats,
    ) -> Option<&'a [u8]> {
        let message = self.interned.message(self.generation, kind, iid);
        if message.is_none() {
            stats.increment(Stat::InternedDataTokenizerErrors);
        }
        message
    }

    /// The timestamp of a packet that is decoded in time order, in ns of trace time. Decoders of
    /// packets that are decoded at once read `timestamp`, which such packets can lack.
    pub(crate) fn ts(&self) -> i64 {
        debug_assert!(self.timestamp.is_some(), "the packet is decoded in time order");
        self.timestamp.unwrap_or_default()
    }

    /// Converts boot time to trace time, for fields that use boot time in packets of any clock.
    pub(crate) fn at_boottime(&self, ns: i64) -> Option<i64> {
        self.boottime.map(|boottime| boottime.convert_one(ns))
    }

    /// Converts the coarse monotonic clock to trace time, for fields that use it in packets of any
    /// clock.
    pub(crate) fn at_monotonic_coarse(&self, ns: i64) -> Option<i64> {
        self.monotonic_coarse.map(|clock| clock.convert_one(ns))
    }

    /// A moment that is given in the clock of packets that name none, in trace time.
    pub(crate) fn at_default_clock(&self, ns: i64) -> Option<i64> {
        self.default_clock.map(|clock| clock.convert_one(ns))
    }
}

/// The function of a decoder of packets.
pub(crate) type Decode = fn(&Packet<'_>, &mut Trackers, &mut Tables, &mut Stats);

/// A decoder of packets.
pub(crate) struct PacketDecoder {
    /// The number of the payload's field.
    pub(crate) field: u32,
    /// The time of decoding: at once, in time order, or both.
    pub(crate) route: Route,
    /// The decoding of these packets.
    pub(crate) decode: Decode,
}

/// A decoder of packets that hold events with times of their own.
pub(crate) struct BundleDecoder {
    /// The number of the payload's field.
    pub(crate) field: u32,
    /// Splits a packet into events; runs of [`events_of`] the field come back to `decode`.
    pub(crate) split: fn(Bundle<'_>, &mut SplitSink<'_>),
    /// The decoding of an event.
    pub(crate) decode: DecodeEvent,
}

/// The function of a decoder of events in bundles.
pub type DecodeEvent = fn(&RunEvent<'_>, &mut Trackers, &mut Tables, &mut Stats);

/// Kinds of runs from here on are of packets that are not the kernel's.
const FIRST_OF_PACKETS: u32 = 1 << 16;

/// The kind of runs of events that packets of a payload field are split into.
pub(crate) const fn events_of(field: u32) -> RunKind {
    RunKind(FIRST_OF_PACKETS + field)
}

/// The payload field of packets that runs of a kind were split from, except kernel events.
pub(crate) fn field_of(kind: RunKind) -> Option<u32> {
    kind.0.checked_sub(FIRST_OF_PACKETS)
}

/// Passes a bundle on as one event at the time of its packet.
fn push_whole(bundle: &Bundle<'_>, sink: &mut SplitSink<'_>) {
    let Some(ns) = bundle.ns else {
        sink.lose(Loss::MalformedPacket);
        return;
    };
    let ranges = vec![(0, bundle.span.len)];
    let payload = Payload::Bundle { addr: bundle.span.addr, ranges };
    sink.push(bundle.clock, bundle.run(events_of(bundle.kind), vec![ns], payload));
}

/// A number as two words of an event, the higher first.
fn halves(value: u64) -> [u32; 2] {
    [(value >> 32) as u32, value as u32]
}

/// The number of two words.
fn whole(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// The text of a field; NULL when the message does not have it.
fn text<const N: usize>(fields: &LastFields<'_, N>, number: u32, tables: &mut Tables) -> StringId {
    match fields.get(number) {
        Some(field) => tables.strings.intern_bytes(field.as_bytes()),
        None => StringId::NULL,
    }
}

/// Whether a packed list of integers in one of these fields is damaged. Its values end there.
fn has_damaged_list(message: &[u8], numbers: [u32; 2]) -> bool {
    let lists = Fields::new(message).filter(|field| numbers.contains(&field.number));
    lists.map(|list| list.as_bytes()).any(|list| Packed::new(list).is_damaged())
}

/// Largest size of data that the events of a packet share: it is read again for each event.
const MAX_SHARED: usize = 4096;

/// The part of a shared message that is read.
fn shorten(shared: &[u8]) -> &[u8] {
    shared.get(..MAX_SHARED).unwrap_or(shared)
}
