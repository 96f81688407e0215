//! Corrupted files of the cache: answers stay what they are.

use std::path::PathBuf;
use std::time::Duration;

use libtest_mimic::Failed;

use crate::cache_damage::{damage, remove};
use crate::effort::Effort;
use crate::process::{self, Ended};
use crate::report::{Fault, Report, left_files};
use crate::sandbox::Sandbox;
use crate::traces;

/// An import and some queries take less than a second or two.
const HANG: Duration = Duration::from_secs(60);
const MOST_MEMORY: u64 = 1 << 30;

/// A trace, its file in the cache, and what all of it answers.
pub struct Cached {
    pub sandbox: Sandbox,
    pub statements: Vec<String>,
    pub file: PathBuf,
    /// The bytes of the file as they were written.
    pub whole: Vec<u8>,
    /// The bytes of the file of another trace.
    other: Vec<u8>,
    answer: String,
}

impl Cached {
    /// # Errors
    /// When the answers from the cache are others than those of the import.
    pub fn new(bundles: u64) -> Result<Self, Failed> {
        let sandbox = Sandbox::new();
        let trace = traces::rich(bundles, 0);
        let statements = traces::statements(&trace);
        sandbox.write("trace", &trace);
        sandbox.write("other", &traces::rich(bundles, 1));
        sandbox.write("script.sql", (statements.join(";\n") + ";\n").as_bytes());
        let mut cached = Self {
            sandbox,
            statements,
            file: PathBuf::new(),
            whole: vec![],
            other: vec![],
            answer: String::new(),
        };
        cached.other = cached.keep("other")?;
        cached.whole = cached.keep("trace")?;
        let imported = cached.ask("trace", true);
        let found = cached.ask("trace", false);
        if !imported.is_success() || imported.stdout.len() < 10_000 {
            return Err(format!("no answers: {}", imported.stderr).into());
        }
        if found.stdout != imported.stdout {
            return Err("what is kept answers otherwise than what is imported".into());
        }
        cached.answer = imported.stdout;
        Ok(cached)
    }

    /// Has a trace imported into an empty cache; gives the file that it is kept in.
    fn keep(&mut self, trace: &str) -> Result<Vec<u8>, Failed> {
        self.sandbox.cached().iter().for_each(|file| remove(file));
        let imported = self.ask(trace, false);
        let [file] = &self.sandbox.cached()[..] else {
            return Err(format!("nothing is kept: {}", imported.stderr).into());
        };
        self.file = file.clone();
        Ok(std::fs::read(file)?)
    }

    fn ask(&self, trace: &str, anew: bool) -> Ended {
        let mut command =
            self.sandbox.tpq(&["query", trace, "-f", "script.sql", "--format", "csv"]);
        if anew {
            command.arg("--no-cache");
        }
        process::run(&mut command, HANG)
    }

    /// Puts the file back as it was.
    pub fn restore(&self) {
        self.sandbox.cached().iter().for_each(|file| remove(file));
        std::fs::write(&self.file, &self.whole).unwrap();
    }
}

/// Corrupts the file before it is opened.
pub fn corrupted(effort: Effort) -> Result<(), Failed> {
    let mut report = Report::new("cache::corrupted", effort);
    let cached = Cached::new(if effort.is_long() { 1_500 } else { 250 })?;
    let mut passed_over = 0;
    for case in effort.cases(12, 1_000) {
        let random = &mut effort.random(case);
        cached.restore();
        let what = damage(random, &cached.file, &cached.whole, &cached.other);
        let ended = cached.ask("trace", false);
        let mut faults = ended.faults(MOST_MEMORY);
        if faults.is_empty() && !ended.is_success() {
            faults.push((Fault::WrongExit, ended.stderr.trim().to_owned()));
        }
        if ended.is_success() && ended.stdout != cached.answer {
            faults.push((Fault::WrongAnswer, difference(&cached.answer, &ended.stdout)));
        }
        faults.extend(left_files(&cached.sandbox.left()));
        passed_over += u64::from(!ended.stderr.is_empty());
        let named = |(fault, found)| (fault, format!("{what}: {found}"));
        report.case(case, faults.into_iter().map(named).collect());
    }
    report.note(format!("{passed_over} told on stderr"));
    report.finish()
}

/// The first line in which two answers differ.
pub fn difference(expected: &str, found: &str) -> String {
    let lines = expected.lines().zip(found.lines()).enumerate();
    match lines.into_iter().find(|(_, (one, other))| one != other) {
        Some((line, (one, other))) => format!("line {line}: `{one}` became `{other}`"),
        None => format!("{} lines became {}", expected.lines().count(), found.lines().count()),
    }
}
