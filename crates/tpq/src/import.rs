//! The spine: one import from bytes to tables, the stages called in the order data flows.

use std::path::{Path, PathBuf};

use tpq_tables::{Tables, TraceTables};

use crate::ImportOptions;

/// Why a trace could not be imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Packets of one kind, for `tpq info`.
#[derive(Clone, Debug)]
pub struct PacketKindCount {
    /// The name of the packet's payload field, as `track_event`.
    pub kind: String,
    /// How many packets there are.
    pub packets: u64,
    /// How many bytes they take.
    pub bytes: u64,
}

/// What an import saw, beyond the tables.
#[derive(Clone, Debug, Default)]
pub struct ImportSummary {
    /// The format, as `perfetto` or `perfetto (gzip)`.
    pub format: String,
    /// Bytes on disk.
    pub file_bytes: u64,
    /// Bytes once decompressed.
    pub trace_bytes: u64,
    /// The number of packets.
    pub packets: u64,
    /// The number of writer sequences.
    pub sequences: u64,
    /// Packets by kind, the most bytes first.
    pub packet_kinds: Vec<PacketKindCount>,
}

/// Imports one trace.
///
/// # Errors
/// When the input cannot be read or is no trace at all; what is merely damaged is counted in the
/// `stats` table instead.
pub fn import(_path: &Path, _options: &ImportOptions) -> Result<(TraceTables, ImportSummary), ImportError> {
    Ok((Tables::default().finish(), ImportSummary::default()))
}
