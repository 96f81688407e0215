//! Column names where each must be another.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::arrow::error::ArrowError;

/// The names of the columns; the second of a name gets `:1`, the third `:2`.
pub(crate) fn unique_names(schema: &Schema) -> Vec<String> {
    let mut taken = HashSet::new();
    let names = schema.fields().iter().map(|field| {
        let mut name = field.name().clone();
        let mut count = 0;
        while !taken.insert(name.clone()) {
            count += 1;
            name = format!("{}:{count}", field.name());
        }
        name
    });
    names.collect()
}

/// The schema under names that are unique.
pub(crate) fn with_unique_names(schema: &Schema) -> Schema {
    let fields = schema.fields().iter().zip(unique_names(schema));
    let fields: Vec<_> =
        fields.map(|(field, name)| field.as_ref().clone().with_name(name)).collect();
    Schema::new(fields)
}

/// A batch under the names of a schema.
pub(crate) fn rename(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::clone(schema), batch.columns().to_vec(), &options)
}
