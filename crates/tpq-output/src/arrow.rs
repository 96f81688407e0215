//! An Arrow IPC file.

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::ipc::writer::FileWriter;

use crate::names::{rename, with_unique_names};
use crate::{FileMetadata, Format, OutputError, OutputOptions, ResultWriter, Sink};

pub(crate) struct ArrowWriter {
    /// `None` once a result set has begun.
    sink: Option<Sink>,
    file: Option<FileWriter<Sink>>,
    metadata: FileMetadata,
}

impl ArrowWriter {
    pub(crate) fn new(sink: Sink, options: OutputOptions) -> Self {
        Self { sink: Some(sink), file: None, metadata: options.metadata }
    }
}

impl ResultWriter for ArrowWriter {
    fn begin(&mut self, schema: &SchemaRef) -> Result<(), OutputError> {
        let one = OutputError::OneResultSet { format: Format::Arrow.name() };
        let sink = self.sink.take().ok_or(one)?;
        let schema = self.metadata.describe(with_unique_names(schema));
        self.file = Some(FileWriter::try_new(sink, &schema)?);
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), OutputError> {
        if let Some(file) = &mut self.file {
            let renamed = rename(batch, file.schema())?;
            file.write(&renamed)?;
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), OutputError> {
        if let Some(mut file) = self.file.take() {
            file.finish()?;
            file.get_mut().flush()?;
        }
        Ok(())
    }
}
