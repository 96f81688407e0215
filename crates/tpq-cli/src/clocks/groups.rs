//! Groups the clocks that writer sequences define for themselves: a program has one for each of its
//! threads, and all of them convert in the same way.

use tpq::{Basis, Clock, ClockHop, ClockPath, ClockScope, ClockTie, Source};

use crate::names::{Names, domain_name};

/// The identity of a clock without its sequence.
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

    /// The name of the clock, with its source unless that is `here`.
    pub fn name(self, names: &Names, here: Source) -> String {
        names.clock(Clock::of_source(self.source, self.id), here)
    }
}

/// The sign for a hop.
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

/// Clocks of one kind with the same conversions.
pub struct PathGroup<'a> {
    pub kind: Kind,
    pub paths: Vec<&'a ClockPath>,
}

impl PathGroup<'_> {
    /// The name of the clock, or the number of sequences that define it.
    pub fn name(&self) -> String {
        let name = domain_name(self.kind.id);
        match (self.kind.of_sequence, &self.paths[..]) {
            (false, _) => name,
            (true, [only]) => crate::names::clock_name(only.clock),
            (true, paths) => format!("{name} of {} sequences", paths.len()),
        }
    }

    /// A representative of the group.
    pub fn first(&self) -> &ClockPath {
        self.paths[0]
    }
}

/// Groups the clocks, sorted by source.
pub fn group_paths(paths: &[ClockPath]) -> Vec<PathGroup<'_>> {
    let mut groups: Vec<PathGroup<'_>> = Vec::new();
    for path in paths {
        let kind = Kind::of(path.clock);
        let same = |group: &&mut PathGroup<'_>| {
            group.kind == kind && has_same_conversion(group.first(), path)
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.paths.push(path),
            None => groups.push(PathGroup { kind, paths: vec![path] }),
        }
    }
    groups.sort_by_key(|group| (group.kind.source, group.kind.of_sequence, group.kind.id));
    groups
}

fn has_same_conversion(a: &ClockPath, b: &ClockPath) -> bool {
    let conversion_key = |path: &ClockPath| match &path.conversion {
        Ok(conversion) => {
            let hops = conversion.hops.iter().map(|hop| (Kind::of(hop.to), Sign::of(hop)));
            Ok((conversion.rule, hops.collect::<Vec<_>>()))
        }
        Err(error) => Err(super::reason(path, error)),
    };
    (a.used, conversion_key(a)) == (b.used, conversion_key(b))
}

/// Clocks that were read together, and how often, in one or more sequences.
pub struct TieGroup<'a> {
    pub kinds: Vec<Kind>,
    pub ties: Vec<&'a ClockTie>,
}

impl TieGroup<'_> {
    /// How often the clocks were read together, over all sequences.
    pub fn times(&self) -> usize {
        self.ties.iter().map(|tie| tie.times).sum()
    }

    pub fn origin(&self) -> &'static str {
        self.ties[0].origin
    }
}

/// Groups the ties of clocks, sorted by the source of the first clock.
pub fn group_ties(ties: &[ClockTie]) -> Vec<TieGroup<'_>> {
    let mut groups: Vec<TieGroup<'_>> = Vec::new();
    for tie in ties {
        let kinds: Vec<Kind> = tie.first.iter().map(|reading| Kind::of(reading.clock)).collect();
        let is_same = |group: &&mut TieGroup<'_>| {
            group.kinds == kinds
                && group.origin() == tie.origin
                && kinds.iter().any(|kind| kind.of_sequence)
        };
        match groups.iter_mut().find(is_same) {
            Some(group) => group.ties.push(tie),
            None => groups.push(TieGroup { kinds, ties: vec![tie] }),
        }
    }
    groups.sort_by_key(|group| group.kinds.first().map(|kind| kind.source));
    groups
}
