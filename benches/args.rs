//! Arguments that are new with every sample: what a sample costs as there are more of them.
//!
//! Run: `cargo bench -p tpq-decode --bench args`, with `TPQ_BENCH_SAMPLES=N` for one more number
//! of samples, such as 48000000: a million on each track, which takes some 20 GB.
//!
//! 48 tracks of instants with two arguments. No other instant has their values: every set of
//! arguments is hashed, found to be new and written. A trace is made up in memory for each number
//! of samples and imported on one thread, to finished tables, in a process of its own. All are
//! measured in turns, and the fastest time of each counts. The ratio is to the smallest: 1 where
//! time grows with the number of samples alone.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench prints, and fails by panicking"
)]

#[allow(dead_code, reason = "the trace is of this bench's own, and all of it is imported at once")]
mod stages;
#[allow(dead_code, reason = "likewise")]
mod traces;

use std::process::Command;
use std::time::{Duration, Instant};

use tpq_testkit::{
    Annotation, Defaults, InternedData, NEEDS_STATE, Packet, STATE_CLEARED, TraceBuilder,
    TrackDescriptor, TrackEvent, clock_id,
};
use traces::Trace;

const TRACKS: u64 = 48;
const SAMPLES: [u64; 4] = [125_000, 250_000, 500_000, 1_000_000];
/// Times each is imported.
const TURNS: usize = 9;
/// Set in a process that imports a trace of so many samples.
const ONE: &str = "TPQ_BENCH_ARGS_ONE";
/// From one sample of a track to its next, ns.
const STEP: u64 = 1_000_000;
/// Samples of a track between two flushes.
const FLUSH_EVERY: u64 = 1_000;
const NAME: u64 = 1;
const VALUE: u64 = 1;
const LOAD: u64 = 2;

fn main() {
    if let Some(samples) = number_in(ONE) {
        println!("{}", import(&recording(samples), samples).as_nanos());
        return;
    }
    let samples: Vec<u64> = SAMPLES.into_iter().chain(number_in("TPQ_BENCH_SAMPLES")).collect();
    let mut fastest = vec![f64::INFINITY; samples.len()];
    for _ in 0..TURNS {
        for (&samples, fastest) in samples.iter().zip(&mut fastest) {
            *fastest = fastest.min(in_a_process(samples) / samples as f64);
        }
    }
    println!("{:>12} {:>10} {:>7}", "samples", "ns/sample", "ratio");
    for (samples, each) in samples.iter().zip(&fastest) {
        println!("{samples:>12} {each:>10.0} {:>7.2}", each / fastest[0]);
    }
}

fn number_in(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// How long an import takes in a process of its own, ns: in one that imported before, there may
/// be memory that need not be asked for again, and more often for the smaller traces.
fn in_a_process(samples: u64) -> f64 {
    let program = std::env::current_exe().unwrap();
    let output = Command::new(program).env(ONE, samples.to_string()).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
}

/// How long it takes to import a trace to finished tables.
fn import(trace: &Trace, samples: u64) -> Duration {
    let start = Instant::now();
    let (bytes, clocks) = stages::header_scan(trace);
    let mut decoding = stages::Decoding::new(&bytes, true);
    stages::for_each_batch(&bytes, clocks, |batch| decoding.take(batch));
    let finished = decoding.finish();
    // Tracks have some, too.
    assert!(u64::from(finished.tables.args.len()) >= 2 * samples, "every argument is a row");
    let tables = finished.tables.finish();
    let took = start.elapsed();
    drop(tables);
    took
}

/// The tracks take turns, a writer each.
fn recording(samples: u64) -> Trace {
    let mut trace = TraceBuilder::new().packets((0..TRACKS).map(first));
    for sample in 0..samples {
        let (round, track) = (1 + sample / TRACKS, sample % TRACKS);
        let event = TrackEvent::instant_here()
            .name_iid(NAME)
            .annotation(Annotation::named_iid(VALUE).uint(sample))
            .annotation(Annotation::named_iid(LOAD).double(sample as f64 / 8.0));
        let packet = Packet::new().sequence(1 + track as u32).flags(NEEDS_STATE);
        trace = trace.packet(packet.timestamp(round * STEP + track).track_event(event));
        if round % FLUSH_EVERY == 0 && track + 1 == TRACKS {
            trace = trace.packets(traces::flushed_and_read(round * STEP + TRACKS));
        }
    }
    Trace::new(&format!("{samples} samples"), trace.build())
}

/// The first packet of a writer: its strings and its track.
fn first(track: u64) -> Packet {
    let strings = InternedData::new()
        .event_name(NAME, "sample")
        .annotation_name(VALUE, "value")
        .annotation_name(LOAD, "load");
    let tid = 2001 + track as i64;
    let descriptor = TrackDescriptor::new(1 + track).thread(2000, tid, &format!("thread {track}"));
    Packet::new()
        .sequence(1 + track as u32)
        .first_on_sequence()
        .flags(STATE_CLEARED)
        .defaults(Defaults::new().clock(clock_id::BOOTTIME).track(1 + track))
        .interned(strings)
        .track_descriptor(descriptor)
}
