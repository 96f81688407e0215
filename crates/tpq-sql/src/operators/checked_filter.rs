//! The filter of a join, made to stop when asked.
//!
//! A nested loop join tries all pairs of a batch and the rows of the other side before it gives a
//! batch or asks for one, and a hash join all pairs with equal keys. The filter is called for some
//! thousand pairs at a time.

use std::fmt::{self, Display, Formatter};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{FieldRef, Schema};
use datafusion::common::{Result, internal_err};
use datafusion::logical_expr::ColumnarValue;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::joins::utils::JoinFilter;

use crate::cancel::check;

/// An expression that fails once the statement of this thread was cancelled.
#[derive(Debug, Eq)]
struct CheckedFilter(Arc<dyn PhysicalExpr>);

impl PartialEq for CheckedFilter {
    fn eq(&self, other: &Self) -> bool {
        self.0.eq(&other.0)
    }
}

impl Hash for CheckedFilter {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

/// The same filter with a check before each call.
pub(super) fn checked_filter(filter: &JoinFilter) -> JoinFilter {
    let expression = Arc::new(CheckedFilter(Arc::clone(filter.expression())));
    let (columns, schema) = (filter.column_indices().to_vec(), Arc::clone(filter.schema()));
    JoinFilter::new(expression, columns, schema)
}

impl Display for CheckedFilter {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl PhysicalExpr for CheckedFilter {
    fn return_field(&self, input: &Schema) -> Result<FieldRef> {
        self.0.return_field(input)
    }

    fn evaluate(&self, batch: &RecordBatch) -> Result<ColumnarValue> {
        check()?;
        self.0.evaluate(batch)
    }

    fn children(&self) -> Vec<&Arc<dyn PhysicalExpr>> {
        vec![&self.0]
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn PhysicalExpr>>,
    ) -> Result<Arc<dyn PhysicalExpr>> {
        match children.pop() {
            Some(filter) => Ok(Arc::new(Self(filter))),
            None => internal_err!("a checked filter without a filter"),
        }
    }

    fn fmt_sql(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.fmt_sql(f)
    }
}
