//! The rows of the catalogue.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Int64Array, RecordBatch, StringViewArray,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Int64Type, Schema, SchemaRef};
use serde_json::Value;

use crate::log::ColumnType;
use crate::trace::files_from_json;
use crate::{LakeError, LakeTrace, TRACE_DIGEST, TraceFacts};

/// The columns that every catalogue has, in this order, before those that ingests chose.
pub(crate) const FIXED_COLUMNS: [(&str, ColumnType); 16] = [
    (TRACE_DIGEST, ColumnType::Text),
    ("trace_uuid", ColumnType::Text),
    ("trace_path", ColumnType::Text),
    ("size", ColumnType::Integer),
    ("recorded_at", ColumnType::Text),
    ("day", ColumnType::Text),
    ("dur", ColumnType::Integer),
    ("device", ColumnType::Text),
    ("losses", ColumnType::Integer),
    ("metadata", ColumnType::Text),
    ("row_counts", ColumnType::Text),
    ("tpq_version", ColumnType::Text),
    ("ingested_at", ColumnType::Text),
    ("packets", ColumnType::Text),
    ("files", ColumnType::Text),
    ("format", ColumnType::Integer),
];
/// The columns that only tpq reads.
pub(crate) const INTERNAL_COLUMNS: [&str; 3] = ["packets", "files", "format"];
/// The version of the format of the catalogue.
const FORMAT: i64 = 1;

/// The schema of the catalogue's files.
pub(crate) fn schema(columns: &[String]) -> SchemaRef {
    let fixed = FIXED_COLUMNS.iter().map(|(name, kind)| Field::new(*name, arrow_type(*kind), true));
    let chosen = columns.iter().map(|name| Field::new(name, DataType::Utf8View, true));
    Arc::new(Schema::new(fixed.chain(chosen).collect::<Vec<_>>()))
}

fn arrow_type(kind: ColumnType) -> DataType {
    match kind {
        ColumnType::Text => DataType::Utf8View,
        ColumnType::Integer => DataType::Int64,
        ColumnType::Real => DataType::Float64,
    }
}

/// The rows of some traces.
pub(crate) fn batch(traces: &[LakeTrace], columns: &[String]) -> Result<RecordBatch, LakeError> {
    let text = |of: &dyn Fn(&LakeTrace) -> Option<String>| {
        Arc::new(traces.iter().map(of).collect::<StringViewArray>()) as ArrayRef
    };
    let number = |of: fn(&LakeTrace) -> i64| {
        Arc::new(traces.iter().map(of).collect::<Int64Array>()) as ArrayRef
    };
    let fixed = vec![
        text(&|trace| Some(trace.facts.digest.clone())),
        text(&|trace| trace.facts.uuid.clone()),
        text(&|trace| Some(trace.facts.path.clone())),
        number(|trace| trace.facts.size.cast_signed()),
        text(&|trace| trace.facts.recorded_at.clone()),
        text(&|trace| trace.facts.day().map(str::to_owned)),
        number(|trace| trace.facts.duration),
        text(&|trace| trace.facts.device.clone()),
        number(|trace| trace.facts.losses.cast_signed()),
        text(&|trace| Some(serde_json::json!(trace.facts.metadata).to_string())),
        text(&|trace| Some(trace.row_counts())),
        text(&|trace| Some(trace.version.clone())),
        text(&|trace| Some(trace.ingested_at.clone())),
        text(&|trace| Some(serde_json::json!(trace.facts.packets).to_string())),
        text(&|trace| Some(trace.files_as_json())),
        number(|_| FORMAT),
    ];
    let chosen = columns.iter().map(|name| text(&|trace| trace.value(name).map(str::to_owned)));
    let columns_of_rows = fixed.into_iter().chain(chosen).collect();
    Ok(RecordBatch::try_new(schema(columns), columns_of_rows)?)
}

/// The traces of rows.
pub(crate) fn traces(batch: &RecordBatch, columns: &[String]) -> Result<Vec<LakeTrace>, LakeError> {
    let rows = Rows { batch };
    let mut traces = Vec::with_capacity(batch.num_rows());
    let texts = |name: &str| rows.texts(name);
    let (digests, uuids, paths) =
        (texts(TRACE_DIGEST)?, texts("trace_uuid")?, texts("trace_path")?);
    let (recorded, devices) = (texts("recorded_at")?, texts("device")?);
    let (metadata, packets, files) = (texts("metadata")?, texts("packets")?, texts("files")?);
    let (versions, ingested) = (texts("tpq_version")?, texts("ingested_at")?);
    let (sizes, durations) = (rows.numbers("size")?, rows.numbers("dur")?);
    let (losses, formats) = (rows.numbers("losses")?, rows.numbers("format")?);
    let chosen = columns.iter().map(|name| Ok((name, rows.texts_or_null(name)?)));
    let chosen = chosen.collect::<Result<Vec<_>, LakeError>>()?;
    for row in 0..batch.num_rows() {
        let damaged = |what: &str| LakeError::Catalog(format!("a trace without {what}"));
        if formats.value(row) != FORMAT {
            let newer = "it was written by another version of tpq".to_owned();
            return Err(LakeError::Catalog(newer));
        }
        let text =
            |texts: &StringViewArray| texts.is_valid(row).then(|| texts.value(row).to_owned());
        let json = |texts: &StringViewArray| -> Option<Value> {
            serde_json::from_str(texts.is_valid(row).then(|| texts.value(row))?).ok()
        };
        let facts = TraceFacts {
            digest: text(&digests).ok_or_else(|| damaged("digest"))?,
            uuid: text(&uuids),
            path: text(&paths).ok_or_else(|| damaged("path"))?,
            size: sizes.value(row).cast_unsigned(),
            recorded_at: text(&recorded),
            duration: durations.value(row),
            device: text(&devices),
            losses: losses.value(row).cast_unsigned(),
            metadata: json(&metadata).map(texts_of_object).unwrap_or_default(),
            packets: json(&packets).map(texts_of_list).unwrap_or_default(),
        };
        let values = chosen.iter().map(|(name, texts)| ((*name).clone(), text(texts))).collect();
        let files = text(&files).and_then(|files| files_from_json(&files));
        traces.push(LakeTrace {
            facts,
            values,
            files: files.ok_or_else(|| damaged("files"))?,
            version: text(&versions).unwrap_or_default(),
            ingested_at: text(&ingested).unwrap_or_default(),
            vacuum: None,
        });
    }
    Ok(traces)
}

fn texts_of_object(value: Value) -> BTreeMap<String, String> {
    let Value::Object(object) = value else { return BTreeMap::new() };
    let text = |(name, value): (String, Value)| Some((name, value.as_str()?.to_owned()));
    object.into_iter().filter_map(text).collect()
}

fn texts_of_list(value: Value) -> Vec<String> {
    let Value::Array(list) = value else { return Vec::new() };
    list.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect()
}

/// Columns of the catalogue by name.
struct Rows<'a> {
    batch: &'a RecordBatch,
}

impl Rows<'_> {
    fn column(&self, name: &str) -> Result<&ArrayRef, LakeError> {
        let missing = || LakeError::Catalog(format!("there is no column {name}"));
        self.batch.column_by_name(name).ok_or_else(missing)
    }

    fn texts(&self, name: &str) -> Result<StringViewArray, LakeError> {
        Ok(cast(self.column(name)?, &DataType::Utf8View)?.as_string_view().clone())
    }

    /// The same; NULL where older files lack the column.
    fn texts_or_null(&self, name: &str) -> Result<StringViewArray, LakeError> {
        match self.batch.column_by_name(name) {
            Some(_) => self.texts(name),
            None => Ok(StringViewArray::new_null(self.batch.num_rows())),
        }
    }

    fn numbers(&self, name: &str) -> Result<Int64Array, LakeError> {
        Ok(cast(self.column(name)?, &DataType::Int64)?.as_primitive::<Int64Type>().clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_survive_the_catalogue() {
        let metadata = BTreeMap::from([("os".to_owned(), "Linux".to_owned())]);
        let facts = TraceFacts {
            digest: "00ff".to_owned(),
            uuid: None,
            path: "a.pftrace".to_owned(),
            size: 12,
            recorded_at: Some("2026-01-02T03:04:05Z".to_owned()),
            duration: 7,
            device: Some("x86_64".to_owned()),
            losses: 1,
            metadata,
            packets: vec!["track_event".to_owned()],
        };
        let trace = LakeTrace {
            facts,
            values: BTreeMap::new(),
            files: BTreeMap::new(),
            version: "0.1.0".to_owned(),
            ingested_at: "2026-02-03T00:00:00Z".to_owned(),
            vacuum: None,
        };
        let columns = ["os".to_owned(), "none".to_owned()];
        let rows = batch(std::slice::from_ref(&trace), &columns).unwrap();
        let again = traces(&rows, &columns).unwrap().remove(0);
        assert_eq!(format!("{:?}", again.facts), format!("{:?}", trace.facts));
        assert_eq!((again.value("os"), again.value("none")), (Some("Linux"), None));
        assert_eq!(
            (again.value("day"), again.value("device")),
            (Some("2026-01-02"), Some("x86_64"))
        );
    }
}
