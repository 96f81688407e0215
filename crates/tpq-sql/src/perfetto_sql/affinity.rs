//! The affinity of an expression in a plan: whether SQLite converts what it is compared with.
//!
//! A column of a table has one, and so has a `CAST`, also where a subquery hands them on. A value
//! that is computed has none.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::DFSchema;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{Case, Expr, ExprSchemable, LogicalPlan};

use super::comparison::has_affinity;
use crate::functions::{EXTRACT_ARG, GREATEST, LEAST, extracts_texts, is_extracted};

/// Functions that return one of their arguments.
pub(super) const CHOOSING: &[&str] = &["coalesce", "ifnull", LEAST, GREATEST, "likely", "unlikely"];

/// Functions that return their first argument, or NULL.
pub(super) const FIRST: &[&str] = &["nullif", "likelihood"];

/// Aggregates and window functions that return one of the values of their first argument.
pub(super) const PICKING: &[&str] =
    &["min", "max", "first_value", "last_value", "nth_value", "lag", "lead"];

/// Whether values have the affinity of their type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Affinity {
    /// They have.
    OfType,
    /// They have none. Texts are texts in all rows.
    Absent,
    /// They have none. A text may stand for a number, since a column has one type.
    Mixed,
}

/// The affinity of an expression; its columns are taken for columns of tables.
pub(crate) fn affinity(expr: &Expr, schema: &DFSchema) -> Affinity {
    match expr {
        _ if has_affinity(expr) => Affinity::OfType,
        Expr::Alias(alias) => affinity(&alias.expr, schema),
        Expr::ScalarSubquery(query) => column_affinity(&query.subquery, 0),
        _ if may_be_number(expr, schema) => Affinity::Mixed,
        _ => Affinity::Absent,
    }
}

/// The affinity of an expression on the columns of `inputs`, which `schema` has all of.
pub(crate) fn affinity_in(expr: &Expr, inputs: &[&LogicalPlan], schema: &DFSchema) -> Affinity {
    match expr {
        Expr::Alias(alias) => affinity_in(&alias.expr, inputs, schema),
        Expr::Column(column) => {
            let found = inputs.iter().find_map(|input| {
                let index = input.schema().maybe_index_of_column(column)?;
                Some(column_affinity(input, index))
            });
            found.unwrap_or(Affinity::OfType)
        }
        _ => affinity(expr, schema),
    }
}

/// The affinity of a column of a plan.
pub(crate) fn column_affinity(plan: &LogicalPlan, index: usize) -> Affinity {
    let computed = |expr: Option<&Expr>, input: &LogicalPlan| match expr {
        Some(expr) => affinity_in(expr, &[input], input.schema()),
        None => Affinity::OfType,
    };
    match plan {
        LogicalPlan::Projection(step) => computed(step.expr.get(index), &step.input),
        LogicalPlan::Aggregate(step) => {
            computed(step.group_expr.iter().chain(&step.aggr_expr).nth(index), &step.input)
        }
        LogicalPlan::Window(step) => match index.checked_sub(step.input.schema().fields().len()) {
            Some(index) => computed(step.window_expr.get(index), &step.input),
            None => column_affinity(&step.input, index),
        },
        LogicalPlan::Join(join) => match index.checked_sub(join.left.schema().fields().len()) {
            Some(index) => column_affinity(&join.right, index),
            None => column_affinity(&join.left, index),
        },
        LogicalPlan::Values(_) => Affinity::Mixed,
        LogicalPlan::RecursiveQuery(query) => column_affinity(&query.static_term, index),
        // The first query of a union names its columns.
        LogicalPlan::Filter(_)
        | LogicalPlan::Sort(_)
        | LogicalPlan::Limit(_)
        | LogicalPlan::Distinct(_)
        | LogicalPlan::Repartition(_)
        | LogicalPlan::SubqueryAlias(_)
        | LogicalPlan::Union(_) => match plan.inputs().first() {
            Some(input) => column_affinity(input, index),
            None => Affinity::OfType,
        },
        _ => Affinity::OfType,
    }
}

/// Whether the texts of an expression may be numbers in SQLite.
fn may_be_number(expr: &Expr, schema: &DFSchema) -> bool {
    let first = |args: &[Expr]| args.first().is_some_and(|arg| is_or_may_be_number(arg, schema));
    match expr {
        Expr::Alias(alias) => may_be_number(&alias.expr, schema),
        Expr::Case(case) => results(case).any(|result| is_or_may_be_number(result, schema)),
        Expr::ScalarFunction(call) => match call.name() {
            EXTRACT_ARG => may_extract_number(call),
            name if CHOOSING.contains(&name) => {
                call.args.iter().any(|arg| is_or_may_be_number(arg, schema))
            }
            name if FIRST.contains(&name) => first(&call.args),
            _ => is_extracted(expr, schema),
        },
        Expr::AggregateFunction(call) => {
            PICKING.contains(&call.func.name()) && first(&call.params.args)
        }
        Expr::WindowFunction(call) => {
            // The value of `lag` and `lead` where there is no such row.
            let default = call.params.args.get(2);
            PICKING.contains(&call.fun.name())
                && (first(&call.params.args)
                    || default.is_some_and(|value| is_or_may_be_number(value, schema)))
        }
        _ => false,
    }
}

/// Whether a call of `extract_arg` may give a number as a text, as values of its key are of several
/// types.
fn may_extract_number(call: &ScalarFunction) -> bool {
    match call.args.get(1) {
        Some(Expr::Literal(key, _)) => match key.try_as_str().flatten() {
            Some(key) => !extracts_texts(&call.func, key),
            None => true,
        },
        _ => true,
    }
}

fn is_or_may_be_number(expr: &Expr, schema: &DFSchema) -> bool {
    let is_number = |data_type: DataType| data_type.is_numeric() || data_type == DataType::Boolean;
    expr.get_type(schema).is_ok_and(is_number) || may_be_number(expr, schema)
}

/// The results that a CASE chooses from.
pub(super) fn results(case: &Case) -> impl Iterator<Item = &Expr> {
    let branches = case.when_then_expr.iter().map(|(_, result)| result.as_ref());
    branches.chain(case.else_expr.as_deref())
}
