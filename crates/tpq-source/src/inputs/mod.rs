//! The files of an import.

mod arriving;
mod names;
mod order;
mod split;
mod unpack;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use self::unpack::{Node, Unpack};
use crate::bytes::Bytes;
use crate::file_identity::FileIdentity;
use crate::{Entry, FirstBytes, Format, Manifest, ManifestFile, SourceError};

pub use self::arriving::ReadInputs;

/// The largest number of files that an error names.
const MAX_NAMED_FILES: usize = 5;

/// The files of an import, and the relations between them.
#[derive(Debug)]
pub struct Inputs {
    /// The bytes of the inputs, before unpacking.
    opened: Vec<Bytes>,
    entries: Vec<Entry>,
    manifest: Option<Manifest>,
    /// For each entry, the index of its file in the manifest.
    listed_as: Vec<Option<usize>>,
    /// The indices of the manifest's files without an entry.
    unmatched: Vec<usize>,
}

impl Inputs {
    /// Opens all inputs: traces, plain or in gzip or zstd, archives of them (ZIP, TAR), and a
    /// manifest; `-` is standard input. `limit` is the largest number of bytes that all compressed
    /// contents together may unpack to. `progress` is called with the number of compressed bytes
    /// read.
    ///
    /// # Errors
    /// When there is nothing to import, a file is named twice, or the manifest breaks a rule: see
    /// [`SourceError`].
    pub fn open(
        paths: &[PathBuf],
        limit: u64,
        progress: impl FnMut(u64),
    ) -> Result<Self, SourceError> {
        refuse_duplicates(paths)?;
        let mut opened = Vec::new();
        let inputs = Self::unpack(paths, limit, progress, &mut opened);
        // A file that looks damaged may only have been changed while it was read.
        refuse_changed(&opened)?;
        Ok(Self { opened, ..inputs? })
    }

    fn unpack(
        paths: &[PathBuf],
        limit: u64,
        mut progress: impl FnMut(u64),
        opened: &mut Vec<Bytes>,
    ) -> Result<Self, SourceError> {
        let mut unpack = Unpack::new(limit, &mut progress);
        let mut nodes = Vec::new();
        for path in sorted(paths)? {
            let name = (paths.len() > 1).then(|| shown(path));
            let (bytes, cut) = crate::bytes::read(path)?;
            opened.push(bytes.clone());
            add(&mut unpack, &mut nodes, path, name, (bytes, cut))?;
        }
        Self::arranged(unpack, nodes)
    }

    /// The inputs in the order of the import, matched with the manifest.
    fn arranged(unpack: Unpack<'_>, nodes: Vec<Node>) -> Result<Self, SourceError> {
        let manifest = unpack.manifest;
        nodes.iter().try_for_each(refuse_nested)?;
        let entries = order::flatten(nodes);
        if manifest.is_none() && !entries.iter().any(|entry| entry.format.is_trace()) {
            return Err(no_trace(&entries));
        }
        let names::Matches { listed_as, unmatched } = match &manifest {
            Some(manifest) => names::matches(manifest, &entries)?,
            None => names::Matches::none(&entries),
        };
        Ok(Self { opened: Vec::new(), entries, manifest, listed_as, unmatched })
    }

    /// Checks that the bytes read so far are the contents of the files.
    ///
    /// # Errors
    /// When a file was shortened or overwritten since it was opened: [`SourceError::Shortened`],
    /// [`SourceError::Overwritten`].
    pub fn check_intact(&self) -> Result<(), SourceError> {
        refuse_changed(&self.opened)
    }

    /// All files and the archives that contain them, in the order of the import: containers before
    /// their contents, then the manifest, the traces by name, and the rest by name.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The manifest.
    pub fn manifest(&self) -> Option<&Manifest> {
        self.manifest.as_ref()
    }

    /// The traces, with their indices in [`Inputs::entries`].
    pub fn traces(&self) -> impl Iterator<Item = (usize, &Entry)> {
        let entries = self.entries.iter().enumerate();
        entries.filter(|(_, entry)| entry.format.is_trace())
    }

    /// The file in the manifest that describes an entry.
    pub fn manifest_file(&self, entry: usize) -> Option<&ManifestFile> {
        let index = (*self.listed_as.get(entry)?)?;
        self.manifest.as_ref()?.files.get(index)
    }

    /// The paths in the manifest that match no file.
    pub fn unmatched_manifest_paths(&self) -> Vec<&str> {
        let files = self.manifest.as_ref().map_or(&[][..], |manifest| &manifest.files);
        let unmatched = self.unmatched.iter().filter_map(|&index| files.get(index));
        unmatched.map(|file| file.path.as_str()).collect()
    }
}

/// Unpacks an input and adds what it holds.
fn add(
    unpack: &mut Unpack<'_>,
    nodes: &mut Vec<Node>,
    path: &Path,
    name: Option<String>,
    (bytes, cut): (Bytes, Option<std::io::Error>),
) -> Result<(), SourceError> {
    if bytes.is_empty() {
        return Err(SourceError::Empty(path.to_owned()));
    }
    for node in unpack.open(name, shown(path), bytes, cut)? {
        refuse_no_trace(path, &node)?;
        nodes.push(node);
    }
    Ok(())
}

/// Returns an error if two paths lead to the same file.
fn refuse_duplicates(paths: &[PathBuf]) -> Result<(), SourceError> {
    let mut named: HashMap<FileIdentity, &PathBuf> = HashMap::new();
    for path in paths {
        // A missing file is an error when it is opened.
        let Ok(Some(file)) = FileIdentity::of(path) else { continue };
        if let Some(first) = named.insert(file, path) {
            return Err(SourceError::Twice(first.clone(), path.clone()));
        }
    }
    Ok(())
}

fn refuse_changed(opened: &[Bytes]) -> Result<(), SourceError> {
    opened.iter().find_map(Bytes::change).map_or(Ok(()), Err)
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Sorts the inputs, so that their order does not depend on the order on the command line.
fn sorted(paths: &[PathBuf]) -> Result<Vec<&Path>, SourceError> {
    let mut paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    if paths.is_empty() {
        return Err(SourceError::NoPaths);
    }
    if paths.iter().filter(|path| **path == Path::new("-")).count() > 1 {
        return Err(SourceError::StdinTwice);
    }
    paths.sort();
    Ok(paths)
}

/// Returns an error if an input, compressed or not, is in no format that tpq reads. An archive may
/// contain such files next to traces.
fn refuse_no_trace(path: &Path, node: &Node) -> Result<(), SourceError> {
    match node.format {
        Format::Gzip | Format::Zstd => {
            node.inside.iter().try_for_each(|inner| refuse_contents(path, node.format, inner))
        }
        Format::Tracy => Err(SourceError::Tracy { path: path.to_owned() }),
        format if !format.is_read() => {
            let start = FirstBytes::of(&node.bytes);
            Err(SourceError::NotATrace { path: path.to_owned(), what: node.format, start })
        }
        _ => Ok(()),
    }
}

fn refuse_contents(path: &Path, outer: Format, inner: &Node) -> Result<(), SourceError> {
    if inner.size > 0 {
        return refuse_no_trace(path, inner);
    }
    let path = path.to_owned();
    let Some(error) = &inner.cut else { return Err(SourceError::Empty(path)) };
    let source = std::io::Error::new(error.kind(), error.to_string());
    Err(SourceError::Decompress { path, compression: outer.name(), source })
}

/// Returns an error if an archive within an archive holds more than one trace.
fn refuse_nested(node: &Node) -> Result<(), SourceError> {
    if !node.format.is_archive() {
        return node.inside.iter().try_for_each(refuse_nested);
    }
    let archives = node.inside.iter().flat_map(Node::archives);
    for archive in archives {
        let traces = archive.traces();
        if traces > 1 {
            return Err(SourceError::NestedArchive { shown: archive.shown.clone(), traces });
        }
    }
    Ok(())
}

/// The error that archives hold no trace, with a list of the files that they hold.
fn no_trace(entries: &[Entry]) -> SourceError {
    let roots = entries.iter().filter(|entry| entry.parent.is_none());
    let shown: Vec<&str> = roots.map(Entry::shown).collect();
    // A container is listed only if it could not be read completely.
    let mut found = entries.iter().filter_map(|entry| match (&entry.cut, &entry.unread) {
        (Some(error), _) => Some(format!("{} ({}: {error})", entry.shown, entry.format)),
        (None, Some(why)) => Some(format!("{} ({why})", entry.shown)),
        (None, None) if entry.format.holds_files() => None,
        (None, None) => Some(format!("{} ({})", entry.shown, entry.format)),
    });
    let mut named: Vec<String> = found.by_ref().take(MAX_NAMED_FILES).collect();
    match found.count() {
        0 if named.is_empty() => named.push("no file".to_owned()),
        0 => {}
        more => named.push(format!("and {more} more")),
    }
    SourceError::NoTrace { shown: shown.join(", "), found: named.join(", ") }
}

#[cfg(test)]
mod tests;
