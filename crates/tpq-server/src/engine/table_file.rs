//! The temporary file of an exported table. Threads for blocking work write and read it, so that
//! the threads of queries do not wait for the disk.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom};

use bytes::{Bytes, BytesMut};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::{JoinHandle, spawn_blocking};
use tpq_output::{Format, OutputError, OutputOptions, writer};

use super::EngineError;
use super::export::ExportError;

/// Batches that may wait to be written. The query waits when the disk is slow.
const MAX_WAITING: usize = 2;
/// The number of bytes of a part.
const PART: usize = 256 << 10;

/// A file that is being written.
pub(super) struct TableWriting {
    batches: Sender<RecordBatch>,
    /// The thread that writes. It ends when `batches` is dropped.
    written: JoinHandle<Result<TableFile, OutputError>>,
}

impl TableWriting {
    /// Begins the file of a table with these columns.
    pub(super) fn begin(schema: SchemaRef) -> Self {
        let (sender, batches) = channel(MAX_WAITING);
        Self { batches: sender, written: spawn_blocking(move || write(&schema, batches)) }
    }

    /// Hands rows to the thread that writes. Returns false if it has failed, which
    /// [`TableWriting::finish`] explains.
    pub(super) async fn add(&self, batch: RecordBatch) -> bool {
        self.batches.send(batch).await.is_ok()
    }

    /// Waits until all rows are in the file.
    ///
    /// # Errors
    /// When the file could not be written.
    pub(super) async fn finish(self) -> Result<TableFile, ExportError> {
        let Self { batches, written } = self;
        drop(batches);
        match written.await {
            Ok(Ok(file)) => Ok(file),
            Ok(Err(error)) => Err(match error {
                OutputError::Write(source) => ExportError::file("write", source),
                other => other.into(),
            }),
            Err(_) => Err(EngineError::Panicked("the export").into()),
        }
    }
}

/// Writes all rows that arrive. The rows of an export that was stopped end early, and its file is
/// not used.
fn write(schema: &SchemaRef, mut batches: Receiver<RecordBatch>) -> Result<TableFile, OutputError> {
    let mut file = tempfile::tempfile()?;
    let sink = Box::new(BufWriter::new(file.try_clone()?));
    let mut writer = writer(Format::Arrow, sink, OutputOptions::default());
    let mut rows = 0;
    writer.begin(schema)?;
    while let Some(batch) = batches.blocking_recv() {
        rows += batch.num_rows();
        writer.write(&batch)?;
    }
    writer.end()?;
    let length = file.seek(SeekFrom::End(0))?;
    file.rewind()?;
    Ok(TableFile { file, rows, length })
}

/// A complete file, which is read once, from its start.
pub(super) struct TableFile {
    file: File,
    rows: usize,
    length: u64,
}

impl TableFile {
    /// The number of rows.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// The number of bytes.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// The next bytes, and the file for those after them; `None` at its end. No thread waits while
    /// the bytes are sent.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(super) async fn next_part(mut self) -> Result<Option<(Bytes, Self)>, ExportError> {
        let read = spawn_blocking(move || {
            let part = read_part(&mut self.file)?;
            Ok::<_, io::Error>((!part.is_empty()).then_some((part, self)))
        });
        match read.await {
            Ok(Ok(part)) => Ok(part),
            Ok(Err(source)) => Err(ExportError::file("read", source)),
            Err(_) => Err(EngineError::Panicked("the export").into()),
        }
    }
}

/// The next bytes of a file; none at its end.
fn read_part(file: &mut File) -> io::Result<Bytes> {
    let mut part = BytesMut::zeroed(PART);
    let mut length = 0;
    // A part that is not the last is full, however little the system returns at a time.
    while let Some(free) = part.get_mut(length..).filter(|free| !free.is_empty()) {
        match file.read(free) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    part.truncate(length);
    Ok(part.freeze())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::Int64Array;
    use datafusion::arrow::datatypes::{DataType, Field, Schema};
    use datafusion::arrow::ipc::reader::FileReader;

    use super::*;

    fn columns() -> SchemaRef {
        Arc::new(Schema::new(vec![Field::new("x", DataType::Int64, false)]))
    }

    fn batch(values: std::ops::Range<i64>) -> RecordBatch {
        let values = Arc::new(Int64Array::from_iter_values(values));
        RecordBatch::try_new(columns(), vec![values]).expect("a batch")
    }

    async fn bytes(mut file: TableFile) -> (Vec<usize>, Vec<u8>) {
        let (mut sizes, mut bytes) = (Vec::new(), Vec::new());
        while let Some((part, rest)) = file.next_part().await.expect("it is read") {
            sizes.push(part.len());
            bytes.extend_from_slice(&part);
            file = rest;
        }
        (sizes, bytes)
    }

    #[tokio::test]
    async fn rows_are_read_back_in_parts() {
        // 800,000 bytes of values: three parts and a rest.
        let writing = TableWriting::begin(columns());
        for at in 0..10 {
            assert!(writing.add(batch(at * 10_000..(at + 1) * 10_000)).await);
        }
        let file = writing.finish().await.expect("a file");
        let (rows, length) = (file.rows(), file.length());
        let (sizes, bytes) = bytes(file).await;
        assert_eq!((rows, bytes.len() as u64), (100_000, length));
        assert_eq!(sizes.len(), 4);
        assert!(sizes.iter().take(3).all(|&size| size == PART), "{sizes:?}");
        let read = FileReader::try_new(io::Cursor::new(bytes), None).expect("an Arrow file");
        let mut sum = 0;
        for batch in read {
            let batch = batch.expect("rows");
            let values = batch.column(0).as_any().downcast_ref::<Int64Array>().expect("integers");
            sum += values.values().iter().sum::<i64>();
        }
        assert_eq!(sum, 99_999 * 100_000 / 2);
    }

    #[tokio::test]
    async fn a_table_without_rows_is_a_file_too() {
        let file = TableWriting::begin(columns()).finish().await.expect("a file");
        assert_eq!(file.rows(), 0);
        assert!(bytes(file).await.1.starts_with(b"ARROW1"));
    }

    #[tokio::test]
    async fn the_thread_ends_with_the_export() {
        let TableWriting { batches, written } = TableWriting::begin(columns());
        batches.send(batch(0..1)).await.expect("it writes");
        drop(batches);
        assert_eq!(written.await.expect("it ends").expect("a file").rows(), 1);
    }
}
