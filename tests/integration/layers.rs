//! The layers within the crates that decode: modules use only those before them, files lie in the
//! folder of their area. Fields of messages are read by their names.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A crate or a folder of it, as the path of its module, and its modules in their order. Each may
/// use those before it; what the folder itself declares comes after all.
const LAYERS: &[(&str, &[&str], &[&str])] = &[
    (
        "tpq-trackers",
        &[],
        &["ids", "fingerprint", "interned", "stacks", "args", "deferred", "setup", "track"],
    ),
    (
        "tpq-decode",
        &[],
        &["symbolizer", "event", "decode", "format", "registry", "losses", "health", "decoder"],
    ),
    (
        "tpq-formats",
        &[],
        &[
            "format",
            "text",
            "document",
            "samples",
            "call_frame",
            "packets",
            "systrace",
            "ninja",
            "logcat",
            "dmesg",
            "dumpstate",
            "perf_script",
            "collapsed",
            "gecko",
            "pprof",
            "strace",
            "simpleperf",
            "cpuprofile",
            "speedscope",
            "art_methods",
            "hprof",
            "trace_cmd",
            "perf_data",
            "fuchsia",
            "otlp",
            "json",
            "symbol_files",
            "name_mapping",
            "instruments",
            "heap_snapshot",
            "heap_profile",
            "primes",
            "registry",
        ],
    ),
    (
        "tpq-formats",
        &["systrace"],
        &["reader", "line", "details", "message", "events", "process_dump"],
    ),
    (
        "tpq-formats",
        &["json"],
        &[
            "cpu",
            "reader",
            "context",
            "text",
            "owner",
            "stack_frames",
            "stack",
            "sample",
            "counter",
            "flow",
            "metadata",
            "trace_metadata",
            "cpu_profile",
            "thread_state",
            "event",
            "system_line",
        ],
    ),
];

/// Folders where fields of messages are read by the constants of `tpq_proto::fields`.
const READ_BY_NAME: &[&str] = &[
    "crates/tpq-ingest/src",
    "crates/tpq-trackers/src/stacks",
    "crates/tpq-trackers/src/args",
    "crates/tpq-decode/src/decode",
    "crates/tpq-formats/src",
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
    code_of(&fs::read_to_string(path).unwrap())
}

fn code_of(text: &str) -> Vec<(usize, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let (mut code, mut at) = (Vec::new(), 0);
    while let Some(line) = lines.get(at) {
        let is_test = line.trim() == "#[cfg(test)]";
        let next = lines.get(at + 1).filter(|next| next.trim_start().starts_with("mod "));
        match next.filter(|_| is_test) {
            Some(module) if module.ends_with(';') => at += 2,
            Some(_) => {
                let indent = line.len() - line.trim_start().len();
                let end = format!("{}}}", " ".repeat(indent));
                let rest = &lines[at..];
                at += rest.iter().position(|line| *line == end).unwrap_or(rest.len()) + 1;
            }
            None => {
                let line = line.split("//").next().unwrap_or_default();
                code.push((at + 1, line.to_owned()));
                at += 1;
            }
        }
    }
    code
}

/// The paths in code that begin with `crate`, `self` or `super`, each with its line. A group is one
/// path for each of its names.
fn paths(code: &[(usize, String)]) -> Vec<(usize, String)> {
    let text: String = code.iter().map(|(_, line)| format!("{line}\n")).collect();
    let mut found = Vec::new();
    for start in ["crate::", "self::", "super::"] {
        for (at, _) in text.match_indices(start) {
            let before = &text[..at];
            let is_part =
                before.ends_with(|it: char| it.is_alphanumeric() || matches!(it, '_' | ':' | '$'));
            if is_part || before.ends_with("(in ") {
                continue;
            }
            let number = code[before.matches('\n').count()].0;
            let path = &text[at..at + path_len(&text[at..])];
            found.extend(expanded(path).into_iter().map(|path| (number, path)));
        }
    }
    found
}

/// The length of the path, with its group, that a text begins with.
fn path_len(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, it) in text.char_indices() {
        match it {
            '{' if depth > 0 || text[..at].ends_with("::") => depth += 1,
            '}' if depth == 1 => return at + 1,
            '}' if depth > 1 => depth -= 1,
            _ if depth > 0 || it.is_alphanumeric() || matches!(it, '_' | ':' | '*') => {}
            _ => return at,
        }
    }
    text.len()
}

/// A path, or the paths of a group.
fn expanded(path: &str) -> Vec<String> {
    let Some((head, group)) = path.split_once('{') else { return vec![path.trim().to_owned()] };
    let group = group.trim_end();
    let group = group.strip_suffix('}').unwrap_or(group);
    let (mut depth, mut names) = (0_i32, vec![String::new()]);
    for it in group.chars() {
        match it {
            ',' if depth == 0 => names.push(String::new()),
            _ => {
                depth += i32::from(it == '{') - i32::from(it == '}');
                names.last_mut().unwrap().push(it);
            }
        }
    }
    let names = names.iter().map(|name| name.trim()).filter(|name| !name.is_empty());
    names.flat_map(expanded).map(|name| format!("{}{name}", head.trim())).collect()
}

/// A path from the root of the crate, from one that a module uses.
fn absolute(path: &str, module: &[String]) -> Vec<String> {
    let path = path.split(" as ").next().unwrap_or_default();
    let names = path.split("::").map(str::trim).filter(|name| !name.is_empty());
    let mut absolute = module.to_vec();
    for name in names {
        match name {
            "crate" => absolute.clear(),
            "self" => {}
            "super" => {
                absolute.pop();
            }
            _ => absolute.push(name.to_owned()),
        }
    }
    absolute
}

/// The module of a file.
fn module_of(source: &Path, file: &Path) -> Vec<String> {
    let inner = file.strip_prefix(source).unwrap().with_extension("");
    let names = inner.components().map(|name| name.as_os_str().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.collect();
    names.pop_if(|last| matches!(last.as_str(), "mod" | "lib"));
    names
}

/// The name of the item that an unindented line declares.
fn item_name(line: &str) -> Option<String> {
    const KINDS: &[&str] = &["fn", "struct", "enum", "trait", "const", "static", "type", "mod"];
    let mut is_item = false;
    for word in line.split_whitespace() {
        if KINDS.contains(&word) {
            is_item = true;
        } else if is_item {
            return Some(
                word.chars().take_while(|&it| it.is_alphanumeric() || it == '_').collect(),
            );
        } else if !word.starts_with("pub") && !word.ends_with(')') {
            return None;
        }
    }
    None
}

/// The layers of a crate or a folder.
struct Layers {
    folder: Vec<String>,
    order: &'static [&'static str],
    /// The names that its own file imports or re-exports, with their paths.
    imports: HashMap<String, String>,
    /// The names of items in its own file.
    items: HashSet<String>,
}

impl Layers {
    fn read(source: &Path, folder: &[&str], order: &'static [&'static str]) -> Self {
        let file = match folder {
            [] => source.join("lib.rs"),
            _ => source.join(folder.join("/")).join("mod.rs"),
        };
        let code = code(&file);
        let lines = code.iter().filter(|(_, line)| line.starts_with(char::is_alphabetic));
        let items = lines.filter_map(|(_, line)| item_name(line)).collect();
        let text: String = code.iter().map(|(_, line)| format!("{line}\n")).collect();
        let mut imports = HashMap::new();
        for (at, start) in text.match_indices("use ") {
            let before = text[..at].rsplit('\n').next().unwrap_or_default();
            if !before.is_empty() && !before.starts_with("pub") {
                continue;
            }
            let path = text[at + start.len()..].split(';').next().unwrap_or_default();
            for path in expanded(path) {
                let (path, name) = match path.split_once(" as ") {
                    Some((path, name)) => (path, name),
                    None => (path.as_str(), path.rsplit("::").next().unwrap_or_default()),
                };
                imports.insert(name.trim().to_owned(), path.trim().to_owned());
            }
        }
        let folder = folder.iter().map(|&name| name.to_owned()).collect();
        Self { folder, order, imports, items }
    }

    /// The layer of a module of the crate; `None` outside of the folder.
    fn layer_of_module(&self, module: &[String]) -> Option<usize> {
        let inner = module.strip_prefix(self.folder.as_slice())?;
        match inner.first() {
            None => Some(self.order.len()),
            Some(name) => self.order.iter().position(|known| *known == name.as_str()),
        }
    }

    /// The layer of what a path names; `None` outside of the folder, and an error if nothing has
    /// that name.
    fn layer(&self, path: &[String]) -> Result<Option<usize>, String> {
        let inner = path.strip_prefix(self.folder.as_slice());
        let Some(name) = inner.and_then(<[String]>::first) else { return Ok(None) };
        if let Some(layer) = self.order.iter().position(|known| *known == name.as_str()) {
            return Ok(Some(layer));
        }
        if let Some(import) = self.imports.get(name) {
            let first = import.split("::").next().unwrap_or_default();
            let is_of_crate = matches!(first, "crate" | "self" | "super")
                || self.order.contains(&first)
                || self.items.contains(first);
            return match is_of_crate {
                true => self.layer(&absolute(import, &self.folder)),
                false => Ok(None),
            };
        }
        match self.items.contains(name) {
            true => Ok(Some(self.order.len())),
            false => Err(path.join("::")),
        }
    }
}

#[test]
fn modules_use_only_those_before_them() {
    let mut broken = Vec::new();
    for &(name, folder, order) in LAYERS {
        let source = Path::new(crate::ROOT).join(format!("crates/{name}/src"));
        let layers = Layers::read(&source, folder, order);
        for path in rust_files(&format!("crates/{name}/src/{}", folder.join("/"))) {
            if path.ends_with("tests.rs") {
                continue;
            }
            let module = module_of(&source, &path);
            let own = layers.layer_of_module(&module);
            let own = own.unwrap_or_else(|| panic!("{} has no layer", path.display()));
            for (number, used) in paths(&code(&path)) {
                let used = absolute(&used, &module);
                match layers.layer(&used) {
                    Ok(Some(layer)) if layer > own => {
                        broken.push(format!("{}:{number} uses {}", path.display(), used.join("::")))
                    }
                    Ok(_) => {}
                    Err(unknown) => {
                        broken.push(format!("{}:{number}: unknown path {unknown}", path.display()))
                    }
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn paths_are_resolved() {
    let text = "\
use crate::{a::{B, c as d}, e};
pub(in crate::json) fn f() {
    super::super::g::<u8>(self::h)
}
#[cfg(test)]
impl F {}
#[cfg(test)]
mod tests {
    use crate::test;
}
use super::last;
#[cfg(test)]
mod tests;
";
    let module = ["x", "y"].map(str::to_owned);
    let paths = paths(&code_of(text)).into_iter();
    let mut found: Vec<_> =
        paths.map(|(number, path)| (number, absolute(&path, &module).join("::"))).collect();
    found.sort();
    let expected = [(1, "a::B"), (1, "a::c"), (1, "e"), (3, "g"), (3, "x::y::h"), (11, "x::last")];
    assert_eq!(found, expected.map(|(number, path)| (number, path.to_owned())));
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

/// Whether a line reads or writes a field by a number, as in `event.int(3)`,
/// `text(&message, 2, …)`, `field.number == 1`, `PacketDecoder { field: 38, … }` or
/// `("cpu_idle", 13, …)`.
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
        ".fields(",
        ".decode(",
        "number(",
        "of_pairs(",
        "number == ",
        "number != ",
        "field: ",
    ];
    let number_follows = |text: &str| text.starts_with(|it: char| it.is_ascii_digit());
    let read = BEFORE.iter().any(|before| line.split(before).skip(1).any(number_follows));
    let texts = line.split("text(").skip(1).filter_map(|args| args.split_once(", "));
    let mut tuples = line.split("(\"").skip(1).filter_map(|tuple| tuple.split_once("\", "));
    let is_numbered = |(name, rest): (&str, &str)| {
        let after = rest.trim_start_matches(|it: char| it.is_ascii_digit());
        !name.contains('"') && number_follows(rest) && after.starts_with(',')
    };
    read || texts.into_iter().any(|(_, second)| number_follows(second)) || tuples.any(is_numbered)
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
fn fields_are_read_by_name() {
    let mut files: Vec<PathBuf> = READ_BY_NAME.iter().flat_map(|it| rust_files(it)).collect();
    files.retain(|path| !path.ends_with("tests.rs"));
    files.push(Path::new(crate::ROOT).join("crates/tpq-trackers/src/interned.rs"));
    let raw: Vec<String> = files.iter().flat_map(|path| raw_field_numbers(path)).collect();
    assert!(raw.is_empty(), "{}", raw.join("\n"));
}

#[test]
fn reads_by_number_are_found() {
    for line in [
        "event.int(3)",
        "text(&lock, 2, tables)",
        "it.number == 1)",
        "field.number != 11 {",
        "{ field: 38, }",
        "(\"cpu_idle\", 13, &[])",
        "in annotation.fields(12)",
    ] {
        assert!(reads_by_number(line), "{line}");
    }
    for line in [
        "event.int(sched_waking::PID)",
        "text(&lock, wakelock::NAME, tables)",
        "get(0)",
        "(\"key\", 0)",
    ] {
        assert!(!reads_by_number(line), "{line}");
    }
}
