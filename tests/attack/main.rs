//! Attacks on tpq from outside: damaged inputs, damaged cache files, kills at any moment, full
//! disks, and traces that change while they are read. Each attack has a small run, which is part of the
//! tests, and a long one:
//!
//! ```text
//! cargo test --test attack                              the small run
//! TPQ_ATTACK=long cargo test --test attack              the long run
//! TPQ_ATTACK_SCALE=5 …                                  five times the cases of the small run
//! TPQ_ATTACK_SEED=7 …                                   other cases
//! TPQ_ATTACK_CASE=123 cargo test --test attack kills::  one case again
//! TPQ_ATTACK_BINARY=target/release/tpq …                another binary, where one is run
//! ```
//!
//! The inputs of a case follow from the seed and its number. Moments do not: when a process is
//! killed depends on the machine as well.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails by panicking")]

mod areas;
mod bases;
mod cache_damage;
mod cached_tables;
mod changing_trace;
mod effort;
mod full_disk;
mod kills;
mod left_out_tables;
mod mapped_tables;
mod mutated_inputs;
mod mutations;
mod process;
mod report;
mod sandbox;
mod tampering;
mod traces;
mod victims;
mod worker;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

use crate::effort::Effort;

fn main() -> ExitCode {
    if worker::is_one() {
        worker::run();
        return ExitCode::SUCCESS;
    }
    let arguments = Arguments::from_args();
    let effort = match Effort::from_env() {
        Ok(effort) => effort,
        Err(why) => {
            println!("{why}");
            return ExitCode::FAILURE;
        }
    };
    let mut trials = vec![
        Trial::test("mutations::imported", move || mutations::imported(effort)),
        Trial::test("mutations::by_the_binary", move || mutations::by_the_binary(effort)),
        Trial::test("cache::corrupted", move || cached_tables::corrupted(effort)),
        Trial::test("cache::changed_while_mapped", move || mapped_tables::changed(effort)),
        Trial::test("trace::changes_while_read", move || changing_trace::changes(effort)),
    ];
    trials.extend(mutations::trials(effort));
    trials.extend(kills::trials(effort));
    trials.extend(full_disk::trials(effort));
    libtest_mimic::run(&arguments, trials).exit_code()
}
