//! Clocks that were read together.

use std::collections::BTreeMap;

use tpq::{Clock, ClockPath, ClockTie, Reading};

use super::groups::{Kind, TieGroup, group_ties};
use crate::layout::{Cell, columns, duration, grouped, heading};
use crate::names::Names;
use crate::terminal::Style;

/// How often two clocks were read together, by the origin of the readings. The lesser clock comes
/// first.
pub struct Origins(BTreeMap<(Clock, Clock), BTreeMap<&'static str, usize>>);

impl Origins {
    pub fn of(ties: &[ClockTie]) -> Self {
        let mut pairs: BTreeMap<(Clock, Clock), BTreeMap<&'static str, usize>> = BTreeMap::new();
        for tie in ties {
            for (index, a) in tie.first.iter().enumerate() {
                for b in &tie.first[index + 1..] {
                    let origins = pairs.entry(pair(a.clock, b.clock)).or_default();
                    *origins.entry(tie.origin).or_default() += tie.times;
                }
            }
        }
        Self(pairs)
    }

    /// Each pair of clocks, with how often they were read together by origin.
    pub fn iter(&self) -> impl Iterator<Item = (Clock, Clock, &BTreeMap<&'static str, usize>)> {
        self.0.iter().map(|(&(a, b), origins)| (a, b, origins))
    }

    /// The origins that relate two clocks.
    pub fn between(&self, a: Clock, b: Clock) -> impl Iterator<Item = &'static str> {
        self.0.get(&pair(a, b)).into_iter().flat_map(|origins| origins.keys().copied())
    }

    /// The origins of all hops of a conversion.
    pub fn of_path(&self, path: &ClockPath) -> String {
        let mut all = Vec::new();
        let mut from = path.clock;
        for hop in path.conversion.iter().flat_map(|conversion| &conversion.hops) {
            for origin in self.between(from, hop.to).map(origin_label) {
                if !all.contains(&origin) {
                    all.push(origin);
                }
            }
            from = hop.to;
        }
        all.join(", ")
    }
}

fn pair(a: Clock, b: Clock) -> (Clock, Clock) {
    (a.min(b), a.max(b))
}

fn origin_label(origin: &'static str) -> &'static str {
    match origin {
        "snapshot" => "snapshots",
        "remote_clock_sync" => "remote clock sync",
        other => other,
    }
}

/// Lists which clocks were read together, how often and by which origin.
pub fn list(ties: &[ClockTie], names: &Names, style: Style, out: &mut String) {
    if ties.is_empty() {
        return;
    }
    heading("Read together", style, out);
    let rows: Vec<Vec<Cell>> = group_ties(ties).iter().map(|group| row(group, names)).collect();
    columns(&rows, style, out);
}

fn row(group: &TieGroup<'_>, names: &Names) -> Vec<Cell> {
    let times = group.times();
    let (how_often, what) = match (group.origin(), times) {
        ("manifest", _) => (String::new(), "the manifest says"),
        ("snapshot", 1) => ("1".to_owned(), "snapshot"),
        ("snapshot", _) => (grouped(times as u64), "snapshots"),
        ("ftrace", _) => (grouped(times as u64), "by ftrace"),
        ("remote_clock_sync", _) => (grouped(times as u64), "by remote clock sync"),
        (other, _) => (grouped(times as u64), other),
    };
    let mut clocks = members(group, names);
    if group.origin() == "manifest" {
        clocks = manifest_relation(&group.ties, names);
    }
    vec![Cell::number(how_often), Cell::text(what), Cell::text(clocks)]
}

/// The clocks in the order in which they were read, with their source if there are several.
fn members(group: &TieGroup<'_>, names: &Names) -> String {
    // A snapshot may be empty.
    let Some(here) = group.kinds.first().map(|kind| kind.source) else {
        return "no clocks".to_owned();
    };
    let is_here = group.kinds.iter().all(|kind| kind.source == here);
    let name = |(kind, reading): (&Kind, &Reading)| match group.ties.len() {
        _ if !is_here => names.clock_with_source(reading.clock),
        1 => names.clock(reading.clock, here),
        _ => kind.name(names, here),
    };
    let clocks = group.kinds.iter().zip(&group.ties[0].first).map(name);
    let mut text = clocks.collect::<Vec<_>>().join(", ");
    if group.ties.len() > 1 {
        text.push_str(&format!(", in {} sequences", group.ties.len()));
    }
    match names.source(here) {
        source if is_here && !source.is_empty() => format!("{text} of {source}"),
        _ => text,
    }
}

/// The relation of two clocks in a manifest: one is the other plus an offset.
fn manifest_relation(ties: &[&ClockTie], names: &Names) -> String {
    let [own, reference] = &ties[0].first[..] else { return String::new() };
    let offset = reference.value.saturating_sub(own.value);
    let sign = if offset < 0 { '-' } else { '+' };
    format!(
        "{} = {} {sign} {}",
        names.clock_with_source(reference.clock),
        names.clock_with_source(own.clock),
        duration(offset.unsigned_abs())
    )
}
