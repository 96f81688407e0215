//! Metadata in files of results.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::datatypes::{Field, Schema};
use datafusion::parquet::file::metadata::KeyValue;

/// Keys and values that Arrow and Parquet files contain in addition to their rows. Other formats do
/// not support metadata.
#[derive(Clone, Debug, Default)]
pub struct FileMetadata {
    /// The metadata of the file: key-value metadata in Parquet, schema metadata in Arrow.
    pub file: Vec<(String, String)>,
    /// The metadata of columns by name, stored with the fields of the Arrow schema, which a Parquet
    /// file contains as well.
    pub columns: HashMap<String, Vec<(String, String)>>,
}

impl FileMetadata {
    /// The schema with the metadata of columns.
    pub(crate) fn describe_columns(&self, schema: Schema) -> Schema {
        let describe = |field: &Arc<Field>| match self.columns.get(field.name()) {
            Some(entries) => {
                let metadata = entries.iter().cloned().collect();
                Arc::new(field.as_ref().clone().with_metadata(metadata))
            }
            None => Arc::clone(field),
        };
        let fields: Vec<_> = schema.fields().iter().map(describe).collect();
        Schema::new_with_metadata(fields, schema.metadata)
    }

    /// The schema with the metadata of columns and of the file.
    pub(crate) fn describe(&self, schema: Schema) -> Schema {
        let file = self.file.iter().cloned().collect();
        self.describe_columns(schema).with_metadata(file)
    }

    /// The metadata of the file in Parquet's form.
    pub(crate) fn key_values(&self) -> Option<Vec<KeyValue>> {
        let entry = |(key, value): &(String, String)| KeyValue::new(key.clone(), value.clone());
        (!self.file.is_empty()).then(|| self.file.iter().map(entry).collect())
    }
}
