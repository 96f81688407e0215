//! Every path of the repository that the documents name exists.

use std::path::{Path, PathBuf};

/// Files with back-ticked paths to check.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(crate::ROOT);
    let mut found = vec![root.join("README.md"), root.join("ARCHITECTURE.md")];
    for folder in ["docs", "testdata"] {
        collect(&root.join(folder), &mut found);
    }
    found.sort();
    found
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

/// The texts between single back-ticks, outside blocks of code.
fn spans(text: &str) -> Vec<&str> {
    let mut fenced = false;
    let mut spans = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            spans.extend(line.split('`').skip(1).step_by(2));
        }
    }
    spans
}

/// Whether a span claims to be a path here: it begins with one of the repository's folders, or is
/// a source file or document. Patterns and placeholders are not.
fn is_path(span: &str) -> bool {
    const FOLDERS: &[&str] =
        &["benches/", "crates/", "docs/", "protos/", "sql/", "testdata/", "tests/", "web/"];
    const ENDINGS: &[&str] = &[".md", ".rs", ".toml"];
    let plain = span.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
    plain
        && !span.is_empty()
        && (FOLDERS.iter().any(|folder| span.starts_with(folder))
            || ENDINGS.iter().any(|ending| span.ends_with(ending) && span.len() > ending.len()))
}

#[test]
fn named_paths_exist() {
    let root = Path::new(crate::ROOT);
    let mut missing = Vec::new();
    let mut checked = 0;
    for document in documents() {
        let name = document.strip_prefix(root).unwrap().display().to_string();
        let Ok(text) = std::fs::read_to_string(&document) else {
            missing.push(format!("{name} itself"));
            continue;
        };
        for span in spans(&text).into_iter().filter(|span| is_path(span)) {
            checked += 1;
            let beside = document.parent().unwrap().join(span);
            if !root.join(span).exists() && !beside.exists() {
                missing.push(format!("{name}: `{span}`"));
            }
        }
    }
    assert!(checked > 0, "no document names a path");
    assert!(missing.is_empty(), "these do not exist:\n{}", missing.join("\n"));
}

#[test]
fn paths_are_distinguished_from_other_words() {
    let text = "`docs/tables.md` and `sched/sched_switch`, `crates/<name>/`, `tests/slt/**/*.slt`\n\
                ```\n`docs/in_a_block.md`\n```\n`src/lib.rs`";
    let found: Vec<&str> = spans(text).into_iter().filter(|span| is_path(span)).collect();
    assert_eq!(found, ["docs/tables.md", "src/lib.rs"]);
}
