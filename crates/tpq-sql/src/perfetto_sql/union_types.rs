//! The types of columns of UNION that begin with NULL: `SELECT NULL AS x UNION ALL SELECT 5`.
//!
//! DataFusion gives such a column the type of the first query until the whole statement is planned.
//! NULL has no type, so a function that is called with the column, or a subquery that reads it,
//! would be planned for a column of NULLs. Its type is that of the other queries.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchemaRef, ExprSchema, Result};
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{Expr, LogicalPlan, Subquery, Union};
use datafusion::optimizer::analyzer::type_coercion::TypeCoercionRewriter;

/// The same plan with the types of all such columns.
pub(super) fn with_union_types(plan: LogicalPlan) -> Result<LogicalPlan> {
    let mut found = false;
    plan.apply_with_subqueries(|node| {
        found |= matches!(node, LogicalPlan::Union(union) if is_untyped(union));
        Ok(if found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    if found { typed(plan, &[]) } else { Ok(plan) }
}

/// Whether a column is NULL in the first query and has a type in another.
fn is_untyped(union: &Union) -> bool {
    union.schema.fields().iter().enumerate().any(|(index, field)| {
        let has_type = |input: &Arc<LogicalPlan>| {
            let fields = input.schema().fields();
            fields.get(index).is_some_and(|field| *field.data_type() != DataType::Null)
        };
        *field.data_type() == DataType::Null && union.inputs.iter().any(has_type)
    })
}

/// A query with the types of its columns; `around` are the columns of the queries it is in, the
/// innermost last.
fn typed(plan: LogicalPlan, around: &[DFSchemaRef]) -> Result<LogicalPlan> {
    plan.transform_up(|node| {
        let seen: DFSchemaRef = Arc::new(merge_schema(&node.inputs()));
        let node = node.map_expressions(|expr| typed_expr(expr, &seen, around))?.data;
        let node = match node {
            LogicalPlan::Union(union) if is_untyped(&union) => {
                TypeCoercionRewriter::coerce_union(union)?
            }
            node => node.recompute_schema()?,
        };
        Ok(Transformed::yes(node))
    })
    .data()
}

/// An expression on columns of `seen` with the types of the queries in it, and of the columns that
/// it has of the queries around.
fn typed_expr(expr: Expr, seen: &DFSchemaRef, around: &[DFSchemaRef]) -> Result<Transformed<Expr>> {
    let change = |subquery: &mut Subquery| -> Result<()> {
        let around: Vec<DFSchemaRef> = around.iter().chain([seen]).cloned().collect();
        let plan = typed(subquery.subquery.as_ref().clone(), &around)?;
        subquery.outer_ref_columns = plan.all_out_ref_exprs();
        subquery.subquery = Arc::new(plan);
        Ok(())
    };
    expr.transform_up(|mut expr| {
        match &mut expr {
            Expr::ScalarSubquery(subquery) => change(subquery)?,
            Expr::InSubquery(within) => change(&mut within.subquery)?,
            Expr::Exists(exists) => change(&mut exists.subquery)?,
            Expr::OuterReferenceColumn(field, column) if *field.data_type() == DataType::Null => {
                match column_around(column, around) {
                    Some(found) => return Ok(Transformed::yes(found)),
                    None => return Ok(Transformed::no(expr)),
                }
            }
            _ => return Ok(Transformed::no(expr)),
        }
        Ok(Transformed::yes(expr))
    })
}

/// A column of the innermost query around that has it.
fn column_around(column: &Column, around: &[DFSchemaRef]) -> Option<Expr> {
    let mut innermost = around.iter().rev();
    let field = innermost.find_map(|schema| schema.field_from_column(column).ok())?;
    Some(Expr::OuterReferenceColumn(Arc::clone(field), column.clone()))
}
