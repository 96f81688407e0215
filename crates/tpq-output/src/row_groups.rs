//! The row groups of a Parquet file, of which the columns are encoded on several threads.
//!
//! Each column of a row group has an encoder of its own. Rows are collected until a start of threads
//! is small beside their encoding.

use std::sync::{Arc, Mutex, PoisonError};
use std::{mem, panic, thread};

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::datatypes::{FieldRef, SchemaRef};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves,
};
use datafusion::parquet::errors::ParquetError;
use datafusion::parquet::file::properties::WriterProperties;
use datafusion::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use datafusion::parquet::schema::types::ColumnDescPtr;

use crate::Sink;
use crate::column_chunk::{ColumnChunk, Compressors, EncodedChunk, column_chunk};

/// Rows that are collected for several threads.
const COLLECTED_ROWS: usize = 64 * 1024;
/// The size at which fewer rows are enough.
const COLLECTED_BYTES: usize = 8 << 20;

/// When a row group ends.
#[derive(Clone, Copy)]
pub(crate) struct RowGroupLimits {
    /// The most rows.
    pub rows: usize,
    /// The most encoded bytes, about.
    pub bytes: usize,
}

/// A Parquet file that is being written.
pub(crate) struct RowGroups {
    file: SerializedFileWriter<Sink>,
    encoders: ArrowRowGroupWriterFactory,
    schema: SchemaRef,
    limits: RowGroupLimits,
    threads: usize,
    compressors: Compressors,
    group: Option<RowGroup>,
    /// Rows of the group that are not encoded yet.
    collected: Vec<RecordBatch>,
    collected_rows: usize,
    collected_bytes: usize,
}

impl RowGroups {
    /// Begins a file. Each column is encoded by one of up to `threads` threads.
    ///
    /// # Errors
    /// When Parquet cannot represent a type, or the first bytes cannot be written.
    pub(crate) fn begin(
        sink: Sink,
        schema: &SchemaRef,
        properties: WriterProperties,
        limits: RowGroupLimits,
        threads: usize,
    ) -> Result<Self, ParquetError> {
        let writer = ArrowWriter::try_new(sink, Arc::clone(schema), Some(properties))?;
        let (file, encoders) = writer.into_serialized_writer()?;
        Ok(Self {
            file,
            encoders,
            schema: Arc::clone(schema),
            limits,
            threads: threads.max(1),
            compressors: Compressors::new(),
            group: None,
            collected: Vec::new(),
            collected_rows: 0,
            collected_bytes: 0,
        })
    }

    /// Adds rows, which have the columns of the schema.
    ///
    /// # Errors
    /// When a value cannot be encoded, or bytes cannot be written.
    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), ParquetError> {
        let mut start = 0;
        while start < batch.num_rows() {
            match self.room() {
                0 => self.end_group()?,
                room => {
                    let rows = room.min(batch.num_rows() - start);
                    self.collect(batch.slice(start, rows));
                    start += rows;
                    if self.has_enough() {
                        self.encode()?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Ends the file, and returns the sink.
    ///
    /// # Errors
    /// When bytes cannot be written.
    pub(crate) fn finish(mut self) -> Result<Sink, ParquetError> {
        self.end_group()?;
        self.file.into_inner()
    }

    /// How many more rows the row group takes: at least one if it has none.
    fn room(&self) -> usize {
        let encoded = self.group.as_ref().map_or((0, 0), |group| (group.rows, group.bytes()));
        let (encoded_rows, encoded_bytes) = encoded;
        let rows = encoded_rows + self.collected_rows;
        let by_rows = self.limits.rows.max(1).saturating_sub(rows);
        match encoded_bytes.checked_div(encoded_rows) {
            None | Some(0) => by_rows,
            Some(row_bytes) => by_rows.min((self.limits.bytes / row_bytes).saturating_sub(rows)),
        }
    }

    fn collect(&mut self, rows: RecordBatch) {
        self.collected_rows += rows.num_rows();
        self.collected_bytes += rows.columns().iter().map(bytes_of).sum::<usize>();
        self.collected.push(rows);
    }

    fn has_enough(&self) -> bool {
        self.threads == 1
            || self.collected_rows >= COLLECTED_ROWS
            || self.collected_bytes >= COLLECTED_BYTES
    }

    /// Encodes the rows that are collected.
    fn encode(&mut self) -> Result<(), ParquetError> {
        let batches = mem::take(&mut self.collected);
        (self.collected_rows, self.collected_bytes) = (0, 0);
        if batches.is_empty() {
            return Ok(());
        }
        let mut group = match self.group.take() {
            Some(group) => group,
            None => RowGroup::new(&self.file, &self.encoders, &self.schema)?,
        };
        group.encode(&batches, self.threads, &self.compressors)?;
        self.group = Some(group);
        Ok(())
    }

    /// Writes the row group, if there is one.
    fn end_group(&mut self) -> Result<(), ParquetError> {
        self.encode()?;
        let Some(group) = self.group.take() else { return Ok(()) };
        let columns = group.finish(self.threads, &self.compressors)?;
        let mut group = self.file.next_row_group()?;
        columns.into_iter().try_for_each(|column| column.append_to(&mut group))?;
        group.close().map(drop)
    }
}

/// The bytes of the rows of a column. Buffers of texts are those of a whole string pool.
fn bytes_of(column: &ArrayRef) -> usize {
    match column.as_string_view_opt() {
        Some(texts) => size_of_val(&texts.views()[..]) + texts.total_buffer_bytes_used(),
        None => column.get_array_memory_size(),
    }
}

/// The encoders of a row group.
struct RowGroup {
    columns: Vec<ColumnEncoder>,
    rows: usize,
}

/// The encoder of a column.
enum ColumnEncoder {
    /// Of tpq: of integers, floating-point numbers or texts.
    Plain(Box<dyn ColumnChunk>),
    /// Of the library: one, or one for each leaf of a nested type.
    Arrow { field: FieldRef, leaves: Vec<ArrowColumnWriter> },
}

/// An encoded column.
enum EncodedColumn {
    Plain(Box<EncodedChunk>),
    Arrow(Vec<ArrowColumnChunk>),
}

impl RowGroup {
    fn new(
        file: &SerializedFileWriter<Sink>,
        encoders: &ArrowRowGroupWriterFactory,
        schema: &SchemaRef,
    ) -> Result<Self, ParquetError> {
        let description = file.schema_descr();
        let fields = schema.fields().iter().map(Arc::clone);
        let mut columns: Vec<ColumnEncoder> =
            fields.map(|field| ColumnEncoder::Arrow { field, leaves: Vec::new() }).collect();
        let mut needs_library = false;
        for (at, leaf) in description.columns().iter().enumerate() {
            let Some(column) = columns.get_mut(description.get_column_root_idx(at)) else {
                continue;
            };
            let has_dictionary = file.properties().dictionary_enabled(leaf.path());
            match column.chunk(leaf, has_dictionary) {
                Some(chunk) => *column = ColumnEncoder::Plain(chunk),
                None => needs_library = true,
            }
        }
        if needs_library {
            let leaves = encoders.create_column_writers(file.flushed_row_groups().len())?;
            for (at, leaf) in leaves.into_iter().enumerate() {
                let column = columns.get_mut(description.get_column_root_idx(at));
                if let Some(ColumnEncoder::Arrow { leaves, .. }) = column {
                    leaves.push(leaf);
                }
            }
        }
        Ok(Self { columns, rows: 0 })
    }

    fn encode(
        &mut self,
        batches: &[RecordBatch],
        threads: usize,
        compressors: &Compressors,
    ) -> Result<(), ParquetError> {
        self.rows += batches.iter().map(RecordBatch::num_rows).sum::<usize>();
        let columns = self.columns.iter_mut().enumerate().collect();
        on_threads(threads, columns, |(at, column)| {
            batches.iter().try_for_each(|batch| column.encode(batch.column(at), compressors))
        })?;
        Ok(())
    }

    /// The bytes of the row group so far, about.
    fn bytes(&self) -> usize {
        self.columns.iter().map(ColumnEncoder::bytes).sum()
    }

    /// The encoded columns in the order of the file.
    fn finish(
        self,
        threads: usize,
        compressors: &Compressors,
    ) -> Result<Vec<EncodedColumn>, ParquetError> {
        on_threads(threads, self.columns, |column| column.finish(compressors))
    }
}

impl ColumnEncoder {
    /// The encoder of tpq for this leaf, if there is one.
    fn chunk(&self, leaf: &ColumnDescPtr, has_dictionary: bool) -> Option<Box<dyn ColumnChunk>> {
        match self {
            Self::Plain(_) => None,
            Self::Arrow { field, .. } => column_chunk(leaf, field.data_type(), has_dictionary),
        }
    }

    fn encode(&mut self, rows: &ArrayRef, compressors: &Compressors) -> Result<(), ParquetError> {
        match self {
            Self::Plain(encoder) => encoder.write(rows, compressors),
            Self::Arrow { field, leaves } => {
                let values = compute_leaves(field, rows)?;
                let mut leaves = values.iter().zip(leaves);
                leaves.try_for_each(|(values, encoder)| encoder.write(values))
            }
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Plain(encoder) => encoder.bytes(),
            Self::Arrow { leaves, .. } => {
                leaves.iter().map(ArrowColumnWriter::get_estimated_total_bytes).sum()
            }
        }
    }

    fn finish(self, compressors: &Compressors) -> Result<EncodedColumn, ParquetError> {
        Ok(match self {
            Self::Plain(encoder) => EncodedColumn::Plain(Box::new(encoder.finish(compressors)?)),
            Self::Arrow { leaves, .. } => {
                let chunks = leaves.into_iter().map(ArrowColumnWriter::close);
                EncodedColumn::Arrow(chunks.collect::<Result<_, _>>()?)
            }
        })
    }
}

impl EncodedColumn {
    fn append_to(self, group: &mut SerializedRowGroupWriter<'_, Sink>) -> Result<(), ParquetError> {
        match self {
            Self::Plain(chunk) => chunk.append_to(group),
            Self::Arrow(chunks) => {
                chunks.into_iter().try_for_each(|chunk| chunk.append_to_row_group(group))
            }
        }
    }
}

/// Does the work of each item on up to `threads` threads, of which this one is the first. The
/// results have the order of the items.
fn on_threads<T: Send, R: Send>(
    threads: usize,
    items: Vec<T>,
    work: impl Fn(T) -> Result<R, ParquetError> + Sync,
) -> Result<Vec<R>, ParquetError> {
    let threads = threads.min(items.len());
    if threads <= 1 {
        return items.into_iter().map(work).collect();
    }
    let queue = Mutex::new(items.into_iter().enumerate());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work_off = || -> Result<Vec<(usize, R)>, ParquetError> {
        let mut results = Vec::new();
        while let Some((at, item)) = next() {
            results.push((at, work(item)?));
        }
        Ok(results)
    };
    let mut results = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work_off)).collect();
        let mut results = work_off();
        for other in others {
            let other = other.join().unwrap_or_else(|cause| panic::resume_unwind(cause));
            results = results.and_then(|mut results| {
                results.extend(other?);
                Ok(results)
            });
        }
        results
    })?;
    results.sort_unstable_by_key(|(at, _)| *at);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{ArrayRef, Int64Array};

    use super::*;

    #[test]
    fn rows_that_are_not_encoded_count_for_the_limit() {
        let batch = |rows: i64| {
            let column: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows));
            RecordBatch::try_from_iter([("n", column)]).unwrap()
        };
        let limits = RowGroupLimits { rows: 100, bytes: 1 << 20 };
        let properties = WriterProperties::default();
        let sink: Sink = Box::new(std::io::sink());
        let mut groups = RowGroups::begin(sink, &batch(1).schema(), properties, limits, 2).unwrap();
        groups.write(&batch(60)).unwrap();
        assert_eq!(groups.room(), 40);
        groups.write(&batch(160)).unwrap();
        assert_eq!(groups.room(), 80);
        let rows: Vec<i64> =
            groups.file.flushed_row_groups().iter().map(|it| it.num_rows()).collect();
        assert_eq!(rows, [100, 100]);
        groups.finish().unwrap();
    }

    #[test]
    fn results_have_the_order_of_the_items() {
        let all: Vec<usize> = (0..100).collect();
        for threads in [0, 1, 3, 200] {
            let twice = on_threads(threads, all.clone(), |item| Ok(item * 2)).unwrap();
            assert_eq!(twice, all.iter().map(|item| item * 2).collect::<Vec<_>>());
        }
        assert!(on_threads(3, Vec::<u8>::new(), Ok).unwrap().is_empty());
    }

    #[test]
    fn an_error_of_any_item_is_the_error_of_all() {
        for failing in [0, 50, 99] {
            let work = |item: usize| match item == failing {
                true => Err(ParquetError::General("no".to_owned())),
                false => Ok(item),
            };
            assert!(on_threads(3, (0..100).collect(), work).is_err(), "{failing}");
        }
    }
}
