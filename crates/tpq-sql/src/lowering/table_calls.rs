//! Calls of table functions.

use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::Result;
use datafusion::logical_expr::{Expr, LogicalPlan, TableSource};

use crate::functions::TableFunction;

/// Stands in the plan for a call of a table function until it is lowered.
#[derive(Debug)]
pub(crate) struct CallSource {
    /// What is called.
    pub function: Arc<dyn TableFunction>,
    /// With what; columns are those of the tables before it in the same FROM, or of the query
    /// around it.
    pub args: Vec<Expr>,
    /// The columns this call gives.
    pub schema: SchemaRef,
}

impl TableSource for CallSource {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// Rewrites every scan of a [`CallSource`].
pub(super) fn lower(plan: LogicalPlan) -> Result<LogicalPlan> {
    Ok(plan)
}
