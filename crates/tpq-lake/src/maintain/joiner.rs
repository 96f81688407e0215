//! Copies row groups of several files into one, as they are.

use std::collections::HashMap;
use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::parquet::column::writer::ColumnCloseResult;
use datafusion::parquet::errors::ParquetError;
use datafusion::parquet::file::metadata::{PageIndexPolicy, ParquetMetaData};
use datafusion::parquet::file::properties::WriterProperties;
use datafusion::parquet::file::reader::ChunkReader;
use datafusion::parquet::file::writer::SerializedFileWriter;

use super::groups::Group;
use super::limits::JoinLimits;
use crate::lake::Lake;
use crate::stored_file::{StoredFile, directory_of, extent_of};
use crate::upload::UploadSink;
use crate::{LakeError, TableFile};

/// Row groups are copied with the indexes of their pages, if they have any.
const INDEXES: PageIndexPolicy = PageIndexPolicy::Optional;

/// Copies the row groups of all parts of a group into a file, on a thread that may block. Returns the
/// first row group of each part, and their number.
///
/// # Errors
/// When a file cannot be read, storage does not take the new one, or what has to be in memory
/// exceeds the limits.
pub(super) fn join(
    lake: &Lake,
    group: &Group,
    limits: &JoinLimits,
    sink: UploadSink,
) -> Result<Vec<(usize, usize)>, LakeError> {
    let mut joiner = Joiner::new(sink);
    let mut sources = Sources::of(group, limits);
    let mut spans = Vec::with_capacity(group.parts.len());
    for part in &group.parts {
        let source = sources.next(lake, &group.table, &part.file)?;
        let all = source.metadata.num_row_groups();
        let chosen = part.file.row_groups;
        let chosen = chosen.map_or(0..all, |own| own.first..own.first.saturating_add(own.count));
        check_rows(&part.file, &source.metadata, chosen.clone())?;
        let first = joiner.groups;
        joiner.append(&source, chosen, limits.window)?;
        spans.push((first, joiner.groups - first));
        limits.check_directories(&group.table, joiner.directory + sources.directories())?;
    }
    joiner.end().map_err(LakeError::parquet("a new file"))?;
    Ok(spans)
}

/// Refuses a file with other rows of a trace than the catalogue says: no row is lost unnoticed.
fn check_rows(
    file: &TableFile,
    metadata: &ParquetMetaData,
    chosen: Range<usize>,
) -> Result<(), LakeError> {
    let groups = metadata.row_groups().get(chosen).unwrap_or_default();
    let found: i64 = groups.iter().map(|group| group.num_rows()).sum();
    if u64::try_from(found).is_ok_and(|found| found == file.rows) {
        return Ok(());
    }
    let (path, rows) = (&file.path, file.rows);
    Err(LakeError::Catalog(format!("{path} has {found} rows of a trace in place of {rows}")))
}

/// A file with its directory of row groups.
#[derive(Clone)]
pub(super) struct Source {
    file: StoredFile,
    pub(super) metadata: Arc<ParquetMetaData>,
    /// The memory that the directory takes, in bytes.
    directory: u64,
    /// All bytes, if they are in memory.
    bytes: Option<Bytes>,
}

impl Source {
    fn read(
        lake: &Lake,
        table: &str,
        file: &TableFile,
        limits: &JoinLimits,
    ) -> Result<Self, LakeError> {
        let stored = StoredFile::of(lake, table, file)?;
        let (metadata, bytes) = match stored.size <= limits.window {
            true => {
                let bytes = stored.read_whole()?;
                let metadata = directory_of(&bytes, INDEXES);
                let metadata = metadata.map_err(LakeError::parquet(&stored.name))?;
                (metadata, Some(bytes))
            }
            false => {
                let (limits, table) = (*limits, table.to_owned());
                // A directory takes more memory than its bytes in the file.
                let check = move |bytes| limits.check_directories(&table, bytes);
                (stored.directory(INDEXES, check)?, None)
            }
        };
        let own = metadata.memory_size() as u64;
        Ok(Self { file: stored, metadata: Arc::new(metadata), directory: own, bytes })
    }

    /// The size of the bytes that are in memory.
    fn in_memory(&self) -> u64 {
        self.bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)
    }
}

/// The files of a group while it is joined. The directory of each is read once, and kept until its
/// last part; so are the bytes of small files, as far as memory allows.
pub(super) struct Sources {
    /// The number of parts that are still to be joined, by path.
    left: HashMap<String, usize>,
    opened: HashMap<String, Source>,
    limits: JoinLimits,
    /// The bytes of files that are in memory.
    kept: u64,
}

impl Sources {
    pub(super) fn of(group: &Group, limits: &JoinLimits) -> Self {
        let mut left = HashMap::new();
        for part in &group.parts {
            *left.entry(part.file.path.clone()).or_default() += 1;
        }
        Self { left, opened: HashMap::new(), limits: *limits, kept: 0 }
    }

    /// The file of the next part.
    ///
    /// # Errors
    /// When it cannot be read, or its directory takes too much memory.
    pub(super) fn next(
        &mut self,
        lake: &Lake,
        table: &str,
        file: &TableFile,
    ) -> Result<Source, LakeError> {
        let source = match self.opened.remove(&file.path) {
            Some(source) => {
                self.kept = self.kept.saturating_sub(source.in_memory());
                source
            }
            None => Source::read(lake, table, file, &self.limits)?,
        };
        let left = self.left.entry(file.path.clone()).or_default();
        *left = left.saturating_sub(1);
        if *left > 0 {
            let mut kept = source.clone();
            if self.kept + kept.in_memory() > self.limits.kept {
                kept.bytes = None;
            }
            self.kept += kept.in_memory();
            self.opened.insert(file.path.clone(), kept);
        }
        Ok(source)
    }

    /// The memory that the directories of files take that are kept, in bytes.
    fn directories(&self) -> u64 {
        self.opened.values().map(|source| source.directory).sum()
    }
}

/// Copies row groups into a file.
struct Joiner {
    sink: Option<UploadSink>,
    writer: Option<SerializedFileWriter<UploadSink>>,
    /// The number of row groups so far.
    groups: usize,
    /// The memory that their directory takes in bytes, about.
    directory: u64,
}

impl Joiner {
    fn new(sink: UploadSink) -> Self {
        Self { sink: Some(sink), writer: None, groups: 0, directory: 0 }
    }

    /// Appends row groups of a file, which is read in windows of a size where it is not in memory.
    fn append(
        &mut self,
        source: &Source,
        chosen: Range<usize>,
        window: u64,
    ) -> Result<(), LakeError> {
        let name = &source.file.name;
        self.begin(&source.metadata).map_err(LakeError::parquet(name))?;
        let all = source.metadata.num_row_groups().max(1) as u64;
        self.directory += source.directory.saturating_mul(chosen.len() as u64) / all;
        match &source.bytes {
            Some(bytes) => {
                let appended = self.append_groups(bytes, &source.metadata, chosen);
                appended.map_err(LakeError::parquet(name))
            }
            None => {
                let end = extent_of(&source.metadata, chosen.clone()).end;
                let windows = source.file.windows(end.min(source.file.size), window);
                let appended = self.append_groups(&windows, &source.metadata, chosen);
                windows.checked(appended, name)
            }
        }
    }

    /// Begins the file with the columns of the first source, which all have.
    fn begin(&mut self, metadata: &ParquetMetaData) -> Result<(), ParquetError> {
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
        Ok(())
    }

    fn append_groups(
        &mut self,
        file: &impl ChunkReader,
        metadata: &ParquetMetaData,
        chosen: Range<usize>,
    ) -> Result<(), ParquetError> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        for group in chosen {
            append_group(writer, file, metadata, group)?;
            self.groups += 1;
        }
        Ok(())
    }

    fn end(self) -> Result<(), ParquetError> {
        let Some(writer) = self.writer else { return Ok(()) };
        writer.into_inner()?.flush()?;
        Ok(())
    }
}

fn append_group(
    writer: &mut SerializedFileWriter<UploadSink>,
    file: &impl ChunkReader,
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
        out.append_column(file, close)?;
    }
    out.close()?;
    Ok(())
}
