//! Kills at any moment: files under their final names are whole or what they were before, and
//! after the next start no unrequested file is left.

use std::time::{Duration, Instant};

use libtest_mimic::{Failed, Trial};
use tpq_testkit::random::Random;

use crate::effort::Effort;
use crate::process::{self, Running};
use crate::report::{Fault, Report, left_files};
use crate::sandbox::Sandbox;
use crate::victims::{
    HANG, LOOK, MOST_MEMORY, VICTIMS, Victim, Watch, Whole, files, previous, sandbox, torn,
};

/// One trial for each victim.
pub fn trials(effort: Effort) -> Vec<Trial> {
    let trial = |victim: &'static Victim| Trial::test(victim.name, move || kills(effort, victim));
    let mut trials: Vec<Trial> = VICTIMS.iter().map(trial).collect();
    trials.push(Trial::test("kills::live_neighbour", move || live_neighbour(effort)));
    trials
}

fn kills(effort: Effort, victim: &'static Victim) -> Result<(), Failed> {
    let mut report = Report::new(victim.name, effort);
    let trace = victim.trace.bytes(effort);
    let whole = Whole::of(victim, &trace)?;
    let mut at_work = 0;
    for case in effort.cases(if victim.next.is_empty() { 2 } else { 1 }, 100) {
        let random = &mut effort.random(case);
        let sandbox = sandbox(&trace);
        let before = previous(random, &sandbox, &whole);
        let mut faults = Vec::new();
        let mut moment = String::new();
        for _ in 0..=random.below(4) / 3 {
            let kill = kill(random, victim, &sandbox, &whole);
            at_work += u64::from(kill.was_at_work);
            faults.extend(kill.faults);
            moment = kill.moment;
            faults.extend(torn(&sandbox, &whole, &before));
        }
        faults.extend(start_again(victim, &sandbox, &whole));
        let named = |(fault, what)| (fault, format!("{moment}: {what}"));
        report.case(case, faults.into_iter().map(named).collect());
    }
    report.note(format!("{at_work} kills at work in {}/", victim.works_in));
    report.finish()
}

/// A kill, and what the process did until then.
struct Kill {
    moment: String,
    was_at_work: bool,
    faults: Vec<(Fault, String)>,
}

/// Starts the command and kills it: at work three times of four, else at any moment.
fn kill(random: &mut Random, victim: &Victim, sandbox: &Sandbox, whole: &Whole) -> Kill {
    let on_sight = random.below(4) > 0;
    let is_term = random.below(4) == 0;
    let part = random.below(1_000) as f64 / 1_000.0;
    let (from, window) = match on_sight {
        true => (whole.until_work, whole.took.saturating_sub(whole.until_work)),
        false => (Duration::ZERO, whole.took.mul_f64(1.1)),
    };
    let watch = Watch::new(victim, sandbox);
    let begun = Instant::now();
    let mut running = Running::start(&mut sandbox.tpq(victim.arguments));
    if on_sight {
        // Where the work is too short to be seen, by the time at which it began before.
        let most = from.mul_f64(0.9);
        while running.status().is_none()
            && !watch.is_at_work(&running)
            && begun.elapsed() < most.max(Duration::from_millis(5)) * 4
        {
            std::thread::sleep(LOOK);
        }
    }
    std::thread::sleep(window.mul_f64(part));
    let was_at_work = running.status().is_none() && watch.is_at_work(&running);
    let killed = if is_term { running.terminate() } else { running.kill() };
    let after = begun.elapsed();
    let ended = running.end(HANG);
    let how = if is_term { "SIGTERM" } else { "SIGKILL" };
    let moment = match killed {
        true => format!("{how} after {} of {} ms", after.as_millis(), whole.took.as_millis()),
        false => "not killed in time".to_owned(),
    };
    // A signal that was sent is not the fault of the process, nor is the exit code of that.
    let is_own =
        |fault: &(Fault, String)| !killed || !matches!(fault.0, Fault::Signal | Fault::WrongExit);
    let faults = ended.faults(MOST_MEMORY).into_iter().filter(is_own).collect();
    Kill { moment, was_at_work: was_at_work && killed, faults }
}

/// The next start: it succeeds, and nothing of the killed one is left after it.
fn start_again(victim: &Victim, sandbox: &Sandbox, whole: &Whole) -> Vec<(Fault, String)> {
    let is_same = victim.next.is_empty();
    let arguments = if is_same { victim.arguments } else { victim.next };
    let ended = process::run(&mut sandbox.tpq(arguments), HANG);
    let mut faults = ended.faults(MOST_MEMORY);
    if faults.is_empty() && !ended.is_success() {
        faults.push((Fault::WrongExit, format!("the next start: {}", ended.stderr)));
    }
    if is_same && ended.is_success() && ended.stdout != whole.stdout {
        faults.push((Fault::WrongAnswer, format!("the next start: {}", ended.stdout)));
    }
    let mut left = sandbox.left();
    for (path, bytes) in &files(&sandbox.path("out")) {
        match whole.files.get(path) {
            None => left.push(format!("out/{}", path.display())),
            Some(expected) if is_same && bytes != expected => {
                faults.push((
                    Fault::WrongAnswer,
                    format!("out/{} by the next start", path.display()),
                ));
            }
            Some(_) => {}
        }
    }
    faults.extend(left_files(&left));
    faults
}

/// Lets another process start while one has temporary files: it must not take them for left ones.
fn live_neighbour(effort: Effort) -> Result<(), Failed> {
    let mut report = Report::new("kills::live_neighbour", effort);
    let victim = VICTIMS.iter().find(|victim| !victim.next.is_empty()).unwrap();
    let trace = victim.trace.bytes(effort);
    let whole = Whole::of(victim, &trace)?;
    let mut at_work = 0;
    for case in effort.cases(1, 20) {
        let random = &mut effort.random(case);
        let sandbox = sandbox(&trace);
        let watch = Watch::new(victim, &sandbox);
        let begun = Instant::now();
        let mut running = Running::start(&mut sandbox.tpq(victim.arguments));
        // Where its files have no names, at some moment in the later half.
        let part = 0.5 + random.below(400) as f64 / 1_000.0;
        while running.status().is_none()
            && !watch.sees_names()
            && begun.elapsed() < whole.took.mul_f64(part)
        {
            std::thread::sleep(LOOK);
        }
        at_work += u64::from(running.status().is_none() && watch.is_at_work(&running));
        let neighbour = process::run(&mut sandbox.tpq(victim.next), HANG);
        let ended = running.end(HANG);
        let mut faults = neighbour.faults(MOST_MEMORY);
        faults.extend(ended.faults(MOST_MEMORY));
        if !ended.is_success() || !neighbour.is_success() {
            faults.push((Fault::WrongExit, format!("{}{}", ended.stderr, neighbour.stderr)));
        } else if files(&sandbox.path("out")) != whole.files {
            faults.push((Fault::WrongAnswer, "another result beside a neighbour".to_owned()));
        }
        faults.extend(left_files(&sandbox.left()));
        report.case(case, faults);
    }
    report.note(format!("{at_work} with files in {}/", victim.works_in));
    report.finish()
}
