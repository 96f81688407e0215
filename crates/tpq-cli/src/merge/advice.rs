//! Advice about guesses and clocks that could not be placed.

use serde_json::Value;
use tpq::{Clock, Rule};

use crate::files::{File, FileStatus};
use crate::names::{Names, clock_name};
use crate::terminal::Style;

/// The ids of clocks that a manifest can name.
const NAMED_CLOCKS: std::ops::RangeInclusive<u32> = 1..=6;

/// Describes each guess, then proposes a manifest that states the relations instead.
pub fn advise(files: &[File], trace_clock: Clock, names: &Names, style: Style) -> String {
    let mut out = String::new();
    let mut entries = Vec::new();
    for file in files {
        if let Some(what) = guess(file, names) {
            let label = match file.doubtful {
                true => style.red("doubtful:"),
                false => style.yellow("guess:"),
            };
            out.push_str(&format!("{label} {what}\n"));
        }
        entries.extend(entry_of(file, trace_clock, names));
    }
    // The first entry is that of the file by which all others are placed.
    if entries.len() < 2 {
        return out;
    }
    let has_manifest = files.iter().any(|file| matches!(file.status, FileStatus::Manifest));
    let (how, text) = match has_manifest {
        true => {
            ("if that is wrong, add these settings to the entries in the manifest", String::new())
        }
        false => (
            "if that is wrong, edit this manifest and merge again with --manifest",
            "{\"perfetto_manifest\": {\"version\": 1, \"files\": [\n".to_owned(),
        ),
    };
    let end = if has_manifest { "\n" } else { "\n]}}\n" };
    out.push_str(&format!("{}\n{text}{}{end}", style.dim(&format!("{how}:")), entries.join(",\n")));
    out
}

/// Describes the guess that placed a file.
fn guess(file: &File, names: &Names) -> Option<String> {
    let FileStatus::Assumed(rule, own, other) = &file.status else { return None };
    let (name, reference) = (&file.name, names.source(other.source));
    Some(match rule {
        Rule::SameDomain if file.doubtful => format!(
            "{name} was assumed to be of the same boot as {reference}, but by wall time they are \
             of different boots or machines; as a separate machine it would be placed by wall time"
        ),
        Rule::SameDomain => format!(
            "{name} was assumed to be of the same boot of the same machine as {reference}: their \
             {} is taken as one clock",
            clock_name(*own)
        ),
        Rule::Realtime => format!(
            "{name} was placed by wall time, which is wrong by the difference between the wall \
             times of its machine and of {reference}"
        ),
        _ => format!("{name} has no clock of its own and was assumed to count trace time"),
    })
}

/// The manifest entry that places a file, if one is possible and needed.
fn entry_of(file: &File, trace_clock: Clock, names: &Names) -> Option<String> {
    let name = &file.name;
    match (&file.status, file.unplaced) {
        (FileStatus::Timeline(clock), _) => {
            Some(entry(name, machine(*clock, names).as_deref(), ""))
        }
        (_, Some(clock)) => relation(name, clock, trace_clock, names),
        (FileStatus::Assumed(Rule::SameDomain, ..), None) if file.doubtful => {
            Some(entry(name, name.split('.').next(), ""))
        }
        (FileStatus::Assumed(_, own, other), None) => relation(name, *own, *other, names),
        _ => None,
    }
}

/// The machine that a manifest assigns to a whole file.
fn machine(clock: Clock, names: &Names) -> Option<String> {
    let declared = names.declared_machine(clock.source.machine);
    declared.filter(|_| !names.has_several_machines(clock.source.file)).map(str::to_owned)
}

/// An entry that relates a clock of a file to one of another file, if a manifest can name both.
fn relation(name: &str, own: Clock, other: Clock, names: &Names) -> Option<String> {
    let is_ambiguous =
        [own, other].iter().any(|clock| names.has_several_machines(clock.source.file));
    if is_ambiguous || !NAMED_CLOCKS.contains(&own.id) || !NAMED_CLOCKS.contains(&other.id) {
        return None;
    }
    let relation = format!(
        ", \"clocks\": {{\"clock\": \"{}\", \"sync_to\": {{\"file\": {}, \"clock\": \"{}\"}}, \
         \"offset_ns\": 0}}",
        clock_name(own),
        Value::from(names.file(other.source.file)),
        clock_name(other)
    );
    Some(entry(name, machine(own, names).as_deref(), &relation))
}

fn entry(name: &str, machine: Option<&str>, rest: &str) -> String {
    let machine = match machine {
        Some(machine) => format!(", \"machine\": {{\"name\": {}}}", Value::from(machine)),
        None => String::new(),
    };
    format!("  {{\"path\": {}{machine}{rest}}}", Value::from(name))
}
