//! Unique column names, for formats that require them.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::arrow::error::ArrowError;

/// The names of the columns. The second column with a name gets the suffix `:1`, the third `:2`.
pub(crate) fn unique_names(schema: &Schema) -> Vec<String> {
    let mut used = HashSet::new();
    let names = schema.fields().iter().map(|field| {
        let mut name = field.name().clone();
        let mut count = 0;
        while !used.insert(name.clone()) {
            count += 1;
            name = format!("{}:{count}", field.name());
        }
        name
    });
    names.collect()
}

/// The schema with unique names.
pub(crate) fn with_unique_names(schema: &Schema) -> Schema {
    let fields = schema.fields().iter().zip(unique_names(schema));
    let fields: Vec<_> =
        fields.map(|(field, name)| field.as_ref().clone().with_name(name)).collect();
    Schema::new(fields)
}

/// The batch with the column names of a schema.
pub(crate) fn rename(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::clone(schema), batch.columns().to_vec(), &options)
}
