//! Finished tables as one stretch of bytes, and back without copying: what a cache keeps in files
//! and maps into memory.
//!
//! ```text
//! magic, fingerprint, groups left out │ blob │ blob │ … │ directory │ trailer
//! ```
//!
//! A blob is the packed values of a chunk, its bits for rows that are not NULL, or text; each is
//! aligned so that Arrow can use it where it lies. The directory is a list of 64-bit words, little
//! end first, which [`write`] and [`read`] go through in the same order. Columns are not named in
//! it: the fingerprint says that they are those of this build's declarations.
//!
//! Groups of tables that an import left out are not written. Their tables have no rows, and the
//! header names the groups, so that such bytes are never taken for all tables.
//!
//! Every byte has a checksum. The directory and text are checked when tables are opened. The
//! values of a chunk are checked when they are first read, so that opening reads little of a large
//! file. A chunk that fails is read from tables that [`Store::restore`] makes anew.

mod check;
mod read;
mod restored;
mod write;

pub(crate) use check::Checksums;
pub use read::StoredTables;
pub(crate) use restored::{Backing, Restored};

use std::hash::Hasher;

use rustc_hash::FxHasher;
use xxhash_rust::xxh3::Xxh3;

use crate::{TableGroups, Tables, TraceTables};

/// Begins and ends the bytes; changes with what lies between.
const MAGIC: u64 = u64::from_le_bytes(*b"tpqtab03");
/// Where blobs begin is a multiple of this.
const ALIGNMENT: usize = 64;
/// Bytes before the first blob.
const HEADER: usize = 24;
/// Bytes after the directory.
const TRAILER: usize = 32;

/// Bytes that are not finished tables of this build of tpq.
#[derive(Debug, thiserror::Error)]
#[error("not tables of this version of tpq, or damaged: {0}")]
pub struct NotTables(pub(crate) &'static str);

impl NotTables {
    /// The error, in words.
    pub fn reason(&self) -> &'static str {
        self.0
    }
}

/// The owner of the bytes of tables, which can also import the tables again.
pub trait Store: Send + Sync {
    /// Whether the bytes are still the ones that were written. A mapped file that was shortened
    /// has others.
    fn is_intact(&self) -> bool;

    /// Tables with the same rows, not made from these bytes, and without the groups of tables that
    /// these bytes leave out: with those there would be more strings. `damage` says what is wrong
    /// with the bytes. Called once, on the thread that reads the first damaged chunk.
    ///
    /// # Errors
    /// A reason in words, where such tables cannot be made.
    fn restore(&self, damage: &str) -> Result<TraceTables, String>;
}

/// A hash of the declared columns of tables, and of their groups.
fn fingerprint() -> u64 {
    let mut hasher = FxHasher::default();
    for table in Tables::DECLS {
        hasher.write(table.name.as_bytes());
        hasher.write_u64(table.group.map_or(0, |group| TableGroups::NONE.with(group).to_word()));
        for column in table.columns {
            hasher.write(column.name.as_bytes());
            hasher.write(column.kind.label().as_bytes());
            hasher.write_u8(column.nullable.into());
        }
    }
    hasher.finish()
}

/// The checksum of all that lies outside of blobs: the header, where the directory is, and the
/// directory.
fn checksum(header: &[u8], begin: u64, directory: &[u8]) -> u64 {
    let mut hasher = Xxh3::new();
    hasher.update(header);
    hasher.update(&begin.to_le_bytes());
    hasher.update(directory);
    hasher.digest()
}

#[cfg(test)]
mod tests;
