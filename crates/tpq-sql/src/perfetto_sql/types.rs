//! Meaning of type names in SQL.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::Result;
use datafusion::logical_expr::planner::TypePlanner;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, cast};
use datafusion::sql::sqlparser::ast;

/// The types values of SQLite have.
pub(super) enum SqliteType {
    Integer,
    Real,
    Text,
    Blob,
}

/// SQLite's rule, by the letters a type name contains, with PerfettoSQL's own names. `None` for
/// the types that only DataFusion has.
pub(super) fn sqlite_type(sql_type: &ast::DataType) -> Option<SqliteType> {
    let name = sql_type.to_string().to_ascii_uppercase();
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    if has(&["INTERVAL", "[", "<", "ARRAY"]) {
        return None;
    }
    if has(&["INT", "LONG", "BOOL", "TIMESTAMP", "DURATION", "UNSIGNED"])
        || name == "ID"
        || name == "ARGSETID"
    {
        Some(SqliteType::Integer)
    } else if has(&["CHAR", "TEXT", "STRING", "CLOB"]) {
        Some(SqliteType::Text)
    } else if has(&["REAL", "FLOA", "DOUB", "NUMERIC", "DECIMAL"]) {
        Some(SqliteType::Real)
    } else if has(&["BLOB", "BYTES", "PROTO"]) {
        Some(SqliteType::Blob)
    } else {
        None
    }
}

/// There is one width of integer, so that `CAST(ts AS INT)` does not overflow.
#[derive(Debug)]
pub(crate) struct TraceTypes;

impl TypePlanner for TraceTypes {
    fn plan_type_field(&self, sql_type: &ast::DataType) -> Result<Option<FieldRef>> {
        let arrow = match sqlite_type(sql_type) {
            Some(SqliteType::Integer) => DataType::Int64,
            Some(SqliteType::Real) => DataType::Float64,
            Some(SqliteType::Text) => DataType::Utf8View,
            Some(SqliteType::Blob) => DataType::BinaryView,
            None => return Ok(None),
        };
        Ok(Some(Arc::new(Field::new("", arrow, true))))
    }
}

/// The same plan with 0 and 1 in place of the booleans of its columns.
pub(super) fn without_booleans(plan: LogicalPlan) -> Result<LogicalPlan> {
    let is_boolean = |field: &FieldRef| *field.data_type() == DataType::Boolean;
    if !plan.schema().fields().iter().any(is_boolean) {
        return Ok(plan);
    }
    let column = |(qualifier, field): (Option<&_>, &FieldRef)| {
        let column = Expr::from((qualifier, field));
        if is_boolean(field) { cast(column, DataType::Int64).alias(field.name()) } else { column }
    };
    let columns: Vec<Expr> = plan.schema().iter().map(column).collect();
    LogicalPlanBuilder::from(plan).project(columns)?.build()
}
