//! What to do about what a merge had to guess, or could not place.

use tpq::{Clock, Rule};

use crate::files::{File, Placed};
use crate::names::{Names, clock_name};
use crate::terminal::Style;

/// Clocks that a manifest can name have these ids.
const NAMED: std::ops::RangeInclusive<u32> = 1..=6;

/// Each guess with what it rests on, then the manifest that says how it is instead.
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
    // The first is of the file that all others are placed by.
    if entries.len() < 2 {
        return out;
    }
    let has_manifest = files.iter().any(|file| matches!(file.placed, Placed::IsManifest));
    let (how, text) = match has_manifest {
        true => {
            ("if that is wrong, add what these entries say to those of the manifest", String::new())
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

/// What was guessed of a file.
fn guess(file: &File, names: &Names) -> Option<String> {
    let Placed::Assumed(rule, own, other) = &file.placed else { return None };
    let (name, reference) = (&file.name, names.source(other.source));
    Some(match rule {
        Rule::SameDomain if file.doubtful => format!(
            "{name} was placed as of the same boot as {reference}, but wall time says that they \
             are of different boots or machines; as a machine of its own it would be placed by \
             wall time"
        ),
        Rule::SameDomain => format!(
            "{name} was placed as of the same boot of the same machine as {reference}: their {} \
             is taken for one clock",
            clock_name(*own)
        ),
        Rule::Realtime => format!(
            "{name} was placed by wall time, which is off by as much as that of its machine \
             differs from that of {reference}"
        ),
        _ => format!("{name} has no clock of its own and was taken to count trace time"),
    })
}

/// The entry of a manifest that says where a file lies, if one can and none does.
fn entry_of(file: &File, trace_clock: Clock, names: &Names) -> Option<String> {
    let name = &file.name;
    match (&file.placed, file.unplaced) {
        (Placed::IsTimeline(clock), _) => Some(entry(name, machine(*clock, names).as_deref(), "")),
        (_, Some(clock)) => relation(name, clock, trace_clock, names),
        (Placed::Assumed(Rule::SameDomain, ..), None) if file.doubtful => {
            Some(entry(name, name.split('.').next(), ""))
        }
        (Placed::Assumed(_, own, other), None) => relation(name, *own, *other, names),
        _ => None,
    }
}

/// The machine that a manifest gave a whole file.
fn machine(clock: Clock, names: &Names) -> Option<String> {
    let declared = names.declared_machine(clock.source.machine);
    declared.filter(|_| !names.is_mixed(clock.source.file)).map(str::to_owned)
}

/// An entry that relates a clock of a file to one of another, where a manifest can name both.
fn relation(name: &str, own: Clock, other: Clock, names: &Names) -> Option<String> {
    let is_of_several = [own, other].iter().any(|clock| names.is_mixed(clock.source.file));
    if is_of_several || !NAMED.contains(&own.id) || !NAMED.contains(&other.id) {
        return None;
    }
    let relation = format!(
        ", \"clocks\": {{\"clock\": \"{}\", \"sync_to\": {{\"file\": {}, \"clock\": \"{}\"}}, \
         \"offset_ns\": 0}}",
        clock_name(own),
        quoted(names.file(other.source.file)),
        clock_name(other)
    );
    Some(entry(name, machine(own, names).as_deref(), &relation))
}

fn entry(name: &str, machine: Option<&str>, rest: &str) -> String {
    let machine = match machine {
        Some(machine) => format!(", \"machine\": {{\"name\": {}}}", quoted(machine)),
        None => String::new(),
    };
    format!("  {{\"path\": {}{machine}{rest}}}", quoted(name))
}

/// A text as JSON quotes it.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn names_are_quoted() {
        assert_eq!(quoted("a \"b\"\\\n"), r#""a \"b\"\\\u000a""#);
    }
}
