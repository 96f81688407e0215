//! Facts of a recording that packets do not have: what is damaged, and names of threads.
//!
//! ```text
//! 4096 7              offset in the file, and the number of the kind of damage
//!
//! 42 kworker/0:1      thread and name
//! ```

use tpq_decode::RunEvent;
use tpq_tables::{Stats, Tables};
use tpq_trackers::track::{NamePriority, Tid, Trackers};

use super::recording::{Damage, Problem};
use crate::text::{lines, number, split_word};

/// Problems that are listed one by one.
const MOST_PROBLEMS: usize = 100_000;

/// What is wrong in a file. A small compressed file can have any number of damaged pages, so that
/// those behind the first ones are only counted.
#[derive(Debug, Default)]
pub(super) struct Problems {
    listed: Vec<Problem>,
    /// The number of those that are not listed.
    pub(super) others: u64,
}

impl Problems {
    pub(super) fn of(found: &[Problem]) -> Self {
        let mut problems = Self::default();
        found.iter().for_each(|&problem| problems.push(problem));
        problems
    }

    pub(super) fn push(&mut self, problem: Problem) {
        match self.listed.len() < MOST_PROBLEMS {
            true => self.listed.push(problem),
            false => self.others += 1,
        }
    }
}

/// The facts as text.
pub(super) fn write(problems: &Problems, cmdlines: &[u8]) -> Vec<u8> {
    let mut text = String::new();
    for (at, damage) in &problems.listed {
        let number = Damage::ALL.iter().position(|it| it == damage).unwrap_or_default();
        text.push_str(&format!("{at} {number}\n"));
    }
    text.push('\n');
    [text.as_bytes(), cmdlines].concat()
}

/// The problems in facts.
pub(super) fn problems(facts: &[u8]) -> impl Iterator<Item = Problem> {
    lines(facts).map_while(|line| {
        let (at, kind) = split_word(line)?;
        Some((number(at)?, *Damage::ALL.get(number::<usize>(kind)?)?))
    })
}

/// Decodes the names of threads.
pub(super) fn decode_names(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    _: &mut Stats,
) {
    for line in lines(event.message()).skip_while(|line| !line.is_empty()) {
        let Some((tid, name)) = split_word(line) else { continue };
        let Some(id) = number::<u32>(tid).filter(|&id| id > 0 && !name.is_empty()) else {
            continue;
        };
        let tid = Tid { machine: event.machine, id: i64::from(id) };
        let name = tables.strings.intern_bytes(name);
        let utid = trackers.processes.thread(tid, tables);
        trackers.processes.name_thread(utid, name, NamePriority::Ftrace, tables);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_read_back() {
        let written = [(4096, Damage::Page), (7, Damage::Cut)];
        let facts = write(&Problems::of(&written), b"1 init\n");
        assert_eq!(problems(&facts).collect::<Vec<_>>(), written);
        assert!(facts.ends_with(b"\n\n1 init\n"));
    }

    #[test]
    fn very_many_problems_are_counted() {
        let found = vec![(4096, Damage::Page); MOST_PROBLEMS + 3];
        let all = Problems::of(&found);
        assert_eq!(all.others, 3);
        assert_eq!(problems(&write(&all, b"")).count(), MOST_PROBLEMS);
    }
}
