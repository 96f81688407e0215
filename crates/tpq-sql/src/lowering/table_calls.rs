//! Calls of table functions.
//!
//! A call is planned as the scan of a [`CallSource`]. Where its arguments name columns of the
//! tables before it, scan and join become one [`TableCall`] on those tables; otherwise the call
//! is made on a single row, which holds constants, or values of the query around it.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{
    Column, DFSchema, DFSchemaRef, NullEquality, Result, TableReference, field_not_found, plan_err,
};
use datafusion::logical_expr::utils::conjunction;
use datafusion::logical_expr::{
    EmptyRelation, Expr, ExprSchemable, Extension, Filter, Join, JoinType, LogicalPlan, Operator,
    Projection, Subquery, TableScan, TableSource, binary_expr, lit,
};

use super::is_subquery;
use crate::functions::TableFunction;
use crate::named_expressions::has_part;
use crate::operators::TableCall;

/// Stands in the plan for a call of a table function until it is lowered.
#[derive(Debug)]
pub(crate) struct CallSource {
    /// The function.
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
    lower_query(plan, &[])
}

/// Rewrites a query; `around` are the columns of the queries it is in, the innermost last.
fn lower_query(plan: LogicalPlan, around: &[DFSchemaRef]) -> Result<LogicalPlan> {
    let joined = plan.transform_up(|node| {
        let node = lower_subqueries_of(node, around)?;
        match node.data {
            LogicalPlan::Join(join) => lower_join(join, around),
            data => Ok(Transformed { data, ..node }),
        }
    })?;
    let alone = joined.data.transform_up(|node| match &node {
        LogicalPlan::TableScan(scan) => match call_source(scan) {
            Some(call) => Ok(Transformed::yes(call_alone(call, scan, around)?)),
            None => Ok(Transformed::no(node)),
        },
        _ => Ok(Transformed::no(node)),
    })?;
    Ok(alone.data)
}

/// Rewrites the subqueries in the expressions of a node.
fn lower_subqueries_of(
    node: LogicalPlan,
    around: &[DFSchemaRef],
) -> Result<Transformed<LogicalPlan>> {
    if !has_part(&node, is_subquery)? {
        return Ok(Transformed::no(node));
    }
    let mut seen = DFSchema::empty();
    for input in node.inputs() {
        seen.merge(input.schema());
    }
    let seen = Arc::new(seen);
    node.map_expressions(|expr| lower_subqueries_in(expr, &seen, around))
}

/// Rewrites the subqueries in an expression on columns of `seen`.
fn lower_subqueries_in(
    expr: Expr,
    seen: &DFSchemaRef,
    around: &[DFSchemaRef],
) -> Result<Transformed<Expr>> {
    let lower = |subquery: &mut Subquery| -> Result<()> {
        let around: Vec<_> = around.iter().chain([seen]).cloned().collect();
        let plan = lower_query(subquery.subquery.as_ref().clone(), &around)?;
        subquery.outer_ref_columns = plan.all_out_ref_exprs();
        subquery.subquery = Arc::new(plan);
        Ok(())
    };
    expr.transform_up(|mut expr| {
        match &mut expr {
            Expr::ScalarSubquery(subquery) => lower(subquery)?,
            Expr::InSubquery(within) => lower(&mut within.subquery)?,
            Expr::Exists(exists) => lower(&mut exists.subquery)?,
            _ => return Ok(Transformed::no(expr)),
        }
        Ok(Transformed::yes(expr))
    })
}

fn call_source(scan: &TableScan) -> Option<&CallSource> {
    (scan.source.as_ref() as &dyn std::any::Any).downcast_ref()
}

/// The call that a relation consists of, except for aliases of it and its columns.
fn named_call(plan: &LogicalPlan) -> Option<&CallSource> {
    match plan {
        LogicalPlan::TableScan(scan) => call_source(scan),
        LogicalPlan::SubqueryAlias(alias) => named_call(&alias.input),
        LogicalPlan::Projection(renaming)
            if renaming.expr.len() == renaming.input.schema().fields().len() =>
        {
            named_call(&renaming.input)
        }
        _ => None,
    }
}

/// Whether an argument names a column of `schema`.
fn names_columns_of(call: &CallSource, schema: &DFSchema) -> bool {
    let mut found = false;
    for arg in &call.args {
        let _ = arg.apply(|expr| {
            found |= match expr {
                Expr::Column(column) => schema.has_column(column),
                Expr::ScalarSubquery(subquery) => subquery.outer_ref_columns.iter().any(
                    |outer| matches!(outer, Expr::OuterReferenceColumn(_, c) if schema.has_column(c)),
                ),
                _ => false,
            };
            Ok(datafusion::common::tree_node::TreeNodeRecursion::Continue)
        });
    }
    found
}

/// Rewrites a join with a right side that is a call on columns of the left side.
fn lower_join(join: Join, around: &[DFSchemaRef]) -> Result<Transformed<LogicalPlan>> {
    let call = match named_call(&join.right) {
        Some(call) if names_columns_of(call, join.left.schema()) => call,
        _ => return Ok(Transformed::no(LogicalPlan::Join(join))),
    };
    let keep_unmatched = match join.join_type {
        JoinType::Inner => false,
        JoinType::Left => true,
        other => return plan_err!("{other} JOIN with a table function of the other side"),
    };
    let (input, args) = with_args(&join.left, call, around)?;
    let function = Arc::clone(&call.function);
    let condition = condition_of(&join);
    let within = condition.clone().filter(|_| keep_unmatched);
    let within = within.map(|condition| on_hidden(condition, join.right.schema())).transpose()?;
    let rows = hidden(join.right.schema())?;
    let call = TableCall::try_new(input, function, args, rows, within, keep_unmatched)?;
    let mut plan = named(call, join.left.schema(), join.right.schema())?;
    if let Some(condition) = condition.filter(|_| !keep_unmatched) {
        plan = LogicalPlan::Filter(Filter::try_new(condition, Arc::new(plan))?);
    }
    Ok(Transformed::yes(plan))
}

/// The internal name of a function's column, below the projection that renames it. It is unique:
/// DataFusion does not push a filter below a node that makes a column of the same name, even if
/// that column belongs to another table.
fn hidden_name(column: &str) -> String {
    format!("__called_{column}")
}

/// The columns of a function under names of their own.
fn hidden(columns: &DFSchema) -> Result<DFSchemaRef> {
    let fields = columns.fields().iter().map(|field| {
        let name = hidden_name(field.name());
        (None::<TableReference>, Arc::new(field.as_ref().clone().with_name(name)))
    });
    Ok(Arc::new(DFSchema::new_with_metadata(fields.collect(), Default::default())?))
}

/// A condition on the hidden names of a function's `columns`.
fn on_hidden(condition: Expr, columns: &DFSchema) -> Result<Expr> {
    let hidden = condition.transform_up(|expr| match &expr {
        Expr::Column(column) if columns.has_column(column) => {
            let column = Column::new_unqualified(hidden_name(&column.name));
            Ok(Transformed::yes(Expr::Column(column)))
        }
        _ => Ok(Transformed::no(expr)),
    })?;
    Ok(hidden.data)
}

/// A call with the columns of `before` and those of the function, under their names.
fn named(call: TableCall, before: &DFSchema, columns: &DFSchema) -> Result<LogicalPlan> {
    let plan = LogicalPlan::Extension(Extension { node: Arc::new(call) });
    let kept = before.columns().into_iter().map(Expr::Column);
    let given = columns.columns().into_iter().map(|column| {
        let hidden = Column::new_unqualified(hidden_name(&column.name));
        Expr::Column(hidden).alias_qualified(column.relation, column.name)
    });
    let exprs = kept.chain(given).collect();
    Ok(LogicalPlan::Projection(Projection::try_new(exprs, Arc::new(plan))?))
}

/// All a join asks of its rows.
fn condition_of(join: &Join) -> Option<Expr> {
    let same = match join.null_equality {
        NullEquality::NullEqualsNothing => Operator::Eq,
        NullEquality::NullEqualsNull => Operator::IsNotDistinctFrom,
    };
    let keys = join.on.iter().map(|(left, right)| binary_expr(left.clone(), same, right.clone()));
    let filter = join.filter.clone().filter(|filter| filter != &lit(true));
    conjunction(keys.chain(filter))
}

/// A call on a single row, in place of its scan.
fn call_alone(call: &CallSource, scan: &TableScan, around: &[DFSchemaRef]) -> Result<LogicalPlan> {
    let row = LogicalPlan::EmptyRelation(EmptyRelation {
        produce_one_row: true,
        schema: Arc::new(DFSchema::empty()),
    });
    let (input, args) = with_args(&row, call, around)?;
    let function = Arc::clone(&call.function);
    let rows = hidden(&scan.projected_schema)?;
    let call = TableCall::try_new(input, function, args, rows, None, false)?;
    named(call, &DFSchema::empty(), &scan.projected_schema)
}

/// The rows of `input` with the arguments of a call as more columns, and the indexes of these.
fn with_args(
    input: &LogicalPlan,
    call: &CallSource,
    around: &[DFSchemaRef],
) -> Result<(LogicalPlan, Vec<Expr>)> {
    let schema = input.schema();
    let mut computed = Vec::new();
    let mut columns = Vec::with_capacity(call.args.len());
    for (arg, (name, wanted)) in call.args.iter().zip(call.function.arguments()) {
        let arg = bind(arg.clone(), schema, around)?;
        let given = arg.get_type(schema)?;
        let arg = match (&arg, fits(&given, wanted)) {
            (Expr::Column(_), Fit::Same) => {
                columns.push(arg);
                continue;
            }
            (_, Fit::Same) => arg,
            (_, Fit::Cast) => arg.cast_to(wanted, schema)?,
            (_, Fit::Never) => {
                let function = call.function.name();
                return plan_err!("{function}(): {name} must be {}", in_words(wanted));
            }
        };
        let name = format!("__arg{}", columns.len());
        columns.push(Expr::Column(Column::new_unqualified(&name)));
        computed.push(arg.alias(name));
    }
    if computed.is_empty() {
        return Ok((input.clone(), columns));
    }
    let kept = schema.columns().into_iter().map(Expr::Column);
    let exprs = kept.chain(computed).collect();
    let input = LogicalPlan::Projection(Projection::try_new(exprs, Arc::new(input.clone()))?);
    Ok((input, columns))
}

/// An argument on the columns of `schema`, with those of the queries around marked as such.
fn bind(arg: Expr, schema: &DFSchemaRef, around: &[DFSchemaRef]) -> Result<Expr> {
    let arg = lower_subqueries_in(arg, schema, around)?.data;
    let bound = arg.transform_up(|expr| {
        let Expr::Column(column) = &expr else { return Ok(Transformed::no(expr)) };
        if schema.has_column(column) {
            return Ok(Transformed::no(expr));
        }
        for outer in around.iter().rev() {
            if let Ok((qualifier, field)) = outer.qualified_field_from_column(column) {
                let column = Column::from((qualifier, field));
                return Ok(Transformed::yes(Expr::OuterReferenceColumn(Arc::clone(field), column)));
            }
        }
        Err(field_not_found(column.relation.clone(), &column.name, schema))
    })?;
    Ok(bound.data)
}

enum Fit {
    Same,
    Cast,
    Never,
}

/// Whether an argument of type `given` can be passed where `wanted` is asked for; any type can
/// where that is `Null`.
fn fits(given: &DataType, wanted: &DataType) -> Fit {
    let number = |kind: &DataType| kind.is_numeric() || kind == &DataType::Boolean;
    let text = |kind: &DataType| kind.is_string();
    if wanted == &DataType::Null || given == wanted {
        Fit::Same
    } else if given == &DataType::Null
        || number(given) && number(wanted)
        || text(given) && text(wanted)
    {
        Fit::Cast
    } else {
        Fit::Never
    }
}

fn in_words(kind: &DataType) -> &'static str {
    match kind {
        DataType::Int64 => "an integer",
        DataType::Float64 => "a number",
        _ if kind.is_string() => "text",
        _ => "another value",
    }
}
