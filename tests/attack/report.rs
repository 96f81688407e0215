//! Results of an attack, in one line and in detail.

use std::fmt;
use std::path::{Path, PathBuf};

use libtest_mimic::Failed;

use crate::effort::Effort;

/// Outcomes that must never happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The process ended by a signal that the attack did not send.
    Signal,
    Panic,
    /// The process ran for longer than any of its kind should.
    Hang,
    /// More resident memory than any case of the attack should need.
    Memory,
    /// Success with an answer that differs from the right one.
    WrongAnswer,
    /// Failure where the right answer was to be had, or an exit code that tpq does not have.
    WrongExit,
    /// A file under its final name that is neither whole nor what it was before.
    Torn,
    /// An unrequested file, after the next start.
    Left,
}

impl Fault {
    const ALL: [Self; 8] = [
        Self::Signal,
        Self::Panic,
        Self::Hang,
        Self::Memory,
        Self::WrongAnswer,
        Self::WrongExit,
        Self::Torn,
        Self::Left,
    ];
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Signal => "signals",
            Self::Panic => "panics",
            Self::Hang => "hangs",
            Self::Memory => "beyond memory",
            Self::WrongAnswer => "wrong answers",
            Self::WrongExit => "wrong exit codes",
            Self::Torn => "torn files",
            Self::Left => "left files",
        })
    }
}

/// Most faults that are shown in detail.
const SHOWN: usize = 12;

/// Results of an attack so far.
pub struct Report {
    attack: String,
    effort: Effort,
    cases: u64,
    /// Remarks on how much the attack reached, as `37 while a file was written`.
    notes: Vec<String>,
    found: Vec<(u64, Fault, String)>,
}

impl Report {
    pub fn new(attack: &str, effort: Effort) -> Self {
        Self { attack: attack.to_owned(), effort, cases: 0, notes: Vec::new(), found: Vec::new() }
    }

    /// Counts a case that is done, with all that went wrong in it.
    pub fn case(&mut self, case: u64, faults: Vec<(Fault, String)>) {
        self.cases += 1;
        self.found.extend(faults.into_iter().map(|(fault, what)| (case, fault, what)));
    }

    pub fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// Prints the line.
    ///
    /// # Errors
    /// When anything was found.
    pub fn finish(self) -> Result<(), Failed> {
        let cases_with = |fault| {
            let mut cases: Vec<u64> =
                self.found.iter().filter(|found| found.1 == fault).map(|found| found.0).collect();
            cases.dedup();
            cases.len()
        };
        let counts: Vec<String> =
            Fault::ALL.iter().map(|fault| format!("{} {fault}", cases_with(*fault))).collect();
        let notes: String = self.notes.iter().map(|note| format!(" ({note})")).collect();
        let seed = self.effort.seed;
        println!("{} {}: {}; seed {seed}{notes}", self.attack, self.cases, counts.join(", "));
        if self.found.is_empty() {
            return Ok(());
        }
        let mut text = format!("{} found {} faults", self.attack, self.found.len());
        for (case, fault, what) in self.found.iter().take(SHOWN) {
            text.push_str(&format!("\n  case {case}, {fault}: {what}"));
        }
        let (case, attack) = (self.found[0].0, self.attack);
        text.push_str(&format!(
            "\nagain: TPQ_ATTACK_SEED={seed} TPQ_ATTACK_CASE={case} cargo test --test attack {attack}"
        ));
        Err(text.into())
    }
}

/// The fault of leaving these files.
pub fn left_files(paths: &[String]) -> Option<(Fault, String)> {
    let more = paths.len().saturating_sub(1);
    paths.first().map(|path| (Fault::Left, format!("{path} and {more} more")))
}

/// Copies what broke something to where it outlives the test.
pub fn keep(name: &str, bytes: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("attack");
    let kept = folder.join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(&kept, bytes).unwrap();
    kept
}
