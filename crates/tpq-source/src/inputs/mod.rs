//! All files of an import.

mod names;
mod order;
mod split;
mod unpack;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use self::unpack::{Node, Unpack};
use crate::bytes::Bytes;
use crate::file_identity::FileIdentity;
use crate::{Entry, Format, Manifest, ManifestFile, SourceError};

/// How many files an error names.
const NAMED: usize = 5;

/// The files of an import, and how they relate.
#[derive(Debug)]
pub struct Inputs {
    /// What was named, before it was unpacked.
    opened: Vec<Bytes>,
    entries: Vec<Entry>,
    manifest: Option<Manifest>,
    /// Which of the manifest's files an entry is.
    listed_as: Vec<Option<usize>>,
    /// The manifest's files that are no entry.
    unmatched: Vec<usize>,
}

impl Inputs {
    /// Opens all that is named: traces, plain or in gzip or zstd, archives of them (ZIP, TAR),
    /// and a manifest; `-` is standard input. `limit` bounds what all compressed contents may
    /// unpack to together; `progress` is told of compressed bytes read.
    ///
    /// # Errors
    /// When there is nothing to import, a file is named twice, or the manifest breaks a rule: see
    /// [`SourceError`].
    pub fn open(
        paths: &[PathBuf],
        limit: u64,
        progress: impl FnMut(u64),
    ) -> Result<Self, SourceError> {
        refuse_twice(paths)?;
        let mut opened = Vec::new();
        let inputs = Self::unpack(paths, limit, progress, &mut opened);
        // What looks damaged may only have been cut while it was read.
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
        for path in in_order(paths)? {
            let name = (paths.len() > 1).then(|| shown(path));
            let (bytes, cut) = crate::bytes::read(path)?;
            opened.push(bytes.clone());
            if bytes.is_empty() {
                return Err(SourceError::Empty(path.to_owned()));
            }
            for node in unpack.open(name, shown(path), bytes, cut)? {
                refuse_no_trace(path, &node)?;
                nodes.push(node);
            }
        }
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

    /// Checks that what was read so far are the contents of the files.
    ///
    /// # Errors
    /// When a file was shortened or overwritten since it was opened: [`SourceError::Shortened`],
    /// [`SourceError::Overwritten`].
    pub fn check_intact(&self) -> Result<(), SourceError> {
        refuse_changed(&self.opened)
    }

    /// All files, and what they lie in, in the order in which they are to be imported: what holds
    /// others before what it holds, then the manifest, the traces by name, and the rest by name.
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

    /// What the manifest says of an entry.
    pub fn manifest_file(&self, entry: usize) -> Option<&ManifestFile> {
        let index = (*self.listed_as.get(entry)?)?;
        self.manifest.as_ref()?.files.get(index)
    }

    /// Paths the manifest lists that are of no file here.
    pub fn unmatched_manifest_paths(&self) -> Vec<&str> {
        let files = self.manifest.as_ref().map_or(&[][..], |manifest| &manifest.files);
        let unmatched = self.unmatched.iter().filter_map(|&index| files.get(index));
        unmatched.map(|file| file.path.as_str()).collect()
    }
}

/// Refuses a file that two paths lead to.
fn refuse_twice(paths: &[PathBuf]) -> Result<(), SourceError> {
    let mut named: HashMap<FileIdentity, &PathBuf> = HashMap::new();
    for path in paths {
        // What is not there is an error when it is opened.
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

/// What is named, in an order that does not depend on the one in which it was.
fn in_order(paths: &[PathBuf]) -> Result<Vec<&Path>, SourceError> {
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

/// Refuses a file that was named and is in no format tpq reads, compressed or not. In an archive
/// such files may lie beside traces.
fn refuse_no_trace(path: &Path, node: &Node) -> Result<(), SourceError> {
    match node.format {
        Format::Gzip | Format::Zstd => {
            node.inside.iter().try_for_each(|inner| refuse_contents(path, node.format, inner))
        }
        Format::Text | Format::Unknown => {
            Err(SourceError::NotATrace { path: path.to_owned(), what: node.format })
        }
        Format::Perfetto
        | Format::Json
        | Format::Systrace
        | Format::Manifest
        | Format::Tar
        | Format::Zip => Ok(()),
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

/// Refuses archives within archives that hold more than one trace.
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

/// That archives hold no trace, and what they hold.
fn no_trace(entries: &[Entry]) -> SourceError {
    let tops = entries.iter().filter(|entry| entry.parent.is_none());
    let shown: Vec<&str> = tops.map(Entry::shown).collect();
    // What holds files is worth a mention only if not all of it could be read.
    let mut found = entries.iter().filter_map(|entry| match (&entry.cut, &entry.unread) {
        (Some(error), _) => Some(format!("{} ({}: {error})", entry.shown, entry.format)),
        (None, Some(why)) => Some(format!("{} ({why})", entry.shown)),
        (None, None) if entry.format.holds_files() => None,
        (None, None) => Some(format!("{} ({})", entry.shown, entry.format)),
    });
    let mut named: Vec<String> = found.by_ref().take(NAMED).collect();
    match found.count() {
        0 if named.is_empty() => named.push("no file".to_owned()),
        0 => {}
        more => named.push(format!("and {more} more")),
    }
    SourceError::NoTrace { shown: shown.join(", "), found: named.join(", ") }
}

#[cfg(test)]
mod tests;
