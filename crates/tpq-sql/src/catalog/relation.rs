//! What there is to know of a table or view, as `.schema` shows it.

use datafusion::arrow::datatypes::SchemaRef;

use super::definition::type_name;
use crate::perfetto_sql::Declared;

/// A table or view, as `.schema` shows it.
#[derive(Clone, Debug)]
pub struct Relation {
    /// Its name.
    pub name: String,
    /// What a row is.
    pub doc: String,
    /// The columns, in order.
    pub columns: Vec<RelationColumn>,
}

/// A column of a [`Relation`].
#[derive(Clone, Debug)]
pub struct RelationColumn {
    /// Its name.
    pub name: String,
    /// What it holds: `TIMESTAMP`, `JOINID(thread.id)`, `STRING`…
    pub kind: String,
    /// What it means.
    pub doc: String,
}

impl From<&Declared> for RelationColumn {
    fn from(declared: &Declared) -> Self {
        let Declared { name, kind, doc, .. } = declared;
        Self { name: name.text.clone(), kind: kind.clone(), doc: doc.clone() }
    }
}

impl RelationColumn {
    /// Columns of which no more is known than their types.
    pub(super) fn of_schema(schema: &SchemaRef) -> Vec<Self> {
        let column = |field: &std::sync::Arc<datafusion::arrow::datatypes::Field>| Self {
            name: field.name().clone(),
            kind: type_name(field.data_type()).to_owned(),
            doc: String::new(),
        };
        schema.fields().iter().map(column).collect()
    }
}
