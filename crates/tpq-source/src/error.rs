//! Why there is nothing to import.

use std::io;
use std::path::PathBuf;

use crate::{Format, ManifestError};

/// Why there are no bytes to import.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// Nothing was named.
    #[error("no trace is named")]
    NoPaths,
    /// The file cannot be opened or read.
    #[error("cannot open {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file was shortened while it was read, so that some of what was read is not its contents.
    #[error(
        "{} became shorter while it was read; open it again once nothing writes to it",
        .0.display()
    )]
    Shortened(PathBuf),
    /// The file was written to while it was read, so that some of what was read is of its old
    /// contents and some of its new ones.
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
    /// A file is named twice, by these paths: its events would count twice.
    #[error("{} and {} are one file; name it once", .0.display(), .1.display())]
    Twice(PathBuf, PathBuf),
    /// It holds nothing.
    #[error("{} is empty: the recording may have failed or not been written yet", .0.display())]
    Empty(PathBuf),
    /// It is compressed, and nothing could be decompressed.
    #[error("{}: not valid {compression}: {source}", path.display())]
    Decompress {
        /// The file.
        path: PathBuf,
        /// What it claimed to be.
        compression: &'static str,
        /// What is wrong with it.
        source: io::Error,
    },
    /// There is no room to unpack it, which says nothing of the file.
    #[error("{shown}: {why}")]
    NoRoom {
        /// The file, with the archives it lies in.
        shown: String,
        /// Where there is no room, and what helps.
        why: String,
    },
    /// It is in no format tpq reads.
    #[error(
        "{}: {what}, not a trace that tpq reads (Perfetto protobuf, Chrome JSON or text of ftrace, plain, gzip or zstd, or in \
         a ZIP or TAR archive)",
        path.display()
    )]
    NotATrace {
        /// The file.
        path: PathBuf,
        /// What it looks like.
        what: Format,
    },
    /// Archives hold no trace.
    #[error(
        "{shown}: no trace that tpq reads (Perfetto protobuf, Chrome JSON, text of ftrace) in it; found {found}"
    )]
    NoTrace {
        /// The archives.
        shown: String,
        /// What is in them instead.
        found: String,
    },
    /// An archive in an archive holds several traces.
    #[error(
        "{shown}: an archive within an archive may hold one trace, and this one holds {traces}; \
         unpack it, and put its traces directly into the outer one"
    )]
    NestedArchive {
        /// The inner archive.
        shown: String,
        /// How many traces it holds.
        traces: usize,
    },
    /// The trace manifest breaks a rule.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
}
