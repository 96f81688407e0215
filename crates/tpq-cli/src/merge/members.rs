//! The files to pack, and their names in the archive.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context;
use tpq::FileIdentity;

use crate::exit::Usage;

/// The name of a manifest given with `--manifest`.
const MANIFEST: &str = "perfetto_manifest.json";
/// The number of bytes that distinguish a manifest from a trace.
const HEAD_BYTES: u64 = 4096;

/// A file to pack.
#[derive(Debug)]
pub struct Member {
    pub path: PathBuf,
    /// Its name in the archive.
    pub name: String,
    pub bytes: u64,
    is_manifest: bool,
}

impl Member {
    /// Whether its name in the archive differs from that of the file.
    pub fn is_renamed(&self) -> bool {
        !self.is_manifest && base_name(&self.path) != self.name
    }
}

/// The files to pack: the manifest first, then the others in the order given.
pub fn members(paths: &[PathBuf], manifest: Option<&Path>) -> anyhow::Result<Vec<Member>> {
    let mut taken = HashSet::new();
    let mut files: HashMap<FileIdentity, &Path> = HashMap::new();
    let mut members = Vec::new();
    if let Some(path) = manifest {
        files.extend(FileIdentity::of(path).ok().flatten().map(|file| (file, path)));
        let member = Member { name: MANIFEST.to_owned(), ..open(path)? };
        if !member.is_manifest {
            let path = path.display();
            anyhow::bail!("{path} is not a manifest: it must begin with {{\"perfetto_manifest\"");
        }
        taken.insert(member.name.clone());
        members.push(member);
    }
    for path in paths {
        let member = open(path)?;
        if let Some(file) = FileIdentity::of(path).ok().flatten()
            && let Some(other) = files.insert(file, path)
        {
            let message = match other == path {
                true => format!("{} is given twice", path.display()),
                false => format!("{} and {} are one file", other.display(), path.display()),
            };
            return Err(Usage(message).into());
        }
        let name = unique(member.name, &mut taken);
        members.push(Member { name, ..member });
    }
    ensure_one_manifest(&members)?;
    Ok(members)
}

fn ensure_one_manifest(members: &[Member]) -> anyhow::Result<()> {
    let mut manifests = members.iter().filter(|member| member.is_manifest);
    match (manifests.next(), manifests.next()) {
        (Some(first), Some(second)) => {
            let (first, second) = (first.path.display(), second.path.display());
            let message =
                format!("a merge takes one manifest, and these are two: {first}, {second}");
            Err(Usage(message).into())
        }
        _ => Ok(()),
    }
}

fn open(path: &Path) -> anyhow::Result<Member> {
    if path == Path::new("-") {
        return Err(Usage("merge packs files by their names, and - has none".into()).into());
    }
    let cannot_open = || format!("cannot open {}", path.display());
    let file = File::open(path).with_context(cannot_open)?;
    let metadata = file.metadata().with_context(cannot_open)?;
    anyhow::ensure!(!metadata.is_dir(), "{} is a directory; name the files in it", path.display());
    anyhow::ensure!(metadata.is_file(), "{} is not a regular file", path.display());
    anyhow::ensure!(metadata.len() > 0, "{} is empty", path.display());
    let mut head = Vec::new();
    file.take(HEAD_BYTES).read_to_end(&mut head).with_context(cannot_open)?;
    Ok(Member {
        path: path.to_owned(),
        name: visible(&base_name(path)),
        bytes: metadata.len(),
        is_manifest: tpq_source::is_manifest(&head),
    })
}

fn base_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// A name that an import does not skip: imports skip names that begin with a dot.
fn visible(name: &str) -> String {
    match name.trim_start_matches('.') {
        "" => "trace".to_owned(),
        name => name.to_owned(),
    }
}

/// Makes a name unique by inserting a number before the first dot.
fn unique(name: String, taken: &mut HashSet<String>) -> String {
    let (stem, rest) = name.split_at(name.find('.').unwrap_or(name.len()));
    let numbered = (2_u32..).map(|number| format!("{stem}_{number}{rest}"));
    let free = std::iter::once(name.clone()).chain(numbered).find(|name| !taken.contains(name));
    let name = free.unwrap_or(name);
    taken.insert(name.clone());
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_unique() {
        let mut taken = HashSet::new();
        let names = ["a.pftrace.gz", "a.pftrace.gz", "a_2.pftrace.gz", "a.pftrace.gz", "b", "b"];
        let expected =
            ["a.pftrace.gz", "a_2.pftrace.gz", "a_2_2.pftrace.gz", "a_3.pftrace.gz", "b", "b_2"];
        assert_eq!(names.map(|name| unique(name.to_owned(), &mut taken)), expected);
    }

    #[test]
    fn hidden_files_are_packed_visibly() {
        assert_eq!([".a.pftrace", "..", "b"].map(visible), ["a.pftrace", "trace", "b"]);
    }
}
