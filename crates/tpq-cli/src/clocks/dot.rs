//! The clock graph for Graphviz.

use std::collections::{BTreeMap, BTreeSet};

use tpq::{Basis, ClockPath, Measured, Trace};

use super::groups::{Kind, group_paths};
use super::numbers::Numbers;
use super::rules::{reason, rule};
use super::ties::Origins;
use crate::layout::counted;
use crate::names::Names;

/// A hop that conversions use.
#[derive(Default)]
struct HopStyle<'a> {
    measured: Vec<&'a Measured>,
    /// The line style and label if the hop is stated or assumed instead of measured.
    unmeasured: Option<(&'static str, &'static str)>,
    /// Whether the clock at its start counts ticks.
    ticks: bool,
}

/// The clock graph as a document in the DOT language. Boxes are clocks, solid arrows are hops of
/// conversions, dashed arrows are assumptions. Dotted lines connect clocks that were read together
/// but that no conversion relates directly.
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
    append_nodes(&paths, trace_clock, &numbers, &names, &mut out);
    let hops = hops(&paths);
    for ((from, to), step) in &hops {
        out.push_str(&format!(
            "  c{} -> c{} [{}];\n",
            numbers[from],
            numbers[to],
            edge_attributes(step)
        ));
    }
    for (from, to, times) in undirected_edges(&Origins::of(clocks.ties()), &hops) {
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

fn append_nodes(
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
            let (mut label, mut attributes) = (group.name(), "");
            if group.kind == trace_clock {
                label.push_str("\ntrace time");
                attributes = ", penwidth=2";
            } else if let Err(error) = &path.conversion {
                label = format!("{label}\n{}", reason(path, error));
                attributes = ", color=red";
            }
            let number = numbers[&group.kind];
            out.push_str(&format!("    c{number} [label={}{attributes}];\n", quoted(&label)));
        }
        out.push_str("  }\n");
    }
}

/// Every hop of every conversion.
fn hops(paths: &[ClockPath]) -> BTreeMap<(Kind, Kind), HopStyle<'_>> {
    let mut steps: BTreeMap<(Kind, Kind), HopStyle<'_>> = BTreeMap::new();
    for path in paths {
        let Ok(conversion) = &path.conversion else { continue };
        let mut from = Kind::of(path.clock);
        for hop in &conversion.hops {
            let to = Kind::of(hop.to);
            let step = steps.entry((from, to)).or_default();
            step.ticks = path.ticks && from == Kind::of(path.clock);
            match &hop.by {
                Basis::Measured(measured) => step.measured.push(measured),
                Basis::Stated => step.unmeasured = Some(("solid", "manifest")),
                Basis::Assumed => step.unmeasured = Some(("dashed", rule(conversion.rule))),
            }
            from = to;
        }
    }
    steps
}

fn edge_attributes(step: &HopStyle<'_>) -> String {
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

/// Clocks that were read together although no conversion goes directly from one to the other.
fn undirected_edges(
    origins: &Origins,
    steps: &BTreeMap<(Kind, Kind), HopStyle<'_>>,
) -> Vec<(Kind, Kind, usize)> {
    let mut lines: BTreeMap<(Kind, Kind), usize> = BTreeMap::new();
    for (a, b, times) in origins.iter() {
        let (a, b) = (Kind::of(a), Kind::of(b));
        if !steps.contains_key(&(a, b)) && !steps.contains_key(&(b, a)) {
            *lines.entry((a, b)).or_default() += times.values().sum::<usize>();
        }
    }
    lines.into_iter().map(|((a, b), times)| (a, b, times)).collect()
}

/// Quotes a text for the DOT language.
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
