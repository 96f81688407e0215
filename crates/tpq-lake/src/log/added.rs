//! Files that a commit adds to a table, as the Delta engine takes them.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, Int64Array, MapBuilder, MapFieldNames, RecordBatch, StringArray, StringBuilder,
    StructArray,
};
use datafusion::arrow::datatypes::{DataType, Field, Fields, Schema};
use delta_kernel::KernelError;

use crate::TRACE_DIGEST;

/// A file that a commit adds to a table.
#[derive(Clone, Debug)]
pub(crate) struct AddedFile {
    /// The path within the folder of the table.
    pub path: String,
    /// The size in bytes.
    pub size: u64,
    /// The number of rows.
    pub rows: u64,
    /// When it was written, in milliseconds since 1970.
    pub modified_ms: i64,
    /// The least and the greatest digest of the traces in it, by which readers skip files.
    pub digests: Option<(String, String)>,
    /// The values of the partition columns.
    pub partition: Vec<(String, Option<String>)>,
}

/// The files as rows.
pub(super) fn batch(files: &[AddedFile]) -> Result<RecordBatch, KernelError> {
    let paths = files.iter().map(|file| Some(file.path.as_str())).collect::<StringArray>();
    let numbers = |number: fn(&AddedFile) -> i64| {
        Arc::new(files.iter().map(number).collect::<Int64Array>()) as ArrayRef
    };
    let partitions = partitions(files)?;
    let stats = stats(files);
    let columns = vec![
        Arc::new(paths) as ArrayRef,
        partitions,
        numbers(|file| file.size.cast_signed()),
        numbers(|file| file.modified_ms),
        stats,
    ];
    let names = ["path", "partitionValues", "size", "modificationTime", "stats"];
    let fields = names
        .iter()
        .zip(&columns)
        .map(|(name, column)| Field::new(*name, column.data_type().clone(), *name == "stats"));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    Ok(RecordBatch::try_new(schema, columns)?)
}

fn partitions(files: &[AddedFile]) -> Result<ArrayRef, KernelError> {
    let names = MapFieldNames {
        entry: "key_value".to_owned(),
        key: "key".to_owned(),
        value: "value".to_owned(),
    };
    let mut builder = MapBuilder::new(Some(names), StringBuilder::new(), StringBuilder::new());
    for file in files {
        for (key, value) in &file.partition {
            builder.keys().append_value(key);
            // An empty text is NULL in a Delta log.
            builder.values().append_option(value.as_ref().filter(|value| !value.is_empty()));
        }
        builder.append(true)?;
    }
    Ok(Arc::new(builder.finish()))
}

/// Counts and the bounds of digests. NULL is counted for columns with bounds only.
fn stats(files: &[AddedFile]) -> ArrayRef {
    let bounds = |bound: fn(&(String, String)) -> &str| -> ArrayRef {
        let bounds = files.iter().map(|file| file.digests.as_ref().map(bound));
        of_digest(Arc::new(bounds.collect::<StringArray>()), DataType::Utf8)
    };
    let rows = files.iter().map(|file| file.rows.cast_signed()).collect::<Int64Array>();
    let nulls = files.iter().map(|file| file.digests.as_ref().map(|_| 0)).collect::<Int64Array>();
    let columns = vec![
        Arc::new(rows) as ArrayRef,
        of_digest(Arc::new(nulls), DataType::Int64),
        bounds(|(least, _)| least),
        bounds(|(_, greatest)| greatest),
    ];
    let names = ["numRecords", "nullCount", "minValues", "maxValues"];
    let fields = names
        .iter()
        .zip(&columns)
        .map(|(name, column)| Field::new(*name, column.data_type().clone(), true));
    Arc::new(StructArray::new(fields.collect::<Fields>(), columns, None))
}

fn of_digest(values: ArrayRef, data_type: DataType) -> ArrayRef {
    let fields = Fields::from(vec![Field::new(TRACE_DIGEST, data_type, true)]);
    Arc::new(StructArray::new(fields, vec![values], None))
}
