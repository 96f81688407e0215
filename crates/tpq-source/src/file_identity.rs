//! The identity of files: whether several paths lead to one file.

use std::fs;
#[cfg(unix)]
use std::fs::Metadata;
use std::io;
use std::path::Path;

/// The identity of a regular file, independent of its name: its device and inode on Unix, elsewhere
/// its path without links.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileIdentity(Identity);

#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = std::path::PathBuf;

impl FileIdentity {
    /// Returns the identity of the file that a path leads to; `None` if that is not a regular file.
    ///
    /// # Errors
    /// When nothing exists at the path.
    pub fn of(path: &Path) -> io::Result<Option<Self>> {
        let metadata = fs::metadata(path)?;
        if !metadata.is_file() {
            return Ok(None);
        }
        #[cfg(unix)]
        return Ok(Some(Self::of_metadata(&metadata)));
        #[cfg(not(unix))]
        return Ok(Some(Self(path.canonicalize()?)));
    }

    /// Returns the identity of the file with this metadata.
    #[cfg(unix)]
    pub fn of_metadata(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self((metadata.dev(), metadata.ino()))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_one_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a"), "").expect("can be written");
        fs::write(path("b"), "").expect("can be written");
        std::os::unix::fs::symlink("a", path("soft")).expect("can be linked");
        fs::hard_link(path("a"), path("hard")).expect("can be linked");
        let of = |name: &str| FileIdentity::of(&path(name)).expect("is there").expect("is a file");
        assert!(of("a") == of("soft") && of("a") == of("hard") && of("a") != of("b"));
        assert_eq!(FileIdentity::of(folder.path()).expect("is there"), None);
        assert!(FileIdentity::of(&path("none")).is_err());
    }
}
