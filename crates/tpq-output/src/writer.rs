//! What all formats have in common.

use std::io::Write;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;

use crate::{
    FileMetadata, Format, OutputError, arrow, csv, json, markdown, ndjson, parquet, table, tsv,
};

/// Where the bytes go.
pub type Sink = Box<dyn Write + Send>;

/// Writes result sets, one after the other, each as `begin`, any number of `write`, `end`.
///
/// To add a format: implement this in a file of its own, and add it to [`Format`] and [`writer`].
pub trait ResultWriter: Send {
    /// A result set with these columns follows.
    ///
    /// # Errors
    /// When the bytes cannot be written, or the format holds no further result set.
    fn begin(&mut self, schema: &SchemaRef) -> Result<(), OutputError>;

    /// Rows of the result set.
    ///
    /// # Errors
    /// When the bytes cannot be written or a value has no form in the format.
    fn write(&mut self, batch: &RecordBatch) -> Result<(), OutputError>;

    /// The result set is complete; everything of it reaches the sink.
    ///
    /// # Errors
    /// When the bytes cannot be written.
    fn end(&mut self) -> Result<(), OutputError>;
}

/// How to write.
#[derive(Clone, Debug)]
pub struct OutputOptions {
    /// What stands for NULL; each text format has its own when not given.
    pub null: Option<String>,
    /// Whether the names of the columns are written, where the format can do without.
    pub header: bool,
    /// The most rows a table shows.
    pub max_rows: Option<usize>,
    /// The column the rows are known to be in the order of, noted in Parquet's metadata.
    pub sorted_by: Option<String>,
    /// What Arrow and Parquet files say of themselves.
    pub metadata: FileMetadata,
}

impl Default for OutputOptions {
    fn default() -> Self {
        Self {
            null: None,
            header: true,
            max_rows: None,
            sorted_by: None,
            metadata: FileMetadata::default(),
        }
    }
}

/// A writer of `format` to `sink`.
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
