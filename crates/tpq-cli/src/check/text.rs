//! The health of a trace as text on one screen.

use tpq_health::{Advice, Finding, Health, HealthState, Severity};

use crate::layout::grouped;
use crate::terminal::{Emphasis, Style};

/// The width at which lines are wrapped.
const WIDTH: usize = 96;

/// Describes what was lost and how to avoid it.
pub fn text(health: &Health, style: Style) -> String {
    let mut out = match health.state {
        HealthState::Lost => style.red(health.headline),
        HealthState::Unknown => style.yellow(health.headline),
        HealthState::Risk | HealthState::Complete => style.green(health.headline),
    };
    out.push('\n');
    for finding in &health.findings {
        out.push('\n');
        append_finding(finding, style, &mut out);
    }
    if !health.errors.is_empty() {
        out.push_str("\nNot understood, and counted in stats:\n");
        for (stat, count) in &health.errors {
            out.push_str(&format!("  {} {}\n", style.yellow(stat), grouped(*count)));
        }
    }
    if !health.advice.is_empty() {
        out.push_str("\nThe configuration:\n");
        health.advice.iter().for_each(|advice| append_advice(advice, style, &mut out));
    }
    out
}

fn append_advice(advice: &Advice, style: Style, out: &mut String) {
    paragraph(&format!("{} ", style.cyan("•")), "  ", &advice.what, out);
    paragraph(&format!("    {} ", style.cyan("→")), "      ", &advice.remedy, out);
}

fn append_finding(finding: &Finding, style: Style, out: &mut String) {
    let (symbol, emphasis) = match finding.severity {
        Severity::Notice => ("!", Emphasis::Warning),
        Severity::DataLoss => ("✗", Emphasis::Error),
    };
    for what in &finding.what {
        paragraph(&format!("{} ", style.emphasize(emphasis, symbol)), "  ", what, out);
    }
    if let Some(more) = &finding.more {
        paragraph("  ", "  ", more, out);
    }
    if !finding.location.is_empty() {
        out.push_str(&format!("    {}\n", style.dim(&finding.location)));
    }
    if !finding.remedy.is_empty() {
        paragraph(&format!("    {} ", style.cyan("→")), "      ", &finding.remedy, out);
    }
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
