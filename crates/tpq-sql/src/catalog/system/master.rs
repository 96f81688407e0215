//! `sqlite_master`, also called `sqlite_schema`: the tables and views as SQLite lists them.

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::Result;

use super::super::relation::RelationColumn;
use super::super::{Catalog, Created};
use super::rows::{self, integers, texts};

pub(super) fn schema() -> SchemaRef {
    rows::schema(&[
        ("type", DataType::Utf8View),
        ("name", DataType::Utf8View),
        ("tbl_name", DataType::Utf8View),
        ("rootpage", DataType::Int64),
        ("sql", DataType::Utf8View),
    ])
}

pub(super) fn rows(catalog: &Catalog) -> Result<RecordBatch> {
    let names = catalog.names();
    let (kinds, statements): (Vec<_>, Vec<_>) =
        names.iter().map(|name| described(catalog, name)).unzip();
    let pages = integers(names.iter().map(|_| 0));
    let columns = vec![texts(kinds), texts(&names), texts(&names), pages, texts(statements)];
    Ok(RecordBatch::try_new(schema(), columns)?)
}

/// `table` or `view`, and a statement that creates a relation with these columns.
pub(super) fn described(catalog: &Catalog, name: &str) -> (&'static str, String) {
    let created = catalog.objects().relation(name);
    match created {
        Some(Created::Declared(definition)) => {
            let kind = if definition.is_view() { "view" } else { "table" };
            return (kind, definition.statement());
        }
        Some(Created::Own(table)) => {
            let columns = RelationColumn::from_schema(&table.columns());
            return ("table", create_table(name, &columns));
        }
        Some(Created::Given(table)) => {
            let columns = RelationColumn::from_schema(&table.schema());
            return ("table", create_table(name, &columns));
        }
        None => {}
    }
    if let Ok(Some(view)) = catalog.prelude.view(name) {
        return ("view", view.statement());
    }
    let column = |column: &tpq_tables::ColumnDecl| RelationColumn {
        name: column.name.to_owned(),
        kind: column.kind.label(),
        doc: String::new(),
    };
    let columns = catalog.tables.get(name).map(|table| table.decl().columns);
    let columns: Vec<_> = columns.unwrap_or_default().iter().map(column).collect();
    ("table", create_table(name, &columns))
}

fn create_table(name: &str, columns: &[RelationColumn]) -> String {
    let columns = columns.iter().map(|column| format!("{} {}", column.name, column.kind));
    format!("CREATE TABLE {name}({})", columns.collect::<Vec<_>>().join(", "))
}
