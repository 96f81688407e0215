//! From tables to bytes.

use std::io::{self, Write};

use xxhash_rust::xxh3::xxh3_64;

use super::{ALIGNMENT, MAGIC, checksum, fingerprint};
use crate::finished::{StoredChunk, Table};
use crate::{StringViews, TraceTables};

/// The bytes as they go out, and the directory of what they are.
struct Store<W> {
    out: W,
    written: u64,
    directory: Vec<u8>,
}

impl<W: Write> Store<W> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.written += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    fn note(&mut self, word: u64) {
        self.directory.extend_from_slice(&word.to_le_bytes());
    }

    /// Writes bytes, and notes where they are and their checksum.
    fn blob(&mut self, bytes: &[u8]) -> io::Result<()> {
        let fill = self.written.next_multiple_of(ALIGNMENT as u64) - self.written;
        self.put(&[0; ALIGNMENT][..fill as usize])?;
        self.note(self.written);
        self.note(bytes.len() as u64);
        self.note(xxh3_64(bytes));
        self.put(bytes)
    }

    fn strings(&mut self, strings: &StringViews) -> io::Result<()> {
        self.blob(strings.views().inner())?;
        self.note(strings.blocks().len() as u64);
        strings.blocks().iter().try_for_each(|block| self.blob(block))
    }

    fn table(&mut self, table: &Table) -> io::Result<()> {
        let (rows, columns) = table.own_rows();
        self.note(rows as u64);
        let mut chunks = columns.iter().flat_map(|column| column.chunks());
        chunks.try_for_each(|chunk| self.chunk(chunk))
    }

    fn chunk(&mut self, chunk: &StoredChunk) -> io::Result<()> {
        let (base, width, values) = chunk.values.parts()?;
        self.note(base.cast_unsigned());
        self.note(width as u64);
        self.blob(&values)?;
        self.note(u64::from(chunk.valid.is_some()));
        if let Some(valid) = &chunk.valid {
            self.blob(valid.inner())?;
        }
        self.note(chunk.range.nulls as u64);
        self.note(u64::from(chunk.sorted));
        let (lo, hi) = chunk.range.bounds.unwrap_or((i64::MAX, i64::MIN));
        self.note(lo.cast_unsigned());
        self.note(hi.cast_unsigned());
        Ok(())
    }
}

impl TraceTables {
    /// Writes all tables but those that were left out, and something about them that is the
    /// caller's own.
    ///
    /// # Errors
    /// When `out` does not take it.
    pub fn write(&self, out: impl Write, about: &[u8]) -> io::Result<()> {
        let mut store = Store { out, written: 0, directory: Vec::new() };
        let left_out = self.groups_not_written().to_word();
        let header = [MAGIC, fingerprint(), left_out].map(u64::to_le_bytes).concat();
        store.put(&header)?;
        store.blob(about)?;
        store.strings(self.strings())?;
        self.iter().try_for_each(|table| store.table(table))?;
        let directory = std::mem::take(&mut store.directory);
        let (begin, len) = (store.written, directory.len() as u64);
        store.put(&directory)?;
        [begin, len, checksum(&header, begin, &directory), MAGIC]
            .iter()
            .try_for_each(|word| store.put(&word.to_le_bytes()))?;
        store.out.flush()
    }
}
