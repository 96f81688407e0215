//! Traces that change while they are read: an error, or a loss that is counted. Afterwards,
//! when the trace is whole again, answers are right.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use tpq_testkit::random::Random;
use tpq_testkit::{Archive, gzip};

use crate::effort::Effort;
use crate::process::{self, Ended, Running};
use crate::report::{Fault, Report, left_files};
use crate::sandbox::Sandbox;
use crate::traces;

const HANG: Duration = Duration::from_secs(120);
const MOST_MEMORY: u64 = 2 << 30;

/// How many rows there are, and how much the import counted as lost.
const ASKED: &str = "SELECT (SELECT count(*) FROM sched) AS rows, \
    (SELECT coalesce(sum(value), 0) FROM stats WHERE severity IN ('error', 'data_loss')) AS lost";

/// Changes a trace while it is imported.
pub fn changes(effort: Effort) -> Result<(), Failed> {
    let mut report = Report::new("trace::changes_while_read", effort);
    let traces = traces(if effort.is_long() { 20_000 } else { 3_000 });
    let mut while_read = 0;
    for case in effort.cases(6, 400) {
        let random = &mut effort.random(case);
        let (name, bytes, whole) = &traces[random.below(traces.len())];
        let sandbox = Sandbox::new();
        let path = sandbox.write("trace", bytes);
        let command = &mut ask(&sandbox, random.below(2) == 0);
        let mut running = Running::start(command);
        // The last of the time goes to the query.
        let delay = whole.took.mul_f64(random.below(800) as f64 / 1_000.0);
        std::thread::sleep(delay);
        let is_read = running.status().is_none();
        let change = change(random, &path, bytes);
        while_read += u64::from(is_read);
        let ended = running.end(HANG);
        let mut faults = ended.faults(MOST_MEMORY);
        if ended.is_success() && change.is_shorter {
            faults.extend(silent_loss(whole, &ended));
        }
        std::fs::write(&path, bytes).unwrap();
        let again = process::run(&mut ask(&sandbox, true), HANG);
        if again.stdout != whole.stdout {
            let what = format!("whole again: {}{}", again.stdout.trim(), again.stderr.trim());
            faults.push((Fault::WrongAnswer, what));
        }
        faults.extend(left_files(&sandbox.left()));
        let what = format!("{name}, {} after {} ms", change.what, delay.as_millis());
        let named = |(fault, found)| (fault, format!("{what}: {found}"));
        report.case(case, faults.into_iter().map(named).collect());
    }
    report.note(format!("{while_read} changes before the end"));
    report.finish()
}

fn ask(sandbox: &Sandbox, with_cache: bool) -> std::process::Command {
    let mut command = sandbox.tpq(&["query", "trace", "-c", ASKED, "--format", "csv"]);
    if !with_cache {
        command.arg("--no-cache");
    }
    command
}

/// The answer of an unchanged trace.
struct Whole {
    stdout: String,
    took: Duration,
}

type Trace = (&'static str, Vec<u8>, Whole);

/// Traces of which each is read in another way.
fn traces(bundles: u64) -> Vec<Trace> {
    let plain = traces::events(bundles, 0);
    let other = traces::events(bundles / 4, 1);
    let archive = Archive::new().file("a.pftrace", plain.clone()).file("b.pftrace", other);
    let json = json(10 * bundles as usize);
    let traces = [
        ("a gzip file", gzip(&plain)),
        ("an archive", archive.tar()),
        ("JSON", json),
        // Twice: of these most are mapped.
        ("a trace", plain.clone()),
        ("a trace", plain),
    ];
    traces.into_iter().map(|(name, bytes)| measured(name, bytes)).collect()
}

fn json(events: usize) -> Vec<u8> {
    let event = |at: usize| {
        let (tid, dur) = (2 + at % 5, at % 13);
        format!(
            "{{\"ph\":\"X\",\"pid\":1,\"tid\":{tid},\"ts\":{at}0,\"dur\":{dur},\"name\":\"n{dur}\"}}"
        )
    };
    let events: Vec<String> = (1..events).map(event).collect();
    format!("{{\"traceEvents\":[{}]}}", events.join(",\n")).into_bytes()
}

fn measured(name: &'static str, bytes: Vec<u8>) -> Trace {
    let sandbox = Sandbox::new();
    sandbox.write("trace", &bytes);
    let begun = Instant::now();
    let ended = process::run(&mut ask(&sandbox, false), HANG);
    assert!(ended.is_success(), "{name}: {}", ended.stderr);
    assert_eq!(numbers(&ended.stdout).1, 0, "{name}: nothing is lost");
    (name, bytes, Whole { stdout: ended.stdout, took: begun.elapsed() })
}

/// Fewer rows, of which no stat says that they are lost.
fn silent_loss(whole: &Whole, ended: &Ended) -> Option<(Fault, String)> {
    let [expected, found] = [&whole.stdout, &ended.stdout].map(|stdout| numbers(stdout));
    let is_silent = found.0 != expected.0 && found.1 == 0;
    let what = || format!("rows and losses {expected:?} became {found:?}");
    is_silent.then(|| (Fault::WrongAnswer, what()))
}

fn numbers(stdout: &str) -> (u64, u64) {
    let row = stdout.lines().nth(1).unwrap_or_default();
    let mut cells = row.split(',').map(|cell| cell.parse().unwrap_or(u64::MAX));
    (cells.next().unwrap_or(u64::MAX), cells.next().unwrap_or(u64::MAX))
}

/// A change of a trace.
struct Change {
    what: String,
    is_shorter: bool,
}

/// Changes a file where it lies.
fn change(random: &mut Random, path: &Path, bytes: &[u8]) -> Change {
    let mut file = File::options().write(true).open(path).unwrap();
    let at = random.below(bytes.len()) as u64;
    match random.below(8) {
        0..5 => {
            file.set_len(at).unwrap();
            Change { what: format!("cut from {} to {at}", bytes.len()), is_shorter: true }
        }
        5 => {
            file.set_len(0).unwrap();
            Change { what: "cut to nothing".to_owned(), is_shorter: true }
        }
        6 => {
            let noise: Vec<u8> = (0..65_536).map(|_| random.byte()).collect();
            file.seek(SeekFrom::Start(at)).unwrap();
            file.write_all(&noise).unwrap();
            Change { what: format!("overwritten at {at}"), is_shorter: false }
        }
        _ => {
            file.seek(SeekFrom::End(0)).unwrap();
            file.write_all(&bytes[..bytes.len().min(100_000)]).unwrap();
            Change { what: "appended to".to_owned(), is_shorter: false }
        }
    }
}
