//! From bytes to tables that lie in them.

use std::sync::Arc;

use arrow_buffer::{BooleanBuffer, Buffer};
use bytes::Bytes;

use super::{ALIGNMENT, HEADER, MAGIC, NotTables, TRAILER, checksum, fingerprint};
use crate::finished::{CHUNK_ROWS, ChunkRange, StoredChunk, StoredColumn, Table};
use crate::packed::FrozenValues;
use crate::{StringViews, TableDecl, Tables, TraceTables};

type Result<T> = std::result::Result<T, NotTables>;

/// The bytes, and how far their directory was gone through.
struct Store {
    blobs: Bytes,
    directory: Bytes,
}

fn word(bytes: &[u8], at: usize) -> Result<u64> {
    let word = bytes.get(at..).and_then(|rest| rest.first_chunk());
    word.map(|&word| u64::from_le_bytes(word)).ok_or(NotTables("it is too short"))
}

impl Store {
    fn open(bytes: &Bytes) -> Result<Self> {
        let trailer = bytes.len().checked_sub(TRAILER).ok_or(NotTables("it is too short"))?;
        if word(bytes, 0)? != MAGIC || word(bytes, trailer + 24)? != MAGIC {
            return Err(NotTables("it does not begin and end as tables do"));
        }
        if word(bytes, 8)? != fingerprint() {
            return Err(NotTables("its tables have other columns"));
        }
        let (begin, len) = (word(bytes, trailer)?, word(bytes, trailer + 8)?);
        if begin < HEADER as u64 || begin.checked_add(len) != Some(trailer as u64) {
            return Err(NotTables("its directory is elsewhere"));
        }
        let directory = bytes.slice(begin as usize..trailer);
        if word(bytes, trailer + 16)? != checksum(&directory) {
            return Err(NotTables("its directory is damaged"));
        }
        Ok(Self { blobs: bytes.slice(..begin as usize), directory })
    }

    fn word(&mut self) -> Result<u64> {
        let word = word(&self.directory, 0)?;
        let _ = self.directory.split_to(size_of::<u64>());
        Ok(word)
    }

    fn blob(&mut self) -> Result<Bytes> {
        let (begin, len) = (self.word()?, self.word()?);
        let end = begin.checked_add(len).filter(|&end| end <= self.blobs.len() as u64);
        let aligned = begin.is_multiple_of(ALIGNMENT as u64);
        let end = end.filter(|_| aligned).ok_or(NotTables("values lie elsewhere"))?;
        Ok(self.blobs.slice(begin as usize..end as usize))
    }

    fn strings(&mut self) -> Result<StringViews> {
        let views = Buffer::from(self.blob()?);
        let blocks = self.word()?;
        let blocks = (0..blocks).map(|_| self.blob().map(Buffer::from));
        let blocks: Vec<Buffer> = blocks.collect::<Result<_>>()?;
        StringViews::checked(views, blocks).ok_or(NotTables("text is damaged"))
    }

    fn table(&mut self, decl: &'static TableDecl, strings: &Arc<StringViews>) -> Result<Table> {
        let rows = usize::try_from(self.word()?).map_err(|_| NotTables("a table is too long"))?;
        let column = |store: &mut Self| -> Result<StoredColumn> {
            let begins = (0..rows).step_by(CHUNK_ROWS);
            let chunks = begins.map(|begin| store.chunk((rows - begin).min(CHUNK_ROWS)));
            chunks.collect::<Result<Vec<_>>>().map(StoredColumn::of_chunks)
        };
        let columns = decl.columns.iter().skip(1).map(|_| column(self));
        Ok(Table::new(decl, rows, columns.collect::<Result<_>>()?, strings))
    }

    fn chunk(&mut self, rows: usize) -> Result<StoredChunk> {
        let (base, width) = (self.word()?.cast_signed(), self.word()? as usize);
        let values = self.blob()?;
        // Arrow would panic at an address that is not aligned, which memory may have.
        let aligned = width < 2 || values.as_ptr().addr().is_multiple_of(width);
        let values = aligned
            .then(|| FrozenValues::of_parts(base, width, values.into(), rows))
            .flatten()
            .ok_or(NotTables("values are damaged"))?;
        let valid = (self.word()? != 0).then(|| self.blob()).transpose()?;
        if valid.as_ref().is_some_and(|bits| bits.len() < rows.div_ceil(8)) {
            return Err(NotTables("too few rows are NULL or not"));
        }
        let valid = valid.map(|bits| BooleanBuffer::new(bits.into(), 0, rows));
        let (null_count, sorted) = (self.word()? as usize, self.word()? != 0);
        if null_count > rows {
            return Err(NotTables("more rows are NULL than there are"));
        }
        let (lo, hi) = (self.word()?.cast_signed(), self.word()?.cast_signed());
        let range = ChunkRange { bounds: (lo <= hi).then_some((lo, hi)), nulls: null_count };
        Ok(StoredChunk { values, valid, range, sorted })
    }
}

impl TraceTables {
    /// Tables that were written as `bytes`, which stay where they are, and what the caller wrote
    /// about them. Only what tells where values lie is checked, and text: values are not read.
    ///
    /// # Errors
    /// When the bytes were written by another version of tpq, or are damaged.
    pub fn from_bytes(bytes: Bytes) -> std::result::Result<(Self, Bytes), NotTables> {
        let mut store = Store::open(&bytes)?;
        let about = store.blob()?;
        let strings = Arc::new(store.strings()?);
        let tables = Tables::DECLS.iter().map(|decl| store.table(decl, &strings).map(Arc::new));
        let tables = tables.collect::<Result<Vec<_>>>()?;
        Ok((Self::new(tables, strings), about))
    }
}
