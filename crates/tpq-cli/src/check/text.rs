//! The report as text on one screen: losses grouped by kind, the largest first.

use std::collections::HashMap;

use super::{Loss, LossReport};
use crate::layout::grouped;
use crate::names::Names;
use crate::terminal::{Emphasis, Style};

/// The number of losses of one kind that are listed.
const MAX_LOSSES: usize = 3;
/// The number of files that are listed.
const MAX_FILES: usize = 20;
/// The width at which lines are wrapped.
const WIDTH: usize = 96;

/// Describes what was lost and how to avoid it.
pub fn text(report: &LossReport, names: &Names, style: Style) -> String {
    let mut out = String::new();
    let headline = match (report.is_lost(), report.losses.is_empty()) {
        (true, _) => style.red("Data was lost."),
        (false, false) if report.losses.iter().all(text_names_file) => {
            style.green("No data was lost from the files that were read.")
        }
        (false, false) if report.is_unknown() => {
            style.yellow("No loss was reported, but not every loss would be reported.")
        }
        (false, false) => style.green("No data was lost, but there was a risk of loss."),
        (false, true) => style.green("No data was lost."),
    };
    out.push_str(&headline);
    out.push('\n');
    let mut groups = groups(&report.losses);
    groups.sort_by_key(|group| group.iter().all(|loss| loss.is_notice));
    for group in groups {
        out.push('\n');
        append_group(&group, report, names, style, &mut out);
    }
    if !report.errors.is_empty() {
        out.push_str("\nNot understood, and counted in stats:\n");
        for error in &report.errors {
            let count = grouped(error.count.unsigned_abs());
            out.push_str(&format!("  {} {count}\n", style.yellow(&error.stat)));
        }
    }
    out
}

/// Groups losses by file and kind, in the order of the first loss of each group. Losses that name
/// their file form one group over all files.
fn groups(losses: &[Loss]) -> Vec<Vec<&Loss>> {
    let mut groups: Vec<Vec<&Loss>> = Vec::new();
    let mut indices = HashMap::new();
    for loss in losses {
        let file = loss.file.filter(|_| !text_names_file(loss));
        let index = *indices.entry((&loss.kind, loss.is_notice, file)).or_insert(groups.len());
        match groups.get_mut(index) {
            Some(group) => group.push(loss),
            None => groups.push(vec![loss]),
        }
    }
    for group in &mut groups {
        group.sort_by_key(|loss| std::cmp::Reverse(loss.amount));
    }
    groups
}

/// Whether the text of the loss names the file.
fn text_names_file(loss: &Loss) -> bool {
    matches!(loss.kind.as_str(), "file_not_read" | "file_cut_short" | "archive_irregular")
}

fn append_group(
    group: &[&Loss],
    report: &LossReport,
    names: &Names,
    style: Style,
    out: &mut String,
) {
    let Some(worst) = group.first() else { return };
    let (symbol, emphasis) =
        if worst.is_notice { ("!", Emphasis::Warning) } else { ("✗", Emphasis::Error) };
    let max_listed = if text_names_file(worst) { MAX_FILES } else { MAX_LOSSES };
    for loss in group.iter().take(max_listed) {
        paragraph(&format!("{} ", style.emphasize(emphasis, symbol)), "  ", &loss.what, out);
    }
    if group.len() > max_listed {
        let rest = &group[max_listed..];
        let amounts = rest.iter().filter_map(|loss| loss.amount);
        let amount = amounts.fold(0, i64::saturating_add);
        let of_these = match amount {
            0 => String::new(),
            amount => format!(", {} {} in all", grouped(amount.unsigned_abs()), worst.unit),
        };
        let more = format!("… and {} more like these{of_these}.", rest.len());
        paragraph("  ", "  ", &more, out);
    }
    let location = location(group, report, names);
    if !location.is_empty() {
        out.push_str(&format!("    {}\n", style.dim(&location)));
    }
    if !worst.remedy.is_empty() {
        paragraph(&format!("    {} ", style.cyan("→")), "      ", &worst.remedy, out);
    }
}

/// The time span relative to the start of the recording, the file and the machine of a group.
fn location(group: &[&Loss], report: &LossReport, names: &Names) -> String {
    let (start, end) = report.bounds;
    // Lost data may precede all data that was kept.
    let lost = report.losses.iter().filter_map(|loss| loss.span.0);
    let start = lost.min().map_or(start, |lost| lost.min(start));
    let at = |ts: i64| moment(ts.saturating_sub(start), end.saturating_sub(start));
    let known = |of: fn(&Loss) -> Option<i64>| group.iter().filter_map(move |loss| of(loss));
    let from = known(|loss| loss.span.0).min().filter(|&from| from > start);
    let to = known(|loss| loss.span.1).max().filter(|&to| to < end);
    let any = group.iter().any(|loss| loss.span != (None, None));
    let mut parts = Vec::new();
    if any {
        parts.push(match (from, to) {
            (Some(from), Some(to)) => format!("from {} to {}", at(from), at(to)),
            (Some(from), None) => format!("from {} to the end", at(from)),
            (None, Some(to)) => format!("from the start to {}", at(to)),
            (None, None) => "over the whole trace".to_owned(),
        });
    }
    let Some(loss) = group.first() else { return String::new() };
    if let Some(file) = loss.file.filter(|_| names.several_files() && !text_names_file(loss)) {
        parts.push(format!("in {}", names.file(file)));
    }
    if let Some(machine) = loss.machine.filter(|_| names.several_machines()) {
        parts.push(format!("on {}", names.machine(machine)));
    }
    parts.join(", ")
}

/// Wraps text; the first line begins with `first`, the others with `rest`.
fn paragraph(first: &str, rest: &str, text: &str, out: &mut String) {
    out.push_str(first);
    let mut column = rest.chars().count();
    for (index, word) in words(text).iter().enumerate() {
        let width = word.chars().count();
        if index > 0 && column + 1 + width > WIDTH {
            out.push('\n');
            out.push_str(rest);
            column = rest.chars().count();
        } else if index > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += width;
    }
    out.push('\n');
}

/// Formats a moment in ns since the start, in a unit that fits a recording of `length` ns.
fn moment(ns: i64, length: i64) -> String {
    match length {
        length if length >= 1_000_000_000 => format!("{:.3} s", ns as f64 / 1e9),
        length if length >= 1_000_000 => format!("{:.3} ms", ns as f64 / 1e6),
        _ => format!("{ns} ns"),
    }
}

/// Splits text into words. A unit stays with its number.
fn words(text: &str) -> Vec<String> {
    const UNITS: [&str; 8] = ["bytes", "KiB", "MiB", "GiB", "s", "ms", "ns", "%"];
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let unit = UNITS.contains(&word.trim_end_matches(['.', ',', ':', ';', ')']));
        match words.last_mut() {
            Some(number) if unit && number.ends_with(|last: char| last.is_ascii_digit()) => {
                number.push(' ');
                number.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_stays_with_its_number() {
        assert_eq!(
            words("6 chunks of 64 KiB, in 10 ms."),
            ["6", "chunks", "of", "64 KiB,", "in", "10 ms."]
        );
    }
}
