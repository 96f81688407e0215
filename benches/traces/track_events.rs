//! A trace of an application: slices within slices on many threads, every string interned,
//! timestamps of a clock that is not trace time.

use tpq_testkit::random::Random;
use tpq_testkit::{
    Annotation, Defaults, InternedData, NEEDS_STATE, Packet, STATE_CLEARED, TraceBuilder,
    TrackDescriptor, TrackEvent, clock_id,
};

const THREADS: u32 = 16;
/// Packets of each thread.
const ROUNDS: u64 = 24_000;
/// From one round to the next, ns.
const STEP: u64 = 20_000;
/// Rounds between two snapshots and flushes.
const FLUSH_EVERY: u64 = 2_000;
const NAMES: u64 = 200;
const CATEGORIES: u64 = 8;
const ARGUMENT: u64 = 1;

/// Slices come in twos, one within the other; every fourth has an argument.
pub fn trace() -> Vec<u8> {
    let mut random = Random::new(2);
    let mut trace = TraceBuilder::new().packet(super::snapshot(0)).packets((0..THREADS).map(first));
    for round in 0..ROUNDS {
        let start = (round + 1) * STEP;
        for thread in 0..THREADS {
            let at = start + random.below(STEP as usize / 2) as u64;
            let event = event(round, &mut random);
            let packet = Packet::new().sequence(1 + thread).flags(NEEDS_STATE).timestamp(at);
            trace = trace.packet(packet.track_event(event));
        }
        if round % FLUSH_EVERY == FLUSH_EVERY - 1 {
            trace = trace.packet(super::snapshot(start));
            trace = trace.packets(super::flushed_and_read(start + super::SUSPENDED));
        }
    }
    trace.build()
}

fn track_of(thread: u32) -> u64 {
    100 + u64::from(thread)
}

/// The first packet of a sequence: its strings, its clock and its track.
fn first(thread: u32) -> Packet {
    let mut strings = InternedData::new().annotation_name(ARGUMENT, "frame_number");
    for iid in 1..=NAMES {
        strings = strings.event_name(iid, &format!("Component{iid}::DoSomething"));
    }
    for iid in 1..=CATEGORIES {
        strings = strings.category(iid, &format!("category_{iid}"));
    }
    let track = track_of(thread);
    let tid = 2001 + i64::from(thread);
    let descriptor = TrackDescriptor::new(track).thread(2000, tid, &format!("thread-{thread}"));
    Packet::new()
        .sequence(1 + thread)
        .first_on_sequence()
        .flags(STATE_CLEARED)
        .defaults(Defaults::new().clock(clock_id::MONOTONIC).track(track))
        .interned(strings)
        .track_descriptor(descriptor)
}

fn event(round: u64, random: &mut Random) -> TrackEvent {
    if round % 4 >= 2 {
        return TrackEvent::end_here();
    }
    let name = 1 + random.next_u64() % NAMES;
    let event = TrackEvent::begin_here().name_iid(name).category_iid(1 + name % CATEGORIES);
    match round % 8 {
        0 => event.annotation(Annotation::named_iid(ARGUMENT).uint(round)),
        _ => event,
    }
}
