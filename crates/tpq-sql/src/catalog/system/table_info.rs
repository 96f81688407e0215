//! `pragma_table_info(table)` and `perfetto_table_info(table)`: the columns of a table.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::{Result, internal_err};

use super::super::Catalog;
use super::Directory;
use super::columns::{ColumnFacts, columns_of};
use super::rows::{self, integers, no_texts, texts};
use crate::functions::{CallArgument, CalledRows, TableFunction};
use crate::perfetto_sql::Planner;

const ARGUMENTS: &[(&str, DataType)] = &[("table", DataType::Utf8View)];

/// The set of columns that a function returns.
#[derive(Clone, Copy, Debug)]
enum Form {
    Sqlite,
    Perfetto,
}

/// A function that lists the columns of a table; none for a name that is not of a table.
#[derive(Debug)]
struct TableInfo {
    form: Form,
    directory: Directory,
}

pub(super) fn functions(directory: &Directory) -> Vec<Arc<dyn TableFunction>> {
    let function = |form| -> Arc<dyn TableFunction> {
        Arc::new(TableInfo { form, directory: directory.clone() })
    };
    vec![function(Form::Sqlite), function(Form::Perfetto)]
}

/// The rows of `PRAGMA table_info(table)`; `None` if there is no such table.
pub(crate) fn pragma_rows(
    catalog: &Catalog,
    planner: &Planner,
    table: &str,
) -> Result<Option<RecordBatch>> {
    let Some(columns) = columns_of(catalog, planner, table) else { return Ok(None) };
    let listed = |(position, column)| Listed { table: table.to_owned(), position, column };
    let listed: Vec<Listed> = (0..).zip(columns).map(listed).collect();
    Form::Sqlite.rows(&listed).map(Some)
}

/// A column, with its table and position.
struct Listed {
    table: String,
    position: i64,
    column: ColumnFacts,
}

impl Form {
    fn schema(self) -> SchemaRef {
        match self {
            Self::Sqlite => rows::schema(&[
                ("cid", DataType::Int64),
                ("name", DataType::Utf8View),
                ("type", DataType::Utf8View),
                ("notnull", DataType::Int64),
                ("dflt_value", DataType::Utf8View),
                ("pk", DataType::Int64),
            ]),
            Self::Perfetto => rows::schema(&[
                ("id", DataType::Int64),
                ("table_name", DataType::Utf8View),
                ("name", DataType::Utf8View),
                ("col_type", DataType::Utf8View),
                ("nullable", DataType::Int64),
                ("sorted", DataType::Int64),
            ]),
        }
    }

    fn rows(self, listed: &[Listed]) -> Result<RecordBatch> {
        let columns = || listed.iter().map(|listed| &listed.column);
        let positions = integers(listed.iter().map(|listed| listed.position));
        let names = texts(columns().map(|column| &column.name));
        let arrays = match self {
            Self::Sqlite => vec![
                positions,
                names,
                texts(columns().map(|column| &column.kind)),
                integers(columns().map(|column| i64::from(!column.is_nullable))),
                no_texts(listed.len()),
                integers(columns().map(|column| i64::from(column.is_key))),
            ],
            Self::Perfetto => vec![
                positions,
                texts(listed.iter().map(|listed| &listed.table)),
                names,
                texts(columns().map(|column| value_type(&column.kind))),
                integers(columns().map(|column| i64::from(column.is_nullable))),
                integers(columns().map(|column| i64::from(column.is_sorted))),
            ],
        };
        Ok(RecordBatch::try_new(self.schema(), arrays)?)
    }
}

/// The type of the values of a column, by the type that `.schema` shows.
fn value_type(kind: &str) -> &'static str {
    match kind.split('(').next().unwrap_or_default() {
        "ID" => "id",
        "STRING" => "string",
        "DOUBLE" | "FLOAT" => "double",
        "BYTES" | "PROTO" => "bytes",
        _ => "int64",
    }
}

impl TableFunction for TableInfo {
    fn name(&self) -> &str {
        match self.form {
            Form::Sqlite => "pragma_table_info",
            Form::Perfetto => "perfetto_table_info",
        }
    }

    fn arguments(&self) -> &[(&'static str, DataType)] {
        ARGUMENTS
    }

    fn schema(&self, _: &[CallArgument]) -> Result<SchemaRef> {
        Ok(self.form.schema())
    }

    fn call(&self, args: &[ArrayRef], _: usize, columns: &[usize]) -> Result<CalledRows> {
        let Some(tables) = args.first().and_then(|tables| tables.as_string_view_opt()) else {
            return internal_err!("{}() without the name of a table", self.name());
        };
        let (calls, listed) = self.directory.read(|catalog, planner| {
            let (mut calls, mut listed) = (Vec::new(), Vec::new());
            for (call, table) in (0u32..).zip(tables) {
                let Some(table) = table else { continue };
                let columns = columns_of(catalog, planner, table).into_iter().flatten();
                listed.extend((0..).zip(columns).map(|(position, column)| Listed {
                    table: table.to_owned(),
                    position,
                    column,
                }));
                calls.resize(listed.len(), call);
            }
            (calls, listed)
        })?;
        let rows = self.form.rows(&listed)?.project(columns)?;
        Ok(CalledRows { calls: calls.into(), rows })
    }
}

#[cfg(test)]
mod tests {
    use super::value_type;

    #[test]
    fn declared_types_have_types_of_values() {
        assert_eq!(value_type("ID"), "id");
        assert_eq!(value_type("JOINID(thread.id)"), "int64");
        assert_eq!(value_type("ID(track.id)"), "id");
        assert_eq!(value_type("TIMESTAMP"), "int64");
        assert_eq!(value_type("STRING"), "string");
        assert_eq!(value_type("DOUBLE"), "double");
    }
}
