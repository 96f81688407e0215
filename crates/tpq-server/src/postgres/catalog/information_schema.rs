//! `information_schema`, with the columns and names of types that PostgreSQL has.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::{ArrayRef, Int32Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::catalog::{MemTable, SchemaProvider, TableProvider};
use datafusion::common::Result;

use crate::relations::{DATABASE, Relations, SCHEMA};

/// The name of the schema.
pub(super) const NAME: &str = "information_schema";

/// Tables of things that a trace does not have, with the columns that tools join them by.
const EMPTY: [(&str, &[&str]); 9] = [
    (
        "table_constraints",
        &["constraint_schema", "constraint_name", "table_schema", "table_name", "constraint_type"],
    ),
    (
        "key_column_usage",
        &["constraint_schema", "constraint_name", "table_schema", "table_name", "column_name"],
    ),
    (
        "referential_constraints",
        &["constraint_schema", "constraint_name", "unique_constraint_name"],
    ),
    (
        "constraint_column_usage",
        &["constraint_schema", "constraint_name", "table_schema", "table_name", "column_name"],
    ),
    ("check_constraints", &["constraint_schema", "constraint_name", "check_clause"]),
    ("routines", &["specific_name", "routine_schema", "routine_name", "routine_type", "data_type"]),
    ("parameters", &["specific_schema", "specific_name", "parameter_name", "data_type"]),
    ("triggers", &["trigger_schema", "trigger_name", "event_object_table"]),
    ("sequences", &["sequence_schema", "sequence_name", "data_type"]),
];

/// The schema.
#[derive(Debug)]
pub(super) struct InformationSchema {
    relations: Arc<Relations>,
}

impl InformationSchema {
    pub(super) fn new(relations: Arc<Relations>) -> Self {
        Self { relations }
    }

    fn tables(&self) -> Result<RecordBatch> {
        let names = self.relations.names();
        let kind = |name: &String| match self.relations.is_view(name) {
            true => "VIEW",
            false => "BASE TABLE",
        };
        let kinds: Vec<&str> = names.iter().map(kind).collect();
        let count = names.len();
        batch(vec![
            ("table_catalog", same(DATABASE, count)),
            ("table_schema", same(SCHEMA, count)),
            ("table_name", texts(names)),
            ("table_type", texts(kinds)),
            ("is_insertable_into", same("NO", count)),
            ("is_typed", same("NO", count)),
        ])
    }

    fn views(&self) -> Result<RecordBatch> {
        let mut names = self.relations.names();
        names.retain(|name| self.relations.is_view(name));
        let count = names.len();
        batch(vec![
            ("table_catalog", same(DATABASE, count)),
            ("table_schema", same(SCHEMA, count)),
            ("table_name", texts(names)),
            ("view_definition", Arc::new(StringArray::new_null(count))),
            ("check_option", same("NONE", count)),
            ("is_updatable", same("NO", count)),
        ])
    }

    async fn columns(&self) -> Result<RecordBatch> {
        let (mut tables, mut names, mut positions) = (Vec::new(), Vec::new(), Vec::new());
        let (mut nullable, mut types) = (Vec::new(), Vec::new());
        for table in self.relations.names() {
            for (field, position) in self.relations.columns(&table).await.fields().iter().zip(1..) {
                tables.push(table.clone());
                names.push(field.name().clone());
                positions.push(position);
                nullable.push(if field.is_nullable() { "YES" } else { "NO" });
                types.push(type_names(field.data_type()));
            }
        }
        let count = names.len();
        let (types, short): (Vec<&str>, Vec<&str>) = types.into_iter().unzip();
        batch(vec![
            ("table_catalog", same(DATABASE, count)),
            ("table_schema", same(SCHEMA, count)),
            ("table_name", texts(tables)),
            ("column_name", texts(names)),
            ("ordinal_position", Arc::new(Int32Array::from(positions))),
            ("column_default", Arc::new(StringArray::new_null(count))),
            ("is_nullable", texts(nullable)),
            ("data_type", texts(types)),
            ("character_maximum_length", Arc::new(Int32Array::new_null(count))),
            ("numeric_precision", Arc::new(Int32Array::new_null(count))),
            ("numeric_scale", Arc::new(Int32Array::new_null(count))),
            ("datetime_precision", Arc::new(Int32Array::new_null(count))),
            ("udt_catalog", same(DATABASE, count)),
            ("udt_schema", same("pg_catalog", count)),
            ("udt_name", texts(short)),
            ("is_identity", same("NO", count)),
            ("is_generated", same("NEVER", count)),
            ("is_updatable", same("NO", count)),
        ])
    }
}

#[async_trait]
impl SchemaProvider for InformationSchema {
    fn table_names(&self) -> Vec<String> {
        let filled = ["tables", "views", "columns", "schemata"];
        filled.into_iter().chain(EMPTY.map(|(name, _)| name)).map(str::to_owned).collect()
    }

    async fn table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        let rows = match name {
            "tables" => self.tables()?,
            "views" => self.views()?,
            "columns" => self.columns().await?,
            "schemata" => schemata()?,
            _ => match EMPTY.into_iter().find(|(empty, _)| *empty == name) {
                Some((_, columns)) => empty(columns),
                None => return Ok(None),
            },
        };
        Ok(Some(Arc::new(MemTable::try_new(rows.schema(), vec![vec![rows]])?)))
    }

    fn table_exist(&self, name: &str) -> bool {
        self.table_names().iter().any(|known| known == name)
    }
}

fn schemata() -> Result<RecordBatch> {
    let names = [SCHEMA, NAME, "pg_catalog"];
    batch(vec![
        ("catalog_name", same(DATABASE, names.len())),
        ("schema_name", texts(names.to_vec())),
        ("schema_owner", same("postgres", names.len())),
    ])
}

fn empty(columns: &[&str]) -> RecordBatch {
    let fields = columns.iter().map(|name| Field::new(*name, DataType::Utf8, true));
    RecordBatch::new_empty(Arc::new(Schema::new(fields.collect::<Vec<_>>())))
}

/// The name of a type in PostgreSQL, and its short name.
fn type_names(kind: &DataType) -> (&'static str, &'static str) {
    match kind {
        DataType::Boolean => ("boolean", "bool"),
        DataType::Int8 | DataType::Int16 | DataType::UInt8 => ("smallint", "int2"),
        DataType::Int32 | DataType::UInt16 => ("integer", "int4"),
        DataType::Int64 | DataType::UInt32 => ("bigint", "int8"),
        DataType::UInt64 | DataType::Decimal128(..) => ("numeric", "numeric"),
        DataType::Float16 | DataType::Float32 => ("real", "float4"),
        DataType::Float64 => ("double precision", "float8"),
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => ("bytea", "bytea"),
        DataType::Date32 | DataType::Date64 => ("date", "date"),
        DataType::Timestamp(..) => ("timestamp without time zone", "timestamp"),
        DataType::Dictionary(_, value) => type_names(value),
        _ => ("text", "text"),
    }
}

/// Texts may be NULL in every column: that is what a join makes of them.
fn batch(columns: Vec<(&str, ArrayRef)>) -> Result<RecordBatch> {
    let columns = columns.into_iter().map(|(name, column)| (name, column, true));
    Ok(RecordBatch::try_from_iter_with_nullable(columns)?)
}

fn same(text: &str, count: usize) -> ArrayRef {
    Arc::new(StringArray::from(vec![text; count]))
}

fn texts<T: AsRef<str>>(texts: Vec<T>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(texts))
}
