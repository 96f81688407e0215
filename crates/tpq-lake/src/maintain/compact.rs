//! Joins small files: the rows of several traces become neighbouring row groups of one file, sorted
//! by trace. Row groups are copied as they are.

use std::collections::{BTreeMap, HashMap, HashSet};
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

use super::reconcile::JOINED;
use crate::catalog::{LakeCatalog, TRACES};
use crate::commit::referenced;
use crate::lake::Lake;
use crate::log::LogChanges;
use crate::trace::RowGroups;
use crate::upload::{Upload, UploadSink};
use crate::write::file_name;
use crate::{LakeError, LakeTrace, TableFile, runtime};

/// The size in bytes up to which files are joined.
const TARGET: u64 = 128 << 20;
/// How often files are written anew while other processes change the lake.
const ATTEMPTS: u32 = 5;

/// What was joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Compacted {
    /// The number of files before.
    pub before: u64,
    /// The number of files in place of them.
    pub after: u64,
}

/// The rows of a trace in a file.
#[derive(Clone)]
struct Part {
    digest: String,
    file: TableFile,
}

/// Files that become one.
struct Group {
    table: String,
    folder: String,
    /// In the order of the digests.
    parts: Vec<Part>,
}

impl Group {
    fn sort(&mut self) {
        self.parts.sort_by(|a, b| a.digest.cmp(&b.digest));
    }

    /// The number of files.
    fn files(&self) -> usize {
        self.parts.iter().map(|part| &part.file.path).collect::<HashSet<_>>().len()
    }
}

impl Lake {
    /// Joins small files of each table and partition, and the files of the catalogue.
    ///
    /// # Errors
    /// When files cannot be read or written, or when other processes change the traces meanwhile.
    pub async fn compact(&self) -> Result<Compacted, LakeError> {
        // Of a process that died in the middle of this.
        self.reconcile(None).await?;
        let catalog = self.catalog().await?;
        let groups = groups(&catalog).into_iter().filter(|group| group.files() > 1).collect();
        self.join(&catalog, groups).await
    }

    /// Writes files with rows of deleted traces without these rows.
    pub(crate) async fn leave_out(&self, deleted: &[Arc<LakeTrace>]) -> Result<(), LakeError> {
        let mut shared: HashSet<(&str, &str)> = HashSet::new();
        for (table, file) in deleted.iter().flat_map(|trace| &trace.files) {
            if file.row_groups.is_some() {
                shared.insert((table, &file.path));
            }
        }
        if shared.is_empty() {
            return Ok(());
        }
        for attempt in 1..=ATTEMPTS {
            let catalog = self.catalog().await?;
            match self.join(&catalog, groups_of(&catalog, &shared)).await {
                Err(LakeError::Busy(_)) if attempt < ATTEMPTS => {}
                joined => {
                    joined?;
                    break;
                }
            }
        }
        // Files of deleted traces only are not written anew; the logs have them still.
        self.reconcile(None).await
    }

    /// Joins the files of groups, and commits the new files.
    async fn join(
        &self,
        catalog: &LakeCatalog,
        groups: Vec<Group>,
    ) -> Result<Compacted, LakeError> {
        let mut joined = Compacted::default();
        let mut files: HashMap<(String, String), TableFile> = HashMap::new();
        for group in groups {
            joined.before += group.files() as u64;
            joined.after += 1;
            for (digest, file) in self.join_group(&group).await? {
                files.insert((group.table.clone(), digest), file);
            }
        }
        let traces: Vec<LakeTrace> = catalog
            .traces()
            .iter()
            .map(|trace| {
                let mut trace = trace.as_ref().clone();
                for (table, file) in &mut trace.files {
                    let key = (table.clone(), trace.facts.digest.clone());
                    if let Some(new) = files.get(&key) {
                        *file = new.clone();
                    }
                }
                trace
            })
            .collect();
        if !files.is_empty() {
            self.apply(catalog.layout(), changes(catalog, &traces)).await?;
        }
        if !files.is_empty() || catalog.file_count() > 1 {
            let is_latest = self.rewrite_catalog(catalog, traces).await?;
            if !is_latest {
                self.reconcile(None).await?;
                return Err(LakeError::Busy(TRACES.to_owned()));
            }
        }
        Ok(joined)
    }

    /// Writes the file of a group. Returns the file of each trace.
    async fn join_group(&self, group: &Group) -> Result<Vec<(String, TableFile)>, LakeError> {
        let path = format!("{}{}", group.folder, file_name(JOINED));
        let target = self.store().path(&group.table, &path)?;
        let (upload, sink) = Upload::begin(self.store(), target)?;
        let mut joiner = Joiner { writer: None, sink: Some(sink), groups: 0 };
        let mut spans = Vec::with_capacity(group.parts.len());
        for part in &group.parts {
            let file = self.store().path(&group.table, &part.file.path)?;
            let bytes = self.store().read(&file).await?;
            let wrong = part.file.path.clone();
            let own = part.file.row_groups;
            let step = runtime::blocking(move || {
                let first = joiner.groups;
                joiner.append(&bytes, own).map_err(LakeError::parquet(&wrong))?;
                Ok((first, joiner))
            });
            match step.await {
                Ok((first, back)) => {
                    joiner = back;
                    spans.push((first, joiner.groups - first));
                }
                Err(error) => return Err(upload.fail(error).await),
            }
        }
        let all = joiner.groups;
        let ended =
            runtime::blocking(move || joiner.end().map_err(LakeError::parquet("a new file")));
        let bytes = match ended.await {
            Ok(()) => upload.complete().await?,
            Err(error) => return Err(upload.fail(error).await),
        };
        let is_shared = group.parts.len() > 1;
        let file = |(part, (first, count)): (&Part, (usize, usize))| {
            let row_groups = is_shared.then_some(RowGroups { first, count, all });
            let file = TableFile { path: path.clone(), bytes, row_groups, ..part.file.clone() };
            (part.digest.clone(), file)
        };
        Ok(group.parts.iter().zip(spans).map(file).collect())
    }
}

/// Copies row groups into a file.
struct Joiner {
    sink: Option<UploadSink>,
    writer: Option<SerializedFileWriter<UploadSink>>,
    /// The number of row groups so far.
    groups: usize,
}

impl Joiner {
    /// Appends row groups of a file; all of them without a choice.
    fn append(&mut self, bytes: &Bytes, own: Option<RowGroups>) -> Result<(), ParquetError> {
        let mut reader =
            ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Optional);
        reader.try_parse(bytes)?;
        let metadata = reader.finish()?;
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
            append_group(writer, bytes, &metadata, group)?;
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

/// The changes of the logs from one catalogue to the next.
fn changes(catalog: &LakeCatalog, traces: &[LakeTrace]) -> LogChanges {
    let before = referenced(catalog);
    let after = crate::commit::referenced_by(catalog.layout(), traces.iter());
    let mut changes = LogChanges::new();
    for (table, files) in &after {
        let old = before.get(table);
        let is_new = |path: &&String| old.is_none_or(|old| !old.contains_key(*path));
        let new: Vec<_> = files.keys().filter(is_new).filter_map(|path| files.get(path)).collect();
        let gone = old.into_iter().flat_map(|old| old.keys());
        let gone: HashSet<String> =
            gone.filter(|path| !files.contains_key(*path)).cloned().collect();
        if !new.is_empty() || !gone.is_empty() {
            let change = changes.entry(table.clone()).or_default();
            change.add = new.into_iter().cloned().collect();
            change.remove = gone;
            change.same_rows = true;
        }
    }
    changes
}

/// The traces in each of some files, by table and path.
fn groups_of(catalog: &LakeCatalog, files: &HashSet<(&str, &str)>) -> Vec<Group> {
    let mut groups: BTreeMap<(String, String), Group> = BTreeMap::new();
    for trace in catalog.traces() {
        for (table, file) in &trace.files {
            if files.contains(&(table.as_str(), file.path.as_str())) {
                let folder = folder_of(&file.path).to_owned();
                let begin = || Group { table: table.clone(), folder, parts: Vec::new() };
                let part = Part { digest: trace.facts.digest.clone(), file: file.clone() };
                let group = groups.entry((table.clone(), file.path.clone()));
                group.or_insert_with(begin).parts.push(part);
            }
        }
    }
    let mut groups: Vec<Group> = groups.into_values().collect();
    groups.iter_mut().for_each(Group::sort);
    groups
}

/// The small files of each table and partition, in groups of at most the target size. Files of
/// different versions of tpq may have different columns, so they are not joined.
fn groups(catalog: &LakeCatalog) -> Vec<Group> {
    // By path: a file moves with the rows of all of its traces.
    type Files = BTreeMap<String, Vec<Part>>;
    let mut partitions: BTreeMap<(String, String, String), Files> = BTreeMap::new();
    for trace in catalog.traces() {
        for (table, file) in &trace.files {
            if file.bytes < TARGET / 2 {
                let folder = folder_of(&file.path).to_owned();
                let files = partitions.entry((table.clone(), folder, trace.version.clone()));
                let part = Part { digest: trace.facts.digest.clone(), file: file.clone() };
                files.or_default().entry(file.path.clone()).or_default().push(part);
            }
        }
    }
    let mut groups = Vec::new();
    for ((table, folder, _), files) in partitions {
        let begin = || Group { table: table.clone(), folder: folder.clone(), parts: Vec::new() };
        let (mut group, mut size) = (begin(), 0);
        for parts in files.into_values() {
            let own = parts.first().map_or(0, |part| part.file.bytes);
            if size + own > TARGET && !group.parts.is_empty() {
                groups.push(std::mem::replace(&mut group, begin()));
                size = 0;
            }
            size += own;
            group.parts.extend(parts);
        }
        groups.push(group);
    }
    groups.iter_mut().for_each(Group::sort);
    groups
}

/// The folder of a path, with the slash at its end.
fn folder_of(path: &str) -> &str {
    path.rfind('/').map_or("", |slash| path.get(..=slash).unwrap_or_default())
}
