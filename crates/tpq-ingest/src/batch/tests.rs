//! Traces written by hand, walked packet by packet.

use std::sync::Arc;

use tpq_testkit::{
    Clock as TestClock, ClockSnapshot, Defaults, InternedData, NEEDS_STATE, Packet, STATE_CLEARED,
    TraceBuilder, TrackEvent, clock_id,
};

use super::*;
use crate::{SurveyError, survey};

const TRACK_EVENT: u32 = 11;

/// Wants track events in order and nothing else.
struct TrackEvents;

impl Router for TrackEvents {
    fn route(&self, kind: u32) -> Route {
        if kind == TRACK_EVENT { Route::Sorted } else { Route::Skip }
    }

    fn split(&mut self, _: Bundle<'_>, _: &mut SplitSink<'_>) {}
}

struct Walked {
    /// Trace time and packet number of each event.
    events: Vec<(i64, u32)>,
    generations: usize,
    interned: usize,
    losses: Losses,
    sequences: Vec<((u32, u32), u64, u64, u64)>,
}

fn walk(trace: &[u8]) -> Walked {
    let survey = survey(trace, &mut |_| ()).unwrap();
    let timeline = Timeline::new(survey.clocks, survey.trace_clock);
    let snapshots = Arc::from(survey.snapshots);
    let mut batcher = Batcher::new(&survey.bytes, snapshots, timeline, Box::new(TrackEvents));
    let mut walked = Walked {
        events: Vec::new(),
        generations: 0,
        interned: 0,
        losses: survey.losses,
        sequences: Vec::new(),
    };
    while let Some(batch) = batcher.next_batch() {
        for immediate in &batch.immediate {
            match immediate {
                Immediate::Generation(_) => walked.generations += 1,
                Immediate::Interned(..) => walked.interned += 1,
                Immediate::Packet { .. } => {}
            }
        }
        for run in &batch.runs {
            assert!(run.timestamps.is_sorted());
            let events = run.timestamps.iter().enumerate();
            walked.events.extend(events.map(|(index, &ts)| (ts, run.position_of(index))));
        }
    }
    walked.losses.merge(batcher.losses());
    walked.sequences = batcher.sequence_losses().collect();
    walked.events.sort_unstable();
    walked
}

fn event(ts: u64) -> Packet {
    Packet::new().timestamp(ts).sequence(1).track_event(TrackEvent::begin(7))
}

#[test]
fn time_that_goes_back_starts_another_run() {
    let trace = TraceBuilder::new().packets([event(10), event(30), event(20)]).build();
    assert_eq!(walk(&trace).events, [(10, 0), (20, 2), (30, 1)]);
}

#[test]
fn a_packet_without_a_time_takes_the_latest_before_it() {
    let undated = Packet::new().sequence(1).track_event(TrackEvent::begin(7));
    let trace = TraceBuilder::new().packets([event(10), event(30), undated, event(20)]).build();
    assert_eq!(walk(&trace).events, [(10, 0), (20, 3), (30, 1), (30, 2)]);
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
    assert_eq!(walked.losses.get(Loss::SkippedWithoutState), 2);
    assert_eq!(walked.losses.get(Loss::InternedWithoutState), 1);
    assert_eq!(walked.interned, 1);
    // The first packet of a sequence always says that something was dropped before it.
    assert_eq!(walked.sequences, [((0, 1), 1, 3, 2)]);
}

#[test]
fn incremental_clocks_add_up_and_convert() {
    let snapshot = ClockSnapshot::new()
        .with(TestClock::new(clock_id::BOOTTIME, 1_000_000))
        .with(TestClock::new(64, 500).incremental().unit(1_000));
    let trace = TraceBuilder::new()
        .packets([
            Packet::new()
                .sequence(1)
                .flags(STATE_CLEARED)
                .defaults(Defaults::new().clock(64))
                .clock_snapshot(snapshot),
            event(3),
            event(2),
            event(7).clock(clock_id::BOOTTIME),
        ])
        .build();
    // Clock 64 stood at 500 µs when BOOTTIME stood at 1 ms; the events are 3 and 2 µs on.
    assert_eq!(walk(&trace).events, [(7, 3), (1_003_000, 1), (1_005_000, 2)]);
}

#[test]
fn a_clock_nothing_ties_to_the_trace_is_counted_not_guessed() {
    let trace = TraceBuilder::new().packets([event(10), event(20).clock(99)]).build();
    let walked = walk(&trace);
    assert_eq!(walked.events, [(10, 0)]);
    assert_eq!(walked.losses.get(Loss::UnknownSourceClock), 1);
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
    assert!(walked.losses.get(Loss::TruncatedBytes) > 0);
}

#[test]
fn what_holds_no_packet_is_no_trace() {
    let huge = [0x0a, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10];
    let error = survey(&huge, &mut |_| ()).err();
    assert!(matches!(error, Some(SurveyError::NoPackets { offset: 0 })));
}
