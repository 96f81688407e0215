//! A Parquet file.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::parquet::basic::{Compression, Encoding, ZstdLevel};
use datafusion::parquet::file::metadata::SortingColumn;
use datafusion::parquet::file::properties::{EnabledStatistics, WriterProperties};
use datafusion::parquet::schema::types::ColumnPath;

use crate::integer_encoding::{SAMPLE_ROWS, prefers_dictionary};
use crate::names::{rename, with_unique_names};
use crate::row_groups::{RowGroupLimits, RowGroups};
use crate::{FileMetadata, Format, OutputError, OutputOptions, ResultWriter, Sink};

/// Columns with mostly distinct values, which have no dictionary.
const DISTINCT_COLUMNS: [&str; 3] = ["id", "ts", "ts_end"];
/// The compression level of zstd: DuckDB's default, for files of the same size.
pub(crate) const COMPRESSION_LEVEL: i32 = 3;
/// Rows in a row group, the unit that readers skip: large enough to compress well, small enough
/// that a writer buffers little.
const ROW_GROUP_ROWS: usize = 512 * 1024;
/// The size of a row group in bytes, for rows with much text.
pub(crate) const ROW_GROUP_BYTES: usize = 16 << 20;

pub(crate) struct ParquetWriter {
    /// `None` once a result set has begun.
    sink: Option<Sink>,
    sorted_by: Option<String>,
    metadata: FileMetadata,
    row_group_bytes: usize,
    threads: usize,
    file: ParquetFile,
}

/// The file of a result set.
enum ParquetFile {
    /// There is no result set.
    None,
    /// The first rows are kept until there are enough to choose encodings.
    Begun { sink: Sink, schema: SchemaRef, rows: Vec<RecordBatch> },
    /// Rows go to the file.
    Open { schema: SchemaRef, groups: Box<RowGroups> },
}

impl ParquetWriter {
    pub(crate) fn new(sink: Sink, options: OutputOptions) -> Self {
        let OutputOptions { sorted_by, metadata, row_group_bytes, threads, .. } = options;
        let (sink, file) = (Some(sink), ParquetFile::None);
        Self { sink, sorted_by, metadata, row_group_bytes, threads, file }
    }

    /// Begins the file with the rows that were kept.
    fn open(&mut self) -> Result<(), OutputError> {
        match std::mem::replace(&mut self.file, ParquetFile::None) {
            ParquetFile::Begun { sink, schema, rows } => {
                let order = self.sorted_by.as_deref();
                let properties = properties(&schema, order, &self.metadata, &rows);
                let limits = RowGroupLimits { rows: ROW_GROUP_ROWS, bytes: self.row_group_bytes };
                let groups = RowGroups::begin(sink, &schema, properties, limits, self.threads)?;
                let mut groups = Box::new(groups);
                rows.iter().try_for_each(|rows| groups.write(rows))?;
                self.file = ParquetFile::Open { schema, groups };
            }
            other => self.file = other,
        }
        Ok(())
    }
}

fn properties(
    schema: &SchemaRef,
    sorted_by: Option<&str>,
    metadata: &FileMetadata,
    rows: &[RecordBatch],
) -> WriterProperties {
    let order = sorted_by.and_then(|name| schema.index_of(name).ok()).map(|column| {
        vec![SortingColumn {
            column_idx: i32::try_from(column).unwrap_or_default(),
            descending: false,
            nulls_first: true,
        }]
    });
    let mut properties = WriterProperties::builder();
    for (at, field) in schema.fields().iter().enumerate() {
        if field.data_type() != &DataType::Int64 {
            continue;
        }
        let name = field.name().as_str();
        let has_dictionary = !DISTINCT_COLUMNS.contains(&name) && prefers_dictionary(rows, at);
        // The encoding applies where there is no dictionary, or one that grows too large.
        properties = properties
            .set_column_encoding(ColumnPath::from(name), Encoding::DELTA_BINARY_PACKED)
            .set_column_dictionary_enabled(ColumnPath::from(name), has_dictionary);
    }
    properties
        .set_compression(Compression::ZSTD(
            ZstdLevel::try_new(COMPRESSION_LEVEL).unwrap_or_default(),
        ))
        // Per page too, so that a reader with a time range skips within a row group.
        .set_statistics_enabled(EnabledStatistics::Page)
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
        self.file = ParquetFile::Begun { sink, schema, rows: Vec::new() };
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), OutputError> {
        match &mut self.file {
            ParquetFile::None => {}
            ParquetFile::Open { schema, groups } => groups.write(&rename(batch, schema)?)?,
            ParquetFile::Begun { schema, rows, .. } => {
                rows.push(rename(batch, schema)?);
                if rows.iter().map(RecordBatch::num_rows).sum::<usize>() >= SAMPLE_ROWS {
                    self.open()?;
                }
            }
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), OutputError> {
        self.open()?;
        if let ParquetFile::Open { groups, .. } =
            std::mem::replace(&mut self.file, ParquetFile::None)
        {
            groups.finish()?.flush()?;
        }
        Ok(())
    }
}
