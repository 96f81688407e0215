//! Column names where each must be another.

use std::collections::HashSet;

use datafusion::arrow::datatypes::Schema;

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
