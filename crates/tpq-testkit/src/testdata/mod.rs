//! The traces that are committed under `testdata/`, one module each. Their contents are fixed, so
//! expected rows can be written by hand.
//!
//! To add one: write its module, list it in [`files`], run
//! `cargo run -p tpq-testkit --example make_testdata` and describe it in `testdata/README.md`.

mod atrace;
mod clocks;
mod losses;
mod processes;
mod relay;
mod sched;
mod track_events;

use std::path::PathBuf;

use crate::{TraceBuilder, compression};

/// The folder `testdata/` of the repository.
#[must_use]
pub fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata"))
}

/// All valid traces: path inside `testdata/` and bytes.
#[must_use]
pub fn files() -> Vec<(&'static str, Vec<u8>)> {
    let sched = sched::trace().build();
    let track_events = track_events::trace().build();
    vec![
        ("atrace.pftrace", atrace::trace().build()),
        ("clocks.pftrace", clocks::trace().build()),
        ("compressed.pftrace", compressed().build()),
        ("losses.pftrace", losses::trace().build()),
        ("processes.pftrace", processes::trace().build()),
        ("relay.pftrace", relay::trace().build()),
        ("sched.pftrace.zst", compression::zstd(&sched)),
        ("sched.pftrace", sched),
        ("track_events.pftrace.gz", compression::gzip(&track_events)),
        ("track_events.pftrace", track_events),
    ]
}

/// The contents of `sched.pftrace` and `track_events.pftrace`, the first in a packet compressed
/// with zlib, the other with zstd.
fn compressed() -> TraceBuilder {
    TraceBuilder::new()
        .packet(sched::trace().into_compressed_packet())
        .packet(track_events::trace().into_zstd_packet())
}
