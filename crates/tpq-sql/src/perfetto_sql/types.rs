//! What a type name in SQL stands for.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::Result;
use datafusion::logical_expr::planner::TypePlanner;
use datafusion::sql::sqlparser::ast;

/// SQLite's rule, by the letters a type name contains, with PerfettoSQL's own names: there is one
/// width of integer, so that `CAST(ts AS INT)` does not overflow.
#[derive(Debug)]
pub(crate) struct TraceTypes;

impl TypePlanner for TraceTypes {
    fn plan_type_field(&self, sql_type: &ast::DataType) -> Result<Option<FieldRef>> {
        let name = sql_type.to_string().to_ascii_uppercase();
        let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
        let arrow = if has(&["INT", "LONG", "BOOL", "TIMESTAMP", "DURATION", "UNSIGNED"])
            || name == "ID"
            || name == "ARGSETID"
        {
            DataType::Int64
        } else if has(&["CHAR", "TEXT", "STRING", "CLOB"]) {
            DataType::Utf8View
        } else if has(&["REAL", "FLOA", "DOUB", "NUMERIC", "DECIMAL"]) {
            DataType::Float64
        } else if has(&["BLOB", "BYTES", "PROTO"]) {
            DataType::Binary
        } else {
            return Ok(None);
        };
        Ok(Some(Arc::new(Field::new("", arrow, true))))
    }
}
