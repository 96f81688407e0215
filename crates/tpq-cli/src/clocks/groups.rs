//! Clocks that writer sequences define for themselves, taken together: a program has one for each
//! of its threads, and all of them go the same way.

use tpq::{Basis, Clock, ClockHop, ClockPath, ClockScope, ClockTie, Source};

use crate::names::{Names, domain_name};

/// Where a clock is, but for the sequence that it is of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind {
    pub source: Source,
    pub id: u32,
    pub of_sequence: bool,
}

impl Kind {
    pub fn of(clock: Clock) -> Self {
        let of_sequence = matches!(clock.scope, ClockScope::Sequence(_));
        Self { source: clock.source, id: clock.id, of_sequence }
    }

    /// Its name; with its place unless that is `here`.
    pub fn name(self, names: &Names, here: Source) -> String {
        names.clock(Clock::of_source(self.source, self.id), here)
    }
}

/// How a step is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    Measured,
    Stated,
    Assumed,
}

impl Sign {
    pub fn of(hop: &ClockHop) -> Self {
        match hop.by {
            Basis::Measured(_) => Self::Measured,
            Basis::Stated => Self::Stated,
            Basis::Assumed => Self::Assumed,
        }
    }

    pub fn text(self) -> &'static str {
        match self {
            Self::Measured => "→",
            Self::Stated => "=",
            Self::Assumed => "≈",
        }
    }
}

/// Clocks of one kind that go the same way, or are all of one place.
pub struct PathGroup<'a> {
    pub kind: Kind,
    pub paths: Vec<&'a ClockPath>,
}

impl PathGroup<'_> {
    /// The clock, or of how many sequences it is one.
    pub fn name(&self) -> String {
        let name = domain_name(self.kind.id);
        match (self.kind.of_sequence, &self.paths[..]) {
            (false, _) => name,
            (true, [only]) => crate::names::clock_name(only.clock),
            (true, paths) => format!("{name} of {} sequences", paths.len()),
        }
    }

    /// One of them, to speak for all.
    pub fn first(&self) -> &ClockPath {
        self.paths[0]
    }
}

/// The clocks in groups, in the order of their first.
pub fn group_paths(paths: &[ClockPath]) -> Vec<PathGroup<'_>> {
    let mut groups: Vec<PathGroup<'_>> = Vec::new();
    for path in paths {
        let kind = Kind::of(path.clock);
        let same = |group: &&mut PathGroup<'_>| group.kind == kind && alike(group.first(), path);
        match groups.iter_mut().find(same) {
            Some(group) => group.paths.push(path),
            None => groups.push(PathGroup { kind, paths: vec![path] }),
        }
    }
    groups.sort_by_key(|group| (group.kind.source, group.kind.of_sequence, group.kind.id));
    groups
}

fn alike(a: &ClockPath, b: &ClockPath) -> bool {
    let ends = |path: &ClockPath| match &path.way {
        Ok(way) => {
            let hops = way.hops.iter().map(|hop| (Kind::of(hop.to), Sign::of(hop)));
            Ok((way.rule, hops.collect::<Vec<_>>()))
        }
        Err(error) => Err(super::reason(path, error)),
    };
    (a.used, ends(a)) == (b.used, ends(b))
}

/// Clocks that were read together, and how often; of any number of sequences.
pub struct TieGroup<'a> {
    pub kinds: Vec<Kind>,
    pub ties: Vec<&'a ClockTie>,
}

impl TieGroup<'_> {
    /// How often, over all sequences.
    pub fn times(&self) -> usize {
        self.ties.iter().map(|tie| tie.times).sum()
    }

    pub fn origin(&self) -> &'static str {
        self.ties[0].origin
    }
}

/// What ties clocks in groups, in the order of the first of each file.
pub fn group_ties(ties: &[ClockTie]) -> Vec<TieGroup<'_>> {
    let mut groups: Vec<TieGroup<'_>> = Vec::new();
    for tie in ties {
        let kinds: Vec<Kind> = tie.first.iter().map(|reading| Kind::of(reading.clock)).collect();
        let is_one = |group: &&mut TieGroup<'_>| {
            group.kinds == kinds
                && group.origin() == tie.origin
                && kinds.iter().any(|kind| kind.of_sequence)
        };
        match groups.iter_mut().find(is_one) {
            Some(group) => group.ties.push(tie),
            None => groups.push(TieGroup { kinds, ties: vec![tie] }),
        }
    }
    groups.sort_by_key(|group| group.kinds.first().map(|kind| kind.source));
    groups
}
