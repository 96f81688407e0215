//! The conversion of each clock to trace time.

use std::collections::BTreeSet;

use tpq::{Basis, Clock, ClockHop, ClockJump, ClockPath, Clocks, Measured, Rule};

use super::groups::{Kind, PathGroup, Sign, group_paths};
use super::numbers::Numbers;
use super::rules::{condition, reason, rule};
use super::ties::Origins;
use crate::layout::{Cell, columns, duration, grouped, heading};
use crate::names::Names;
use crate::terminal::{Emphasis, Style};

/// The number of jumps that are listed.
const MAX_JUMPS: usize = 20;

/// Lists the clocks of each machine in each file.
pub fn list(paths: &[ClockPath], clocks: &Clocks, names: &Names, style: Style, out: &mut String) {
    let origins = Origins::of(clocks.ties());
    let trace_clock = clocks.trace_clock();
    let groups = group_paths(paths);
    for source in groups.chunk_by(|a, b| a.kind.source == b.kind.source) {
        let title = match names.title(source[0].kind.source) {
            title if title.is_empty() => "Clocks".to_owned(),
            title => title,
        };
        heading(&title, style, out);
        let mut rows = vec![header()];
        rows.extend(source.iter().map(|group| row(group, trace_clock, &origins, names)));
        columns(&rows, style, out);
    }
}

fn header() -> Vec<Cell> {
    let left = |text| Cell::text(text).emphasis(Emphasis::Dim);
    let right = |text| Cell::number(text).emphasis(Emphasis::Dim);
    vec![
        left("clock"),
        left("to trace time"),
        left("placed by"),
        right("snapshots"),
        right("drift, ppm"),
        right("±"),
        right("off by"),
        left("events"),
    ]
}

fn row(group: &PathGroup<'_>, trace_clock: Clock, origins: &Origins, names: &Names) -> Vec<Cell> {
    let path = group.first();
    let (text, by, emphasis) = match &path.conversion {
        Ok(conversion) if conversion.hops.is_empty() => {
            ("is trace time".to_owned(), String::new(), Emphasis::Plain)
        }
        Ok(conversion) if conversion.rule == Rule::Snapshots => {
            (chain(path, trace_clock, names), origins.of_path(path), Emphasis::Plain)
        }
        Ok(conversion) => {
            (chain(path, trace_clock, names), rule(conversion.rule).to_owned(), Emphasis::Warning)
        }
        Err(error) => {
            let emphasis = if path.used { Emphasis::Error } else { Emphasis::Dim };
            (reason(path, error), "not placed".to_owned(), emphasis)
        }
    };
    let measured: Vec<&Measured> =
        group.paths.iter().filter_map(|path| path.measured.as_ref()).collect();
    let mut cells =
        vec![Cell::text(group.name()), Cell::text(text), Cell::text(by).emphasis(emphasis)];
    let Numbers { snapshots, drift, uncertainty, residual } = Numbers::of(&measured, path.ticks);
    let numbers = [snapshots, drift, uncertainty, residual];
    cells.extend(numbers.map(|number| Cell::number(number.unwrap_or_default())));
    cells.push(Cell::text(if path.used { "yes" } else { "" }).emphasis(Emphasis::Dim));
    cells
}

/// The clocks on the path, each after the sign of the hop to it. If trace time is a clock of
/// another source, it is called "trace time".
fn chain(path: &ClockPath, trace_clock: Clock, names: &Names) -> String {
    let here = path.clock.source;
    let hop = |hop: &ClockHop| {
        let name = match hop.to == trace_clock && hop.to.source != here {
            true => "trace time".to_owned(),
            false => Kind::of(hop.to).name(names, here),
        };
        format!("{} {name}", Sign::of(hop).text())
    };
    path.conversion
        .iter()
        .flat_map(|conversion| &conversion.hops)
        .map(hop)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Lists the assumptions that placed clocks, each once.
pub fn list_assumptions(paths: &[ClockPath], names: &Names, style: Style, out: &mut String) {
    let mut assumed: BTreeSet<(Clock, Clock)> = BTreeSet::new();
    let mut rows = Vec::new();
    for path in paths {
        let Ok(conversion) = &path.conversion else { continue };
        let mut from = path.clock;
        for hop in &conversion.hops {
            if hop.by == Basis::Assumed && assumed.insert((from, hop.to)) {
                let (from, to) = (names.clock_with_source(from), names.clock_with_source(hop.to));
                rows.push(vec![
                    Cell::text(from),
                    Cell::text(format!("≈ {to}")),
                    Cell::text(rule(conversion.rule)).emphasis(Emphasis::Warning),
                    Cell::text(condition(conversion.rule)),
                ]);
            }
            from = hop.to;
        }
    }
    if !rows.is_empty() {
        heading("Assumed to read the same", style, out);
        columns(&rows, style, out);
    }
}

/// Lists the jumps of clocks against each other, in the order of time.
pub fn list_jumps(paths: &[ClockPath], start: i64, names: &Names, style: Style, out: &mut String) {
    let jumps = jumps(paths);
    if jumps.is_empty() {
        return;
    }
    heading("Jumps", style, out);
    let cells = |&(jump, clock, by): &(ClockJump, Clock, Clock)| {
        let ClockJump { ts, size_ns } = jump;
        let sign = if ts < start { '-' } else { '+' };
        let direction = if size_ns < 0 { "back" } else { "forward" };
        let movement = format!("{direction} by {}", duration(size_ns.unsigned_abs()));
        vec![
            Cell::number(format!("{sign}{}", duration(ts.abs_diff(start)))),
            Cell::number(format!("ts {ts}")),
            Cell::text(names.clock_with_source(clock)),
            Cell::text(movement).emphasis(Emphasis::Warning),
            Cell::text(format!("against {}", names.clock(by, clock.source))),
        ]
    };
    columns(&jumps.iter().take(MAX_JUMPS).map(cells).collect::<Vec<_>>(), style, out);
    if jumps.len() > MAX_JUMPS {
        let more = grouped((jumps.len() - MAX_JUMPS) as u64);
        out.push_str(&format!("  and {more} more, in the table clock_jump\n"));
    }
}

/// The jumps on all conversions. A hop that several conversions share counts once.
fn jumps(paths: &[ClockPath]) -> Vec<(ClockJump, Clock, Clock)> {
    let mut seen: BTreeSet<(Clock, Clock)> = BTreeSet::new();
    let mut jumps = Vec::new();
    let mut add = |clock: Clock, measured: &Measured| {
        if seen.insert((clock, measured.by)) {
            jumps.extend(measured.jumps.iter().map(|&jump| (jump, clock, measured.by)));
        }
    };
    for path in paths {
        match &path.conversion {
            Ok(conversion) => {
                let mut from = path.clock;
                for hop in &conversion.hops {
                    hop.measured().into_iter().for_each(|measured| add(from, measured));
                    from = hop.to;
                }
            }
            Err(_) => path.measured.iter().for_each(|measured| add(path.clock, measured)),
        }
    }
    jumps.sort_by_key(|&(jump, clock, _)| (jump.ts, clock));
    jumps
}
