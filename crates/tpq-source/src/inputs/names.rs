//! The match between the entries and the files of a manifest.

use std::collections::{BTreeSet, HashMap};

use crate::archive::plain;
use crate::{Entry, Format, Manifest, ManifestError, ManifestProblem};

/// The result of matching entries with the files of a manifest.
pub(super) struct Matches {
    /// For each entry, the index of its file in the manifest.
    pub(super) listed_as: Vec<Option<usize>>,
    /// The indices of the manifest's files without an entry.
    pub(super) unmatched: Vec<usize>,
}

impl Matches {
    /// Returns the result for no manifest.
    pub(super) fn none(entries: &[Entry]) -> Self {
        Self { listed_as: vec![None; entries.len()], unmatched: Vec::new() }
    }
}

/// Finds the entries of each file that a manifest lists.
///
/// A path is a name in the archive that holds the manifest, or an input as it was typed. If there
/// is none, it may be the last part of an input's path or a name in another archive, provided that
/// only one file matches.
///
/// # Errors
/// When a path is that of an archive or of the manifest.
pub(super) fn matches(manifest: &Manifest, entries: &[Entry]) -> Result<Matches, ManifestError> {
    let names = Names::of(entries);
    let mut matches = Matches::none(entries);
    for (index, file) in manifest.files.iter().enumerate() {
        let found = names.find(plain(&file.path));
        if found.is_empty() {
            matches.unmatched.push(index);
        }
        let is = |test: fn(Format) -> bool| found.iter().any(|&entry| test(entries[entry].format));
        // A file that holds a manifest and then a trace gives two entries with the same name.
        let only_manifest = is(|format| format == Format::Manifest) && !is(Format::is_trace);
        if only_manifest || is(Format::is_archive) {
            let what = if only_manifest { "the manifest itself" } else { "an archive" };
            return Err(manifest.entry_error(file, ManifestProblem::NotATrace(what)));
        }
        for entry in found {
            matches.listed_as[entry] = Some(index);
        }
    }
    Ok(matches)
}

#[derive(Default)]
struct Names {
    /// Entries by their path below the archive with the manifest. A compressed file and its
    /// contents have the same path.
    full: HashMap<String, Vec<usize>>,
    /// The full paths with this last part.
    short: HashMap<String, BTreeSet<String>>,
}

impl Names {
    fn of(entries: &[Entry]) -> Self {
        let base = base(entries);
        let mut names = Self::default();
        for index in 0..entries.len() {
            let parts = parts(entries, index, base);
            let Some(last) = parts.last() else { continue };
            let full = parts.join("/");
            // The folders of an input as typed may be left out.
            let short = match is_typed(entries, index) {
                true => last.rsplit(['/', '\\']).next().unwrap_or(last),
                false => last,
            };
            names.short.entry(short.to_owned()).or_default().insert(full.clone());
            names.full.entry(full).or_default().push(index);
        }
        names
    }

    fn find(&self, path: &str) -> Vec<usize> {
        let short = || {
            let full = self.short.get(path).filter(|full| full.len() == 1)?;
            self.full.get(full.first()?)
        };
        self.full.get(path).or_else(short).cloned().unwrap_or_default()
    }
}

/// The index of the archive that holds the manifest.
fn base(entries: &[Entry]) -> Option<usize> {
    let mut at = entries.iter().position(|entry| entry.format == Format::Manifest);
    while let Some(index) = at {
        if entries[index].format.is_archive() {
            break;
        }
        at = entries[index].parent;
    }
    at
}

/// Whether an entry is an input, or the contents of a compressed one.
fn is_typed(entries: &[Entry], index: usize) -> bool {
    match entries[index].parent {
        Some(parent) => !entries[parent].format.is_archive() && is_typed(entries, parent),
        None => true,
    }
}

/// The names on the path to an entry from the archive with the manifest, or else from the input.
fn parts(entries: &[Entry], index: usize, base: Option<usize>) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut at = Some(index);
    while let Some(index) = at.filter(|at| Some(*at) != base) {
        let entry = &entries[index];
        at = entry.parent;
        // A single input has no name, but its path was typed.
        let name = if at.is_none() { Some(entry.shown.as_str()) } else { entry.name() };
        parts.extend(name.map(plain).filter(|name| !name.is_empty()));
    }
    parts.reverse();
    parts
}
