//! The functions of an aggregation, as they move below a join.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Schema};
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::expressions::{
    BinaryExpr, CastExpr, Column, IsNotNullExpr, IsNullExpr, Literal, NotExpr,
};
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;

use crate::operators::column_origin::origin;
use crate::operators::dense_aggregate::has_plain_state;
use crate::scan::integer_bounds;

/// Functions, and filters of functions.
type Moved = (Vec<Arc<AggregateFunctionExpr>>, Vec<Option<Arc<dyn PhysicalExpr>>>);

/// Up to here reals are exact sums of integers, in any order.
const EXACT_REAL: u128 = 1 << f64::MANTISSA_DIGITS;

/// The functions of an aggregation with the columns that they read.
pub(super) struct Functions<'a> {
    aggregate: &'a AggregateExec,
    /// Columns of the aggregation's input, and where each is in the plan below it.
    columns: Vec<(usize, usize)>,
}

impl<'a> Functions<'a> {
    /// The functions of an aggregation; `None` if any may give something else, or fail, when it is
    /// computed before a join, or if there are none.
    pub(super) fn of(aggregate: &'a AggregateExec) -> Option<Self> {
        let functions = aggregate.aggr_expr();
        let filters = aggregate.filter_expr().iter().flatten();
        let is_plain = |function: &Arc<AggregateFunctionExpr>| {
            has_plain_state(function) && function.expressions().iter().all(is_value)
        };
        if functions.is_empty() || !functions.iter().all(is_plain) || !filters.clone().all(is_test)
        {
            return None;
        }
        let arguments = functions.iter().flat_map(|function| function.expressions());
        let mut columns: Vec<(usize, usize)> = Vec::new();
        for expr in arguments.chain(filters.cloned()) {
            columns.extend(collect_columns(&expr).iter().map(|it| (it.index(), it.index())));
        }
        columns.sort_unstable();
        columns.dedup();
        Some(Self { aggregate, columns })
    }

    /// The same where each column is at another place; `None` if one is not there.
    pub(super) fn moved(&self, place: impl Fn(usize) -> Option<usize>) -> Option<Self> {
        let moved = self.columns.iter().map(|&(own, last)| Some((own, place(last)?)));
        Some(Self { aggregate: self.aggregate, columns: moved.collect::<Option<_>>()? })
    }

    /// Whether sums of so many rows are exact and within range, in any order.
    pub(super) fn cannot_fail(&self, plan: &Arc<dyn ExecutionPlan>, rows: usize) -> bool {
        self.aggregate.aggr_expr().iter().all(|function| {
            let most = match (function.fun().name(), function.field().data_type()) {
                ("count" | "min" | "max", _) => return true,
                ("sum", DataType::Int64) => i64::MAX as u128,
                ("sum" | "avg", DataType::Float64) => EXACT_REAL,
                _ => return false,
            };
            let arguments = function.expressions();
            let largest = match arguments.as_slice() {
                [argument] => self.largest(argument, plan),
                _ => None,
            };
            largest.is_some_and(|largest| u128::from(largest) * rows as u128 <= most)
        })
    }

    /// The largest value of an integer, without its sign; `None` if the bounds are not known.
    fn largest(
        &self,
        argument: &Arc<dyn PhysicalExpr>,
        plan: &Arc<dyn ExecutionPlan>,
    ) -> Option<u64> {
        let argument = match argument.downcast_ref::<CastExpr>() {
            Some(cast) => cast.expr(),
            None => argument,
        };
        let column = self.place(argument.downcast_ref::<Column>()?.index())?;
        let (scan, column) = origin(plan, column)?;
        let (low, high) = integer_bounds(scan, column)?;
        Some(low.unsigned_abs().max(high.unsigned_abs()))
    }

    fn place(&self, own: usize) -> Option<usize> {
        self.columns.iter().find(|column| column.0 == own).map(|column| column.1)
    }

    /// The functions and their filters over rows of a schema; `None` if one cannot be moved.
    pub(super) fn over(&self, schema: &Schema) -> Result<Option<Moved>> {
        let move_expr = |expr: &Arc<dyn PhysicalExpr>| -> Result<Arc<dyn PhysicalExpr>> {
            let moved = Arc::clone(expr).transform(|expr| {
                let read = expr.downcast_ref::<Column>().map(Column::index);
                let Some(place) = read.and_then(|read| self.place(read)) else {
                    return Ok(Transformed::no(expr));
                };
                let column = Column::new(schema.field(place).name(), place);
                Ok(Transformed::yes(Arc::new(column) as Arc<dyn PhysicalExpr>))
            });
            moved.data()
        };
        let mut functions = Vec::new();
        for function in self.aggregate.aggr_expr() {
            let arguments = function.expressions();
            let arguments = arguments.iter().map(move_expr).collect::<Result<Vec<_>>>()?;
            let Some(function) = function.with_new_expressions(arguments, Vec::new()) else {
                return Ok(None);
            };
            functions.push(Arc::new(function));
        }
        let filters = self.aggregate.filter_expr().iter();
        let filters = filters.map(|filter| filter.as_ref().map(move_expr).transpose());
        Ok(Some((functions, filters.collect::<Result<_>>()?)))
    }
}

/// Whether an expression is a column or a constant, or an integer as a real: it fails for no row.
fn is_value(expr: &Arc<dyn PhysicalExpr>) -> bool {
    match expr.downcast_ref::<CastExpr>() {
        Some(cast) => {
            cast.cast_type() == &DataType::Float64 && cast.expr().downcast_ref::<Column>().is_some()
        }
        None => expr.is::<Column>() || expr.is::<Literal>(),
    }
}

/// Whether an expression compares values, and fails for no row.
fn is_test(expr: &Arc<dyn PhysicalExpr>) -> bool {
    use Operator::{And, Eq, Gt, GtEq, Lt, LtEq, NotEq, Or};
    let compares = expr
        .downcast_ref::<BinaryExpr>()
        .is_some_and(|it| matches!(it.op(), And | Eq | Gt | GtEq | Lt | LtEq | NotEq | Or));
    let is_step =
        compares || expr.is::<IsNullExpr>() || expr.is::<IsNotNullExpr>() || expr.is::<NotExpr>();
    expr.is::<Column>()
        || expr.is::<Literal>()
        || is_step && expr.children().into_iter().all(is_test)
}
