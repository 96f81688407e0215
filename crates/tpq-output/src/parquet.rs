//! A Parquet file.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::basic::{Compression, Encoding, ZstdLevel};
use datafusion::parquet::file::metadata::SortingColumn;
use datafusion::parquet::file::properties::{EnabledStatistics, WriterProperties};
use datafusion::parquet::schema::types::ColumnPath;

use crate::names::{rename, with_unique_names};
use crate::{FileMetadata, Format, OutputError, OutputOptions, ResultWriter, Sink};

/// Columns with mostly distinct values.
const DISTINCT_COLUMNS: [&str; 3] = ["id", "ts", "ts_end"];
/// The compression level of zstd: DuckDB's default, for files of the same size.
const COMPRESSION_LEVEL: i32 = 3;
/// Rows in a row group, the unit that readers skip: large enough to compress well, small enough
/// that a writer buffers little.
const ROW_GROUP_ROWS: usize = 512 * 1024;

pub(crate) struct ParquetWriter {
    /// `None` once a result set has begun.
    sink: Option<Sink>,
    sorted_by: Option<String>,
    metadata: FileMetadata,
    schema: Option<SchemaRef>,
    file: Option<ArrowWriter<Sink>>,
}

impl ParquetWriter {
    pub(crate) fn new(sink: Sink, options: OutputOptions) -> Self {
        let OutputOptions { sorted_by, metadata, .. } = options;
        Self { sink: Some(sink), sorted_by, metadata, schema: None, file: None }
    }
}

fn properties(
    schema: &SchemaRef,
    sorted_by: Option<&str>,
    metadata: &FileMetadata,
) -> WriterProperties {
    let order = sorted_by.and_then(|name| schema.index_of(name).ok()).map(|column| {
        vec![SortingColumn {
            column_idx: i32::try_from(column).unwrap_or_default(),
            descending: false,
            nulls_first: true,
        }]
    });
    let mut properties = WriterProperties::builder();
    for field in schema.fields().iter().filter(|field| field.data_type() == &DataType::Int64) {
        let column = ColumnPath::from(field.name().as_str());
        // The encoding applies where a dictionary grows too large; `DISTINCT_COLUMNS` use no
        // dictionary because it always would.
        properties = properties
            .set_column_encoding(column.clone(), Encoding::DELTA_BINARY_PACKED)
            .set_column_dictionary_enabled(
                column,
                !DISTINCT_COLUMNS.contains(&field.name().as_str()),
            );
    }
    properties
        .set_compression(Compression::ZSTD(
            ZstdLevel::try_new(COMPRESSION_LEVEL).unwrap_or_default(),
        ))
        // Per page too, so that a reader with a time range skips within a row group.
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
        .set_sorting_columns(order)
        .set_key_value_metadata(metadata.key_values())
        .set_created_by(concat!("tpq ", env!("CARGO_PKG_VERSION")).to_owned())
        .build()
}

impl ResultWriter for ParquetWriter {
    fn begin(&mut self, schema: &SchemaRef) -> Result<(), OutputError> {
        let one = OutputError::OneResultSet { format: Format::Parquet.name() };
        let sink = self.sink.take().ok_or(one)?;
        let schema = Arc::new(self.metadata.describe_columns(with_unique_names(schema)));
        let properties = properties(&schema, self.sorted_by.as_deref(), &self.metadata);
        self.file = Some(ArrowWriter::try_new(sink, Arc::clone(&schema), Some(properties))?);
        self.schema = Some(schema);
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), OutputError> {
        if let (Some(file), Some(schema)) = (&mut self.file, &self.schema) {
            file.write(&rename(batch, schema)?)?;
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), OutputError> {
        if let Some(file) = self.file.take() {
            file.into_inner()?.flush()?;
        }
        Ok(())
    }
}
