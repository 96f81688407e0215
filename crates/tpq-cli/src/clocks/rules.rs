//! In words: by which rule a clock is placed, or why it is not.

use tpq::{ClockPath, PathError, PlaceError, Rule};

use crate::names::clock_name;

/// What a rule goes by.
pub fn rule(rule: Rule) -> &'static str {
    match rule {
        Rule::Snapshots => "snapshots",
        Rule::Realtime => "wall time assumed equal",
        Rule::SameDomain => "same domain assumed",
        Rule::PrivateTimeline => "assumed to be trace time",
    }
}

/// What an assumption rests on.
pub fn condition(rule: Rule) -> &'static str {
    match rule {
        Rule::Snapshots => "",
        Rule::Realtime => "as exact as the wall time that the machines keep",
        Rule::SameDomain => "holds within one boot of one machine",
        Rule::PrivateTimeline => "holds if the file has no other clock and begins with the trace",
    }
}

/// Why a clock has no way to trace time.
pub fn reason(path: &ClockPath, error: &PlaceError) -> String {
    if path.went_backwards {
        return "it went backwards, so nothing converts from it".to_owned();
    }
    match error {
        PlaceError::Path(PathError::UnknownSource(_)) => "no snapshot ever read it".to_owned(),
        PlaceError::Path(PathError::UnknownTarget(target)) => {
            format!("no snapshot ever read {}", clock_name(*target))
        }
        PlaceError::Path(PathError::NoPath(_, target)) if path.ticks => {
            format!("too few snapshots to tell its ticks in ns of {}", clock_name(*target))
        }
        PlaceError::Path(PathError::NoPath(_, target)) => {
            format!("no chain of snapshots leads to {}", clock_name(*target))
        }
        PlaceError::Unrelatable(_, target) => {
            format!("nothing relates it to {}", clock_name(*target))
        }
    }
}
