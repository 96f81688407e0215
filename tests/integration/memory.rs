//! Small inputs that unpack to large data, and statements, stay within the memory limit.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tpq_testkit::random::Random;
use tpq_testkit::{Packet, gzip, zlib};

use crate::command::{Folder, tpq};
use crate::imported::{instant, recording};
use crate::running::{PATIENCE, Running};

/// The memory limit of the run, and what a process takes besides.
const LIMIT: u64 = 100 << 20;
const BESIDES: u64 = 120 << 20;
/// The unpacked size of small files: more than both limits together.
const LARGE: usize = 240 << 20;

/// How long a run may take on a busy machine.
const LONGEST: Duration = PATIENCE.saturating_mul(5);

/// How a run ended.
struct Ran {
    code: Option<i32>,
    out: String,
    /// The most memory it had at any time that belongs to no file.
    anonymous: u64,
}

/// Runs a query on a file of these bytes with the memory limit of inputs.
fn query(bytes: &[u8], sql: &str) -> Ran {
    query_within(LIMIT, bytes, sql)
}

/// Runs a query on a file of these bytes with a memory limit.
fn query_within(limit: u64, bytes: &[u8], sql: &str) -> Ran {
    let folder = Folder::of(&[("trace", bytes)]);
    let limit = limit.to_string();
    let mut command = tpq();
    command.current_dir(folder.path("."));
    // With more threads there is more that each of them has in its hands.
    command.args(["query", "trace", "--memory-limit", &limit, "--threads", "2", "-c", sql]);
    watch(start(&mut command))
}

fn start(command: &mut Command) -> Running {
    Running::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()))
}

fn watch(mut running: Running) -> Ran {
    let begin = Instant::now();
    let child = running.child();
    let status = format!("/proc/{}/status", child.id());
    let mut anonymous = 0;
    let code = loop {
        let status = std::fs::read_to_string(&status).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        anonymous = anonymous.max(kib.unwrap_or_default() * 1024);
        match child.try_wait().unwrap() {
            Some(status) => break status.code(),
            None => thread::sleep(Duration::from_millis(2)),
        }
        assert!(begin.elapsed() < LONGEST, "it does not end");
    };
    let mut out = String::new();
    child.stderr.take().unwrap().read_to_string(&mut out).unwrap();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    Ran { code, out, anonymous }
}

impl Ran {
    /// That it ended well, within its memory, and printed this last.
    fn gives(&self, last: &str) {
        assert_eq!(self.code, Some(0), "{}", self.out);
        assert_eq!(self.out.lines().last(), Some(last), "{}", self.out);
        assert!(self.anonymous < LIMIT + BESIDES, "{} bytes", self.anonymous);
    }
}

const COUNT: &str = "SELECT count(*) FROM slice";

#[test]
fn empty_packets() {
    let mut trace = recording().packet(instant(5, "one")).build();
    trace.extend(b"\x0a\x00".repeat(LARGE / 2));
    query(&gzip(&trace), COUNT).gives("1");
}

#[test]
fn compressed_packets() {
    let inside = recording().packet(instant(5, "one")).build();
    let bomb = [inside, b"\x0a\x00".repeat(LARGE / 2)].concat();
    let trace = recording().packet(Packet::new().compressed_packets(&zlib(&bomb))).build();
    assert!(trace.len() < LARGE / 100);
    query(&trace, COUNT).gives("1");
}

/// An event that is larger than any is lost, and the others are read.
#[test]
fn json_of_one_text_or_of_blanks() {
    let event = |ts: u32| format!(r#"{{"ph":"i","ts":{ts},"pid":1,"tid":1,"name":"n"}}"#);
    let text = format!(r#"{{"ph":"i","ts":2,"pid":1,"tid":1,"name":"{}"}}"#, "n".repeat(LARGE));
    let blanks = format!(r#"{{"ph":"i",{}"ts":2,"pid":1,"tid":1,"name":"n"}}"#, " ".repeat(LARGE));
    for large in [text, blanks] {
        let json = format!("[{},{large},{}]", event(1), event(3));
        query(&gzip(json.as_bytes()), COUNT).gives("2");
        let lost = "SELECT value FROM stats WHERE name = 'json_tokenizer_failure'";
        query(&gzip(json.as_bytes()), lost).gives("1");
    }
    let between = format!("[{},{}{}]", event(1), " ".repeat(LARGE), event(3));
    query(&gzip(between.as_bytes()), COUNT).gives("2");
}

/// A file that unpacks to unreadable data is not unpacked to its end.
#[test]
fn nothing_readable() {
    for byte in [0, b' ', 0xff] {
        let ran = query(&gzip(&vec![byte; LARGE]), COUNT);
        assert_eq!(ran.code, Some(1), "{}", ran.out);
        assert!(ran.out.contains("not a trace that tpq reads"), "{}", ran.out);
        assert!(ran.anonymous < BESIDES, "{} bytes", ran.anonymous);
    }
}

/// A device never ends.
#[test]
fn a_device() {
    let ran = watch(start(tpq().args(["query", "/dev/zero", "-c", COUNT])));
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    assert!(ran.anonymous < BESIDES, "{} bytes", ran.anonymous);
}

/// Bytes without any order come for as long as they are read. Those of a device would be others in
/// each run, and look like the beginning of a packet in one of some hundred.
#[test]
fn random_bytes_without_end() {
    let arguments = ["query", "-", "-c", COUNT];
    let mut running = start(tpq().args(arguments).stdin(Stdio::piped()));
    let mut input = running.child().stdin.take().unwrap();
    let writer = thread::spawn(move || {
        let mut random = Random::new(1);
        loop {
            let piece: Vec<u8> = (0..1 << 16).map(|_| random.byte()).collect();
            if input.write_all(&piece).is_err() {
                break;
            }
        }
    });
    let ran = watch(running);
    writer.join().unwrap();
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    assert!(ran.out.contains("not a trace"), "{}", ran.out);
    assert!(ran.anonymous < BESIDES, "{} bytes", ran.anonymous);
}

/// The memory limit of statements.
const STATEMENT_LIMIT: u64 = 200 << 20;

/// A trace of 5,000 slices.
fn slices() -> String {
    let slice =
        |at: u32| format!(r#"{{"ph":"X","ts":{at},"dur":1,"pid":1,"tid":1,"name":"work"}}"#);
    let slices: Vec<String> = (0..5_000).map(slice).collect();
    format!("[{}]", slices.join(","))
}

/// Runs a statement on the slices, which ends with an answer or an error, within its memory.
fn ends_within_memory(sql: &str) -> Ran {
    let ran = query_within(STATEMENT_LIMIT, slices().as_bytes(), sql);
    assert!(matches!(ran.code, Some(0 | 1)), "{sql}: {:?}, {}", ran.code, ran.out);
    assert!(!ran.out.contains("bug in tpq"), "{sql}: {}", ran.out);
    assert!(ran.anonymous < STATEMENT_LIMIT + BESIDES, "{sql}: {} bytes", ran.anonymous);
    ran
}

/// Runs a statement on the slices, which ends with an error that has this part.
fn is_refused(sql: &str, part: &str) {
    let ran = ends_within_memory(sql);
    assert_eq!(ran.code, Some(1), "{sql}: {}", ran.out);
    assert!(ran.out.contains(part), "{sql}: {}", ran.out);
}

/// A long value of constants is computed when the statement runs, and stays out of the plan.
#[test]
fn long_values_of_constants_are_refused_or_short_lived() {
    for call in [
        "hex(zeroblob(20000000)) = ''",
        "hex(zeroblob(20000000)) = hex(zeroblob(20000001))",
        "quote(zeroblob(20000000)) > 'a'",
        "replace(repeat('a', 20000000), 'a', 'bb') IS NULL",
        "upper(lpad('a', 20000000)) || printf('%20000000d', 1) LIKE 'a%'",
        "instr(zeroblob(20000000), x'01') + length(repeat('é', 10000000))",
    ] {
        ends_within_memory(&format!("SELECT {call}"));
        ends_within_memory(&format!("SELECT count(*) FROM slice WHERE {call}"));
    }
}

/// Each value is longer than any may be, or than the limit allows.
#[test]
fn values_that_are_too_long_are_refused() {
    for (call, part) in [
        ("replace(zeroblob(100000), x'00', zeroblob(100000))", "1000000000 bytes"),
        ("replace(repeat('a', 100000), 'a', repeat('b', 100000))", "1000000000 bytes"),
        ("lpad('a', 2000000000)", "1000000000 bytes"),
        ("repeat('ab', 1000000000)", "1000000000 bytes"),
        ("repeat('x', 100000000 + id)", "but the memory limit allows only"),
        ("lpad('x', 100000000 + id)", "but the memory limit allows only"),
    ] {
        is_refused(&format!("SELECT max(length({call})) FROM slice"), part);
    }
}

/// The values of one batch of rows take about the limit together, or more.
#[test]
fn long_values_of_many_rows_stay_within_memory() {
    /// 20 letters to the left of each dot.
    const UNIT: &str = "xxxxxxxxxxxxxxxxxxxx.";
    let replaced =
        |least: u32| format!("replace(repeat('{UNIT}', {least} + id / 10), '.', '{UNIT}')");
    for call in [
        "repeat('x', 20000 + id)",
        "repeat('x', 40000000 + id)",
        "lpad('x', 20000 + id)",
        &replaced(300),
        &replaced(900),
    ] {
        ends_within_memory(&format!("SELECT max(length({call})) FROM slice"));
    }
}

/// Each of 39 common table expressions uses the one before it twice.
#[test]
fn doubling_expressions_are_refused_within_memory() {
    for step in [
        "NEW AS (SELECT * FROM OLD, OLD AS b)",
        "NEW AS (SELECT * FROM OLD UNION ALL SELECT * FROM OLD)",
        "NEW AS (SELECT (SELECT max(x) FROM OLD) + (SELECT min(x) FROM OLD) AS x)",
    ] {
        let numbered = |at: u32| {
            step.replace("NEW", &format!("a{at}")).replace("OLD", &format!("a{}", at - 1))
        };
        let steps: Vec<String> = (1..40).map(numbered).collect();
        let sql =
            format!("WITH a0 AS (SELECT 1 AS x), {} SELECT count(*) FROM a39", steps.join(", "));
        is_refused(&sql, "500000");
    }
}

#[test]
fn a_recursion_that_doubles_a_text_is_refused_within_memory() {
    let doubled = "WITH RECURSIVE t(s) AS (SELECT 'x' UNION ALL SELECT s || s FROM t)";
    let sql = format!("{doubled} SELECT max(length(s)) FROM t");
    is_refused(&sql, "but the memory limit allows only");
}

/// The table would have 25 million rows.
#[test]
fn a_table_of_a_cross_join_is_refused_within_memory() {
    for columns in ["a.ts, b.dur, a.id AS x, b.id AS y", "a.name || ' number ' || b.id AS text"] {
        let join = format!("SELECT {columns} FROM slice a, slice b");
        let sql = format!("CREATE TABLE large AS {join}");
        is_refused(&sql, "the statement needs more memory than it may use");
    }
}
