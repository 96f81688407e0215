//! The columns of tables and views, with what is known of their values.

use datafusion::arrow::datatypes::DataType;

use super::super::{Catalog, Created};
use crate::perfetto_sql::Planner;

/// A column of a table or view.
pub(super) struct ColumnFacts {
    pub name: String,
    /// The type as `.schema` shows it.
    pub kind: String,
    pub doc: String,
    pub is_nullable: bool,
    /// Whether the values never decrease, as far as that is known.
    pub is_sorted: bool,
    /// Whether the values identify the rows.
    pub is_key: bool,
}

/// The columns of a table or view, in order; `None` if there is none of this name, or if it cannot
/// be planned.
pub(super) fn columns_of(
    catalog: &Catalog,
    planner: &Planner,
    name: &str,
) -> Option<Vec<ColumnFacts>> {
    let name = name.to_lowercase();
    let relation = catalog.relation(&name, planner).ok().flatten()?;
    let created = catalog.objects().relation(&name);
    let is_created = created.is_some();
    let key = match &created {
        Some(Created::Own(table)) => table.primary_key().map(|key| key.column),
        _ => None,
    };
    // A view of the prelude has the columns of the stored table with its name.
    let stored = catalog.tables.get(&name).filter(|_| !is_created);
    let facts = relation.columns.into_iter().enumerate().map(|(position, column)| {
        let at = stored.and_then(|table| table.decl().column_index(&column.name));
        let declared = stored.zip(at).and_then(|(table, at)| table.decl().columns.get(at));
        let is_sorted = stored.zip(at).zip(declared).is_some_and(|((table, at), declared)| {
            *declared.field().data_type() == DataType::Int64 && table.is_sorted_by(at)
        });
        ColumnFacts {
            is_nullable: declared.is_none_or(|declared| declared.nullable),
            is_sorted,
            is_key: key == Some(position)
                || column.name == "id" && declared.is_some_and(|declared| !declared.nullable),
            name: column.name,
            kind: column.kind,
            doc: column.doc,
        }
    });
    Some(facts.collect())
}
