//! Rows of a query that are kept until all of them have arrived.

use std::fs::File;
use std::io::{BufReader, BufWriter, Seek, SeekFrom};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::ipc::reader::StreamReader;
use datafusion::arrow::ipc::writer::StreamWriter;
use tokio::runtime::{Handle, RuntimeFlavor};

use crate::error::ClusterError;

/// The size in bytes of rows that stay in memory. What is more goes to a temporary file.
const MOST_IN_MEMORY: usize = 64 << 20;

/// All rows of a query, in order.
pub struct KeptRows {
    schema: SchemaRef,
    rows: usize,
    batches: Vec<RecordBatch>,
    /// The size of the batches in memory, in bytes.
    bytes: usize,
    /// The rows before those in memory. The file has no name, so that it ends with the process.
    file: Option<StreamWriter<BufWriter<File>>>,
}

impl KeptRows {
    pub(crate) fn new(schema: SchemaRef) -> Self {
        Self { schema, rows: 0, batches: Vec::new(), bytes: 0, file: None }
    }

    pub(crate) fn push(&mut self, batch: RecordBatch) -> Result<(), ClusterError> {
        self.rows += batch.num_rows();
        self.bytes += batch.get_array_memory_size();
        self.batches.push(batch);
        if self.bytes > MOST_IN_MEMORY {
            self.spill()?;
        }
        Ok(())
    }

    fn spill(&mut self) -> Result<(), ClusterError> {
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
    pub fn into_batches(
        self,
    ) -> Result<impl Iterator<Item = Result<RecordBatch, ClusterError>>, ClusterError> {
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
