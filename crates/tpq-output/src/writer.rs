//! The interface of all formats.

use std::io::Write;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;

use crate::{
    FileMetadata, Format, OutputError, arrow, csv, json, markdown, ndjson, parquet, table, tsv,
};

/// The destination of the bytes.
pub type Sink = Box<dyn Write + Send>;

/// Writes result sets one after the other. Each one is a call of `begin`, any number of `write`,
/// and `end`.
///
/// To add a format, implement this trait in a new file, and add it to [`Format`] and [`writer`].
pub trait ResultWriter: Send {
    /// Begins a result set with these columns.
    ///
    /// # Errors
    /// When the bytes cannot be written, or the format allows no further result set.
    fn begin(&mut self, schema: &SchemaRef) -> Result<(), OutputError>;

    /// Writes rows of the result set.
    ///
    /// # Errors
    /// When the bytes cannot be written, or the format cannot represent a value.
    fn write(&mut self, batch: &RecordBatch) -> Result<(), OutputError>;

    /// Ends the result set. All its bytes have reached the sink.
    ///
    /// # Errors
    /// When the bytes cannot be written.
    fn end(&mut self) -> Result<(), OutputError>;
}

/// Options of a writer.
#[derive(Clone, Debug)]
pub struct OutputOptions {
    /// The text for NULL; `None` is the default of the format.
    pub null: Option<String>,
    /// Whether to write the column names, in formats where they are optional.
    pub header: bool,
    /// The maximum number of rows that a table shows.
    pub max_rows: Option<usize>,
    /// The column by which the rows are known to be sorted, stored in Parquet's metadata.
    pub sorted_by: Option<String>,
    /// The metadata of Arrow and Parquet files.
    pub metadata: FileMetadata,
    /// The most bytes of a row group of Parquet, about. A writer holds one.
    pub row_group_bytes: usize,
    /// The number of threads that encode columns of Parquet, this one included.
    pub threads: usize,
}

impl Default for OutputOptions {
    fn default() -> Self {
        Self {
            null: None,
            header: true,
            max_rows: None,
            sorted_by: None,
            metadata: FileMetadata::default(),
            row_group_bytes: parquet::ROW_GROUP_BYTES,
            threads: 1,
        }
    }
}

/// Creates a writer of `format` to `sink`.
pub fn writer(format: Format, sink: Sink, options: OutputOptions) -> Box<dyn ResultWriter> {
    match format {
        Format::Table => Box::new(table::TableWriter::new(sink, options)),
        Format::Csv => Box::new(csv::CsvWriter::new(sink, options)),
        Format::Tsv => Box::new(tsv::TsvWriter::new(sink, options)),
        Format::Json => Box::new(json::JsonWriter::new(sink)),
        Format::Ndjson => Box::new(ndjson::NdjsonWriter::new(sink)),
        Format::Markdown => Box::new(markdown::MarkdownWriter::new(sink, options)),
        Format::Arrow => Box::new(arrow::ArrowWriter::new(sink, options)),
        Format::Parquet => Box::new(parquet::ParquetWriter::new(sink, options)),
    }
}
