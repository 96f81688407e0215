//! VALUES with subqueries in them.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::logical_expr::{
    ExprSchemable, LogicalPlan, LogicalPlanBuilder, Projection, Union, Values,
};

use super::lower_node;

/// Rewrites the rows as one projection each, since DataFusion evaluates VALUES before it runs.
pub(super) fn lower(values: Values) -> Result<LogicalPlan> {
    let mut rows = Vec::with_capacity(values.values.len());
    for row in values.values {
        let one = LogicalPlanBuilder::empty(true).build()?;
        let named = row.into_iter().zip(values.schema.fields()).map(|(expr, field)| {
            Ok(expr.cast_to(field.data_type(), one.schema())?.alias(field.name()))
        });
        let named = named.collect::<Result<Vec<_>>>()?;
        let row = Projection::try_new(named, Arc::new(one))?;
        rows.push(Arc::new(lower_node(LogicalPlan::Projection(row))?));
    }
    match &rows[..] {
        [only] => Ok(only.as_ref().clone()),
        _ => Ok(LogicalPlan::Union(Union::try_new_with_loose_types(rows)?)),
    }
}
