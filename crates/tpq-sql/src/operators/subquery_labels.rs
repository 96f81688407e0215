//! Short labels for the results of subqueries that hold many rows.
//!
//! A projection labels its metrics with the text of its expressions when it begins to run, and the
//! text of a subquery has its result. Intervals that an operator takes are such a result, and their
//! text takes more time and memory than the operator.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{FieldRef, Schema};
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::ColumnarValue;
use datafusion::logical_expr::sort_properties::ExprProperties;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::projection::ProjectionExpr;
use datafusion::physical_expr::scalar_subquery::ScalarSubqueryExpr;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::projection::ProjectionExec;

use crate::step_rules::PhysicalStepRule;

/// Puts [`LabelledSubquery`] around the subqueries of projections that return lists or structs.
pub(crate) const SUBQUERY_LABELS: PhysicalStepRule =
    PhysicalStepRule { name: "subquery_labels", rewrite: with_labels };

fn with_labels(node: Arc<dyn ExecutionPlan>) -> Result<Transformed<Arc<dyn ExecutionPlan>>> {
    let Some(projection) = node.downcast_ref::<ProjectionExec>() else {
        return Ok(Transformed::no(node));
    };
    let mut changed = false;
    let mut exprs = Vec::with_capacity(projection.expr().len());
    for named in projection.expr() {
        let labelled = labelled(Arc::clone(&named.expr))?;
        changed |= labelled.transformed;
        exprs.push(ProjectionExpr { expr: labelled.data, alias: named.alias.clone() });
    }
    if !changed {
        return Ok(Transformed::no(node));
    }
    let input = Arc::clone(projection.input());
    Ok(Transformed::yes(Arc::new(ProjectionExec::try_new(exprs, input)?) as _))
}

/// The expression with short labels for its large subqueries.
fn labelled(expr: Arc<dyn PhysicalExpr>) -> Result<Transformed<Arc<dyn PhysicalExpr>>> {
    expr.transform_up(|expr| {
        let is_large = expr.is::<ScalarSubqueryExpr>()
            && expr.return_field(&Schema::empty())?.data_type().is_nested();
        Ok(match is_large {
            true => Transformed::yes(Arc::new(LabelledSubquery { subquery: expr }) as _),
            false => Transformed::no(expr),
        })
    })
}

/// The result of a subquery, without its rows in the text.
#[derive(Debug, Clone, Eq)]
struct LabelledSubquery {
    subquery: Arc<dyn PhysicalExpr>,
}

// The derived comparison would move the expression (rust-lang/rust#78808).
impl PartialEq for LabelledSubquery {
    fn eq(&self, other: &Self) -> bool {
        self.subquery.eq(&other.subquery)
    }
}

impl Hash for LabelledSubquery {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.subquery.hash(state);
    }
}

impl fmt::Display for LabelledSubquery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("scalar_subquery(<rows>)")
    }
}

impl PhysicalExpr for LabelledSubquery {
    fn return_field(&self, input: &Schema) -> Result<FieldRef> {
        self.subquery.return_field(input)
    }

    fn evaluate(&self, batch: &RecordBatch) -> Result<ColumnarValue> {
        self.subquery.evaluate(batch)
    }

    fn children(&self) -> Vec<&Arc<dyn PhysicalExpr>> {
        Vec::new()
    }

    fn with_new_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn PhysicalExpr>>,
    ) -> Result<Arc<dyn PhysicalExpr>> {
        Ok(self)
    }

    fn get_properties(&self, children: &[ExprProperties]) -> Result<ExprProperties> {
        self.subquery.get_properties(children)
    }

    fn fmt_sql(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.subquery.fmt_sql(f)
    }
}
