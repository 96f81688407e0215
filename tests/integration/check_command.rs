//! Output of `tpq check`.

use std::path::{Path, PathBuf};

use insta::assert_snapshot;
use tpq_testkit::{BufferStats, Message, Packet, ServiceEvent, TraceStats};

use crate::command::{Folder, describe, run};
use crate::imported::{instant, recording};

const S: u64 = 1_000_000_000;

/// Two buffers of 64 KiB: a ring that wrapped, and one that was full.
fn lossy() -> Vec<u8> {
    let service = |at, event| Packet::new().sequence(9).timestamp(at).service_event(event);
    let buffer = |policy| Message::new().uint(1, 64).uint(4, policy);
    let config = Message::new().message(1, buffer(1)).message(1, buffer(2));
    let ring = BufferStats::new(65_536).written(8, 262_144).chunks_overwritten(6);
    let full = BufferStats::new(65_536).written(2, 65_536).chunks_discarded(6);
    recording()
        .packet(service(S, ServiceEvent::TracingStarted))
        .packet(Packet::new().sequence(9).trace_config(config))
        .packets([instant(4 * S, "kept"), instant(5 * S, "kept")])
        .packet(service(5 * S, ServiceEvent::TracingDisabled))
        .packet(
            Packet::new()
                .sequence(9)
                .trace_stats(TraceStats::new().buffer(ring).buffer(full).writer(1, 0)),
        )
        .build()
}

fn clean() -> Vec<u8> {
    recording().packet(instant(S, "all there")).build()
}

#[test]
fn help() {
    assert_snapshot!(describe(&run(&["check", "--help"])));
}

#[test]
fn a_lossy_recording() {
    let folder = Folder::of(&[("lossy.pftrace", &lossy())]);
    assert_snapshot!(folder.tell(&["check", "lossy.pftrace"]), @r"
    exit code: 1
    ----- stdout
    Data was lost.

    ✗ The oldest data of buffer 0 (64 KiB, RING_BUFFER) was overwritten: 192 KiB of the 256 KiB
      written.
        from the start to 3.000 s
        → Set size_kb of buffer 0 to 512 or more: that holds the 4.0 s recorded, at the 64 KiB/s
          written. Or stream into a file, with write_into_file, file_write_period_ms 250,
          fill_policy RING_BUFFER and a size_kb of 128 or more. Or record fewer events.

    ✗ The newest data of buffer 1 (64 KiB, DISCARD) was turned away: 6 chunks, about 192 KiB of
      256 KiB.
        over the whole trace
        → Set size_kb of buffer 1 to 512 or more: that holds the 4.0 s recorded, at the 64 KiB/s
          written. Or stream into a file, with write_into_file, file_write_period_ms 250,
          fill_policy RING_BUFFER and a size_kb of 128 or more. Or record fewer events.
    ");
}

#[test]
fn a_clean_recording() {
    let folder = Folder::of(&[("clean.pftrace", &clean())]);
    assert_snapshot!(folder.tell(&["check", "clean.pftrace"]), @r"
    exit code: 0
    ----- stdout
    No data was lost.
    ");
}

/// With several files, each loss says which it is of.
#[test]
fn several_files() {
    let folder = Folder::of(&[("clean.pftrace", &clean()), ("lossy.pftrace", &lossy())]);
    assert_snapshot!(folder.tell(&["check", "clean.pftrace", "lossy.pftrace"]), @r"
    exit code: 1
    ----- stdout
    Data was lost.

    ✗ The oldest data of buffer 0 (64 KiB, RING_BUFFER) was overwritten: 192 KiB of the 256 KiB
      written.
        from the start to 3.000 s, in lossy.pftrace
        → Set size_kb of buffer 0 to 512 or more: that holds the 4.0 s recorded, at the 64 KiB/s
          written. Or stream into a file, with write_into_file, file_write_period_ms 250,
          fill_policy RING_BUFFER and a size_kb of 128 or more. Or record fewer events.

    ✗ The newest data of buffer 1 (64 KiB, DISCARD) was turned away: 6 chunks, about 192 KiB of
      256 KiB.
        over the whole trace, in lossy.pftrace
        → Set size_kb of buffer 1 to 512 or more: that holds the 4.0 s recorded, at the 64 KiB/s
          written. Or stream into a file, with write_into_file, file_write_period_ms 250,
          fill_policy RING_BUFFER and a size_kb of 128 or more. Or record fewer events.
    ");
}

#[test]
fn for_programs() {
    let folder = Folder::of(&[("lossy.pftrace", &lossy())]);
    assert_snapshot!(folder.tell(&["check", "lossy.pftrace", "--format", "json"]), @r#"
    exit code: 1
    ----- stdout
    {
      "advice": [],
      "end_ts": 5000000000,
      "errors": [],
      "files": [
        {
          "name": "",
          "trace_id": 0
        }
      ],
      "losses": [
        {
          "amount": 196608,
          "buffer": 0,
          "cpu": null,
          "kind": "ring_buffer_wrapped",
          "machine_id": 0,
          "pid": null,
          "remedy": "Set size_kb of buffer 0 to 512 or more: that holds the 4.0 s recorded, at the 64 KiB/s written. Or stream into a file, with write_into_file, file_write_period_ms 250, fill_policy RING_BUFFER and a size_kb of 128 or more. Or record fewer events.",
          "sequence_id": null,
          "severity": "data_loss",
          "stat": "traced_buf_chunks_overwritten",
          "trace_id": 0,
          "ts": 1000000000,
          "ts_end": 4000000000,
          "unit": "bytes",
          "what": "The oldest data of buffer 0 (64 KiB, RING_BUFFER) was overwritten: 192 KiB of the 256 KiB written."
        },
        {
          "amount": 6,
          "buffer": 1,
          "cpu": null,
          "kind": "buffer_full",
          "machine_id": 0,
          "pid": null,
          "remedy": "Set size_kb of buffer 1 to 512 or more: that holds the 4.0 s recorded, at the 64 KiB/s written. Or stream into a file, with write_into_file, file_write_period_ms 250, fill_policy RING_BUFFER and a size_kb of 128 or more. Or record fewer events.",
          "sequence_id": null,
          "severity": "data_loss",
          "stat": "traced_buf_chunks_discarded",
          "trace_id": 0,
          "ts": null,
          "ts_end": 5000000000,
          "unit": "chunks",
          "what": "The newest data of buffer 1 (64 KiB, DISCARD) was turned away: 6 chunks, about 192 KiB of 256 KiB."
        }
      ],
      "lost": true,
      "start_ts": 4000000000,
      "unknown": false
    }
    "#);
}

/// The buffers, as `tpq info` shows them.
#[test]
fn buffers() {
    let folder = Folder::of(&[("lossy.pftrace", &lossy())]);
    let text = folder.tell(&["info", "lossy.pftrace"]);
    let buffers = text.lines().skip_while(|line| !line.starts_with("Buffers"));
    let buffers: Vec<&str> = buffers.take_while(|line| !line.is_empty()).collect();
    assert_snapshot!(buffers.join("\n"), @r"
    Buffers
      buffer 0  64.00 KiB  RING_BUFFER  100 % full  64.00 KiB/s  192.00 KiB lost
      buffer 1  64.00 KiB  DISCARD      100 % full  64.00 KiB/s  192.00 KiB lost
    ");
}

/// A recording of the folder next to this repository, or why it is skipped.
fn recorded(name: &str) -> Option<PathBuf> {
    let path = Path::new(crate::ROOT).join("../shared/traces").join(name);
    if !path.exists() {
        eprintln!("skipped: no {}", path.display());
        return None;
    }
    Some(path)
}

/// The output for a recording, and the exit status.
fn verdict(name: &str) -> Option<String> {
    let path = recorded(name)?;
    Some(describe(&run(&["check", &path.display().to_string()])))
}

macro_rules! recorded_losses {
    ($($test:ident: $name:literal;)+) => {
        $(#[test]
        fn $test() {
            if let Some(text) = verdict($name) {
                assert_snapshot!(stringify!($test), text);
            }
        })+
    };
}

// Recorded on purpose with one flaw each, and one without.
recorded_losses! {
    linux_ring_wrapped: "linux_ring_wrapped.pftrace";
    linux_discard_full: "linux_discard_full.pftrace";
    linux_ftrace_overrun: "linux_ftrace_overrun.pftrace";
    linux_stream_no_flush: "linux_stream_no_flush.pftrace";
    chromium_ring_wrapped: "chromium_ring_wrapped.pftrace";
    chromium_discard_full: "chromium_discard_full.pftrace";
    linux_sched_basic: "linux_sched_basic.pftrace";
}
