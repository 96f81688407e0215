//! The line on stderr when a trace is opened that lost data or was placed by a guess.

use tpq_testkit::clock_id::{BOOTTIME, REALTIME};
use tpq_testkit::{BufferStats, Message, Packet, ServiceEvent, TraceStats};

use crate::command::{Folder, feed, tpq};
use crate::imported::{clocks, instant, recording};

const S: u64 = 1_000_000_000;
const COUNT: [&str; 2] = ["-c", "SELECT count(*) AS n FROM slice"];
/// The line about `lossy.pftrace`.
const LOSS: &str = "lost data: 192.0 of 256.0 KiB of buffer 0 overwritten; see tpq check\n";

/// A recording with clocks and a ring of 64 KiB that wrapped if `wrapped` is true, with an event of
/// that many bytes.
fn recorded(wrapped: bool, bytes: usize) -> Vec<u8> {
    let service = |at, event| Packet::new().sequence(9).timestamp(at).service_event(event);
    let config = Message::new().message(1, Message::new().uint(1, 64).uint(4, 1));
    let ring = BufferStats::new(65_536).written(8, 262_144);
    let ring = if wrapped { ring.chunks_overwritten(6) } else { ring };
    recording()
        .packet(service(S, ServiceEvent::TracingStarted))
        .packet(clocks(&[(BOOTTIME, S), (REALTIME, 1_000 * S)]))
        .packet(Packet::new().sequence(9).trace_config(config))
        .packet(instant(4 * S, &"x".repeat(bytes)))
        .packet(service(5 * S, ServiceEvent::TracingDisabled))
        .packet(Packet::new().sequence(9).trace_stats(TraceStats::new().buffer(ring).writer(1, 0)))
        .build()
}

fn files() -> Folder {
    Folder::of(&[
        ("whole.pftrace", &recorded(false, 10)),
        ("lossy.pftrace", &recorded(true, 10)),
        ("big.pftrace", &recorded(true, 3 << 19)),
    ])
}

fn stderr(folder: &Folder, arguments: &[&str]) -> String {
    String::from_utf8(folder.run(arguments).stderr).unwrap()
}

#[test]
fn a_loss_is_reported_once() {
    let folder = files();
    let query = |more: &[&str]| {
        let arguments = [&["query", "lossy.pftrace"], &COUNT[..], more].concat();
        stderr(&folder, &arguments)
    };
    assert_eq!(query(&[]), LOSS);
    assert_eq!(query(&["-q"]), "");
    assert_eq!(stderr(&folder, &["query", "whole.pftrace", COUNT[0], COUNT[1]]), "");
    let exported = stderr(&folder, &["export", "lossy.pftrace", "-o", "out", "--tables", "slice"]);
    assert!(exported.starts_with(LOSS), "{exported}");
    let shell = stderr(&folder, &["lossy.pftrace"]);
    assert_eq!(shell, LOSS);
}

/// Whatever was open before, `.open` says what its own traces lost.
#[test]
fn a_loss_is_reported_when_the_shell_opens_another_trace() {
    let folder = files();
    let opened = |arguments: &[&str]| {
        let mut command = tpq();
        command.current_dir(folder.path("")).arg("whole.pftrace").args(arguments);
        String::from_utf8(feed(&mut command, ".open lossy.pftrace\n").stderr).unwrap()
    };
    let (loud, quiet) = (opened(&[]), opened(&["-q"]));
    assert!(loud.starts_with(&format!("{LOSS}opened lossy.pftrace; ")), "{loud}");
    assert!(quiet.starts_with("opened lossy.pftrace; "), "{quiet}");
    assert!(!quiet.contains("lost data"), "{quiet}");
}

/// Commands that report all of it do not report it twice.
#[test]
fn check_and_info_say_more_than_a_line() {
    let folder = files();
    for command in ["check", "info", "clocks"] {
        assert_eq!(stderr(&folder, &[command, "lossy.pftrace"]), "", "{command}");
    }
}

/// What is said of two files that are queried together.
const MERGING: &str =
    "merging 2 files onto one timeline; --each runs the statements on each file\n";

#[test]
fn clocks_by_a_guess_are_reported() {
    let folder = files();
    let run =
        |files: [&str; 2]| stderr(&folder, &["query", files[0], files[1], COUNT[0], COUNT[1]]);
    let guess = "clocks placed by a guess: whole.pftrace (same domain assumed)";
    let loss = "lost data: 192.0 of 256.0 KiB of buffer 0 overwritten";
    let both = format!("{MERGING}{loss}; {guess}; see tpq check and tpq clocks\n");
    assert_eq!(run(["whole.pftrace", "lossy.pftrace"]), both);
    let folder_of_two =
        Folder::of(&[("a.pftrace", &recorded(false, 10)), ("b.pftrace", &recorded(false, 10))]);
    let text = stderr(&folder_of_two, &["query", "a.pftrace", "b.pftrace", COUNT[0], COUNT[1]]);
    let expected = "clocks placed by a guess: b.pftrace (same domain assumed); see tpq clocks\n";
    assert_eq!(text, format!("{MERGING}{expected}"));
}

/// The cache keeps what the line is made of.
#[test]
fn the_line_is_the_same_from_the_cache() {
    let folder = files();
    let run = || {
        let output = tpq()
            .args(["query", "big.pftrace", "whole.pftrace", COUNT[0], COUNT[1]])
            .current_dir(folder.path(""))
            .env("TPQ_CACHE_SIZE", "1G")
            .env("TPQ_CACHE_DIR", folder.path("cache"))
            .output()
            .unwrap();
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let first = run();
    assert_eq!(std::fs::read_dir(folder.path("cache")).unwrap().count(), 1);
    assert_eq!(run(), first);
    let lines = first.1.strip_prefix(MERGING).unwrap_or_default();
    assert!(lines.starts_with("lost data: 192.0 of 256.0 KiB of buffer 0"), "{}", first.1);
    assert!(first.1.contains("clocks placed by a guess: "), "{}", first.1);
}
