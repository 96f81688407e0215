//! What clients ask about the server and its tables.

use std::sync::LazyLock;

use arrow_flight::sql::metadata::{SqlInfoData, SqlInfoDataBuilder};
use arrow_flight::sql::{
    CommandGetCatalogs, CommandGetDbSchemas, CommandGetTableTypes, CommandGetTables, SqlInfo,
};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::error::ArrowError;

use super::batches::sent_schema;
use crate::relations::{DATABASE, Relations, SCHEMA};

/// The kinds of tables.
const TABLE: &str = "TABLE";
const VIEW: &str = "VIEW";

/// Facts about the server.
static SQL_INFO: LazyLock<Result<SqlInfoData, String>> = LazyLock::new(|| {
    let mut info = SqlInfoDataBuilder::new();
    info.append(SqlInfo::FlightSqlServerName, "tpq");
    info.append(SqlInfo::FlightSqlServerVersion, env!("CARGO_PKG_VERSION"));
    info.append(SqlInfo::FlightSqlServerArrowVersion, "1.3");
    info.append(SqlInfo::FlightSqlServerReadOnly, true);
    info.append(SqlInfo::FlightSqlServerSql, true);
    info.append(SqlInfo::FlightSqlServerSubstrait, false);
    // Transactions begin and end, and have no effect: a trace does not change.
    info.append(SqlInfo::FlightSqlServerTransaction, 1_i32);
    info.append(SqlInfo::FlightSqlServerCancel, false);
    info.append(SqlInfo::FlightSqlServerBulkIngestion, false);
    info.append(SqlInfo::SqlIdentifierQuoteChar, "\"");
    info.build().map_err(|error| error.to_string())
});

/// Facts about the server.
///
/// # Errors
/// Only where there is a bug.
pub(super) fn sql_info() -> Result<&'static SqlInfoData, ArrowError> {
    SQL_INFO.as_ref().map_err(|error| ArrowError::ComputeError(error.clone()))
}

/// The only catalog.
pub(super) fn catalogs(command: CommandGetCatalogs) -> arrow_flight::error::Result<RecordBatch> {
    let mut builder = command.into_builder();
    builder.append(DATABASE);
    builder.build()
}

/// The only schema.
pub(super) fn schemas(command: CommandGetDbSchemas) -> arrow_flight::error::Result<RecordBatch> {
    let mut builder = command.into_builder();
    builder.append(DATABASE, SCHEMA);
    builder.build()
}

/// The kinds of tables.
pub(super) fn table_types(
    command: CommandGetTableTypes,
) -> arrow_flight::error::Result<RecordBatch> {
    let mut builder = command.into_builder();
    builder.append(TABLE);
    builder.append(VIEW);
    builder.build()
}

/// The tables and views, with their columns where they are asked for.
pub(super) async fn tables(
    command: CommandGetTables,
    relations: &Relations,
) -> arrow_flight::error::Result<RecordBatch> {
    let with_columns = command.include_schema;
    let mut builder = command.into_builder();
    for name in relations.names() {
        let kind = if relations.is_view(&name) { VIEW } else { TABLE };
        let columns = match with_columns {
            true => sent_schema(&relations.columns(&name).await),
            false => SchemaRef::new(Schema::empty()),
        };
        builder.append(DATABASE, SCHEMA, name, kind, &columns)?;
    }
    builder.build()
}

/// The columns of primary keys, of which no table has one.
pub(super) fn no_primary_keys() -> RecordBatch {
    empty(&["catalog_name", "db_schema_name", "table_name", "column_name"], &["key_sequence"])
}

/// The columns of keys between tables, of which there are none.
pub(super) fn no_foreign_keys() -> RecordBatch {
    let names = [
        "pk_catalog_name",
        "pk_db_schema_name",
        "pk_table_name",
        "pk_column_name",
        "fk_catalog_name",
        "fk_db_schema_name",
        "fk_table_name",
        "fk_column_name",
    ];
    empty(&names, &["key_sequence"])
}

fn empty(texts: &[&str], numbers: &[&str]) -> RecordBatch {
    let texts = texts.iter().map(|name| Field::new(*name, DataType::Utf8, true));
    let numbers = numbers.iter().map(|name| Field::new(*name, DataType::Int32, true));
    let name = Field::new("key_name", DataType::Utf8, true);
    let fields: Vec<Field> = texts.chain(numbers).chain([name]).collect();
    RecordBatch::new_empty(SchemaRef::new(Schema::new(fields)))
}
