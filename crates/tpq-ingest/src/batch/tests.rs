//! Traces written by hand, walked packet by packet.

use tpq_clock::{BOOTTIME, Clock, ClockGraph, Reading, Source, TRACE_FILE};
use tpq_testkit::{
    Clock as TestClock, ClockSnapshot, Defaults, FtraceBundle, FtraceEvent, InternedData,
    Message as Written, NEEDS_STATE, Packet, STATE_CLEARED, TraceBuilder, TrackEvent, clock_id,
    ftrace_clock,
};

use super::*;
use crate::{Losses, Prescan, PrescanError, PrescanMemory, ftrace_clock_id, prescan};

const KERNEL_EVENTS: u32 = 1;
const TRACK_EVENT: u32 = 11;
const PROCESS_DESCRIPTOR: u32 = 43;
const THREAD_DESCRIPTOR: u32 = 44;
const ANDROID_LOG: u32 = 39;
const TRACK_DESCRIPTOR: u32 = 60;
const GPU_COUNTERS: u32 = 52;

/// Wants track events and what else may be sorted in order, kernel events by CPU, and nothing else.
struct Events;

impl Router for Events {
    fn route(&self, kind: u32) -> Route {
        match kind {
            TRACK_EVENT | PROCESS_DESCRIPTOR => Route::Sorted,
            KERNEL_EVENTS | ANDROID_LOG => Route::Split,
            GPU_COUNTERS => Route::TwiceIfDated,
            _ => Route::Skip,
        }
    }

    fn split(&mut self, bundle: Bundle<'_>, sink: &mut SplitSink<'_>) {
        let (mut clock, mut timestamps) = (BOOTTIME, Vec::new());
        for field in Fields::new(bundle.payload) {
            match field.number {
                2 => timestamps.extend(Fields::new(field.as_bytes()).next().map(|f| f.as_i64())),
                5 => clock = ftrace_clock_id(field.as_u64()),
                _ => {}
            }
        }
        let ranges = vec![(0, 0); timestamps.len()];
        let run = Run {
            kind: RunKind(RunKind::FIRST_SPLIT),
            cpu: Some(0),
            source: bundle.source,
            generation: bundle.generation,
            position: bundle.position,
            addr: bundle.span.addr,
            timestamps,
            payload: Payload::Bundle { addr: bundle.span.addr, ranges },
        };
        sink.push(clock, run);
    }
}

struct Walked {
    /// Trace time and packet number of each event.
    events: Vec<(i64, u32)>,
    /// The place of each event.
    sources: Vec<SourceId>,
    generations: usize,
    interned: usize,
    /// What walking lost.
    book: LossBook,
    /// Losses of the prescan.
    prescan: Losses,
    sequences: Vec<SequenceLoss>,
    /// Bytes walked.
    done: u64,
    /// The files that batches say they are of.
    files: Vec<u32>,
}

impl Walked {
    fn lost(&self, loss: Loss) -> u64 {
        self.book.get(loss) + self.prescan.get(loss)
    }

    /// Packet, clock and timestamp of what was lost for one reason.
    fn entries(&self, loss: Loss) -> Vec<(u32, u32, i64)> {
        let entries = self.book.entries().iter().filter(|entry| entry.loss == loss);
        entries.map(|it| (it.position, it.clock.unwrap().id, it.timestamp.unwrap())).collect()
    }
}

/// How a file is walked.
#[derive(Clone, Copy, Default)]
struct As {
    /// Its number.
    file: u32,
    /// Whether it is known to have no clock but its own time.
    private: bool,
    /// The largest id of a machine that has a place of its own, which is its id.
    machines: u32,
}

impl As {
    fn names(self, machine: u32, prescan: &Prescan<'_>) -> (SourceId, ClockNames) {
        let source = Source { file: self.file, machine };
        let default = prescan.primary_clock.unwrap_or(BOOTTIME);
        (machine, ClockNames { source, default, private: self.private })
    }

    fn context(self, prescan: &mut Prescan<'_>) -> FileContext {
        FileContext {
            segments: prescan.bytes.take_segments(),
            snapshots: std::mem::take(&mut prescan.snapshots),
            machines: (0..=self.machines).map(|id| (id, self.names(id, prescan))).collect(),
            base: self.names(0, prescan),
        }
    }
}

/// The timeline of a file, in the clock that packets of its base machine are in.
fn timeline(context: &FileContext) -> Timeline {
    let mut graph = ClockGraph::default();
    for snapshot in &context.snapshots {
        let reading = |clock: &crate::SnapshotClock| Reading {
            clock: context.source(clock.machine).1.clock(snapshot.sequence, clock.id),
            value: clock.value,
            ticks: clock.ticks,
        };
        let readings: Vec<Reading> = snapshot.clocks.iter().map(reading).collect();
        graph.add_snapshot(&readings).unwrap();
    }
    let names = context.base.1;
    let id = if names.private { TRACE_FILE } else { names.default };
    Timeline::new(graph.into(), Clock::of_source(names.source, id))
}

fn walk(trace: &[u8]) -> Walked {
    walk_as(trace, As::default())
}

fn walk_as(trace: &[u8], how: As) -> Walked {
    let mut prescan =
        prescan(trace, 0, PrescanMemory::in_memory(u64::MAX), &|_| (), false, None).unwrap();
    let context = how.context(&mut prescan);
    let timeline = timeline(&context);
    let bytes = TraceBytes::new([prescan.bytes]);
    let mut batcher = Batcher::new(&bytes, context, timeline, Box::new(Events));
    let mut walked = Walked {
        events: Vec::new(),
        sources: Vec::new(),
        generations: 0,
        interned: 0,
        book: LossBook::default(),
        prescan: prescan.losses,
        sequences: Vec::new(),
        done: 0,
        files: Vec::new(),
    };
    let mut events = Vec::new();
    while let Some(batch) = batcher.next_batch() {
        for immediate in &batch.immediate {
            match immediate {
                Immediate::Generation(_) => walked.generations += 1,
                Immediate::Interned(..) => walked.interned += 1,
                Immediate::Packet { .. } | Immediate::Gap { .. } => {}
            }
        }
        for run in &batch.runs {
            assert!(run.timestamps.is_sorted());
            let timestamps = run.timestamps.iter().enumerate();
            events.extend(timestamps.map(|(i, &ts)| ((ts, run.position_of(i)), run.source)));
        }
        walked.done = batch.done;
        walked.files.push(batch.file);
    }
    events.sort_unstable();
    (walked.events, walked.sources) = events.into_iter().unzip();
    walked.book = batcher.losses().clone();
    walked.sequences = batcher.sequence_losses();
    walked
}

fn event(ts: u64) -> Packet {
    Packet::new().timestamp(ts).sequence(1).track_event(TrackEvent::begin(7))
}

fn snapshot(clocks: ClockSnapshot) -> Packet {
    Packet::new().sequence(1).clock_snapshot(clocks)
}

#[test]
fn time_that_goes_back_starts_another_run() {
    let trace = TraceBuilder::new().packets([event(10), event(30), event(20)]).build();
    assert_eq!(walk(&trace).events, [(10, 0), (20, 2), (30, 1)]);
}

#[test]
fn a_packet_without_a_time_takes_the_latest_before_it() {
    let undated = Packet::new().sequence(1).payload(PROCESS_DESCRIPTOR, Written::new());
    let trace = TraceBuilder::new().packets([event(10), event(30), undated, event(20)]).build();
    assert_eq!(walk(&trace).events, [(10, 0), (20, 3), (30, 1), (30, 2)]);
}

#[test]
fn events_may_say_themselves_when_they_happened() {
    let thread = |reference| Written::new().int(6, reference);
    let described = |flags, reference| {
        Packet::new().sequence(1).flags(flags).payload(THREAD_DESCRIPTOR, thread(reference))
    };
    let at = |field, us| {
        let event = TrackEvent::from(Written::new().int(field, us));
        Packet::new().sequence(1).track_event(event)
    };
    let (delta, absolute) = (|us| at(1, us), |us| at(16, us));
    let track = Written::new().message(4, thread(70));
    let clocks = ClockSnapshot::new().clock(clock_id::BOOTTIME, 1).clock(clock_id::MONOTONIC, 1);
    let packets = [
        snapshot(clocks),
        delta(1),
        described(STATE_CLEARED, 50),
        delta(2),
        absolute(90),
        delta(-1),
        Packet::new().sequence(1).payload(TRACK_DESCRIPTOR, track),
        delta(3),
        at(99, 1),
        delta(1).flags(STATE_CLEARED),
        described(0, 10).previous_packet_dropped(),
        delta(1),
        Packet::new().track_event(TrackEvent::begin(7)).timestamp(5),
        Packet::new().payload(THREAD_DESCRIPTOR, thread(1)),
    ];
    let walked = walk(&TraceBuilder::new().packets(packets).build());
    assert_eq!(walked.events, [(51_000, 5), (52_000, 3), (73_000, 7), (90_000, 4)]);
    // Before the thread was described, after the state was cleared, and after packets were lost.
    assert_eq!(walked.lost(Loss::DifferenceWithoutReference), 3);
    assert_eq!(walked.lost(Loss::UndatedEvent), 1);
    assert_eq!(walked.lost(Loss::ThreadWithoutState), 1);
    assert_eq!(walked.lost(Loss::EventWithoutSequence), 1);
    assert_eq!(walked.lost(Loss::ThreadWithoutSequence), 1);
}

#[test]
fn values_of_counters_need_a_time_and_descriptions_do_not() {
    let described = || Written::new().message(1, Written::new());
    let counted = || described().message(2, Written::new());
    let packets = [
        Packet::new().timestamp(10).payload(GPU_COUNTERS, described()),
        Packet::new().timestamp(20).payload(GPU_COUNTERS, counted()),
        Packet::new().payload(GPU_COUNTERS, described()),
        Packet::new().payload(GPU_COUNTERS, counted()),
    ];
    let walked = walk(&TraceBuilder::new().packets(packets).build());
    assert_eq!(walked.events, [(10, 0), (20, 1)]);
    assert_eq!(walked.lost(Loss::UndatedCounters), 1);
}

#[test]
fn packets_that_need_lost_state_are_skipped_and_counted() {
    let needy = |ts| event(ts).flags(NEEDS_STATE);
    let trace = TraceBuilder::new()
        .packets([
            needy(1).previous_packet_dropped().first_on_sequence(),
            event(2).flags(STATE_CLEARED).interned(InternedData::new().event_name(1, "a")),
            needy(3),
            needy(4).previous_packet_dropped(),
            event(5).interned(InternedData::new().event_name(2, "b")),
        ])
        .build();
    let walked = walk(&trace);
    assert_eq!(walked.events, [(2, 1), (3, 2), (5, 4)]);
    assert_eq!(walked.lost(Loss::SkippedWithoutState), 2);
    assert_eq!(walked.lost(Loss::InternedWithoutState), 1);
    assert_eq!(walked.interned, 1);
    // The first packet of a sequence always says that something was dropped before it.
    let [loss] = &walked.sequences[..] else { panic!("one sequence") };
    assert_eq!((loss.dropped, loss.needing_state, loss.skipped), (1, 3, 2));
    assert_eq!(loss.span, Some((2, 5)));
    // Lost after 3; what followed without state lies between the same two packets.
    assert_eq!(loss.gaps, [(Some(3), Some(5))]);
    assert_eq!(loss.skips, [(None, Some(2)), (Some(3), Some(5))]);
}

#[test]
fn a_sequence_of_two_machines_is_two_sequences() {
    let named = |id: u32, ts| event(ts).machine(id);
    let trace = TraceBuilder::new()
        .packets([
            event(1).flags(STATE_CLEARED),
            named(1, 2).flags(NEEDS_STATE),
            event(3).flags(NEEDS_STATE),
            named(1, 4).flags(STATE_CLEARED),
            named(1, 5).flags(NEEDS_STATE),
        ])
        .build();
    let walked = walk_as(&trace, As { machines: 1, ..As::default() });
    // Machine 1 had no state at 2; what machine 0 had by then is not its own.
    assert_eq!(walked.events, [(1, 0), (3, 2), (4, 3), (5, 4)]);
    assert_eq!(walked.sources, [0, 0, 1, 1]);
    let counts = walked.sequences.iter();
    let counts: Vec<_> = counts.map(|it| (it.machine, it.needing_state, it.skipped)).collect();
    assert_eq!(counts, [(0, 1, 0), (1, 2, 1)]);
}

#[test]
fn a_machine_without_a_place_is_the_base() {
    let trace = TraceBuilder::new().packets([event(1), event(2).machine(9)]).build();
    let walked = walk(&trace);
    assert_eq!((walked.events, walked.sources), (vec![(1, 0), (2, 1)], vec![0, 0]));
}

#[test]
fn incremental_clocks_add_up_and_convert() {
    let clocks = ClockSnapshot::new()
        .with(TestClock::new(clock_id::BOOTTIME, 1_000_000))
        .with(TestClock::new(64, 500).incremental().unit(1_000));
    let trace = TraceBuilder::new()
        .packets([
            snapshot(clocks).flags(STATE_CLEARED).defaults(Defaults::new().clock(64)),
            event(3),
            event(2),
            event(7).clock(clock_id::BOOTTIME),
        ])
        .build();
    // Clock 64 stood at 500 µs when BOOTTIME stood at 1 ms; the events are 3 and 2 µs on.
    assert_eq!(walk(&trace).events, [(7, 3), (1_003_000, 1), (1_005_000, 2)]);
}

#[test]
fn a_snapshot_begins_an_incremental_clock_anew() {
    let clocks = |boottime, own| {
        ClockSnapshot::new()
            .clock(clock_id::BOOTTIME, boottime)
            .with(TestClock::new(64, own).incremental())
    };
    let own = |ts| event(ts).clock(64);
    let trace = TraceBuilder::new()
        .packets([
            snapshot(clocks(1_000, 10)),
            own(5),
            own(5),
            snapshot(clocks(2_000, 1_010)),
            own(5),
        ])
        .build();
    // 10 + 5 + 5 is 10 after the first snapshot; 1,010 + 5 is 5 after the second.
    assert_eq!(walk(&trace).events, [(1_005, 1), (1_010, 2), (2_005, 4)]);
}

#[test]
fn a_clock_of_each_sequence_is_its_own() {
    let clocks = |boottime, unit| {
        ClockSnapshot::new()
            .clock(clock_id::BOOTTIME, boottime)
            .with(TestClock::new(64, 1).unit(unit))
    };
    let of = |sequence: u32, packet: Packet| packet.sequence(sequence);
    let trace = TraceBuilder::new()
        .packets([
            of(1, Packet::new().clock_snapshot(clocks(1_000, 10))),
            of(2, Packet::new().clock_snapshot(clocks(1_000, 100))),
            Packet::new().sequence(1).timestamp(3).clock(64).track_event(TrackEvent::begin(7)),
            Packet::new().sequence(2).timestamp(3).clock(64).track_event(TrackEvent::begin(7)),
        ])
        .build();
    // Two ticks after the snapshot, of 10 ns in the one and of 100 ns in the other.
    assert_eq!(walk(&trace).events, [(1_020, 2), (1_200, 3)]);
}

#[test]
fn a_clock_of_all_sequences_ticks_alike_for_all_wherever_its_snapshot_lies() {
    let clocks = ClockSnapshot::new()
        .clock(clock_id::BOOTTIME, 1_000_000)
        .with(TestClock::new(128, 7).unit(1_000));
    let other =
        |ts| Packet::new().sequence(2).timestamp(ts).clock(128).track_event(TrackEvent::begin(7));
    let trace = TraceBuilder::new().packets([other(8), snapshot(clocks), other(9)]).build();
    // 1 and 2 µs after the snapshot.
    assert_eq!(walk(&trace).events, [(1_001_000, 0), (1_002_000, 2)]);
}

#[test]
fn the_clock_of_a_packet_is_its_own_or_its_sequences_or_the_files() {
    let clocks = ClockSnapshot::new()
        .clock(clock_id::BOOTTIME, 1_000)
        .clock(clock_id::MONOTONIC, 900)
        .clock(128, 100)
        .primary(clock_id::MONOTONIC);
    let trace = TraceBuilder::new()
        .packets([
            snapshot(clocks).flags(STATE_CLEARED).defaults(Defaults::new().clock(128)),
            event(105),
            event(1_006).clock(clock_id::BOOTTIME),
            Packet::new().sequence(2).timestamp(907).track_event(TrackEvent::begin(7)),
        ])
        .build();
    assert_eq!(walk(&trace).events, [(905, 1), (906, 2), (907, 3)]);
}

#[test]
fn a_file_without_a_clock_has_one_time_whatever_its_packets_say() {
    let trace = TraceBuilder::new()
        .packets([event(10), event(20).clock(clock_id::REALTIME), event(30).clock(64)])
        .build();
    let walked = walk_as(&trace, As { private: true, ..As::default() });
    assert_eq!(walked.events, [(10, 0), (20, 1), (30, 2)]);
}

#[test]
fn a_bundle_in_another_clock_ties_it() {
    let bundle = |cpu: u32| FtraceBundle::new(cpu).clock(ftrace_clock::GLOBAL);
    let at = |ts| FtraceEvent::print(ts, 1, "x");
    let of = |sequence, bundle| Packet::new().sequence(sequence).ftrace(bundle);
    let trace = TraceBuilder::new()
        .packets([
            of(1, bundle(0).clock_reading(500, 10_500).event(at(400)).event(at(490))),
            of(1, bundle(1).clock_reading(600, 10_700).event(at(450)).event(at(610))),
            of(2, bundle(0).event(at(450))),
        ])
        .build();
    let walked = walk(&trace);
    // Both bundles tie one clock: at 500 and before it is 10,000 behind, from 600 on 10,100.
    let events = [(10_400, 0), (10_450, 1), (10_490, 0), (10_710, 1)];
    assert_eq!(walked.events, events);
    // What another sequence calls so is not tied by these.
    assert_eq!(walked.entries(Loss::UnknownSourceClock), [(2, 64, 450)]);
}

#[test]
fn a_bundle_that_is_too_large_is_left_out_and_counted() {
    let of_size = |kind, size: usize| {
        // There are nine bytes before it.
        let padding = vec![0; size - 9];
        let payload = Written::new().bytes(2, [1 << 3, 5]).bytes(15, padding);
        Packet::new().sequence(1).timestamp(1).payload(kind, payload)
    };
    let trace = TraceBuilder::new()
        .packets([
            of_size(KERNEL_EVENTS, LARGEST_BUNDLE),
            of_size(KERNEL_EVENTS, LARGEST_BUNDLE + 1),
            of_size(ANDROID_LOG, LARGEST_BUNDLE),
            of_size(ANDROID_LOG, LARGEST_BUNDLE + 1),
        ])
        .build();
    let walked = walk(&trace);
    assert_eq!(walked.events, [(5, 0), (5, 2)]);
    assert_eq!(walked.lost(Loss::MalformedBundle), 1);
    assert_eq!(walked.lost(Loss::MalformedPacket), 1);
    let entries: Vec<u32> = walked.book.entries().iter().map(|entry| entry.position).collect();
    assert_eq!(entries, [1, 3]);
}

#[test]
fn a_clock_nothing_ties_to_the_trace_is_counted_not_guessed() {
    let lost = |ts| event(ts).clock(99);
    let trace = TraceBuilder::new().packets([event(10), lost(20), lost(21), event(30)]).build();
    let walked = walk(&trace);
    assert_eq!(walked.events, [(10, 0), (30, 3)]);
    assert_eq!(walked.lost(Loss::UnknownSourceClock), 2);
    assert_eq!(walked.entries(Loss::UnknownSourceClock), [(1, 99, 20), (2, 99, 21)]);
}

#[test]
fn events_before_the_start_of_time_are_counted_with_their_location() {
    let clocks =
        ClockSnapshot::new().clock(clock_id::BOOTTIME, 100).clock(clock_id::MONOTONIC, 1_000);
    let monotonic = |ts| event(ts).clock(clock_id::MONOTONIC);
    let other = Packet::new().sequence(1).payload(PROCESS_DESCRIPTOR, Written::new());
    let packets = [
        snapshot(clocks),
        monotonic(1_005),
        monotonic(899),
        monotonic(900),
        event(3),
        other.timestamp(898).clock(clock_id::MONOTONIC),
    ];
    let walked = walk(&TraceBuilder::new().packets(packets).build());
    // MONOTONIC is 900 ahead, so its 899 is -1 and its 900 the very beginning.
    assert_eq!(walked.events, [(0, 3), (3, 4), (105, 1)]);
    assert_eq!(walked.lost(Loss::NegativeTimestamp), 1);
    assert_eq!(walked.entries(Loss::NegativeTimestamp), [(5, clock_id::MONOTONIC, 898)]);
    assert_eq!(walked.entries(Loss::NegativeEventTime), [(2, clock_id::MONOTONIC, 899)]);
}

#[test]
fn batches_say_which_file_they_are_of_and_how_far_it_is() {
    let trace = TraceBuilder::new().packets((0..20_000).map(event)).build();
    let walked = walk_as(&trace, As { file: 3, ..As::default() });
    assert_eq!(walked.events.len(), 20_000);
    assert_eq!(walked.files, [3, 3, 3], "8192 packets each");
    // Each packet has a tag and a length of one byte before it.
    assert_eq!(walked.done, trace.len() as u64 - 2 * 20_000);
}

#[test]
fn compressed_packets_are_packets_like_others() {
    let inner = TraceBuilder::new().packets([event(20), event(30)]);
    let zstd = TraceBuilder::new().packets([event(40)]);
    let trace = TraceBuilder::new()
        .packet(event(10))
        .packet(inner.into_compressed_packet())
        .packet(zstd.into_zstd_packet())
        .packet(event(50))
        .build();
    assert_eq!(walk(&trace).events, [(10, 0), (20, 1), (30, 2), (40, 3), (50, 4)]);
}

#[test]
fn a_cut_trace_keeps_what_came_before_the_cut() {
    let trace = TraceBuilder::new().packets([event(10), event(20)]).build();
    let walked = walk(&trace[..trace.len() - 3]);
    assert_eq!(walked.events, [(10, 0)]);
    assert!(walked.lost(Loss::TruncatedBytes) > 0);
}

#[test]
fn a_file_without_packets_is_no_trace() {
    let huge = [0x0a, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10];
    let error = prescan(&huge, 0, PrescanMemory::in_memory(u64::MAX), &|_| (), false, None).err();
    assert!(matches!(error, Some(PrescanError::NoPackets { offset: 0 })));
}
