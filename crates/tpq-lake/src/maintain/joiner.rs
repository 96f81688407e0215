//! Copies row groups of several files into one, as they are.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::parquet::column::writer::ColumnCloseResult;
use datafusion::parquet::errors::ParquetError;
use datafusion::parquet::file::metadata::{
    PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader,
};
use datafusion::parquet::file::properties::WriterProperties;
use datafusion::parquet::file::writer::SerializedFileWriter;

use super::groups::Group;
use crate::lake::Lake;
use crate::trace::RowGroups;
use crate::upload::UploadSink;
use crate::{LakeError, runtime};

/// A file with its directory of row groups.
pub(super) struct Source {
    bytes: Bytes,
    metadata: ParquetMetaData,
}

/// The files of a group while it is joined. Each is read once, and kept until its last part.
pub(super) struct Sources {
    /// The number of parts that are still to be joined, by path.
    left: HashMap<String, usize>,
    opened: HashMap<String, Arc<Source>>,
}

impl Sources {
    pub(super) fn of(group: &Group) -> Self {
        let mut left = HashMap::new();
        for part in &group.parts {
            *left.entry(part.file.path.clone()).or_default() += 1;
        }
        Self { left, opened: HashMap::new() }
    }

    /// The file of the next part.
    pub(super) async fn next(
        &mut self,
        lake: &Lake,
        table: &str,
        path: &str,
    ) -> Result<Arc<Source>, LakeError> {
        let source = match self.opened.remove(path) {
            Some(source) => source,
            None => Arc::new(Source::read(lake, table, path).await?),
        };
        let left = self.left.entry(path.to_owned()).or_default();
        *left = left.saturating_sub(1);
        if *left > 0 {
            self.opened.insert(path.to_owned(), Arc::clone(&source));
        }
        Ok(source)
    }
}

impl Source {
    async fn read(lake: &Lake, table: &str, path: &str) -> Result<Self, LakeError> {
        let bytes = lake.store().read(&lake.store().path(table, path)?).await?;
        let wrong = path.to_owned();
        runtime::blocking(move || {
            let parse = || -> Result<ParquetMetaData, ParquetError> {
                let mut reader =
                    ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Optional);
                reader.try_parse(&bytes)?;
                reader.finish()
            };
            let metadata = parse().map_err(LakeError::parquet(&wrong))?;
            Ok(Self { bytes, metadata })
        })
        .await
    }
}

/// Copies row groups into a file.
pub(super) struct Joiner {
    sink: Option<UploadSink>,
    writer: Option<SerializedFileWriter<UploadSink>>,
    /// The number of row groups so far.
    groups: usize,
}

impl Joiner {
    pub(super) fn new(sink: UploadSink) -> Self {
        Self { sink: Some(sink), writer: None, groups: 0 }
    }

    /// The number of row groups so far.
    pub(super) fn groups(&self) -> usize {
        self.groups
    }

    /// Appends row groups of a file; all of them without a choice.
    pub(super) fn append(
        &mut self,
        source: &Source,
        own: Option<RowGroups>,
    ) -> Result<(), ParquetError> {
        let Source { bytes, metadata } = source;
        let schema = metadata.file_metadata().schema_descr().root_schema_ptr();
        if let Some(sink) = self.sink.take() {
            // The types of Arrow, and what tpq says of the table.
            let about = metadata.file_metadata().key_value_metadata().cloned();
            let properties = WriterProperties::builder().set_key_value_metadata(about);
            let properties = properties
                .set_created_by(concat!("tpq ", env!("CARGO_PKG_VERSION")).to_owned())
                .build();
            self.writer = Some(SerializedFileWriter::new(sink, schema, Arc::new(properties))?);
        } else if let Some(writer) = &self.writer
            && writer.schema_descr().root_schema() != schema.as_ref()
        {
            return Err(ParquetError::General("it has other columns".to_owned()));
        }
        let all = 0..metadata.num_row_groups();
        let chosen = own.map_or(all, |own| own.first..own.first + own.count);
        let Some(writer) = &mut self.writer else { return Ok(()) };
        for group in chosen {
            append_group(writer, bytes, metadata, group)?;
            self.groups += 1;
        }
        Ok(())
    }

    pub(super) fn end(self) -> Result<(), ParquetError> {
        let Some(writer) = self.writer else { return Ok(()) };
        writer.into_inner()?.flush()?;
        Ok(())
    }
}

fn append_group(
    writer: &mut SerializedFileWriter<UploadSink>,
    bytes: &Bytes,
    metadata: &ParquetMetaData,
    group: usize,
) -> Result<(), ParquetError> {
    let Some(found) = metadata.row_groups().get(group) else {
        return Err(ParquetError::General(format!("there is no row group {group}")));
    };
    let mut out = writer.next_row_group()?;
    for (at, column) in found.columns().iter().enumerate() {
        let column_index = metadata.column_index().and_then(|index| index.get(group)?.get(at));
        let offset_index = metadata.offset_index().and_then(|index| index.get(group)?.get(at));
        let close = ColumnCloseResult {
            bytes_written: column.compressed_size().cast_unsigned(),
            rows_written: found.num_rows().cast_unsigned(),
            metadata: column.clone(),
            bloom_filter: None,
            column_index: column_index.cloned(),
            offset_index: offset_index.cloned(),
        };
        out.append_column(bytes, close)?;
    }
    out.close()?;
    Ok(())
}
