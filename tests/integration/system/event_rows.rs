//! Counter values and slices as one line each, with all that distinguishes their tracks.

use std::collections::BTreeMap;

use tpq_testkit::{FtraceEvent, Message};

use super::kernel;
use crate::imported::Imported;

/// A thread of a process: utid 1, upid 1.
pub const THREAD: i32 = 101;
/// A thread of an unknown process: utid 3 where it is the first such.
pub const STRANGER: i32 = 555;

/// Kernel events of [`THREAD`] at 10, 20, 30…: the field of each and its message.
pub fn events(events: impl IntoIterator<Item = (u32, Message)>) -> Imported {
    let at = (10..).step_by(10);
    kernel(
        at.zip(events).map(|(at, (field, message))| FtraceEvent::other(at, THREAD, field, message)),
    )
}

/// The rows of kernel events of [`THREAD`] at 10, 20, 30….
pub fn rows_of_events(these: impl IntoIterator<Item = (u32, Message)>) -> String {
    rows(&events(these))
}

/// Counter values as `ts track = value {args}`, then slices as `ts+dur track: category/name
/// {args}`; a track is `type "name" [dimensions]`.
pub fn rows(trace: &Imported) -> String {
    let tracks = tracks(trace);
    let args = args(trace);
    let mut text = String::new();
    let sql = "SELECT ts, track_id, value, arg_set_id FROM counter ORDER BY ts, id";
    for row in trace.cells(sql) {
        let [ts, track, value, set] = row.as_slice() else { panic!("{row:?}") };
        let (track, args) = (&tracks[track], args.get(set).cloned().unwrap_or_default());
        let value = value.strip_suffix(".0").unwrap_or(value);
        text += &format!("{ts} {track} = {value}{args}\n");
    }
    let sql = "SELECT ts, dur, track_id, coalesce(category, ''), name, arg_set_id FROM slice \
        ORDER BY ts, id";
    for row in trace.cells(sql) {
        let [ts, dur, track, category, name, set] = row.as_slice() else { panic!("{row:?}") };
        let (track, args) = (&tracks[track], args.get(set).cloned().unwrap_or_default());
        let category = if category.is_empty() { "" } else { &format!("{category}/") };
        text += &format!("{ts}+{dur} {track}: {category}{name}{args}\n");
    }
    text
}

/// Tracks by id.
fn tracks(trace: &Imported) -> BTreeMap<String, String> {
    let args = args(trace);
    let sql = "SELECT track.id, type, coalesce(name, '-'), dimension_arg_set_id FROM track";
    let describe = |row: Vec<String>| {
        let [id, kind, name, set] = row.as_slice() else { panic!("{row:?}") };
        let dimensions = args.get(set).map(|set| set.replace('{', "[").replace('}', "]"));
        (id.clone(), format!("{kind} \"{name}\"{}", dimensions.unwrap_or_default()))
    };
    trace.cells(sql).into_iter().map(describe).collect()
}

/// Arg sets by id, as ` {key=value …}`; values that are not signed end in `u`.
fn args(trace: &Imported) -> BTreeMap<String, String> {
    let sql = "SELECT arg_set_id, key, value_type, coalesce(display_value, 'NULL') FROM args \
        ORDER BY id";
    let mut sets: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in trace.cells(sql) {
        let [set, key, kind, value] = row.as_slice() else { panic!("{row:?}") };
        let suffix = if kind == "uint" { "u" } else { "" };
        sets.entry(set.clone()).or_default().push(format!("{key}={value}{suffix}"));
    }
    sets.into_iter().map(|(set, args)| (set, format!(" {{{}}}", args.join(" ")))).collect()
}
