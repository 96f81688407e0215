//! The traces of an import, which can be read again.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use tpq_source::Format;
use tpq_tables::{TableGroups, TraceTables};

use crate::import::{Imported, Received, import_without};
use crate::{ImportError, ImportOptions, ImportSummary};

/// The first bytes of a file that tell whether it is packed: the magic of a TAR member is not the
/// first of them.
const HEAD: usize = 512;

/// The number of bytes up to which traces are imported in a few milliseconds.
const SMALL: u64 = 1 << 20;
/// The number of bytes up to which it takes longer to start threads than it takes to do their work.
const TINY: u64 = 32 << 10;

/// The traces of an import.
#[derive(Clone)]
pub(crate) enum Traces {
    /// Files.
    Files(Vec<PathBuf>),
    /// One that arrived as a stream. It keeps its bytes.
    Received(Arc<Received>),
}

impl Traces {
    /// Imports them.
    ///
    /// # Errors
    /// See [`import`](crate::import()).
    pub(crate) fn import(
        &self,
        options: &ImportOptions,
    ) -> Result<(TraceTables, ImportSummary), ImportError> {
        let imported = self.import_without(TableGroups::NONE, options)?;
        Ok((imported.tables, imported.summary))
    }

    /// Imports them, without the tables of the groups `unwanted` if that takes less time.
    ///
    /// # Errors
    /// See [`import`](crate::import()).
    pub(crate) fn import_without(
        &self,
        unwanted: TableGroups,
        options: &ImportOptions,
    ) -> Result<Imported, ImportError> {
        match self {
            Self::Files(paths) => import_without(paths, unwanted, options),
            Self::Received(received) => received.import_without(unwanted, options),
        }
    }

    /// The digest of their bytes. `None` if they cannot be read twice.
    pub(crate) fn digest(&self, threads: Option<usize>) -> Option<u128> {
        match self {
            Self::Files(paths) => tpq_source::digest(paths, threads).ok()?,
            Self::Received(received) => received.digest(),
        }
    }

    /// The number of their bytes, which is the same whether they are files or arrived.
    pub(crate) fn bytes(&self, stamps: &Stamps) -> u64 {
        match self {
            Self::Files(_) => stamps.0.iter().map(|stamp| stamp.bytes).fold(0, u64::wrapping_add),
            Self::Received(received) => received.bytes(),
        }
    }

    /// Whether they can be read more than once, which a pipe cannot.
    pub(crate) fn can_be_read_again(&self) -> bool {
        let is_file = |path: &PathBuf| path.metadata().is_ok_and(|metadata| metadata.is_file());
        self.files().iter().all(is_file)
    }

    /// Whether they are files of which none is an archive or compressed, so that what is imported
    /// has the size of the files.
    pub(crate) fn are_plain_files(&self) -> bool {
        match self {
            Self::Files(paths) => {
                self.can_be_read_again() && paths.iter().all(|path| is_plain(path))
            }
            Self::Received(_) => false,
        }
    }

    /// Whether they are imported in a few milliseconds.
    pub(crate) fn are_small(&self, stamps: &Stamps) -> bool {
        self.bytes(stamps) < SMALL && self.are_plain_files()
    }

    /// Whether one thread imports small traces sooner than several do.
    pub(crate) fn are_tiny(&self, stamps: &Stamps) -> bool {
        self.files().len() == 1 && self.bytes(stamps) <= TINY
    }

    /// The files that another process may change.
    pub(crate) fn files(&self) -> &[PathBuf] {
        match self {
            Self::Files(paths) => paths,
            Self::Received(_) => &[],
        }
    }
}

/// Whether a file is neither an archive nor compressed.
fn is_plain(path: &Path) -> bool {
    let mut head = Vec::with_capacity(HEAD);
    let file = File::open(path);
    let read = file.and_then(|file| file.take(HEAD as u64).read_to_end(&mut head));
    read.is_ok() && !Format::of(&head).holds_files()
}

/// Size and time of each file, which show that it was changed.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Stamps(Vec<Stamp>);

#[derive(Clone, PartialEq, Eq)]
struct Stamp {
    bytes: u64,
    modified: Option<SystemTime>,
}

impl Stamps {
    /// Those of the files that traces are in now; `None` if one is not there.
    pub(crate) fn of(traces: &Traces) -> Option<Self> {
        let stamp = |path: &PathBuf| {
            let metadata = path.metadata().ok()?;
            Some(Stamp { bytes: metadata.len(), modified: metadata.modified().ok() })
        };
        traces.files().iter().map(stamp).collect::<Option<_>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_is_not_small_and_two_files_are_not_tiny() {
        let folder = tempfile::tempdir().unwrap();
        let sizes = |files: &[(&str, &[u8])]| {
            let path = |&(name, bytes): &(&str, &[u8])| {
                let path = folder.path().join(name);
                std::fs::write(&path, bytes).unwrap();
                path
            };
            let traces = Traces::Files(files.iter().map(path).collect());
            let stamps = Stamps::of(&traces).unwrap();
            (traces.are_small(&stamps), traces.are_tiny(&stamps))
        };
        let (tiny, small) = (vec![b'\n'; TINY as usize], vec![b'\n'; SMALL as usize - 1]);
        assert_eq!(sizes(&[("a", &tiny)]), (true, true));
        assert_eq!(sizes(&[("a", &small)]), (true, false));
        assert_eq!(sizes(&[("a", b"a"), ("b", b"b")]), (true, false));
        assert_eq!(sizes(&[("a", &small), ("b", b"b")]), (false, false));
        assert!(!sizes(&[("a", b"\x1f\x8b\x08")]).0);
    }

    #[test]
    fn a_file_that_grew_has_another_stamp() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pftrace");
        let traces = Traces::Files(vec![path.clone()]);
        assert!(Stamps::of(&traces).is_none());
        std::fs::write(&path, "begin").unwrap();
        let before = Stamps::of(&traces);
        assert!(before.is_some() && before == Stamps::of(&traces));
        std::fs::write(&path, "begin and end").unwrap();
        assert!(before != Stamps::of(&traces));
    }
}
