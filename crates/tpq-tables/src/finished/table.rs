//! Finished tables, and all those of a trace.

use std::io;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchOptions};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder, NullBufferBuilder, ScalarBuffer};
use arrow_schema::{Schema, SchemaRef};

use super::column::{CHUNK_ROWS, ChunkRange, StoredChunk, StoredColumn};
use super::read_error::ReadError;
use crate::later::Later;
use crate::left_out::LeftOut;
use crate::store::{Backing, Restored};
use crate::{ColumnKind, StringViews, TableDecl};

/// Single rows of a chunk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PickedRows {
    /// The chunk.
    pub chunk: usize,
    /// The rows in it.
    pub rows: Vec<u32>,
}

/// A finished table.
pub struct Table {
    decl: &'static TableDecl,
    /// Made on first use: there are a hundred tables, and a query names a few.
    schema: OnceLock<SchemaRef>,
    rows: usize,
    contents: Contents,
    /// The tables with the ids of arg sets, if the columns here have none.
    arg_sets: Option<Arc<LeftOut>>,
    /// The file that the columns lie in, if they do.
    backing: Option<Arc<Backing>>,
}

/// The columns of a table.
enum Contents {
    Here(Columns),
    Later(Later),
    /// In a table that is made when it is first read, with all of its rows; and the rows until
    /// then, if they are kept.
    LeftOut(Arc<LeftOut>, Option<Box<Table>>),
}

/// Columns with their strings.
pub(crate) struct Columns {
    /// One for each column after `id`, which is not stored.
    pub(crate) columns: Vec<StoredColumn>,
    pub(crate) strings: Arc<StringViews>,
}

impl Table {
    pub(crate) fn new(
        decl: &'static TableDecl,
        rows: usize,
        columns: Vec<StoredColumn>,
        strings: &Arc<StringViews>,
    ) -> Self {
        let contents = Contents::Here(Columns { columns, strings: Arc::clone(strings) });
        Self { decl, schema: OnceLock::new(), rows, contents, arg_sets: None, backing: None }
    }

    /// A table with columns that are loaded when they are first read.
    pub(crate) fn later(decl: &'static TableDecl, rows: usize, later: Later) -> Self {
        let contents = Contents::Later(later);
        Self { decl, schema: OnceLock::new(), rows, contents, arg_sets: None, backing: None }
    }

    /// The same, of columns that lie in a file.
    pub(crate) fn in_store(self, backing: Arc<Backing>) -> Self {
        Self { backing: Some(backing), ..self }
    }

    /// Has all rows read from a table that is made first.
    pub(crate) fn leave_out(&mut self, left_out: &Arc<LeftOut>) {
        self.contents = Contents::LeftOut(Arc::clone(left_out), None);
        self.backing = None;
    }

    /// The same, and keeps the rows that there are.
    pub(crate) fn leave_out_keeping_rows(&mut self, left_out: &Arc<LeftOut>) {
        let contents = Contents::LeftOut(Arc::clone(left_out), None);
        let kept = Self {
            decl: self.decl,
            schema: self.schema.clone(),
            rows: self.rows,
            contents: std::mem::replace(&mut self.contents, contents),
            arg_sets: None,
            backing: self.backing.take(),
        };
        self.contents = Contents::LeftOut(Arc::clone(left_out), Some(Box::new(kept)));
    }

    /// The table with the rows that need not be made first. Counts that were left out have those
    /// of what was decoded; other tables that were left out are made.
    pub fn rows_so_far(&self) -> &Self {
        match &self.contents {
            Contents::LeftOut(_, Some(kept)) => kept,
            _ => self,
        }
    }

    /// Has ids of arg sets read from a table that is made first.
    pub(crate) fn leave_out_arg_sets(&mut self, left_out: &Arc<LeftOut>) {
        if self.decl.columns.iter().any(|column| column.kind == ColumnKind::ArgSetId) {
            self.arg_sets = Some(Arc::clone(left_out));
        }
    }

    /// Makes the rows of a table that was left out, unless they are made.
    ///
    /// # Errors
    /// When they cannot be made.
    pub fn ensure_made(&self) -> Result<(), ReadError> {
        match &self.contents {
            Contents::LeftOut(left_out, _) => left_out.table(self).map(drop),
            Contents::Here(_) | Contents::Later(_) => Ok(()),
        }
    }

    /// The rows that need not be made first: their number and their columns. A table that was left
    /// out has none, unless it keeps those of what was decoded.
    pub(crate) fn own_rows(&self) -> (usize, &[StoredColumn]) {
        match &self.contents {
            Contents::LeftOut(_, Some(kept)) => kept.own_rows(),
            Contents::LeftOut(_, None) => (0, &[]),
            Contents::Here(_) | Contents::Later(_) => (self.rows, self.columns()),
        }
    }

    /// The columns; none where they could not be loaded.
    pub(crate) fn columns(&self) -> &[StoredColumn] {
        self.contents().map(|contents| contents.columns.as_slice()).unwrap_or_default()
    }

    /// The columns with their strings, which are loaded first if necessary.
    fn contents(&self) -> Result<&Columns, ReadError> {
        match &self.contents {
            Contents::Here(columns) => Ok(columns),
            Contents::Later(later) => later.columns(self.decl, self.rows).map_err(|source| {
                ReadError::NotLoaded { table: self.decl.name, source: Arc::clone(source) }
            }),
            Contents::LeftOut(left_out, _) => left_out.table(self)?.contents(),
        }
    }

    /// A column; `stored` counts those after `id`.
    fn column(&self, stored: usize) -> Result<&StoredColumn, ReadError> {
        match self.made_for(stored)? {
            Some(made) => made.column(stored),
            None => Ok(&self.contents()?.columns[stored]),
        }
    }

    /// The table that has a column, where this one leaves it out. It is made first if necessary.
    fn made_for(&self, stored: usize) -> Result<Option<&Self>, ReadError> {
        if let Contents::LeftOut(left_out, _) = &self.contents {
            return left_out.table(self).map(Some);
        }
        let is_of_arg_sets = self.decl.columns[stored + 1].kind == ColumnKind::ArgSetId;
        let Some(left_out) = self.arg_sets.as_ref().filter(|_| is_of_arg_sets) else {
            return Ok(None);
        };
        let made = left_out.table(self)?;
        if made.num_rows() != self.rows {
            return Err(ReadError::not_loaded(self.decl.name, "the trace now has other rows"));
        }
        Ok(Some(made))
    }

    /// The description of the table.
    pub fn decl(&self) -> &'static TableDecl {
        self.decl
    }

    /// The Arrow schema SQL sees.
    pub fn schema(&self) -> &SchemaRef {
        self.schema.get_or_init(|| schema_of(self.decl))
    }

    /// The number of rows. A table with rows that cannot be made has one, which cannot be read.
    pub fn num_rows(&self) -> usize {
        match &self.contents {
            Contents::LeftOut(left_out, _) => left_out.table(self).map_or(1, Self::num_rows),
            Contents::Here(_) | Contents::Later(_) => self.rows,
        }
    }

    /// The number of rows; `None` for a table that was left out, whether or not it was made since.
    pub fn known_rows(&self) -> Option<usize> {
        match &self.contents {
            Contents::LeftOut(..) => None,
            Contents::Here(_) | Contents::Later(_) => Some(self.rows),
        }
    }

    /// The number of chunks of [`CHUNK_ROWS`] rows.
    pub fn num_chunks(&self) -> usize {
        self.num_rows().div_ceil(CHUNK_ROWS)
    }

    /// The number of rows of a chunk.
    pub fn chunk_rows(&self, chunk: usize) -> usize {
        (self.num_rows() - chunk * CHUNK_ROWS).min(CHUNK_ROWS)
    }

    /// Facts about a column's values in a chunk. `column` counts from 0 with `id`.
    pub fn chunk_range(&self, chunk: usize, column: usize) -> ChunkRange {
        match column.checked_sub(1) {
            Some(stored) => match self.column(stored) {
                Ok(column) => column.range(chunk),
                // Reading them fails as well, and has an error to say so.
                Err(_) => ChunkRange { bounds: Some((i64::MIN, i64::MAX)), nulls: 0 },
            },
            None => {
                let first = (chunk * CHUNK_ROWS) as i64;
                let last = first + self.chunk_rows(chunk) as i64 - 1;
                ChunkRange { bounds: Some((first, last)), nulls: 0 }
            }
        }
    }

    /// Whether the values of an integer column never decrease and are never NULL.
    pub fn is_sorted_by(&self, column: usize) -> bool {
        let Some(stored) = column.checked_sub(1) else { return true };
        let Ok(column) = self.column(stored) else { return false };
        let chunks = column.chunks();
        let bounds = |chunk: &StoredChunk| chunk.range.bounds;
        let in_order = |pair: &[StoredChunk]| {
            let last = bounds(&pair[0]).map(|(_, last)| last);
            last <= bounds(&pair[1]).map(|(first, _)| first)
        };
        chunks.iter().all(|chunk| chunk.sorted) && chunks.windows(2).all(in_order)
    }

    /// Number of strings in all tables, with NULL, which has number 0.
    pub fn string_count(&self) -> usize {
        self.contents().map_or(1, |contents| contents.strings.views().len())
    }

    /// The numbers of strings in rows of a chunk. `column` counts from 0 with `id`, and must be of
    /// strings.
    ///
    /// # Errors
    /// When a file that holds the rows cannot be read, or is damaged and cannot be restored.
    pub fn string_ids(
        &self,
        chunk: usize,
        rows: Range<usize>,
        column: usize,
    ) -> Result<Vec<u32>, ReadError> {
        let Some(stored) = column.checked_sub(1) else { return Ok(vec![0; rows.len()]) };
        let of_own = |own: &StoredChunk| own.string_ids(rows.clone());
        let of_restored = |chunk: &StoredChunk, restored: &Restored| {
            let ids = chunk.string_ids(rows.clone())?;
            Ok(ids.map(|ids| ids.into_iter().map(|id| restored.string_id(id)).collect()))
        };
        let ids = self.read_chunk(chunk, stored, of_own, of_restored)?;
        Ok(ids.unwrap_or_else(|| vec![0; rows.len()]))
    }

    /// Reads something of a chunk. Where the chunk lies in a file that is damaged, or was
    /// shortened meanwhile, the same is read from restored tables.
    fn read_chunk<T>(
        &self,
        chunk: usize,
        stored: usize,
        of_own: impl FnOnce(&StoredChunk) -> io::Result<T>,
        of_restored: impl FnOnce(&StoredChunk, &Restored) -> io::Result<T>,
    ) -> Result<T, ReadError> {
        if let Some(made) = self.made_for(stored)? {
            return made.read_chunk(chunk, stored, of_own, of_restored);
        }
        let table = self.decl.name;
        let spilled = |source| ReadError::Spilled { table, source };
        let own = &self.column(stored)?.chunks()[chunk];
        let Some(backing) = &self.backing else { return of_own(own).map_err(spilled) };
        if own.is_intact() {
            let read = of_own(own).map_err(spilled)?;
            // The file may have lost the bytes after they were checked.
            if backing.is_intact() {
                return Ok(read);
            }
        }
        let damage = || match backing.is_intact() {
            true => {
                let column = self.decl.columns[stored + 1].name;
                format!(
                    "the checksum of {table}.{column} differs in rows from {}",
                    chunk * CHUNK_ROWS
                )
            }
            false => "it became shorter while it was in use".to_owned(),
        };
        let damaged = |reason| ReadError::Damaged { table, reason };
        let restored = backing.restored(damage).map_err(damaged)?;
        let other = restored.chunk(self, stored, chunk);
        let other = other.ok_or_else(|| damaged("the trace now has other rows".to_owned()))?;
        of_restored(other, restored).map_err(spilled)
    }

    /// The strings of these numbers.
    pub fn strings(&self, ids: &[u32]) -> ArrayRef {
        match self.contents() {
            Ok(contents) => contents.strings.array(ids.iter().copied()),
            // There are no ids of strings that could not be loaded.
            Err(_) => arrow_array::new_null_array(&ColumnKind::String.sql_type(), ids.len()),
        }
    }

    /// Rows `rows` of a chunk as an Arrow batch of the columns `projection` names by position.
    ///
    /// # Errors
    /// When the columns do not fit the schema, which is a bug, or when a file that holds the rows
    /// cannot be read, or is damaged and cannot be restored.
    pub fn read(
        &self,
        chunk: usize,
        rows: Range<usize>,
        projection: &[usize],
    ) -> Result<RecordBatch, ReadError> {
        let read = |&column: &usize| self.read_column(chunk, rows.clone(), column);
        let arrays = projection.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        self.assemble(projection, arrays, rows.len())
    }

    /// A batch of columns.
    fn assemble(
        &self,
        projection: &[usize],
        arrays: Vec<ArrayRef>,
        rows: usize,
    ) -> Result<RecordBatch, ReadError> {
        let assemble = || {
            let schema = Arc::new(self.schema().project(projection)?);
            let options = RecordBatchOptions::new().with_row_count(Some(rows));
            RecordBatch::try_new_with_options(schema, arrays, &options)
        };
        assemble().map_err(|source| ReadError::Assemble { table: self.decl.name, source })
    }

    /// Which rows of a chunk have one of the values `wanted` in an integer column. `column` counts
    /// from 0 with `id`.
    ///
    /// # Errors
    /// When a file that holds the rows cannot be read, or is damaged and cannot be restored.
    pub fn matches(
        &self,
        chunk: usize,
        rows: Range<usize>,
        column: usize,
        wanted: &[i64],
    ) -> Result<BooleanBuffer, ReadError> {
        let Some(stored) = column.checked_sub(1) else {
            let first = (chunk * CHUNK_ROWS + rows.start) as i64;
            let mut found = BooleanBufferBuilder::new(rows.len());
            found.append_n(rows.len(), false);
            let row_of = |id: &i64| usize::try_from(id.checked_sub(first)?).ok();
            let found_rows = wanted.iter().filter_map(row_of).filter(|&row| row < rows.len());
            found_rows.for_each(|row| found.set_bit(row, true));
            return Ok(found.finish());
        };
        let of_own = |own: &StoredChunk| own.matches(rows.clone(), wanted);
        self.read_chunk(chunk, stored, of_own, |chunk, _| chunk.matches(rows.clone(), wanted))
    }

    /// Single rows of some chunks as an Arrow batch of the columns `projection` names by position.
    ///
    /// # Errors
    /// As [`Table::read`].
    pub fn pick(
        &self,
        picked: &[PickedRows],
        projection: &[usize],
    ) -> Result<RecordBatch, ReadError> {
        let count = picked.iter().map(|picked| picked.rows.len()).sum();
        let pick = |&column: &usize| self.pick_column(picked, count, column);
        let arrays = projection.iter().map(pick).collect::<Result<Vec<_>, _>>()?;
        self.assemble(projection, arrays, count)
    }

    fn pick_column(
        &self,
        picked: &[PickedRows],
        count: usize,
        column: usize,
    ) -> Result<ArrayRef, ReadError> {
        let Some(stored) = column.checked_sub(1) else {
            let ids = picked.iter().flat_map(|PickedRows { chunk, rows }| {
                rows.iter().map(move |&row| (chunk * CHUNK_ROWS) as i64 + i64::from(row))
            });
            return Ok(Arc::new(Int64Array::from_iter_values(ids)));
        };
        let kind = self.decl.columns[column].kind;
        if kind == ColumnKind::String {
            return self.pick_strings(picked, count, stored);
        }
        let mut values = Vec::with_capacity(count);
        let mut nulls = NullBufferBuilder::new(count);
        for PickedRows { chunk, rows } in picked {
            let of_own = |own: &StoredChunk| own.pick(rows);
            let found = self.read_chunk(*chunk, stored, of_own, |chunk, _| chunk.pick(rows))?;
            match found.valid {
                Some(valid) => valid.into_iter().for_each(|valid| nulls.append(valid)),
                None => nulls.append_n_non_nulls(found.values.len()),
            }
            values.extend(found.values);
        }
        let (values, nulls) = (ScalarBuffer::<i64>::from(values), nulls.finish());
        Ok(match kind {
            ColumnKind::Double => Arc::new(Float64Array::new(values.into_inner().into(), nulls)),
            _ => Arc::new(Int64Array::new(values, nulls)),
        })
    }

    fn pick_strings(
        &self,
        picked: &[PickedRows],
        count: usize,
        stored: usize,
    ) -> Result<ArrayRef, ReadError> {
        let mut ids = Vec::with_capacity(count);
        for PickedRows { chunk, rows } in picked {
            let of_own = |own: &StoredChunk| own.values.ids_at(rows);
            let of_restored = |chunk: &StoredChunk, restored: &Restored| {
                let ids = chunk.values.ids_at(rows)?;
                Ok(ids.map(|ids| ids.into_iter().map(|id| restored.string_id(id)).collect()))
            };
            let found = self.read_chunk(*chunk, stored, of_own, of_restored)?;
            ids.extend(found.unwrap_or_else(|| vec![0; rows.len()]));
        }
        Ok(self.contents()?.strings.array(ids.iter().copied()))
    }

    fn read_column(
        &self,
        chunk: usize,
        rows: Range<usize>,
        column: usize,
    ) -> Result<ArrayRef, ReadError> {
        let Some(stored) = column.checked_sub(1) else {
            let first = (chunk * CHUNK_ROWS) as i64;
            let ids = rows.map(|row| first + row as i64);
            return Ok(Arc::new(Int64Array::from_iter_values(ids)));
        };
        let kind = self.decl.columns[column].kind;
        let strings = &self.contents()?.strings;
        let of_own = |own: &StoredChunk| own.read(rows.clone(), kind, strings);
        let of_restored = |chunk: &StoredChunk, restored: &Restored| {
            chunk.read(rows.clone(), kind, restored.strings())
        };
        self.read_chunk(chunk, stored, of_own, of_restored)
    }
}

/// The schema SQL sees of a declared table.
fn schema_of(decl: &TableDecl) -> SchemaRef {
    let fields: Vec<_> = decl.columns.iter().map(crate::ColumnDecl::field).collect();
    Arc::new(Schema::new(fields))
}

/// Every table of an imported trace.
pub struct TraceTables {
    tables: Vec<Arc<Table>>,
    strings: Arc<StringViews>,
    /// The tables that the import left out, if it did.
    left_out: Option<Arc<LeftOut>>,
}

impl TraceTables {
    pub(crate) fn new(tables: Vec<Arc<Table>>, strings: Arc<StringViews>) -> Self {
        Self { tables, strings, left_out: None }
    }

    /// Tables that nothing else refers to so far.
    pub(crate) fn tables_mut(&mut self) -> impl Iterator<Item = &mut Table> {
        self.tables.iter_mut().filter_map(Arc::get_mut)
    }

    pub(crate) fn set_left_out(&mut self, left_out: Arc<LeftOut>) {
        self.left_out = Some(left_out);
    }

    pub(crate) fn left_out(&self) -> Option<&LeftOut> {
        self.left_out.as_deref()
    }

    /// The strings of all tables.
    pub(crate) fn strings(&self) -> &StringViews {
        &self.strings
    }

    /// The table of that name.
    pub fn get(&self, name: &str) -> Option<&Arc<Table>> {
        self.tables.iter().find(|table| table.decl.name == name)
    }

    /// All tables, in the order of `docs/tables.md`.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Table>> {
        self.tables.iter()
    }

    /// Bytes that values, bits of NULLs and text take, in memory as in a file, without those of
    /// tables that were left out.
    pub fn packed_bytes(&self) -> u64 {
        let chunks = self.tables.iter().flat_map(|table| table.own_rows().1);
        let chunks = chunks.flat_map(StoredColumn::chunks);
        chunks.map(StoredChunk::bytes).sum::<u64>() + self.strings.bytes()
    }
}
