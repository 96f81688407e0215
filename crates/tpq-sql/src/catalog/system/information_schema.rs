//! `information_schema`: schemas, tables and columns in the form that most databases share.

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::Result;

use super::super::Catalog;
use super::INFORMATION_SCHEMA;
use super::columns::columns_of;
use super::master::described;
use super::rows::{self, integers, no_texts, texts};
use crate::perfetto_sql::Planner;

/// The catalog of all schemas.
const CATALOG: &str = "trace";

/// The schema of all tables and views.
const MAIN: &str = "main";

/// Prefix of names that are not for users.
const INTERNAL_PREFIX: &str = "__";

pub(super) fn schemata_schema() -> SchemaRef {
    rows::schema(&[("catalog_name", DataType::Utf8View), ("schema_name", DataType::Utf8View)])
}

pub(super) fn schemata() -> Result<RecordBatch> {
    let columns = vec![texts([CATALOG, CATALOG]), texts([MAIN, INFORMATION_SCHEMA])];
    Ok(RecordBatch::try_new(schemata_schema(), columns)?)
}

pub(super) fn tables_schema() -> SchemaRef {
    rows::schema(&[
        ("table_catalog", DataType::Utf8View),
        ("table_schema", DataType::Utf8View),
        ("table_name", DataType::Utf8View),
        ("table_type", DataType::Utf8View),
        ("table_comment", DataType::Utf8View),
    ])
}

fn names(catalog: &Catalog) -> Vec<String> {
    let mut names = catalog.names();
    names.retain(|name| !name.starts_with(INTERNAL_PREFIX));
    names
}

pub(super) fn tables(catalog: &Catalog, planner: &Planner) -> Result<RecordBatch> {
    let names = names(catalog);
    let kind = |name: &String| match described(catalog, name).0 {
        "view" => "VIEW",
        _ => "BASE TABLE",
    };
    let doc = |name: &String| {
        let relation = catalog.relation(name, planner).ok().flatten();
        relation.map_or(String::new(), |relation| relation.doc)
    };
    let columns = vec![
        texts(names.iter().map(|_| CATALOG)),
        texts(names.iter().map(|_| MAIN)),
        texts(&names),
        texts(names.iter().map(kind)),
        texts(names.iter().map(doc)),
    ];
    Ok(RecordBatch::try_new(tables_schema(), columns)?)
}

pub(super) fn columns_schema() -> SchemaRef {
    rows::schema(&[
        ("table_catalog", DataType::Utf8View),
        ("table_schema", DataType::Utf8View),
        ("table_name", DataType::Utf8View),
        ("column_name", DataType::Utf8View),
        ("ordinal_position", DataType::Int64),
        ("column_default", DataType::Utf8View),
        ("is_nullable", DataType::Utf8View),
        ("data_type", DataType::Utf8View),
        ("column_comment", DataType::Utf8View),
    ])
}

pub(super) fn columns(catalog: &Catalog, planner: &Planner) -> Result<RecordBatch> {
    let mut tables = Vec::new();
    let mut positions = Vec::new();
    let mut all = Vec::new();
    for name in names(catalog) {
        for (position, column) in
            (1..).zip(columns_of(catalog, planner, &name).into_iter().flatten())
        {
            tables.push(name.clone());
            positions.push(position);
            all.push(column);
        }
    }
    let columns = vec![
        texts(all.iter().map(|_| CATALOG)),
        texts(all.iter().map(|_| MAIN)),
        texts(tables),
        texts(all.iter().map(|column| &column.name)),
        integers(positions),
        no_texts(all.len()),
        texts(all.iter().map(|column| if column.is_nullable { "YES" } else { "NO" })),
        texts(all.iter().map(|column| &column.kind)),
        texts(all.iter().map(|column| &column.doc)),
    ];
    Ok(RecordBatch::try_new(columns_schema(), columns)?)
}
