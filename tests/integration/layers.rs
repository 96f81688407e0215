//! The layers within the crates that decode: modules use only those before them, files lie in the
//! folder of their area, and fields of messages have names.

use std::fs;
use std::path::{Path, PathBuf};

/// Modules of a crate in their order. Each may use those before it.
const LAYERS: &[(&str, &[&str])] = &[
    ("tpq-trackers", &["ids", "fingerprint", "interned", "args", "deferred", "setup", "track"]),
    ("tpq-decode", &["event", "decode", "format", "registry", "losses", "health", "decoder"]),
];

/// Folders by area, with the files that belong to none.
const AREAS: &[(&str, &[&str])] = &[
    ("crates/tpq-trackers/src/track", &["mod.rs", "scopes.rs", "write_all.rs"]),
    ("crates/tpq-decode/src/decode", &["mod.rs"]),
];

/// Every Rust file below a folder of the repository.
fn rust_files(folder: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![Path::new(crate::ROOT).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|it| it == "rs") => files.push(path),
                false => {}
            }
        }
    }
    files.sort();
    assert!(!files.is_empty());
    files
}

/// The lines of a file without its tests and comments, with their numbers.
fn code(path: &Path) -> Vec<(usize, String)> {
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default().to_owned());
    (1..).zip(lines).collect()
}

#[test]
fn modules_use_only_those_before_them() {
    let mut broken = Vec::new();
    for (name, order) in LAYERS {
        let source = format!("crates/{name}/src");
        for path in rust_files(&source) {
            let inner = path.strip_prefix(Path::new(crate::ROOT).join(&source)).unwrap();
            let first = inner.components().next().unwrap().as_os_str().to_string_lossy();
            let module = first.trim_end_matches(".rs");
            if module == "lib" {
                continue;
            }
            let layer = order.iter().position(|known| *known == module);
            let layer = layer.unwrap_or_else(|| panic!("{module} of {name} has no layer"));
            for (number, line) in code(&path) {
                for used in line.split("crate::").skip(1) {
                    let used: String =
                        used.chars().take_while(|it| it.is_alphanumeric() || *it == '_').collect();
                    if order.iter().position(|known| *known == used) > Some(layer) {
                        broken.push(format!("{}:{number} uses {used}", path.display()));
                    }
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// The model of an event lies below the functions for its kinds, and these below the dispatch.
#[test]
fn only_dispatch_knows_all_decoders() {
    let mut broken = Vec::new();
    for path in rust_files("crates/tpq-decode/src/decode") {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // Text of the kernel's tracer is decoded as the event that it describes.
        if matches!(name.as_str(), "mod.rs" | "dispatch.rs" | "text.rs") {
            continue;
        }
        for (number, line) in code(&path) {
            let words = line.split(|it: char| !it.is_alphanumeric() && it != '_');
            let mut lists = words.filter(|word| matches!(*word, "dispatch" | "PACKETS" | "AREAS"));
            if lists.next().is_some() {
                broken.push(format!("{}:{number}: {line}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn files_lie_in_the_folder_of_their_area() {
    for (folder, files) in AREAS {
        let entries = fs::read_dir(Path::new(crate::ROOT).join(folder)).unwrap();
        let mut found: Vec<String> = entries
            .map(Result::unwrap)
            .filter(|entry| entry.path().is_file())
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        found.sort();
        assert_eq!(found, *files, "{folder}");
    }
}

/// Whether a line reads a field by a number, as in `event.int(3)`, `text(&message, 2, …)`,
/// `field.number == 1` or `PacketDecoder { field: 38, … }`.
fn reads_by_number(line: &str) -> bool {
    const BEFORE: &[&str] = &[
        ".int(",
        ".uint(",
        ".real(",
        ".bytes(",
        ".has(",
        ".part(",
        ".string(",
        ".field(",
        "number == ",
        "field: ",
    ];
    let number_follows = |text: &str| text.starts_with(|it: char| it.is_ascii_digit());
    let read = BEFORE.iter().any(|before| line.split(before).skip(1).any(number_follows));
    let texts = line.split("text(").skip(1).filter_map(|args| args.split_once(", "));
    read || texts.into_iter().any(|(_, second)| number_follows(second))
}

/// The lines of a file that read fields by numbers in place of the constants of
/// `tpq_proto::fields`.
fn raw_field_numbers(path: &Path) -> Vec<String> {
    let (mut raw, mut arms_at) = (Vec::new(), None);
    for (number, line) in code(path) {
        let indent = line.len() - line.trim_start().len();
        let pattern = line.trim_start().trim_start_matches('(');
        if arms_at == Some(indent) {
            arms_at = None;
        }
        let is_arm = arms_at.is_some_and(|at: usize| indent == at + 4)
            && pattern.starts_with(|it: char| it.is_ascii_digit());
        if is_arm || reads_by_number(&line) {
            raw.push(format!("{}:{number}: {}", path.display(), line.trim()));
        }
        if line.contains("match field.number") || line.contains("match (field.number") {
            arms_at = Some(indent);
        }
    }
    raw
}

#[test]
fn decoders_read_fields_by_name() {
    let files = rust_files("crates/tpq-decode/src/decode");
    let raw: Vec<String> = files.iter().flat_map(|path| raw_field_numbers(path)).collect();
    assert!(raw.is_empty(), "{}", raw.join("\n"));
}

#[test]
fn reads_by_number_are_found() {
    for line in ["event.int(3)", "text(&lock, 2, tables)", "it.number == 1)", "{ field: 38, }"] {
        assert!(reads_by_number(line), "{line}");
    }
    for line in ["event.int(sched_waking::PID)", "text(&lock, wakelock::NAME, tables)", "get(0)"] {
        assert!(!reads_by_number(line), "{line}");
    }
}
