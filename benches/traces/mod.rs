//! The traces that benches import: two made up here, always the same, or the file that
//! `TPQ_BENCH_TRACE` names, which must be an uncompressed Perfetto trace.

mod sched;
mod track_events;

use std::fmt;
use std::sync::OnceLock;

use tpq_testkit::{ClockSnapshot, Packet, ServiceEvent, clock_id};

/// Offsets between clocks, ns.
const SINCE_EPOCH: u64 = 1_700_000_000_000_000_000;
const SUSPENDED: u64 = 5_000_000_000;

/// A trace in memory.
pub struct Trace {
    name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Trace {
    /// A trace of a bench's own.
    #[allow(dead_code, reason = "most benches measure with the traces that all have")]
    pub fn new(name: &str, bytes: Vec<u8>) -> Self {
        Self { name: name.to_owned(), bytes }
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let megabytes = self.bytes.len() as f64 / 1e6;
        write!(f, "{} ({megabytes:.1} MB)", self.name)
    }
}

/// The traces to measure with.
pub fn all() -> &'static [Trace] {
    static ALL: OnceLock<Vec<Trace>> = OnceLock::new();
    ALL.get_or_init(|| match std::env::var("TPQ_BENCH_TRACE") {
        Ok(path) => {
            let bytes = std::fs::read(&path);
            let bytes = bytes.unwrap_or_else(|error| panic!("TPQ_BENCH_TRACE: {path}: {error}"));
            let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
            vec![Trace { name, bytes }]
        }
        Err(_) => vec![
            Trace { name: "sched".to_owned(), bytes: sched::trace() },
            Trace { name: "track events".to_owned(), bytes: track_events::trace() },
        ],
    })
}

/// The clocks at a moment of the monotonic clock.
fn snapshot(monotonic: u64) -> Packet {
    let snapshot = ClockSnapshot::new()
        .clock(clock_id::MONOTONIC, monotonic)
        .clock(clock_id::BOOTTIME, monotonic + SUSPENDED)
        .clock(clock_id::REALTIME, monotonic + SINCE_EPOCH);
    Packet::new().clock_snapshot(snapshot)
}

/// The events of a recorder after a flush and a read of its buffers.
pub fn flushed_and_read(boot: u64) -> [Packet; 2] {
    [ServiceEvent::AllDataSourcesFlushed, ServiceEvent::ReadTracingBuffersCompleted]
        .map(|event| Packet::new().timestamp(boot).service_event(event))
}
