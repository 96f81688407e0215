//! Encodes a recording as packets of a Perfetto trace.

use std::collections::BTreeMap;

use tpq_clock::tsc::{Rate, Snapshot, Ticks};
use tpq_clock::{BOOTTIME, MONOTONIC, REALTIME};

use super::lanes::{Edge, edges};
use super::message::Message;
use super::recorder::{Record, Recorded, ThreadIdentity};

/// The only sequence of the trace.
const SEQUENCE: u64 = 1;
/// The id of the TSC clock: the first id that a sequence may define.
const TSC_CLOCK: u32 = 64;
/// The category of all slices.
const CATEGORY: &str = "tpq";
/// The name of the process.
const PROCESS: &str = "tpq";

/// Field numbers.
mod field {
    pub const TRACE_PACKET: u32 = 1;

    pub mod packet {
        pub const CLOCK_SNAPSHOT: u32 = 6;
        pub const TIMESTAMP: u32 = 8;
        pub const SEQUENCE_ID: u32 = 10;
        pub const TRACK_EVENT: u32 = 11;
        pub const SEQUENCE_FLAGS: u32 = 13;
        pub const DEFAULTS: u32 = 59;
        pub const TRACK_DESCRIPTOR: u32 = 60;
        pub const FIRST_ON_SEQUENCE: u32 = 87;
    }

    pub mod defaults {
        pub const TIMESTAMP_CLOCK_ID: u32 = 58;
    }

    pub mod snapshot {
        pub const CLOCKS: u32 = 1;
        pub const PRIMARY_TRACE_CLOCK: u32 = 2;
    }

    pub mod clock {
        pub const ID: u32 = 1;
        pub const TIMESTAMP: u32 = 2;
    }

    pub mod track {
        pub const UUID: u32 = 1;
        pub const NAME: u32 = 2;
        pub const PROCESS: u32 = 3;
        pub const THREAD: u32 = 4;
        pub const PARENT_UUID: u32 = 5;
    }

    pub mod process {
        pub const PID: u32 = 1;
        pub const NAME: u32 = 6;
    }

    pub mod thread {
        pub const PID: u32 = 1;
        pub const TID: u32 = 2;
        pub const NAME: u32 = 5;
    }

    pub mod event {
        pub const ANNOTATIONS: u32 = 4;
        pub const TYPE: u32 = 9;
        pub const TRACK_UUID: u32 = 11;
        pub const CATEGORIES: u32 = 22;
        pub const NAME: u32 = 23;
    }

    pub mod annotation {
        pub const UINT_VALUE: u32 = 3;
        pub const NAME: u32 = 10;
    }
}

/// Sequence flag: the incremental state before this packet is invalid.
const STATE_CLEARED: u64 = 1;
/// Sequence flag: the packet depends on the defaults sent before it.
const NEEDS_STATE: u64 = 2;
/// Types of track events.
const SLICE_BEGIN: u64 = 1;
const SLICE_END: u64 = 2;

/// Encodes the trace. Ticks at `rate` become timestamps in ns.
pub(super) fn encode(pid: u32, rate: Rate, recorded: &Recorded) -> Vec<u8> {
    let mut trace = Trace { pid: pid.into(), rate, packets: Message::default() };
    trace.first_packet();
    for snapshot in &recorded.snapshots {
        trace.clock_snapshot(snapshot);
    }
    trace.process();
    let mut by_thread: BTreeMap<u64, Vec<&Record>> = BTreeMap::new();
    for span in &recorded.spans {
        by_thread.entry(span.thread.tid).or_default().push(span);
    }
    let mut events: Vec<(u64, Edge<'_>)> = Vec::new();
    for spans in by_thread.into_values() {
        let first: &Record = spans[0];
        let thread = &first.thread;
        let edges = edges(spans);
        let lanes = edges.iter().map(|edge| edge.lane).max().unwrap_or(0);
        trace.thread(thread, lanes);
        events.extend(edges.into_iter().map(|edge| (trace.lane(thread, edge.lane), edge)));
    }
    events.sort_by_key(|(_, edge)| edge.at);
    for (track, edge) in events {
        trace.event(track, edge);
    }
    trace.packets.into_bytes()
}

/// A trace that is being written.
struct Trace {
    pid: u64,
    rate: Rate,
    packets: Message,
}

impl Trace {
    fn push(&mut self, packet: &Message) {
        self.packets.push(field::TRACE_PACKET, packet);
    }

    fn packet(flags: u64) -> Message {
        Message::default()
            .uint(field::packet::SEQUENCE_ID, SEQUENCE)
            .uint(field::packet::SEQUENCE_FLAGS, flags)
    }

    fn first_packet(&mut self) {
        let defaults =
            Message::default().uint(field::defaults::TIMESTAMP_CLOCK_ID, TSC_CLOCK.into());
        let packet = Self::packet(STATE_CLEARED)
            .uint(field::packet::FIRST_ON_SEQUENCE, 1)
            .message(field::packet::DEFAULTS, &defaults);
        self.push(&packet);
    }

    fn ns(&self, ticks: Ticks) -> u64 {
        self.rate.to_ns(ticks.0)
    }

    fn clock_snapshot(&mut self, snapshot: &Snapshot) {
        let clock = |id: u32, ns: u64| {
            Message::default().uint(field::clock::ID, id.into()).uint(field::clock::TIMESTAMP, ns)
        };
        let Snapshot { ticks, boottime_ns, realtime_ns, monotonic_ns } = *snapshot;
        let clocks = [
            clock(TSC_CLOCK, self.ns(ticks)),
            clock(BOOTTIME, boottime_ns.cast_unsigned()),
            clock(MONOTONIC, monotonic_ns.cast_unsigned()),
            clock(REALTIME, realtime_ns.cast_unsigned()),
        ];
        let message = clocks
            .iter()
            .fold(Message::default(), |all, clock| all.message(field::snapshot::CLOCKS, clock))
            .uint(field::snapshot::PRIMARY_TRACE_CLOCK, BOOTTIME.into());
        let packet = Self::packet(NEEDS_STATE).message(field::packet::CLOCK_SNAPSHOT, &message);
        self.push(&packet);
    }

    /// The uuid of the process track.
    fn process_track(&self) -> u64 {
        self.pid << 32
    }

    /// The uuid of a thread's track: made from the lane and the thread id, so that it is unique.
    fn lane(&self, thread: &ThreadIdentity, lane: u64) -> u64 {
        (self.process_track() | thread.tid).wrapping_add(lane << 56)
    }

    fn process(&mut self) {
        let process = Message::default()
            .uint(field::process::PID, self.pid)
            .string(field::process::NAME, PROCESS);
        let track = Message::default()
            .uint(field::track::UUID, self.process_track())
            .message(field::track::PROCESS, &process);
        self.track(&track);
    }

    /// Describes the track of a thread and those of its lanes.
    fn thread(&mut self, thread: &ThreadIdentity, lanes: u64) {
        let mut message = Message::default()
            .uint(field::thread::PID, self.pid)
            .uint(field::thread::TID, thread.tid);
        if let Some(name) = &thread.name {
            message = message.string(field::thread::NAME, name);
        }
        let own = self.lane(thread, 0);
        let track = Message::default()
            .uint(field::track::UUID, own)
            .uint(field::track::PARENT_UUID, self.process_track())
            .message(field::track::THREAD, &message);
        self.track(&track);
        for lane in 1..=lanes {
            let track = Message::default()
                .uint(field::track::UUID, self.lane(thread, lane))
                .uint(field::track::PARENT_UUID, own)
                .string(field::track::NAME, "overlapping");
            self.track(&track);
        }
    }

    fn track(&mut self, descriptor: &Message) {
        let packet = Self::packet(NEEDS_STATE).message(field::packet::TRACK_DESCRIPTOR, descriptor);
        self.push(&packet);
    }

    fn event(&mut self, track: u64, edge: Edge<'_>) {
        let kind = if edge.begins.is_some() { SLICE_BEGIN } else { SLICE_END };
        let mut event =
            Message::default().uint(field::event::TYPE, kind).uint(field::event::TRACK_UUID, track);
        if let Some(span) = edge.begins {
            event = event
                .string(field::event::CATEGORIES, CATEGORY)
                .string(field::event::NAME, span.name);
            for &(name, value) in &span.args {
                let annotation = Message::default()
                    .string(field::annotation::NAME, name)
                    .uint(field::annotation::UINT_VALUE, value);
                event = event.message(field::event::ANNOTATIONS, &annotation);
            }
        }
        let packet = Self::packet(NEEDS_STATE)
            .uint(field::packet::TIMESTAMP, self.ns(edge.at))
            .message(field::packet::TRACK_EVENT, &event);
        self.push(&packet);
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;
    use std::sync::Arc;

    use tpq_proto::message::{ClockSnapshot, TracePacketDefaults, TrackDescriptor};
    use tpq_proto::wire::{Field, Fields};

    use super::*;

    fn record(name: &'static str, tid: u64, ticks: (u64, u64)) -> Record {
        Record {
            name,
            thread: Arc::new(ThreadIdentity { tid, name: Some(format!("thread {tid}")) }),
            begin: Ticks(ticks.0),
            end: Ticks(ticks.1),
            args: Vec::new(),
        }
    }

    /// A recording with two ticks per ns.
    fn encoded(recorded: &Recorded) -> Vec<u8> {
        encode(7, Rate::new(NonZeroU64::new(2_000_000_000).unwrap()), recorded)
    }

    fn packets(bytes: &[u8]) -> Vec<Vec<Field<'_>>> {
        Fields::new(bytes).map(|packet| Fields::new(packet.as_bytes()).collect()).collect()
    }

    /// The bytes of all fields with a number, in the order of the packets.
    fn payloads<'a>(packets: &[Vec<Field<'a>>], number: u32) -> Vec<&'a [u8]> {
        let fields = packets.iter().flatten().filter(|field| field.number == number);
        fields.map(Field::as_bytes).collect()
    }

    #[test]
    fn the_first_packet_clears_the_state_and_sets_the_clock() {
        let bytes = encoded(&Recorded::default());
        let packets = packets(&bytes);
        let values = |number: u32| -> Vec<u64> {
            packets.iter().flatten().filter(|f| f.number == number).map(Field::as_u64).collect()
        };
        assert_eq!(values(10), [1, 1], "one sequence");
        assert_eq!(values(13), [1, 2]);
        assert_eq!(values(87), [1]);
        let defaults: TracePacketDefaults = tpq_proto::decode(payloads(&packets, 59)[0]).unwrap();
        assert_eq!(defaults.timestamp_clock_id, Some(64));
    }

    #[test]
    fn snapshots_tie_the_clock_in_ns() {
        let snapshot = Snapshot {
            ticks: Ticks(9_000),
            boottime_ns: 50,
            realtime_ns: 1_700_000_000_000_000_000,
            monotonic_ns: 40,
        };
        let bytes = encoded(&Recorded { snapshots: vec![snapshot], spans: Vec::new() });
        let message: ClockSnapshot = tpq_proto::decode(payloads(&packets(&bytes), 6)[0]).unwrap();
        let clocks: Vec<_> =
            message.clocks.iter().map(|clock| (clock.clock_id(), clock.timestamp())).collect();
        assert_eq!(clocks, [(64, 4_500), (6, 50), (3, 40), (1, 1_700_000_000_000_000_000)]);
        assert_eq!(message.primary_trace_clock, Some(6));
        assert!(message.clocks.iter().all(|clock| clock.unit_multiplier_ns.is_none()));
    }

    #[test]
    fn threads_have_tracks_and_overlapping_spans_more() {
        let spans = vec![record("a", 8, (0, 20)), record("b", 8, (10, 30)), record("c", 9, (0, 1))];
        let bytes = encoded(&Recorded { snapshots: Vec::new(), spans });
        let tracks: Vec<TrackDescriptor> = payloads(&packets(&bytes), 60)
            .into_iter()
            .map(|payload| tpq_proto::decode(payload).unwrap())
            .collect();
        let [process, eight, overlapping, nine] = &tracks[..] else { panic!("{tracks:?}") };
        assert_eq!(process.process.as_ref().unwrap().pid(), 7);
        assert_eq!(process.process.as_ref().unwrap().process_name(), "tpq");
        for (track, tid) in [(eight, 8), (nine, 9)] {
            let thread = track.thread.as_ref().unwrap();
            assert_eq!((thread.pid(), thread.tid()), (7, tid));
            assert_eq!(thread.thread_name(), format!("thread {tid}"));
            assert_eq!(track.parent_uuid(), process.uuid());
        }
        assert_eq!(overlapping.parent_uuid(), eight.uuid());
        let mut uuids: Vec<u64> = tracks.iter().map(TrackDescriptor::uuid).collect();
        uuids.sort_unstable();
        uuids.dedup();
        assert_eq!(uuids.len(), 4);
    }

    #[test]
    fn events_are_in_the_order_of_time() {
        let spans = vec![record("a", 8, (100, 200)), record("b", 9, (120, 190))];
        let bytes = encoded(&Recorded { snapshots: Vec::new(), spans });
        let packets = packets(&bytes);
        let times: Vec<u64> =
            packets.iter().flatten().filter(|f| f.number == 8).map(Field::as_u64).collect();
        assert_eq!(times, [50, 60, 95, 100]);
        let name = |event: &[u8]| {
            Fields::new(event).find(|field| field.number == 23).map(|f| f.as_bytes().to_vec())
        };
        let names: Vec<_> = payloads(&packets, 11).into_iter().map(name).collect();
        assert_eq!(names, [Some(b"a".to_vec()), Some(b"b".to_vec()), None, None]);
    }
}
