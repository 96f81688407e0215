//! Descriptions of tables and views for `.schema`.

use datafusion::arrow::datatypes::SchemaRef;

use super::definition::type_name;
use crate::perfetto_sql::Declared;

/// The description of a table or view, as `.schema` shows it.
#[derive(Clone, Debug)]
pub struct Relation {
    /// Name of the table or view.
    pub name: String,
    /// Description of a row.
    pub doc: String,
    /// The columns, in order.
    pub columns: Vec<RelationColumn>,
}

/// A column of a [`Relation`].
#[derive(Clone, Debug)]
pub struct RelationColumn {
    /// Name of the column.
    pub name: String,
    /// Type of the values: `TIMESTAMP`, `JOINID(thread.id)`, `STRING`…
    pub kind: String,
    /// Meaning of the values.
    pub doc: String,
}

impl From<&Declared> for RelationColumn {
    fn from(declared: &Declared) -> Self {
        let Declared { name, kind, doc, .. } = declared;
        Self { name: name.text.clone(), kind: kind.clone(), doc: doc.clone() }
    }
}

impl RelationColumn {
    /// The columns of a schema, with names and types but without descriptions.
    pub(super) fn from_schema(schema: &SchemaRef) -> Vec<Self> {
        let column = |field: &std::sync::Arc<datafusion::arrow::datatypes::Field>| Self {
            name: field.name().clone(),
            kind: type_name(field.data_type()).to_owned(),
            doc: String::new(),
        };
        schema.fields().iter().map(column).collect()
    }
}
