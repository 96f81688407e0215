//! The clock graph for Graphviz.

use std::collections::{BTreeMap, BTreeSet};

use tpq::{Basis, ClockPath, Measured, Trace};

use super::groups::{Kind, group_paths};
use super::numbers::Numbers;
use super::rules::{reason, rule};
use super::ties::Origins;
use crate::layout::counted;
use crate::names::Names;

/// A step that conversions take.
#[derive(Default)]
struct Step<'a> {
    measured: Vec<&'a Measured>,
    /// What else leads there where nothing is measured.
    unmeasured: Option<(&'static str, &'static str)>,
    /// Whether the clock that it leads from counts ticks.
    ticks: bool,
}

/// The graph as a document in the DOT language. Boxes are clocks, solid arrows the steps that
/// conversions take, dashed ones what is assumed; dotted lines join clocks that were read together
/// without any conversion going that way.
pub async fn graph(trace: &Trace) -> anyhow::Result<String> {
    let names = Names::of(trace).await?;
    let clocks = &trace.summary().clocks;
    let paths = clocks.paths();
    let trace_clock = Kind::of(clocks.trace_clock());
    let mut numbers: BTreeMap<Kind, usize> = BTreeMap::new();
    for path in &paths {
        let next = numbers.len();
        numbers.entry(Kind::of(path.clock)).or_insert(next);
    }
    let mut out =
        String::from("digraph clocks {\n  rankdir=LR;\n  node [shape=box, style=rounded];\n");
    boxes(&paths, trace_clock, &numbers, &names, &mut out);
    let steps = steps(&paths);
    for ((from, to), step) in &steps {
        out.push_str(&format!("  c{} -> c{} [{}];\n", numbers[from], numbers[to], look(step)));
    }
    for (from, to, times) in lines(&Origins::of(clocks.ties()), &steps) {
        let times = counted(times as u64, "snapshot", "snapshots");
        out.push_str(&format!(
            "  c{} -> c{} [dir=none, constraint=false, style=dotted, color=gray, tooltip={}];\n",
            numbers[&from],
            numbers[&to],
            quoted(&times)
        ));
    }
    out.push_str("}\n");
    Ok(out)
}

fn boxes(
    paths: &[ClockPath],
    trace_clock: Kind,
    numbers: &BTreeMap<Kind, usize>,
    names: &Names,
    out: &mut String,
) {
    let mut drawn: BTreeSet<Kind> = BTreeSet::new();
    let groups = group_paths(paths);
    for (cluster, source) in groups.chunk_by(|a, b| a.kind.source == b.kind.source).enumerate() {
        let title = quoted(&names.title(source[0].kind.source));
        out.push_str(&format!("  subgraph cluster_{cluster} {{\n    label={title};\n"));
        for group in source {
            if !drawn.insert(group.kind) {
                continue;
            }
            let path = group.first();
            let (mut label, mut look) = (group.name(), "");
            if group.kind == trace_clock {
                label.push_str("\ntrace time");
                look = ", penwidth=2";
            } else if let Err(error) = &path.way {
                label = format!("{label}\n{}", reason(path, error));
                look = ", color=red";
            }
            let number = numbers[&group.kind];
            out.push_str(&format!("    c{number} [label={}{look}];\n", quoted(&label)));
        }
        out.push_str("  }\n");
    }
}

/// Every step of every way.
fn steps(paths: &[ClockPath]) -> BTreeMap<(Kind, Kind), Step<'_>> {
    let mut steps: BTreeMap<(Kind, Kind), Step<'_>> = BTreeMap::new();
    for path in paths {
        let Ok(way) = &path.way else { continue };
        let mut from = Kind::of(path.clock);
        for hop in &way.hops {
            let to = Kind::of(hop.to);
            let step = steps.entry((from, to)).or_default();
            step.ticks = path.ticks && from == Kind::of(path.clock);
            match &hop.by {
                Basis::Measured(measured) => step.measured.push(measured),
                Basis::Stated => step.unmeasured = Some(("solid", "manifest")),
                Basis::Assumed => step.unmeasured = Some(("dashed", rule(way.rule))),
            }
            from = to;
        }
    }
    steps
}

fn look(step: &Step<'_>) -> String {
    if let Some((style, label)) = step.unmeasured {
        return format!("style={style}, label={}", quoted(label));
    }
    let Numbers { snapshots, drift, .. } = Numbers::of(&step.measured, step.ticks);
    let snapshots = match snapshots.as_deref() {
        Some("1") => "1 snapshot".to_owned(),
        Some(several) => format!("{several} snapshots"),
        None => String::new(),
    };
    let label = match drift {
        Some(drift) if step.ticks => format!("{snapshots}\n{drift}"),
        Some(drift) => format!("{snapshots}\n{drift} ppm"),
        None => snapshots,
    };
    format!("label={}", quoted(&label))
}

/// Clocks that were read together though no conversion goes from one to the other.
fn lines(origins: &Origins, steps: &BTreeMap<(Kind, Kind), Step<'_>>) -> Vec<(Kind, Kind, usize)> {
    let mut lines: BTreeMap<(Kind, Kind), usize> = BTreeMap::new();
    for (a, b, times) in origins.iter() {
        let (a, b) = (Kind::of(a), Kind::of(b));
        if !steps.contains_key(&(a, b)) && !steps.contains_key(&(b, a)) {
            *lines.entry((a, b)).or_default() += times.values().sum::<usize>();
        }
    }
    lines.into_iter().map(|((a, b), times)| (a, b, times)).collect()
}

/// A text as the DOT language quotes it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn quotes_are_escaped() {
        assert_eq!(quoted("a \"b\"\nc\\d"), r#""a \"b\"\nc\\d""#);
    }
}
