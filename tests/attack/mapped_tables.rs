//! Files of the cache that change while a shell has them open: the shell goes on, and what it
//! answers is right or an error. Where bytes become zero that it may have used already, only that
//! it goes on. No process of tpq's writes to a file of the cache once that has its name.

use std::fs::{self, File};
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use tpq_testkit::random::Random;

use crate::cached_tables::{Cached, difference};
use crate::effort::Effort;
use crate::process::{Ended, Running};
use crate::report::{Fault, Report};

const HANG: Duration = Duration::from_secs(60);
const MOST_MEMORY: u64 = 1 << 30;

/// Changes the file after the first answers.
pub fn changed(effort: Effort) -> Result<(), Failed> {
    let mut report = Report::new("cache::changed_while_mapped", effort);
    let cached = Cached::new(if effort.is_long() { 1_500 } else { 250 })?;
    let clean = shell(&cached, 0, || ())?;
    let expected = sections(&clean.stdout);
    for case in effort.cases(5, 200) {
        let random = &mut effort.random(case);
        cached.restore();
        let first = random.below(cached.statements.len() / 2);
        let mut change = Change { what: String::new(), is_answer_kept: true };
        let ended = shell(&cached, first, || change = Change::make(random, &cached))?;
        let mut faults = ended.faults(MOST_MEMORY);
        let errors = ended.stderr.lines().filter(|line| line.starts_with("error")).count();
        let answers = sections(&ended.stdout);
        let other: Vec<usize> =
            (0..expected.len()).filter(|&at| answers.get(at) != expected.get(at)).collect();
        if faults.is_empty() && change.is_answer_kept && other.len() > errors {
            let answer = answers.get(other[0]).copied().unwrap_or_default();
            let difference = difference(expected[other[0]], answer);
            faults.push((
                Fault::WrongAnswer,
                format!("{}: {difference}", cached.statements[other[0]]),
            ));
        }
        let named =
            |(fault, found)| (fault, format!("{} after {first} answers: {found}", change.what));
        report.case(case, faults.into_iter().map(named).collect());
    }
    report.finish()
}

/// First line of each answer of a shell.
const SECTION: &str = "section\n";

/// The answers to the statements, one after the other.
fn sections(stdout: &str) -> Vec<&str> {
    stdout.split(SECTION).skip(1).collect()
}

/// Asks all statements of a shell; does something after the answers to the first.
///
/// # Errors
/// When the first answers do not come.
fn shell(cached: &Cached, first: usize, between: impl FnOnce()) -> Result<Ended, Failed> {
    let mut command = cached.sandbox.tpq(&["shell", "trace"]);
    let mut shell = Running::start(command.stdin(std::process::Stdio::piped()));
    let ask = |shell: &mut Running, at: usize| {
        shell.tell(&format!("SELECT {at} AS section;\n{};\n", cached.statements[at]));
    };
    shell.tell(".mode csv\n");
    (0..first).for_each(|at| ask(&mut shell, at));
    shell.tell("SELECT 7 AS opened;\n");
    let begun = Instant::now();
    while !shell.said().contains("opened\n7\n") {
        if begun.elapsed() > HANG || shell.status().is_some() {
            return Err(format!("no answers: {}", shell.end(HANG).stderr).into());
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    between();
    (first..cached.statements.len()).for_each(|at| ask(&mut shell, at));
    let mut ended = shell.end(HANG);
    ended.stdout = ended.stdout.replace("opened\n7\n", "");
    Ok(ended)
}

/// A change of the file.
struct Change {
    what: String,
    /// Whether every answer must be right or an error.
    is_answer_kept: bool,
}

impl Change {
    /// Changes the file where it lies.
    fn make(random: &mut Random, cached: &Cached) -> Self {
        let open = || File::options().write(true).open(&cached.file).unwrap();
        let len = cached.whole.len() as u64;
        let shorter = random.below(cached.whole.len()) as u64;
        let (what, is_answer_kept) = match random.below(7) {
            0..4 => {
                open().set_len(shorter).unwrap();
                (format!("cut from {len} to {shorter}"), true)
            }
            4 => {
                open().set_len(0).unwrap();
                (format!("cut from {len} to nothing"), true)
            }
            5 => {
                open().set_len(shorter).unwrap();
                open().set_len(len).unwrap();
                (format!("zero from {shorter} on"), false)
            }
            _ => {
                fs::remove_file(&cached.file).unwrap();
                ("removed".to_owned(), true)
            }
        };
        Self { what, is_answer_kept }
    }
}
