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

/// The facts as text.
pub(super) fn write(problems: &[Problem], cmdlines: &[u8]) -> Vec<u8> {
    let mut text = String::new();
    for (at, damage) in problems.iter().take(MOST_PROBLEMS) {
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
        let facts = write(&written, b"1 init\n");
        assert_eq!(problems(&facts).collect::<Vec<_>>(), written);
        assert!(facts.ends_with(b"\n\n1 init\n"));
    }
}
