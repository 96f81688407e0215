//! From columns of the query around a subquery to parameters of the subquery.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, ExprSchema, Result};
use datafusion::logical_expr::expr::Placeholder;
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan, when};

use super::is_correlated;
use crate::named_expressions::rewrite_expressions;
use crate::operators::apply::{Apply, ApplyKind};

/// A plan that runs `subplan` for the rows of `input`, see [`Apply`]. What it gives for rows on
/// which `guard` is not true has no use: all of them have NULLs as parameters, so that it is run
/// once for them.
pub(super) fn apply(
    input: LogicalPlan,
    subplan: LogicalPlan,
    kind: ApplyKind,
    guard: Option<&Expr>,
) -> Result<LogicalPlan> {
    let mut params = Params { of: input.schema(), exprs: Vec::new(), uses: 0 };
    let subplan = params.take_from(subplan)?;
    let guarded = |param: Expr| match guard {
        Some(guard) => when(guard.clone(), param).end(),
        None => Ok(param),
    };
    let params = params.exprs.into_iter().map(guarded).collect::<Result<_>>()?;
    Apply::plan(input, Arc::new(subplan), params, kind)
}

/// The expression on the row around the subquery, where it was one of the subquery on that row.
/// Columns that are not of that row stay what they are: they are of a query further out.
pub(super) fn outward(expr: Expr, row: &DFSchema) -> Result<Expr> {
    expr.transform(|expr| match expr {
        Expr::OuterReferenceColumn(_, column) if row.has_column(&column) => {
            Ok(Transformed::yes(Expr::Column(column)))
        }
        other => Ok(Transformed::no(other)),
    })
    .data()
}

/// The expression of a subquery that means what `expr` means on the row around it.
pub(super) fn inward(expr: Expr, row: &DFSchema) -> Result<Expr> {
    expr.transform(|expr| match expr {
        Expr::Column(column) if row.has_column(&column) => {
            let field = row.field_from_column(&column)?;
            Ok(Transformed::yes(Expr::OuterReferenceColumn(Arc::clone(field), column)))
        }
        other => Ok(Transformed::no(other)),
    })
    .data()
}

struct Params<'a> {
    of: &'a DFSchema,
    exprs: Vec<Expr>,
    /// How many parameters were put into the subplan.
    uses: usize,
}

impl Params<'_> {
    /// The plan with parameters for all that does not depend on its own rows: columns of the
    /// queries around it, and subqueries that would give the same in each run.
    fn take_from(&mut self, plan: LogicalPlan) -> Result<LogicalPlan> {
        plan.transform_up(|node| rewrite_expressions(node, |expr| self.param(expr))).data()
    }

    fn param(&mut self, expr: Expr) -> Result<Transformed<Expr>> {
        let (value, field) = match &expr {
            Expr::OuterReferenceColumn(field, _) => {
                (outward(expr.clone(), self.of)?, Arc::clone(field))
            }
            Expr::ScalarSubquery(subquery) if !is_correlated(&subquery.subquery)? => {
                (expr.clone(), expr.to_field(&DFSchema::empty())?.1)
            }
            _ => return Ok(Transformed::no(expr)),
        };
        let known = self.exprs.iter().position(|param| *param == value);
        let index = known.unwrap_or_else(|| {
            self.exprs.push(value);
            self.exprs.len() - 1
        });
        let field = field.as_ref().clone().with_nullable(true);
        // Each has a name of its own, or the optimizer would make a column of one that comes more
        // than once, to compute it only once.
        self.uses += 1;
        let name = format!("${}.{}", index + 1, self.uses);
        let placeholder = Placeholder::new_with_field(name, Some(Arc::new(field)));
        Ok(Transformed::yes(Expr::Placeholder(placeholder)))
    }
}

/// The columns of the query around a subquery that the subquery reads.
pub(super) fn outer_columns(plan: &LogicalPlan) -> Result<Vec<Column>> {
    let mut columns = Vec::new();
    plan.apply(|node| {
        for expr in node.expressions() {
            expr.apply(|expr| {
                if let Expr::OuterReferenceColumn(_, column) = expr
                    && !columns.contains(column)
                {
                    columns.push(column.clone());
                }
                Ok(TreeNodeRecursion::Continue)
            })?;
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(columns)
}
