//! The tables that scans read: chunks of rows with known value ranges.

use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Int64Array, RecordBatch, RecordBatchOptions, new_empty_array,
    new_null_array,
};
use datafusion::arrow::buffer::BooleanBuffer;
use datafusion::arrow::compute::concat;
use datafusion::arrow::datatypes::{DataType, Int64Type, SchemaRef};
use datafusion::common::{Result, internal_err};
use datafusion::error::DataFusionError;
use tpq_tables::{CHUNK_ROWS, ChunkRange, ColumnKind, PickedRows, ReadError, Table};

use super::stored_column::{Facts, StoredColumn};

/// A table in chunks that a scan can read.
pub(crate) trait ChunkedTable: Send + Sync {
    /// The name of the table, as plans show it.
    fn name(&self) -> &str;

    /// The schema of the table.
    fn schema(&self) -> &SchemaRef;

    /// The column that holds row numbers, from 0; `None` if there is none.
    fn key(&self) -> Option<usize>;

    /// The number of rows.
    fn num_rows(&self) -> usize;

    /// The number of chunks; all but the last are full, unless the table says how many rows each has.
    fn num_chunks(&self) -> usize {
        self.num_rows().div_ceil(CHUNK_ROWS)
    }

    /// The number of rows of a chunk.
    fn chunk_rows(&self, chunk: usize) -> usize {
        (self.num_rows() - chunk * CHUNK_ROWS).min(CHUNK_ROWS)
    }

    /// The number of rows; `None` if they are to be made when they are first read.
    fn known_rows(&self) -> Option<usize> {
        Some(self.num_rows())
    }

    /// Makes the rows of some columns, if they are to be made when they are first read.
    ///
    /// # Errors
    /// When they cannot be made. Neither their number nor the ranges of their values are known then.
    fn ensure_made(&self, _: &[usize]) -> Result<()> {
        Ok(())
    }

    /// The range of a column's values in a chunk, and the number of NULLs.
    fn chunk_range(&self, chunk: usize, column: usize) -> ChunkRange;

    /// Whether the values of a column are integers that never decrease and are never NULL.
    fn is_sorted_by(&self, column: usize) -> bool;

    /// Reads rows of a chunk; `projection` lists the positions of the columns to read.
    ///
    /// # Errors
    /// When the columns do not match the schema, which is a bug, or a temporary file cannot be
    /// read.
    fn read(&self, chunk: usize, rows: Range<usize>, projection: &[usize]) -> Result<RecordBatch>;

    /// Which rows of a chunk have one of the values `wanted` in a column of integers.
    ///
    /// # Errors
    /// As for [`ChunkedTable::read`].
    fn matches(
        &self,
        chunk: usize,
        rows: Range<usize>,
        column: usize,
        wanted: &[i64],
    ) -> Result<BooleanBuffer>;

    /// Reads single rows of some chunks.
    ///
    /// # Errors
    /// As for [`ChunkedTable::read`].
    fn pick(&self, picked: &[PickedRows], projection: &[usize]) -> Result<RecordBatch>;

    /// The number of strings in the string pool, including NULL, which has id 0; `None` if text
    /// columns hold text and not string ids.
    fn string_count(&self) -> Option<usize> {
        None
    }

    /// The string ids of a column in rows of a chunk.
    ///
    /// # Errors
    /// As for [`ChunkedTable::read`], and if columns hold text and not string ids.
    fn string_ids(&self, _: usize, _: Range<usize>, _: usize) -> Result<Vec<u32>> {
        internal_err!("{} has no string ids", self.name())
    }

    /// The strings with these ids.
    fn strings(&self, ids: &[u32]) -> ArrayRef {
        new_null_array(&DataType::Utf8View, ids.len())
    }
}

impl ChunkedTable for Table {
    fn name(&self) -> &str {
        self.decl().name
    }

    fn schema(&self) -> &SchemaRef {
        self.schema()
    }

    fn key(&self) -> Option<usize> {
        (self.decl().columns.first()?.kind == ColumnKind::Id).then_some(0)
    }

    fn num_rows(&self) -> usize {
        self.num_rows()
    }

    fn known_rows(&self) -> Option<usize> {
        self.known_rows()
    }

    fn ensure_made(&self, columns: &[usize]) -> Result<()> {
        let external = |error: ReadError| DataFusionError::External(Box::new(error));
        self.ensure_made().map_err(external)?;
        let is_of_arg_sets =
            |column: &usize| self.decl().columns[*column].kind == ColumnKind::ArgSetId;
        let of_arg_sets: Vec<usize> = columns.iter().copied().filter(is_of_arg_sets).collect();
        if of_arg_sets.is_empty() || self.num_rows() == 0 {
            return Ok(());
        }
        // Reading no rows makes a column.
        self.read(0, 0..0, &of_arg_sets).map(drop).map_err(external)
    }

    fn chunk_range(&self, chunk: usize, column: usize) -> ChunkRange {
        self.chunk_range(chunk, column)
    }

    fn is_sorted_by(&self, column: usize) -> bool {
        self.is_sorted_by(column)
    }

    fn read(&self, chunk: usize, rows: Range<usize>, projection: &[usize]) -> Result<RecordBatch> {
        let batch = self.read(chunk, rows, projection);
        batch.map_err(|error| DataFusionError::External(Box::new(error)))
    }

    fn matches(
        &self,
        chunk: usize,
        rows: Range<usize>,
        column: usize,
        wanted: &[i64],
    ) -> Result<BooleanBuffer> {
        let matches = self.matches(chunk, rows, column, wanted);
        matches.map_err(|error| DataFusionError::External(Box::new(error)))
    }

    fn pick(&self, picked: &[PickedRows], projection: &[usize]) -> Result<RecordBatch> {
        let batch = self.pick(picked, projection);
        batch.map_err(|error| DataFusionError::External(Box::new(error)))
    }

    fn string_count(&self) -> Option<usize> {
        Some(self.string_count())
    }

    fn string_ids(&self, chunk: usize, rows: Range<usize>, column: usize) -> Result<Vec<u32>> {
        let ids = self.string_ids(chunk, rows, column);
        ids.map_err(|error| DataFusionError::External(Box::new(error)))
    }

    fn strings(&self, ids: &[u32]) -> ArrayRef {
        self.strings(ids)
    }
}

/// The rows of a query, in memory.
pub(crate) struct Snapshot {
    name: String,
    schema: SchemaRef,
    rows: usize,
    chunks: Vec<Chunk>,
}

impl Snapshot {
    /// Makes a snapshot of `batches`, which must have the types of `schema`.
    ///
    /// # Errors
    /// When the types differ, which is a bug.
    pub(crate) fn new(name: &str, schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<Self> {
        let mut chunks = Chunks::new(&schema);
        batches.into_iter().try_for_each(|batch| chunks.push(batch))?;
        chunks.flush()?;
        Ok(Self::of_chunks(name, schema, chunks))
    }

    /// Makes a snapshot of the rows of several parts, one after the other.
    ///
    /// # Errors
    /// As [`Snapshot::new`].
    pub(crate) fn of_parts(name: &str, schema: SchemaRef, parts: Vec<Chunks>) -> Result<Self> {
        let mut all = Chunks::new(&schema);
        for chunk in parts.into_iter().flat_map(|part| part.chunks) {
            // A scan of many small chunks takes long.
            if chunk.rows < CHUNK_ROWS / 4 {
                all.push(chunk.whole(&schema)?)?;
            } else {
                all.flush()?;
                all.chunks.push(chunk);
            }
        }
        all.flush()?;
        Ok(Self::of_chunks(name, schema, all))
    }

    fn of_chunks(name: &str, schema: SchemaRef, chunks: Chunks) -> Self {
        let rows = chunks.chunks.iter().map(|chunk| chunk.rows).sum();
        Self { name: name.to_owned(), schema, rows, chunks: chunks.chunks }
    }

    /// The integers of a column in single rows of some chunks, of which there are `count`; `None` if
    /// they are kept in another way, or one is NULL.
    fn pick_integers(
        &self,
        picked: &[PickedRows],
        column: usize,
        count: usize,
    ) -> Option<ArrayRef> {
        picked.first()?;
        let mut values = Vec::with_capacity(count);
        for PickedRows { chunk, rows } in picked {
            self.chunks[*chunk].columns[column].0.pick_integers(rows, &mut values)?;
        }
        Some(Arc::new(Int64Array::from(values)))
    }

    /// All rows, in chunks.
    ///
    /// # Errors
    /// Never, unless there is a bug.
    pub(crate) fn batches(&self) -> Result<Vec<RecordBatch>> {
        self.chunks.iter().map(|chunk| chunk.whole(&self.schema)).collect()
    }
}

/// Rows in chunks, which are made as rows come.
pub(crate) struct Chunks {
    schema: SchemaRef,
    chunks: Vec<Chunk>,
    /// Rows that are not in a chunk yet.
    pending: Vec<RecordBatch>,
    /// The number of these rows.
    count: usize,
}

/// Columns of some rows.
struct Chunk {
    rows: usize,
    columns: Vec<(StoredColumn, Facts)>,
}

impl Chunk {
    /// Joins batches, which have the types of `schema`.
    fn new(schema: &SchemaRef, batches: &[RecordBatch]) -> Result<Self> {
        let columns = (0..schema.fields().len()).map(|index| {
            let parts: Vec<&ArrayRef> = batches.iter().map(|batch| batch.column(index)).collect();
            StoredColumn::new(&parts)
        });
        let rows = batches.iter().map(RecordBatch::num_rows).sum();
        Ok(Self { rows, columns: columns.collect::<Result<_>>()? })
    }

    /// All rows, with the names of `schema`.
    fn whole(&self, schema: &SchemaRef) -> Result<RecordBatch> {
        let all: Vec<usize> = (0..self.columns.len()).collect();
        self.read(schema, 0..self.rows, &all)
    }

    /// Some of the rows, with the columns of `schema` at the positions in `projection`.
    fn read(
        &self,
        schema: &SchemaRef,
        rows: Range<usize>,
        projection: &[usize],
    ) -> Result<RecordBatch> {
        let columns = projection.iter().map(|&column| self.columns[column].0.read(rows.clone()));
        batch(schema, projection, rows.len(), columns.collect::<Result<_>>()?)
    }
}

/// A batch with the columns of `schema` at the positions in `projection`.
fn batch(
    schema: &SchemaRef,
    projection: &[usize],
    rows: usize,
    columns: Vec<ArrayRef>,
) -> Result<RecordBatch> {
    let schema = Arc::new(schema.project(projection)?);
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(schema, columns, &options)?)
}

impl Chunks {
    /// No rows yet, of these columns.
    pub(crate) fn new(schema: &SchemaRef) -> Self {
        Self { schema: Arc::clone(schema), chunks: Vec::new(), pending: Vec::new(), count: 0 }
    }

    /// Adds rows.
    ///
    /// # Errors
    /// When the types differ, which is a bug.
    pub(crate) fn push(&mut self, mut batch: RecordBatch) -> Result<()> {
        while self.count + batch.num_rows() >= CHUNK_ROWS {
            let missing = CHUNK_ROWS - self.count;
            self.pending.push(batch.slice(0, missing));
            batch = batch.slice(missing, batch.num_rows() - missing);
            self.count = CHUNK_ROWS;
            self.flush()?;
        }
        self.count += batch.num_rows();
        if batch.num_rows() > 0 {
            self.pending.push(batch);
        }
        Ok(())
    }

    /// Makes a chunk of the rows that are in none.
    ///
    /// # Errors
    /// As [`Chunks::push`].
    pub(crate) fn flush(&mut self) -> Result<()> {
        if std::mem::take(&mut self.count) > 0 {
            self.chunks.push(Chunk::new(&self.schema, &std::mem::take(&mut self.pending))?);
        }
        Ok(())
    }
}

impl ChunkedTable for Snapshot {
    fn name(&self) -> &str {
        &self.name
    }

    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn key(&self) -> Option<usize> {
        None
    }

    fn num_rows(&self) -> usize {
        self.rows
    }

    fn num_chunks(&self) -> usize {
        self.chunks.len()
    }

    fn chunk_rows(&self, chunk: usize) -> usize {
        self.chunks[chunk].rows
    }

    fn chunk_range(&self, chunk: usize, column: usize) -> ChunkRange {
        self.chunks[chunk].columns[column].1.range
    }

    fn is_sorted_by(&self, column: usize) -> bool {
        let mut last = i64::MIN;
        self.chunks.iter().all(|chunk| {
            let (_, Facts { range, is_sorted }) = &chunk.columns[column];
            let Some((least, greatest)) = range.bounds.filter(|_| *is_sorted) else { return false };
            let follows = last <= least;
            last = greatest;
            follows
        })
    }

    fn read(&self, chunk: usize, rows: Range<usize>, projection: &[usize]) -> Result<RecordBatch> {
        self.chunks[chunk].read(&self.schema, rows, projection)
    }

    fn matches(
        &self,
        chunk: usize,
        rows: Range<usize>,
        column: usize,
        wanted: &[i64],
    ) -> Result<BooleanBuffer> {
        let (column_of_chunk, _) = &self.chunks[chunk].columns[column];
        if let Some(found) = column_of_chunk.matches(rows.clone(), wanted) {
            return Ok(found);
        }
        let values = column_of_chunk.read(rows)?;
        let Some(values) = values.as_primitive_opt::<Int64Type>() else {
            return internal_err!("{} has no integers in column {column}", self.name);
        };
        let is_wanted = |value: i64| match wanted {
            [only] => value == *only,
            wanted => wanted.binary_search(&value).is_ok(),
        };
        let numbers = values.values();
        let found = BooleanBuffer::collect_bool(numbers.len(), |row| is_wanted(numbers[row]));
        Ok(match values.nulls() {
            Some(nulls) => &found & nulls.inner(),
            None => found,
        })
    }

    fn pick(&self, picked: &[PickedRows], projection: &[usize]) -> Result<RecordBatch> {
        let rows = picked.iter().map(|picked| picked.rows.len()).sum();
        let columns = projection.iter().map(|&column| -> Result<ArrayRef> {
            if let Some(integers) = self.pick_integers(picked, column, rows) {
                return Ok(integers);
            }
            let parts = picked
                .iter()
                .map(|picked| self.chunks[picked.chunk].columns[column].0.pick(&picked.rows));
            match &parts.collect::<Result<Vec<ArrayRef>>>()?[..] {
                [] => Ok(new_empty_array(self.schema.field(column).data_type())),
                [only] => Ok(Arc::clone(only)),
                parts => {
                    let parts: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
                    Ok(concat(&parts)?)
                }
            }
        });
        batch(&self.schema, projection, rows, columns.collect::<Result<_>>()?)
    }
}
