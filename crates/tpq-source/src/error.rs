//! Errors of opening inputs.

use std::path::PathBuf;
use std::{fmt, io};

use crate::{Format, ManifestError};

/// The first bytes of a file, as messages show them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FirstBytes(Vec<u8>);

impl FirstBytes {
    /// The number of bytes that are shown.
    const SHOWN: usize = 24;

    /// Those of a file.
    pub fn of(file: &[u8]) -> Self {
        Self(file.get(..Self::SHOWN).unwrap_or(file).to_vec())
    }
}

impl fmt::Display for FirstBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}

/// The reason why there are no bytes to import.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// No input was named.
    #[error("no trace is named")]
    NoPaths,
    /// The file cannot be opened or read.
    #[error("cannot open {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file was shortened while it was read, so some of the bytes read are not its contents.
    #[error(
        "{} became shorter while it was read; open it again once nothing writes to it",
        .0.display()
    )]
    Shortened(PathBuf),
    /// The file was overwritten while it was read, so some of the bytes read are its old contents
    /// and some its new ones.
    #[error(
        "{} was overwritten while it was read; open it again once nothing writes to it",
        .0.display()
    )]
    Overwritten(PathBuf),
    /// It is a directory.
    #[error("{} is a directory; name the trace files in it", .0.display())]
    Directory(PathBuf),
    /// Standard input is named twice.
    #[error("`-` is given more than once; standard input can be read only once")]
    StdinTwice,
    /// Two paths lead to the same file, so its events would count twice.
    #[error("{} and {} are one file; name it once", .0.display(), .1.display())]
    Twice(PathBuf, PathBuf),
    /// The file is empty.
    #[error("{} is empty: the recording may have failed or not been written yet", .0.display())]
    Empty(PathBuf),
    /// The file is compressed, and nothing could be decompressed.
    #[error("{}: not valid {compression}: {source}", path.display())]
    Decompress {
        /// The file.
        path: PathBuf,
        /// The compression format.
        compression: &'static str,
        /// The error of the decompressor.
        source: io::Error,
    },
    /// There is no room to unpack the file. This is not an error of the file.
    #[error("{shown}: {why}")]
    NoRoom {
        /// The name of the file in messages, with the archives that contain it.
        shown: String,
        /// The place without room, and advice.
        why: String,
    },
    /// The file is in no format that tpq reads.
    #[error(
        "{}: {what}, not a trace that tpq reads; it begins with {start}. tpq reads {}; each plain, \
         in gzip or zstd, or in a ZIP or TAR archive",
        path.display(),
        Format::trace_names()
    )]
    NotATrace {
        /// The file.
        path: PathBuf,
        /// The detected format.
        what: Format,
        /// Its first bytes.
        start: FirstBytes,
    },
    /// The file is a capture of Tracy.
    #[error(
        "{}: Tracy capture, which tpq does not read; `tracy-csvexport` makes CSV of its zones, \
         which tpq reads with read_csv()",
        path.display()
    )]
    Tracy {
        /// The file.
        path: PathBuf,
    },
    /// The archives hold no trace.
    #[error("{shown}: no trace that tpq reads ({}) in it; found {found}", Format::trace_names())]
    NoTrace {
        /// The names of the archives in messages.
        shown: String,
        /// The files that they contain.
        found: String,
    },
    /// An archive in an archive holds several traces.
    #[error(
        "{shown}: an archive within an archive may hold one trace, and this one holds {traces}; \
         unpack it, and put its traces directly into the outer one"
    )]
    NestedArchive {
        /// The name of the inner archive in messages.
        shown: String,
        /// The number of traces it holds.
        traces: usize,
    },
    /// The trace manifest breaks a rule.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
}
