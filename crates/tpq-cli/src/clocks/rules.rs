//! Describes the rule by which a clock was placed, or why it was not.

use tpq::{ClockPath, PathError, PlaceError, Rule};

use crate::names::clock_name;

/// The basis of a rule.
pub fn rule(rule: Rule) -> &'static str {
    match rule {
        Rule::Snapshots => "snapshots",
        Rule::Realtime => "wall time assumed equal",
        Rule::SameDomain => "same domain assumed",
        Rule::PrivateTimeline => "assumed to be trace time",
    }
}

/// The condition under which an assumption holds.
pub fn condition(rule: Rule) -> &'static str {
    match rule {
        Rule::Snapshots => "",
        Rule::Realtime => "as exact as the wall time that the machines keep",
        Rule::SameDomain => "holds within one boot of one machine",
        Rule::PrivateTimeline => "holds if the file has no other clock and begins with the trace",
    }
}

/// Why a clock does not convert to trace time.
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
            format!("too few snapshots to convert its ticks to ns of {}", clock_name(*target))
        }
        PlaceError::Path(PathError::NoPath(_, target)) => {
            format!("no chain of snapshots leads to {}", clock_name(*target))
        }
        PlaceError::Unrelatable(_, target) => {
            format!("nothing relates it to {}", clock_name(*target))
        }
    }
}
