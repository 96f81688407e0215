//! From bytes to tables that lie in them.

use std::io::Read;
use std::sync::Arc;

use arrow_buffer::{BooleanBuffer, Buffer};
use bytes::Bytes;

use xxhash_rust::xxh3::xxh3_64;

use super::{
    ALIGNMENT, Backing, Checksums, HEADER, MAGIC, NotTables, Store, TRAILER, checksum, fingerprint,
};
use crate::finished::{CHUNK_ROWS, ChunkRange, StoredChunk, StoredColumn, Table};
use crate::packed::FrozenValues;
use crate::{StringViews, TableDecl, TableGroups, Tables, TraceTables};

type Result<T> = std::result::Result<T, NotTables>;

/// Tables that lie in bytes.
pub struct StoredTables {
    /// The tables.
    pub tables: TraceTables,
    /// The groups of tables that were not written. These tables have no rows until they are made:
    /// see [`TraceTables::leaving_out`].
    pub left_out: TableGroups,
    /// What the caller wrote about the tables.
    pub about: Bytes,
}

/// The bytes, and how far their directory was gone through.
struct Reader {
    blobs: Bytes,
    directory: Bytes,
    /// Where the next word of the directory is. A large trace has a million words, so that each
    /// must not be cut off as bytes with a reference of their own.
    at: usize,
    left_out: TableGroups,
}

fn word(bytes: &[u8], at: usize) -> Result<u64> {
    let word = bytes.get(at..).and_then(|rest| rest.first_chunk());
    word.map(|&word| u64::from_le_bytes(word)).ok_or(NotTables("it is too short"))
}

impl Reader {
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
        if word(bytes, trailer + 16)? != checksum(&bytes[..HEADER], begin, &directory) {
            return Err(NotTables("its directory is damaged"));
        }
        let left_out = TableGroups::from_word(word(bytes, 16)?);
        let left_out = left_out.ok_or(NotTables("it leaves out what does not exist"))?;
        Ok(Self { blobs: bytes.slice(..begin as usize), directory, at: 0, left_out })
    }

    fn word(&mut self) -> Result<u64> {
        let word = word(&self.directory, self.at)?;
        self.at += size_of::<u64>();
        Ok(word)
    }

    /// A blob and its checksum, which is not compared.
    fn blob(&mut self) -> Result<(Bytes, u64)> {
        let (begin, len, checksum) = (self.word()?, self.word()?, self.word()?);
        let end = begin.checked_add(len).filter(|&end| end <= self.blobs.len() as u64);
        let aligned = begin.is_multiple_of(ALIGNMENT as u64);
        let end = end.filter(|_| aligned).ok_or(NotTables("values lie elsewhere"))?;
        Ok((self.blobs.slice(begin as usize..end as usize), checksum))
    }

    /// A blob that is compared with its checksum at once. The bytes are copied: whatever the file
    /// holds later, these stay as they were checked.
    fn copied_blob(&mut self) -> Result<Buffer> {
        let (blob, checksum) = self.blob()?;
        let copy = Buffer::from_slice_ref(&blob);
        (xxh3_64(&copy) == checksum).then_some(copy).ok_or(NotTables("a checksum differs"))
    }

    fn strings(&mut self) -> Result<StringViews> {
        let views = self.copied_blob()?;
        let blocks = self.word()?;
        let blocks = (0..blocks).map(|_| self.copied_blob());
        let blocks: Vec<Buffer> = blocks.collect::<Result<_>>()?;
        StringViews::checked(views, blocks).ok_or(NotTables("text is damaged"))
    }

    fn table(
        &mut self,
        decl: &'static TableDecl,
        strings: &Arc<StringViews>,
        backing: &Arc<Backing>,
    ) -> Result<Table> {
        let rows = usize::try_from(self.word()?).map_err(|_| NotTables("a table is too long"))?;
        let column = |reader: &mut Self| -> Result<StoredColumn> {
            let begins = (0..rows).step_by(CHUNK_ROWS);
            let chunks = begins.map(|begin| reader.chunk((rows - begin).min(CHUNK_ROWS)));
            chunks.collect::<Result<Vec<_>>>().map(StoredColumn::of_chunks)
        };
        let columns = decl.columns.iter().skip(1).map(|_| column(self));
        let table = Table::new(decl, rows, columns.collect::<Result<_>>()?, strings);
        Ok(table.in_store(Arc::clone(backing)))
    }

    fn chunk(&mut self, rows: usize) -> Result<StoredChunk> {
        let (base, width) = (self.word()?.cast_signed(), self.word()? as usize);
        let (values, values_checksum) = self.blob()?;
        // Arrow would panic at an address that is not aligned, which memory may have.
        let aligned = width < 2 || values.as_ptr().addr().is_multiple_of(width);
        let values = aligned
            .then(|| FrozenValues::of_parts(base, width, values.into(), rows))
            .flatten()
            .ok_or(NotTables("values are damaged"))?;
        let valid = (self.word()? != 0).then(|| self.blob()).transpose()?;
        let (valid, valid_checksum) = valid.unzip();
        if valid.as_ref().is_some_and(|bits| bits.len() < rows.div_ceil(8)) {
            return Err(NotTables("too few rows are NULL or not"));
        }
        let valid = valid.map(|bits| BooleanBuffer::new(bits.into(), 0, rows));
        let checksums = Checksums::new(values_checksum, valid_checksum.unwrap_or_default());
        let (null_count, sorted) = (self.word()? as usize, self.word()? != 0);
        if null_count > rows {
            return Err(NotTables("more rows are NULL than there are"));
        }
        let (lo, hi) = (self.word()?.cast_signed(), self.word()?.cast_signed());
        let range = ChunkRange { bounds: (lo <= hi).then_some((lo, hi)), nulls: null_count };
        Ok(StoredChunk { values, valid, range, sorted, checksums: Some(checksums) })
    }
}

impl TraceTables {
    /// Tables that were written as `bytes`, which `store` keeps. Values stay where they are, and
    /// are checked when they are first read; what fails is read from tables that `store` restores.
    ///
    /// # Errors
    /// When the bytes were written by another version of tpq, or when the directory or text is
    /// damaged.
    pub fn from_bytes(
        bytes: Bytes,
        store: Arc<dyn Store>,
    ) -> std::result::Result<StoredTables, NotTables> {
        let mut reader = Reader::open(&bytes)?;
        let about = Bytes::copy_from_slice(&reader.copied_blob()?);
        let strings = Arc::new(reader.strings()?);
        let backing = Arc::new(Backing::new(store, &strings));
        let table = |decl| reader.table(decl, &strings, &backing).map(Arc::new);
        let tables = Tables::DECLS.iter().copied().map(table);
        let tables = tables.collect::<Result<Vec<_>>>()?;
        let left_out = reader.left_out;
        Ok(StoredTables { tables: Self::new(tables, strings), left_out, about })
    }
}

impl TableGroups {
    /// The groups that stored tables leave out, as their first bytes say; `None` for other bytes.
    /// Only [`TraceTables::from_bytes`] compares checksums.
    pub fn left_out_of(mut stored: impl Read) -> Option<Self> {
        let mut header = [0; HEADER];
        stored.read_exact(&mut header).ok()?;
        let is_own = word(&header, 0).ok()? == MAGIC && word(&header, 8).ok()? == fingerprint();
        Self::from_word(word(&header, 16).ok().filter(|_| is_own)?)
    }
}
