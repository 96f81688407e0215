//! Joins of a table with itself by a unique column.
//!
//! For a selected area, Perfetto's UI clips the intervals of a table, `SELECT id, max(ts, 5) AS ts …
//! FROM t WHERE …`, and joins the result with `t` by `id` for the other columns. A row meets itself
//! and no other, so one scan gives the columns of both sides.

use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{Column, DFSchema, JoinType, Result, TableReference};
use datafusion::datasource::source_as_provider;
use datafusion::logical_expr::{Expr, Join, LogicalPlan, LogicalPlanBuilder, TableScan};

use crate::step_rules::{StepRule, replaced};
use crate::unique_columns::is_unique_in;

/// The largest expression of columns of the table. A column that is used twice by a column that is
/// used twice is there four times.
const MOST_PARTS: usize = 200;

/// Makes one scan of such a join.
pub(crate) const SELF_JOINS: StepRule =
    StepRule { name: "self_joins", rewrite: |plan| Ok(replaced(one_scan(&plan)?, plan)) };

/// The rows of a join of a table with itself; `None` if it is another.
fn one_scan(plan: &LogicalPlan) -> Result<Option<LogicalPlan>> {
    let LogicalPlan::Join(join) = plan else { return Ok(None) };
    let Some(scan) = scan_of(&join.left) else { return Ok(None) };
    let name = &scan.table_name;
    let (Some(left), Some(right)) = (Rows::of(&join.left, name), Rows::of(&join.right, name))
    else {
        return Ok(None);
    };
    if !is_by_unique_column(join, &left, &right) {
        return Ok(None);
    }
    let mut columns = [left.columns(), right.columns()].concat();
    columns.sort_unstable();
    columns.dedup();
    let (name, source) = (scan.table_name.clone(), Arc::clone(&scan.source));
    let mut plan = LogicalPlanBuilder::scan(name, source, Some(columns))?;
    for condition in left.conditions.into_iter().chain(right.conditions) {
        plan = plan.filter(condition)?;
    }
    let values = left.values.into_iter().chain(right.values);
    let values = values.zip(join.schema.iter()).map(|(value, (relation, field))| {
        value.alias_qualified(relation.cloned(), field.name().clone())
    });
    plan.project(values.collect::<Vec<_>>())?.build().map(Some)
}

/// Whether rows of one table are joined with themselves.
fn is_by_unique_column(join: &Join, left: &Rows, right: &Rows) -> bool {
    let [(left_key, right_key)] = &join.on[..] else { return false };
    let keys =
        (left.value(left_key, join.left.schema()), right.value(right_key, join.right.schema()));
    let (Some(Expr::Column(key)), Some(Expr::Column(other))) = keys else { return false };
    let (Some(table), Some(same)) = (left.table(), right.table()) else { return false };
    let schema = table.schema();
    let names_differ = schema.fields().iter().enumerate().all(|(index, field)| {
        schema.column_with_name(field.name()).is_some_and(|(first, _)| first == index)
    });
    join.join_type == JoinType::Inner
        && join.filter.is_none()
        && key == other
        && names_differ
        && std::ptr::addr_eq(Arc::as_ptr(&table), Arc::as_ptr(&same))
        && schema.index_of(&key.name).is_ok_and(|column| is_unique_in(&table, column))
}

/// The scan below steps that read one table.
fn scan_of(plan: &LogicalPlan) -> Option<&TableScan> {
    match plan {
        LogicalPlan::TableScan(scan) => Some(scan),
        LogicalPlan::SubqueryAlias(step) => scan_of(&step.input),
        LogicalPlan::Projection(step) => scan_of(&step.input),
        LogicalPlan::Filter(step) => scan_of(&step.input),
        _ => None,
    }
}

/// Rows of a table that fulfil conditions, with values computed from them.
struct Rows<'a> {
    scan: &'a TableScan,
    /// The columns of the plan, as expressions of columns of the table.
    values: Vec<Expr>,
    /// The conditions of the rows.
    conditions: Vec<Expr>,
}

impl<'a> Rows<'a> {
    /// The rows of a plan, with `table` as the name of its table; `None` if it reads others or has
    /// steps that depend on other rows.
    fn of(plan: &'a LogicalPlan, table: &TableReference) -> Option<Self> {
        match plan {
            LogicalPlan::TableScan(scan) if scan.filters.is_empty() && scan.fetch.is_none() => {
                let fields = scan.projected_schema.fields().iter();
                let column = |name: &String| Expr::Column(Column::new(Some(table.clone()), name));
                let values = fields.map(|field| column(field.name())).collect();
                Some(Self { scan, values, conditions: Vec::new() })
            }
            LogicalPlan::SubqueryAlias(step) => Self::of(&step.input, table),
            LogicalPlan::Projection(step) => {
                let mut rows = Self::of(&step.input, table)?;
                let values = step.expr.iter().map(|expr| rows.value(expr, step.input.schema()));
                rows.values = values.collect::<Option<_>>()?;
                Some(rows)
            }
            LogicalPlan::Filter(step) => {
                let mut rows = Self::of(&step.input, table)?;
                let condition = rows.value(&step.predicate, step.input.schema())?;
                rows.conditions.push(condition);
                Some(rows)
            }
            _ => None,
        }
    }

    /// An expression of columns of the plan as one of columns of the table; `None` if it depends on
    /// more.
    fn value(&self, expr: &Expr, schema: &DFSchema) -> Option<Expr> {
        let is_other = |expr: &Expr| {
            Ok(matches!(
                expr,
                Expr::ScalarSubquery(_)
                    | Expr::Exists(_)
                    | Expr::InSubquery(_)
                    | Expr::SetComparison(_)
                    | Expr::OuterReferenceColumn(..)
            ))
        };
        if expr.is_volatile() || expr.exists(is_other).unwrap_or(true) {
            return None;
        }
        let mut is_known = true;
        let value = expr.clone().transform_up(|part| {
            let Expr::Column(column) = &part else { return Ok(Transformed::no(part)) };
            let index = schema.maybe_index_of_column(column);
            match index.and_then(|index| self.values.get(index)) {
                Some(value) => Ok(Transformed::yes(value.clone())),
                None => {
                    is_known = false;
                    Ok(Transformed::no(part))
                }
            }
        });
        value.data().ok().filter(|value| is_known && is_small(value)).map(Expr::unalias)
    }

    /// The table.
    fn table(&self) -> Option<Arc<dyn TableProvider>> {
        source_as_provider(&self.scan.source).ok()
    }

    /// The positions of the columns that are read.
    fn columns(&self) -> Vec<usize> {
        match &self.scan.projection {
            Some(projection) => projection.clone(),
            None => (0..self.scan.source.schema().fields().len()).collect(),
        }
    }
}

fn is_small(expr: &Expr) -> bool {
    let mut parts = 0;
    let is_large = |_: &Expr| {
        parts += 1;
        Ok(parts > MOST_PARTS)
    };
    !expr.exists(is_large).unwrap_or(true)
}
