//! The rows of a query as text.

use std::sync::Arc;

use datafusion::arrow::array::Array;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::util::display::array_value_to_string;
use tpq_sql::Session;

use crate::HealthError;

/// The rows of a query; NULL is empty.
pub(crate) async fn rows(session: &Session, sql: &str) -> Result<Vec<Vec<String>>, HealthError> {
    let mut rows = Vec::new();
    for batch in session.query(sql).await?.collect().await? {
        for row in 0..batch.num_rows() {
            let cell = |column: &Arc<dyn Array>| match column.is_null(row) {
                true => Ok(String::new()),
                false => array_value_to_string(column, row),
            };
            let cells = batch.columns().iter().map(cell);
            rows.push(cells.collect::<Result<Vec<String>, ArrowError>>()?);
        }
    }
    Ok(rows)
}
