//! The verdict for people, on one screen: losses of one kind together, the largest first.

use std::collections::HashMap;

use super::{Loss, Verdict};
use crate::layout::grouped;
use crate::names::Names;
use crate::terminal::{Look, Style};

/// Losses of one kind that are told one by one.
const TOLD: usize = 3;
/// Files that are told of one by one.
const TOLD_FILES: usize = 20;
/// Where lines break that are not the terminal's own.
const WIDTH: usize = 96;

/// Everything that was lost, and what helps.
pub fn text(verdict: &Verdict, names: &Names, style: Style) -> String {
    let mut out = String::new();
    let headline = match (verdict.is_lost(), verdict.losses.is_empty()) {
        (true, _) => style.red("Data was lost."),
        (false, false) if verdict.losses.iter().all(names_its_file) => {
            style.green("No data was lost from the files that were read.")
        }
        (false, false) if verdict.is_unknown() => {
            style.yellow("No loss is told of, but not all would be.")
        }
        (false, false) => style.green("No data was lost, but it might have been."),
        (false, true) => style.green("No data was lost."),
    };
    out.push_str(&headline);
    out.push('\n');
    let mut groups = groups(&verdict.losses);
    groups.sort_by_key(|group| group.iter().all(|loss| loss.only_notice));
    for group in groups {
        out.push('\n');
        tell(&group, verdict, names, style, &mut out);
    }
    if !verdict.errors.is_empty() {
        out.push_str("\nNot understood, and counted in stats:\n");
        for error in &verdict.errors {
            let count = grouped(error.count.unsigned_abs());
            out.push_str(&format!("  {} {count}\n", style.yellow(&error.stat)));
        }
    }
    out
}

/// Losses of one file and kind, in the order in which the first of each comes. Those that name their
/// file themselves are one group over all files.
fn groups(losses: &[Loss]) -> Vec<Vec<&Loss>> {
    let mut groups: Vec<Vec<&Loss>> = Vec::new();
    let mut places = HashMap::new();
    for loss in losses {
        let file = loss.file.filter(|_| !names_its_file(loss));
        let place = *places.entry((&loss.kind, loss.only_notice, file)).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(loss),
            None => groups.push(vec![loss]),
        }
    }
    for group in &mut groups {
        group.sort_by_key(|loss| std::cmp::Reverse(loss.amount));
    }
    groups
}

/// Whether what was lost is told by the name of the file.
fn names_its_file(loss: &Loss) -> bool {
    matches!(loss.kind.as_str(), "file_not_read" | "file_cut_short" | "archive_irregular")
}

fn tell(group: &[&Loss], verdict: &Verdict, names: &Names, style: Style, out: &mut String) {
    let Some(worst) = group.first() else { return };
    let (mark, look) = if worst.only_notice { ("!", Look::Warning) } else { ("✗", Look::Error) };
    let told = if names_its_file(worst) { TOLD_FILES } else { TOLD };
    for loss in group.iter().take(told) {
        paragraph(&format!("{} ", style.look(look, mark)), "  ", &loss.what, out);
    }
    if group.len() > told {
        let rest = &group[told..];
        let amounts = rest.iter().filter_map(|loss| loss.amount);
        let amount = amounts.fold(0, i64::saturating_add);
        let of_these = match amount {
            0 => String::new(),
            amount => format!(", {} {} in all", grouped(amount.unsigned_abs()), worst.unit),
        };
        let more = format!("… and {} more like these{of_these}.", rest.len());
        paragraph("  ", "  ", &more, out);
    }
    let place = place(group, verdict, names);
    if !place.is_empty() {
        out.push_str(&format!("    {}\n", style.dim(&place)));
    }
    if !worst.remedy.is_empty() {
        paragraph(&format!("    {} ", style.cyan("→")), "      ", &worst.remedy, out);
    }
}

/// From when to when, counted from the start of the recording; and in which file, on which machine.
fn place(group: &[&Loss], verdict: &Verdict, names: &Names) -> String {
    let (start, end) = verdict.bounds;
    // What was lost may lie before all that was kept.
    let lost = verdict.losses.iter().filter_map(|loss| loss.between.0);
    let start = lost.min().map_or(start, |lost| lost.min(start));
    let at = |ts: i64| moment(ts.saturating_sub(start), end.saturating_sub(start));
    let known = |of: fn(&Loss) -> Option<i64>| group.iter().filter_map(move |loss| of(loss));
    let from = known(|loss| loss.between.0).min().filter(|&from| from > start);
    let to = known(|loss| loss.between.1).max().filter(|&to| to < end);
    let any = group.iter().any(|loss| loss.between != (None, None));
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
    if let Some(file) = loss.file.filter(|_| names.several_files() && !names_its_file(loss)) {
        parts.push(format!("in {}", names.file(file)));
    }
    if let Some(machine) = loss.machine.filter(|_| names.several_machines()) {
        parts.push(format!("on {}", names.machine(machine)));
    }
    parts.join(", ")
}

/// Text broken into lines; the first begins with `first`, the others with `rest`.
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

/// A moment, in ns since the start, in the unit that fits a recording of that length.
fn moment(ns: i64, length: i64) -> String {
    match length {
        length if length >= 1_000_000_000 => format!("{:.3} s", ns as f64 / 1e9),
        length if length >= 1_000_000 => format!("{:.3} ms", ns as f64 / 1e6),
        _ => format!("{ns} ns"),
    }
}

/// Words that stay on one line; a unit stays with its number.
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
    fn a_number_is_not_parted_from_its_unit() {
        assert_eq!(
            words("6 chunks of 64 KiB, in 10 ms."),
            ["6", "chunks", "of", "64 KiB,", "in", "10 ms."]
        );
    }
}
