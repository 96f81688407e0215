//! Writes the tables of a trace as files.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use datafusion::arrow::array::{ArrayRef, RecordBatch, StringViewArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use futures::{StreamExt, TryStreamExt};
use object_store::path::Path;
use tpq_output::{FileMetadata, Format, OutputOptions, ResultWriter, writer};
use tpq_tables::{Table, TraceTables};

use crate::lake::Lake;
use crate::store::LakeStore;
use crate::upload::{Upload, UploadSizes};
use crate::{LakeError, LakeLayout, LakeTrace, TRACE_DIGEST, TableFile, TraceFacts, runtime};

/// Tables of a trace that are written at a time.
const AT_A_TIME: usize = 4;
/// The memory limit in bytes for each table that is written at a time.
const MEMORY_OF_TABLE: u64 = 32 << 20;
/// The least size in bytes of a row group under a memory limit.
const LEAST_ROW_GROUP: usize = 1 << 20;

impl Lake {
    /// Writes the tables of a trace as files that nothing refers to until the trace is committed.
    /// `memory` is the memory limit of the import of this trace, in bytes.
    ///
    /// # Errors
    /// When rows cannot be read, or storage does not take the files.
    pub async fn stage(
        &self,
        layout: &LakeLayout,
        facts: TraceFacts,
        tables: &Arc<TraceTables>,
        memory: Option<u64>,
    ) -> Result<LakeTrace, LakeError> {
        let vacuum = self.last_vacuum().await?;
        let row_group_bytes = row_group_bytes(memory);
        let at_a_time = tables_at_a_time(memory);
        // Half of the memory is for what is encoded, and for rows.
        let sizes = UploadSizes::within(memory.map(|memory| memory / 2 / at_a_time as u64));
        let name = file_name(&facts.digest);
        let mut writes = Vec::new();
        for table in tables.iter().filter(|table| table.num_rows() > 0) {
            let path = format!("{}{name}", layout.folder(table.decl().name, &facts));
            let (table, digest) = (Arc::clone(table), facts.digest.clone());
            writes.push(self.write_table(table, digest, path, row_group_bytes, sizes));
        }
        let files = futures::stream::iter(writes).buffer_unordered(at_a_time);
        let files: BTreeMap<String, TableFile> = files.try_collect().await?;
        let values = layout.columns.iter();
        let values = values.map(|name| (name.clone(), facts.value(name).map(str::to_owned)));
        Ok(LakeTrace {
            values: values.collect(),
            files,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            ingested_at: now(),
            vacuum,
            facts,
        })
    }

    async fn write_table(
        &self,
        table: Arc<Table>,
        digest: String,
        path: String,
        row_group_bytes: usize,
        sizes: UploadSizes,
    ) -> Result<(String, TableFile), LakeError> {
        let name = table.decl().name;
        let in_time = table.decl().column_index("ts").is_some_and(|ts| table.is_sorted_by(ts));
        let rows = table.num_rows() as u64;
        let metadata = FileMetadata {
            file: vec![
                ("tpq.version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
                ("tpq.table".to_owned(), name.to_owned()),
                ("tpq.time_unit".to_owned(), "ns".to_owned()),
            ],
            ..FileMetadata::default()
        };
        let sorted_by = in_time.then(|| "ts".to_owned());
        let options =
            OutputOptions { sorted_by, metadata, row_group_bytes, ..OutputOptions::default() };
        let schema = with_digest(table.schema());
        let target = self.store().path(name, &path)?;
        let fill = {
            let schema = Arc::clone(&schema);
            move |writer: &mut dyn ResultWriter| fill(writer, &table, &digest, &schema)
        };
        let bytes = write_parquet(self.store(), target, sizes, options, schema, fill).await?;
        let file = TableFile { path, rows, bytes, in_time, row_groups: None };
        Ok((name.to_owned(), file))
    }

    /// Deletes the files of a trace that was not committed.
    pub(crate) async fn discard(&self, trace: &LakeTrace) -> Result<(), LakeError> {
        for (table, file) in &trace.files {
            self.store().delete(&self.store().path(table, &file.path)?).await?;
        }
        Ok(())
    }
}

/// The size of row groups under a memory limit: a part of it, as several are written at a time, and
/// encoders hold more than what they have encoded.
fn row_group_bytes(memory: Option<u64>) -> usize {
    let most = OutputOptions::default().row_group_bytes;
    let part = memory.and_then(|memory| usize::try_from(memory / 8).ok());
    part.map_or(most, |part| part.clamp(LEAST_ROW_GROUP, most))
}

/// The number of tables that are written at a time under a memory limit.
fn tables_at_a_time(memory: Option<u64>) -> usize {
    let allowed = memory.map_or(u64::MAX, |memory| memory / MEMORY_OF_TABLE);
    usize::try_from(allowed).unwrap_or(usize::MAX).clamp(1, AT_A_TIME)
}

/// The schema of the files of a table.
fn with_digest(schema: &SchemaRef) -> SchemaRef {
    let digest = Arc::new(Field::new(TRACE_DIGEST, DataType::Utf8View, false));
    let fields = std::iter::once(digest).chain(schema.fields().iter().cloned());
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// Writes all rows of a table.
fn fill(
    writer: &mut dyn ResultWriter,
    table: &Table,
    digest: &str,
    schema: &SchemaRef,
) -> Result<(), LakeError> {
    let all: Vec<usize> = (0..table.decl().columns.len()).collect();
    let largest = (0..table.num_chunks()).map(|chunk| table.chunk_rows(chunk)).max();
    let digests = std::iter::repeat_n(Some(digest), largest.unwrap_or_default());
    let digests: StringViewArray = digests.collect();
    for chunk in 0..table.num_chunks() {
        let rows = table.read(chunk, 0..table.chunk_rows(chunk), &all)?;
        let digests = Arc::new(digests.slice(0, rows.num_rows())) as ArrayRef;
        let columns = std::iter::once(digests).chain(rows.columns().iter().cloned());
        let rows = RecordBatch::try_new(Arc::clone(schema), columns.collect())?;
        writer.write(&rows)?;
    }
    Ok(())
}

/// Writes a Parquet file with what `fill` writes. Returns its size in bytes.
pub(crate) async fn write_parquet(
    store: &LakeStore,
    path: Path,
    sizes: UploadSizes,
    options: OutputOptions,
    schema: SchemaRef,
    fill: impl FnOnce(&mut dyn ResultWriter) -> Result<(), LakeError> + Send + 'static,
) -> Result<u64, LakeError> {
    let (upload, sink) = Upload::begin(store, path, sizes)?;
    let written = runtime::encoding(move || {
        let mut writer = writer(Format::Parquet, Box::new(sink), options);
        writer.begin(&schema)?;
        fill(writer.as_mut())?;
        Ok(writer.end()?)
    });
    match written.await {
        Ok(()) => upload.complete().await,
        Err(error) => Err(upload.fail(error).await),
    }
}

/// A name for a file that no other file has. It begins with `prefix`, which has no hyphen. The number
/// of a process is not enough: in containers, many have the same one.
pub(crate) fn file_name(prefix: &str) -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let process = std::process::id();
    let random = RandomState::new().build_hasher().finish();
    format!("{prefix}-{:x}{process:08x}{count:04x}{random:016x}.parquet", since.as_nanos())
}

/// The digest of a trace in the name of its file.
pub(crate) fn digest_in(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next()?;
    Some(name.split_once('-')?.0)
}

/// The time now, in milliseconds since 1970.
pub(crate) fn milliseconds() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The time now as ISO 8601 in UTC, in seconds.
pub(crate) fn now() -> String {
    iso8601(milliseconds() / 1000)
}

/// A time in seconds since 1970 as ISO 8601 in UTC.
pub(crate) fn iso8601(seconds: i64) -> String {
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Days since 0000-03-01, so that a leap day is the last of its year.
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute) = (second / 3600, second / 60 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{:02}Z", second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_groups_are_smaller_with_less_memory() {
        let of = |mebibytes: u64| row_group_bytes(Some(mebibytes << 20)) >> 20;
        assert_eq!([of(0), of(16), of(64), of(128), of(1 << 20)], [1, 2, 8, 16, 16]);
        assert_eq!(row_group_bytes(None), 16 << 20);
    }

    #[test]
    fn fewer_tables_are_written_at_a_time_with_less_memory() {
        let of = |mebibytes: u64| tables_at_a_time(Some(mebibytes << 20));
        assert_eq!([of(0), of(16), of(64), of(128), of(1 << 20)], [1, 1, 2, 4, 4]);
        assert_eq!(tables_at_a_time(None), 4);
    }

    #[test]
    fn times_are_written_as_dates() {
        assert_eq!(iso8601(0), "1970-01-01T00:00:00Z");
        assert_eq!(iso8601(951_782_400 + 3661), "2000-02-29T01:01:01Z");
        assert_eq!(iso8601(1_774_915_199), "2026-03-30T23:59:59Z");
        assert_eq!(iso8601(-1), "1969-12-31T23:59:59Z");
    }

    #[test]
    fn names_of_files_are_unique_and_begin_with_the_digest() {
        let (one, other) = (file_name("00ff"), file_name("00ff"));
        assert_ne!(one, other);
        assert_eq!(digest_in(&format!("day=2026-01-02/{one}")), Some("00ff"));
    }
}
