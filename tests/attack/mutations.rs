//! Damaged inputs: tpq imports them or refuses them, and nothing else.

use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::process::Child;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use libtest_mimic::{Failed, Trial};

use crate::areas::AREAS;
use crate::effort::Effort;
use crate::mutated_inputs::Inputs;
use crate::process;
use crate::report::{Fault, Report, keep, left_files};
use crate::sandbox::Sandbox;
use crate::worker::{Job, OUT_OF_MEMORY, Word};

/// An import of such an input takes milliseconds.
const HANG: Duration = Duration::from_secs(60);
/// The largest input has 4 MiB, which may unpack to several hundred.
const MOST_MEMORY: u64 = 1 << 30;

/// Imports inputs of all formats.
pub fn imported(effort: Effort) -> Result<(), Failed> {
    import(None, effort.cases(4_000, 176_000), effort)
}

/// The attack on each area.
pub fn trials(effort: Effort) -> impl Iterator<Item = Trial> {
    AREAS.iter().enumerate().map(move |(number, area)| {
        Trial::test(format!("mutations::area::{}", area.name), move || {
            import(Some(number), effort.cases(150, area.long), effort)
        })
    })
}

/// Imports in workers: many, so that each has only a moment.
fn import(area: Option<usize>, cases: Vec<u64>, effort: Effort) -> Result<(), Failed> {
    let name = area.and_then(|area| AREAS.get(area)).map(|area| area.name);
    let title = match name {
        Some(name) => format!("mutations::area::{name}"),
        None => "mutations::imported".to_owned(),
    };
    let workers = std::thread::available_parallelism().map_or(2, |count| count.get() as u64);
    let report = Mutex::new(Report::new(&title, effort));
    let totals = Mutex::new(Totals::default());
    std::thread::scope(|scope| {
        for worker in 0..workers.min(cases.len() as u64) {
            let job = Job {
                seed: effort.seed,
                first: cases[0] + worker,
                end: cases[0] + cases.len() as u64,
                step: workers,
                area,
            };
            let (report, totals) = (&report, &totals);
            scope.spawn(move || work(job, report, totals));
        }
    });
    let (mut report, totals) = (report.into_inner().unwrap(), totals.into_inner().unwrap());
    report.note(format!("{} bases", Inputs::of(area).bases()));
    report.note(format!("{} imported", totals.imported));
    report.note(format!("longest {} ms: case {}", totals.longest.0.as_millis(), totals.longest.1));
    report.note(format!("most memory {} MiB: case {}", totals.peak.0 >> 20, totals.peak.1));
    report.finish()
}

/// Totals of all imports, with the cases that reached most.
#[derive(Default)]
struct Totals {
    imported: u64,
    longest: (Duration, u64),
    peak: (u64, u64),
}

/// Has a job done, by another worker after each that ended early.
fn work(job: Job, report: &Mutex<Report>, totals: &Mutex<Totals>) {
    let folder = tempfile::tempdir().unwrap();
    let mut next = job.first;
    while next < job.end {
        let rest = Job { first: next, ..job };
        let mut child = rest.command(folder.path()).spawn().unwrap();
        let words = words(&mut child);
        while next < job.end {
            let faults = case(&words, &mut child, next, totals);
            if !faults.is_empty() {
                let bytes = Inputs::of(job.area).input(job.seed, next).bytes;
                let area = job.area.and_then(|area| AREAS.get(area)).map_or("any", |it| it.name);
                keep(&format!("mutation-{area}-{}-{next}", job.seed), &bytes);
            }
            report.lock().unwrap().case(next, faults);
            next += job.step;
            if child.try_wait().unwrap().is_some() {
                break;
            }
        }
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// The messages of the worker, as they come.
fn words(child: &mut Child) -> Receiver<Word> {
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let words = stdout.lines().map_while(Result::ok).filter_map(|line| Word::parse(&line));
        for word in words {
            if sender.send(word).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Waits for one case. The worker ends with a case that it does not survive.
fn case(
    words: &Receiver<Word>,
    child: &mut Child,
    case: u64,
    totals: &Mutex<Totals>,
) -> Vec<(Fault, String)> {
    loop {
        match words.recv_timeout(HANG) {
            Ok(Word::Began(began)) => assert_eq!(began, case, "the worker skips a case"),
            Ok(Word::Done { panic, took, peak, is_imported }) => {
                let mut totals = totals.lock().unwrap();
                totals.imported += u64::from(is_imported);
                totals.longest = totals.longest.max((took, case));
                totals.peak = totals.peak.max((peak, case));
                let mut faults: Vec<_> =
                    panic.map(|text| (Fault::Panic, text)).into_iter().collect();
                if peak > MOST_MEMORY {
                    faults.push((Fault::Memory, format!("{} MiB resident", peak >> 20)));
                }
                return faults;
            }
            Err(RecvTimeoutError::Timeout) => {
                let _ = child.kill();
                let _ = child.wait();
                return vec![(Fault::Hang, format!("no end after {} s", HANG.as_secs()))];
            }
            Err(RecvTimeoutError::Disconnected) => {
                let status = child.wait().unwrap();
                return vec![match (status.signal(), status.code()) {
                    (Some(signal), _) => (Fault::Signal, format!("signal {signal}")),
                    (None, Some(OUT_OF_MEMORY)) => (Fault::Memory, "all there is".to_owned()),
                    (None, code) => (Fault::WrongExit, format!("the worker ended with {code:?}")),
                }];
            }
        }
    }
}

/// Runs every command of the binary on a damaged input.
pub fn by_the_binary(effort: Effort) -> Result<(), Failed> {
    let mut report = Report::new("mutations::by_the_binary", effort);
    let inputs = Inputs::of(None);
    for case in effort.cases(3, 300) {
        let sandbox = Sandbox::new();
        let input = inputs.input(effort.seed, case);
        sandbox.write("trace", &input.bytes);
        let mut faults = Vec::new();
        for arguments in COMMANDS {
            let ended = process::run(&mut sandbox.tpq(arguments), HANG);
            let named = |(fault, what)| (fault, format!("tpq {}: {what}", arguments.join(" ")));
            faults.extend(ended.faults(MOST_MEMORY).into_iter().map(named));
        }
        faults.extend(left_files(&sandbox.left()));
        if !faults.is_empty() {
            let kept = keep(&format!("binary-{}-{case}", effort.seed), &input.bytes);
            faults[0].1.push_str(&format!("; input {}, of {}", kept.display(), input.base));
        }
        report.case(case, faults);
    }
    report.finish()
}

/// The commands, of the trace that is called `trace`.
const COMMANDS: &[&[&str]] = &[
    &["query", "trace", "-c", "SELECT * FROM slice; SELECT * FROM sched; SELECT * FROM stats"],
    &["info", "trace"],
    &["check", "trace"],
    &["clocks", "trace"],
    &["export", "trace", "-o", "out/tables", "--format", "csv"],
    &["merge", "trace", "-o", "out/merged.tar"],
];
