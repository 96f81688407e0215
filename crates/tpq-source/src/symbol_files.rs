//! Files of binaries that a user names for their symbols, alone or in folders.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::SourceError;
use crate::guarded_map::GuardedMap;

/// The largest number of files that are listed: each takes memory.
const MAX_FILES: usize = 1_000_000;
/// The bytes that a binary begins with: of ELF, and of Mach-O of 64 and of 32 bits. And those of
/// symbols that Breakpad wrote.
const MAGIC: [[u8; 4]; 4] =
    [*b"\x7fELF", [0xcf, 0xfa, 0xed, 0xfe], [0xce, 0xfa, 0xed, 0xfe], *b"MODU"];

/// A file that may be a binary.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SymbolFile {
    /// The path.
    pub path: PathBuf,
    /// Its size in bytes.
    pub len: u64,
    /// When it was written to.
    pub modified: Option<SystemTime>,
}

impl SymbolFile {
    /// All files at these paths and in the folders there, in an order that does not depend on the
    /// file system. Links to files are followed, and links to folders within folders are not, as
    /// they may lead back. A folder that may not be read is left out, unless it is named.
    ///
    /// # Errors
    /// When a path cannot be read, or leads to a million files.
    pub fn list(paths: &[PathBuf]) -> Result<Vec<Self>, SourceError> {
        let mut files = Vec::new();
        for path in paths {
            let failed = |source| SourceError::Read { path: path.clone(), source };
            let metadata = fs::metadata(path).map_err(failed)?;
            match metadata.is_dir() {
                true => walk(path, &mut files).map_err(failed)?,
                false => files.push(Self::new(path.clone(), &metadata)),
            }
        }
        Ok(files)
    }

    fn new(path: PathBuf, metadata: &Metadata) -> Self {
        Self { path, len: metadata.len(), modified: metadata.modified().ok() }
    }

    /// Maps the file if it begins like a binary or like symbols of Breakpad; `None` for any other
    /// file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn open_binary(&self) -> io::Result<Option<GuardedMap>> {
        let mut file = File::open(&self.path)?;
        let mut magic = [0; 4];
        let is_binary = match file.read_exact(&mut magic) {
            Ok(()) => MAGIC.contains(&magic),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => false,
            Err(error) => return Err(error),
        };
        is_binary.then(|| GuardedMap::new(&file, &self.path)).transpose()
    }
}

/// Adds all files below a folder.
fn walk(folder: &Path, files: &mut Vec<SymbolFile>) -> io::Result<()> {
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        let entries = match fs::read_dir(&inner) {
            Ok(entries) => entries,
            Err(error) if inner == folder => return Err(error),
            Err(_) => continue,
        };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        let mut inner_folders = Vec::new();
        for path in paths {
            let Ok(metadata) = fs::metadata(&path) else { continue };
            if metadata.is_dir() {
                let is_link = fs::symlink_metadata(&path).is_ok_and(|it| it.is_symlink());
                inner_folders.extend((!is_link).then_some(path));
            } else if metadata.is_file() {
                files.push(SymbolFile::new(path, &metadata));
            }
        }
        folders.extend(inner_folders.into_iter().rev());
        if files.len() > MAX_FILES {
            return Err(io::Error::other("it holds more than a million files; name a part of it"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path, files: &[SymbolFile]) -> Vec<String> {
        let name = |file: &SymbolFile| {
            let name = file.path.strip_prefix(folder).unwrap_or(&file.path);
            name.display().to_string()
        };
        files.iter().map(name).collect()
    }

    #[test]
    fn files_of_folders_and_those_that_are_binaries() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let at = folder.path();
        fs::create_dir_all(at.join("b/c"))?;
        fs::write(at.join("a.so"), b"\x7fELF and more")?;
        fs::write(at.join("b/c/d"), b"text")?;
        fs::write(at.join("b/e"), b"")?;
        #[cfg(unix)]
        std::os::unix::fs::symlink(at, at.join("b/loop"))?;
        let files = SymbolFile::list(&[at.to_owned()]).unwrap_or_default();
        assert_eq!(names(at, &files), ["a.so", "b/e", "b/c/d"]);
        let maps: Vec<bool> = files
            .iter()
            .map(|file| Ok(file.open_binary()?.is_some()))
            .collect::<io::Result<_>>()?;
        assert_eq!(maps, [true, false, false]);
        let missing = SymbolFile::list(&[at.join("x")]).map_err(|error| error.to_string());
        assert!(missing.is_err_and(|message| message.contains("cannot open")));
        Ok(())
    }
}
