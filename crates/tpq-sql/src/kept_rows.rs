//! Rows that are kept until all of them are there, or until their turn comes.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Seek, SeekFrom};
use std::marker::PhantomData;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::ipc::reader::StreamReader;
use datafusion::arrow::ipc::writer::StreamWriter;
use tokio::runtime::{Handle, RuntimeFlavor};

/// All rows of a query, in order. `E` is the error where they cannot be kept or read back.
pub struct KeptRows<E> {
    schema: SchemaRef,
    rows: usize,
    batches: Vec<RecordBatch>,
    /// The size of the batches in memory, in bytes.
    bytes: usize,
    /// The largest such size.
    most_bytes: usize,
    /// The rows before those in memory. The file has no name, so that it ends with the process.
    file: Option<StreamWriter<BufWriter<File>>>,
    error: PhantomData<fn() -> E>,
}

impl<E: From<io::Error> + From<ArrowError>> KeptRows<E> {
    /// No rows yet. Rows of more than `most_bytes` bytes go to a temporary file.
    pub fn new(schema: SchemaRef, most_bytes: usize) -> Self {
        let batches = Vec::new();
        Self { schema, rows: 0, batches, bytes: 0, most_bytes, file: None, error: PhantomData }
    }

    /// Adds rows with these columns.
    ///
    /// # Errors
    /// When the temporary file cannot be made or written.
    pub fn push(&mut self, batch: RecordBatch) -> Result<(), E> {
        self.rows += batch.num_rows();
        self.bytes += batch.get_array_memory_size();
        self.batches.push(batch);
        if self.bytes > self.most_bytes {
            self.spill()?;
        }
        Ok(())
    }

    fn spill(&mut self) -> Result<(), E> {
        let mut file = match self.file.take() {
            Some(file) => file,
            None => {
                let file = BufWriter::new(tempfile::tempfile()?);
                StreamWriter::try_new(file, &self.schema)?
            }
        };
        let mut batches = self.batches.drain(..);
        beside_tasks(|| batches.try_for_each(|batch| file.write(&batch)))?;
        self.bytes = 0;
        self.file = Some(file);
        Ok(())
    }

    /// The columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The number of rows.
    pub fn row_count(&self) -> usize {
        self.rows
    }

    /// The rows.
    ///
    /// # Errors
    /// When the temporary file cannot be read.
    pub fn into_batches(self) -> Result<impl Iterator<Item = Result<RecordBatch, E>>, E> {
        let spilled = match self.file {
            Some(mut writer) => {
                writer.finish()?;
                let mut file = writer.into_inner()?.into_inner().map_err(ArrowError::from)?;
                file.seek(SeekFrom::Start(0))?;
                Some(StreamReader::try_new(BufReader::new(file), None)?)
            }
            None => None,
        };
        let spilled = spilled.into_iter().flatten().map(|batch| Ok(batch?));
        Ok(spilled.chain(self.batches.into_iter().map(Ok)))
    }
}

/// Does I/O on a thread of a runtime, while other tasks of the runtime go on.
fn beside_tasks<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|current| current.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{ArrayRef, AsArray, Int64Array};
    use datafusion::arrow::datatypes::Int64Type;
    use datafusion::error::DataFusionError;

    use super::*;

    fn integers(values: std::ops::Range<i64>) -> RecordBatch {
        let column: ArrayRef = Arc::new(Int64Array::from_iter_values(values));
        RecordBatch::try_from_iter([("n", column)]).unwrap()
    }

    #[test]
    fn rows_beyond_the_memory_come_back_in_order() {
        let first = integers(0..1_500);
        let mut kept = KeptRows::<DataFusionError>::new(first.schema(), 16_000);
        for start in [0, 1_500, 3_000] {
            kept.push(integers(start..start + 1_500)).unwrap();
        }
        assert!(kept.file.is_some());
        assert_eq!(kept.row_count(), 4_500);
        let mut expected = 0;
        for batch in kept.into_batches().unwrap() {
            for value in batch.unwrap().column(0).as_primitive::<Int64Type>().values() {
                assert_eq!(*value, expected);
                expected += 1;
            }
        }
        assert_eq!(expected, 4_500);
    }
}
