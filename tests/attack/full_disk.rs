//! A disk that is full: a limit on the size of files, at which writes fail. Outputs are whole or
//! what they were before, and nothing is left, as the process lives to tidy up.

use std::process::{Command, Stdio};

use libtest_mimic::{Failed, Trial};

use crate::effort::Effort;
use crate::process;
use crate::report::{Fault, Report, left_files};
use crate::sandbox::Sandbox;
use crate::victims::{HANG, MOST_MEMORY, VICTIMS, Victim, Whole, files, previous, sandbox, torn};

/// The unit in which a shell limits the size of files, in bytes.
const BLOCK: usize = 512;
/// The number of blocks that matter in files of the cache and temporary files.
const INNER_BLOCKS: usize = 4_000;

/// One trial for each victim.
pub fn trials(effort: Effort) -> Vec<Trial> {
    let trial = |victim: &'static Victim| {
        let name = victim.name.replace("kills::", "full_disk::");
        Trial::test(name.clone(), move || full(effort, name.leak(), victim))
    };
    VICTIMS.iter().map(trial).collect()
}

fn full(effort: Effort, name: &'static str, victim: &'static Victim) -> Result<(), Failed> {
    let mut report = Report::new(name, effort);
    let trace = victim.trace.bytes(effort);
    let whole = Whole::of(victim, &trace)?;
    let largest = whole.files.values().map(|bytes| bytes.len() / BLOCK + 1).max();
    let mut failed = 0;
    for case in effort.cases(1, 100) {
        let random = &mut effort.random(case);
        let sandbox = sandbox(&trace);
        let before = previous(random, &sandbox, &whole);
        let blocks = random.below(largest.unwrap_or(INNER_BLOCKS));
        let ended = process::run(&mut limited(&sandbox, victim, blocks), HANG);
        let mut faults = ended.faults(MOST_MEMORY);
        faults.extend(torn(&sandbox, &whole, &before));
        failed += u64::from(!ended.is_success());
        let mut left = sandbox.left();
        for (path, bytes) in files(&sandbox.path("out")) {
            match whole.files.get(&path) {
                None => left.push(format!("out/{}", path.display())),
                Some(expected) if ended.is_success() && *expected != bytes => {
                    faults
                        .push((Fault::WrongAnswer, format!("success without {}", path.display())));
                }
                Some(_) => {}
            }
        }
        if ended.is_success() && ended.stdout != whole.stdout {
            faults.push((Fault::WrongAnswer, ended.stdout));
        }
        faults.extend(left_files(&left));
        let named = |(fault, what)| (fault, format!("files of {} bytes: {what}", blocks * BLOCK));
        report.case(case, faults.into_iter().map(named).collect());
    }
    report.note(format!("{failed} failed"));
    report.finish()
}

/// The command with that limit. The signal of it is ignored, so that a write fails as it does on
/// a full disk.
fn limited(sandbox: &Sandbox, victim: &Victim, blocks: usize) -> Command {
    let plain = sandbox.tpq(victim.arguments);
    let mut command = Command::new("sh");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    command.args(["-c", &script]).arg(plain.get_program()).args(plain.get_args());
    command.current_dir(plain.get_current_dir().unwrap()).stdin(Stdio::null());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}
