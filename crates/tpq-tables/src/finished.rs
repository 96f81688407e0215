//! Finished tables: immutable chunks of narrow columns, read as Arrow batches.
//!
//! A column is kept in the narrowest form that holds its chunk (nothing at all where a chunk is
//! wholly NULL, bytes for small numbers) and widened to its SQL type when a batch is read.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchOptions};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, Schema, SchemaRef};

use crate::{ColumnKind, StringViews, TableDecl};

/// Rows in a chunk, the unit of pruning. All chunks but the last are full.
pub const CHUNK_ROWS: usize = 65_536;

/// A batch could not be assembled: a bug in tpq, never the trace's fault.
#[derive(Debug, thiserror::Error)]
#[error("table {table}: cannot assemble a batch: {source}")]
pub struct ReadError {
    table: &'static str,
    source: ArrowError,
}

/// The smallest and largest value of an integer or float column in one chunk, and its NULLs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChunkRange {
    /// Smallest and largest value that is not NULL, if there is one. Integers only.
    pub bounds: Option<(i64, i64)>,
    /// How many rows are NULL.
    pub nulls: usize,
}

enum Values {
    /// Every row is NULL.
    Null,
    I64(ScalarBuffer<i64>),
    I32(ScalarBuffer<i32>),
    U32(ScalarBuffer<u32>),
    U16(ScalarBuffer<u16>),
    U8(ScalarBuffer<u8>),
    F64(ScalarBuffer<f64>),
}

struct StoredChunk {
    values: Values,
    nulls: Option<NullBuffer>,
    range: ChunkRange,
}

/// A column that is no longer changed.
pub struct StoredColumn {
    chunks: Vec<StoredChunk>,
}

impl StoredColumn {
    pub(crate) fn from_i64(chunks: Vec<Vec<i64>>, valid: Option<Vec<u64>>) -> Self {
        Self::new(chunks, valid, |values| values, |values| Values::I64(values.into()))
    }

    pub(crate) fn from_i32(chunks: Vec<Vec<i32>>, valid: Option<Vec<u64>>) -> Self {
        Self::new(chunks, valid, i64::from, |values| Values::I32(values.into()))
    }

    pub(crate) fn from_u32(chunks: Vec<Vec<u32>>, valid: Option<Vec<u64>>) -> Self {
        Self::new(chunks, valid, i64::from, narrow)
    }

    pub(crate) fn from_f64(chunks: Vec<Vec<f64>>, valid: Option<Vec<u64>>) -> Self {
        let mut column = Self::new(chunks, valid, |_| 0, |values| Values::F64(values.into()));
        for chunk in &mut column.chunks {
            chunk.range.bounds = None;
        }
        column
    }

    /// Strings are NULL where their id is 0, so they need no validity bits.
    pub(crate) fn from_strings(chunks: Vec<Vec<u32>>) -> Self {
        let chunks = chunks.into_iter().map(|values| {
            let nulls = values.iter().filter(|&&id| id == 0).count();
            let values = if nulls == values.len() { Values::Null } else { narrow(values) };
            StoredChunk { values, nulls: None, range: ChunkRange { bounds: None, nulls } }
        });
        Self { chunks: chunks.collect() }
    }

    fn new<T: Copy>(
        chunks: Vec<Vec<T>>,
        valid: Option<Vec<u64>>,
        widen: impl Fn(T) -> i64,
        store: impl Fn(Vec<T>) -> Values,
    ) -> Self {
        let valid = valid.map(Buffer::from_vec);
        let freeze = |(index, mut values): (usize, Vec<T>)| {
            values.shrink_to_fit();
            let nulls = valid.as_ref().map(|bits| {
                let bits = BooleanBuffer::new(bits.clone(), index * CHUNK_ROWS, values.len());
                NullBuffer::new(bits)
            });
            let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
            let null_count = nulls.as_ref().map_or(0, NullBuffer::null_count);
            if null_count == values.len() {
                let range = ChunkRange { bounds: None, nulls: null_count };
                return StoredChunk { values: Values::Null, nulls: None, range };
            }
            let range =
                ChunkRange { bounds: bounds(&values, nulls.as_ref(), &widen), nulls: null_count };
            StoredChunk { values: store(values), nulls, range }
        };
        Self { chunks: chunks.into_iter().enumerate().map(freeze).collect() }
    }
}

fn bounds<T: Copy>(
    values: &[T],
    nulls: Option<&NullBuffer>,
    widen: impl Fn(T) -> i64,
) -> Option<(i64, i64)> {
    let mut bounds: Option<(i64, i64)> = None;
    for (row, &value) in values.iter().enumerate() {
        if nulls.is_none_or(|nulls| nulls.is_valid(row)) {
            let value = widen(value);
            bounds = Some(bounds.map_or((value, value), |(lo, hi)| (lo.min(value), hi.max(value))));
        }
    }
    bounds
}

/// The narrowest unsigned form that holds every value.
fn narrow(values: Vec<u32>) -> Values {
    match values.iter().copied().max().unwrap_or_default() {
        0..=0xff => Values::U8(values.iter().map(|&value| value as u8).collect::<Vec<_>>().into()),
        0x100..=0xffff => {
            Values::U16(values.iter().map(|&value| value as u16).collect::<Vec<_>>().into())
        }
        _ => Values::U32(values.into()),
    }
}

impl StoredChunk {
    fn read(&self, rows: Range<usize>, kind: ColumnKind, strings: &StringViews) -> ArrayRef {
        if kind == ColumnKind::String {
            return self.read_strings(rows, strings);
        }
        let nulls = self.nulls.as_ref().map(|nulls| nulls.slice(rows.start, rows.len()));
        let wide: ScalarBuffer<i64> = match &self.values {
            Values::Null => return arrow_array::new_null_array(&kind.sql_type(), rows.len()),
            Values::F64(values) => {
                return Arc::new(Float64Array::new(values.slice(rows.start, rows.len()), nulls));
            }
            Values::I64(values) => values.slice(rows.start, rows.len()),
            Values::I32(values) => values[rows].iter().map(|&value| i64::from(value)).collect(),
            Values::U32(values) => values[rows].iter().map(|&value| i64::from(value)).collect(),
            Values::U16(values) => values[rows].iter().map(|&value| i64::from(value)).collect(),
            Values::U8(values) => values[rows].iter().map(|&value| i64::from(value)).collect(),
        };
        Arc::new(Int64Array::new(wide, nulls))
    }

    fn read_strings(&self, rows: Range<usize>, strings: &StringViews) -> ArrayRef {
        match &self.values {
            Values::U8(ids) => strings.array(ids[rows].iter().map(|&id| u32::from(id))),
            Values::U16(ids) => strings.array(ids[rows].iter().map(|&id| u32::from(id))),
            Values::U32(ids) => strings.array(ids[rows].iter().copied()),
            _ => arrow_array::new_null_array(&ColumnKind::String.sql_type(), rows.len()),
        }
    }
}

/// A finished table.
pub struct Table {
    decl: &'static TableDecl,
    schema: SchemaRef,
    rows: usize,
    /// One for each column after `id`, which is not stored.
    columns: Vec<StoredColumn>,
    strings: Arc<StringViews>,
}

impl Table {
    pub(crate) fn new(
        decl: &'static TableDecl,
        rows: usize,
        columns: Vec<StoredColumn>,
        strings: &Arc<StringViews>,
    ) -> Self {
        let fields: Vec<_> = decl.columns.iter().map(crate::ColumnDecl::field).collect();
        let schema = Arc::new(Schema::new(fields));
        Self { decl, schema, rows, columns, strings: Arc::clone(strings) }
    }

    /// What the table is.
    pub fn decl(&self) -> &'static TableDecl {
        self.decl
    }

    /// The Arrow schema SQL sees.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The number of rows.
    pub fn num_rows(&self) -> usize {
        self.rows
    }

    /// The number of chunks of [`CHUNK_ROWS`] rows.
    pub fn num_chunks(&self) -> usize {
        self.rows.div_ceil(CHUNK_ROWS)
    }

    /// The number of rows of a chunk.
    pub fn chunk_rows(&self, chunk: usize) -> usize {
        (self.rows - chunk * CHUNK_ROWS).min(CHUNK_ROWS)
    }

    /// What is known of a column's values in a chunk. `column` counts from 0 with `id`.
    pub fn chunk_range(&self, chunk: usize, column: usize) -> ChunkRange {
        match column.checked_sub(1) {
            Some(stored) => self.columns[stored].chunks[chunk].range,
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
        let mut last = i64::MIN;
        self.columns[stored].chunks.iter().all(|chunk| match &chunk.values {
            Values::I64(values) if chunk.nulls.is_none() => values.iter().all(|&value| {
                let ordered = last <= value;
                last = value;
                ordered
            }),
            _ => false,
        })
    }

    /// Rows `rows` of a chunk as an Arrow batch of the columns `projection` names by position.
    ///
    /// # Errors
    /// Only when the columns do not fit the schema, which is a bug.
    pub fn read(
        &self,
        chunk: usize,
        rows: Range<usize>,
        projection: &[usize],
    ) -> Result<RecordBatch, ReadError> {
        let read = |&column: &usize| match column.checked_sub(1) {
            Some(stored) => self.columns[stored].chunks[chunk].read(
                rows.clone(),
                self.decl.columns[column].kind,
                &self.strings,
            ),
            None => {
                let first = (chunk * CHUNK_ROWS) as i64;
                let ids = rows.clone().map(|row| first + row as i64);
                Arc::new(Int64Array::from_iter_values(ids)) as ArrayRef
            }
        };
        let arrays: Vec<ArrayRef> = projection.iter().map(read).collect();
        let assemble = || {
            let schema = Arc::new(self.schema.project(projection)?);
            let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
            RecordBatch::try_new_with_options(schema, arrays, &options)
        };
        assemble().map_err(|source| ReadError { table: self.decl.name, source })
    }
}

/// Every table of an imported trace.
pub struct TraceTables {
    tables: Vec<Arc<Table>>,
}

impl TraceTables {
    pub(crate) fn new(tables: Vec<Arc<Table>>) -> Self {
        Self { tables }
    }

    /// The table of that name.
    pub fn get(&self, name: &str) -> Option<&Arc<Table>> {
        self.tables.iter().find(|table| table.decl.name == name)
    }

    /// All tables, in the order of `docs/tables.md`.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Table>> {
        self.tables.iter()
    }
}
