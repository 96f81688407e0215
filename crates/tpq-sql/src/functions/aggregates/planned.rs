//! Aggregates that are other aggregates in different words: planning replaces each call.

use std::ops::RangeInclusive;
use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::functions::core::expr_fn::coalesce;
use datafusion::functions_aggregate::approx_percentile_cont::approx_percentile_cont_udaf;
use datafusion::functions_aggregate::array_agg::array_agg_udaf;
use datafusion::functions_aggregate::first_last::{first_value_udaf, last_value_udaf};
use datafusion::functions_aggregate::percentile_cont::percentile_cont_udaf;
use datafusion::functions_aggregate::string_agg::string_agg_udaf;
use datafusion::functions_aggregate::sum::sum_udaf;
use datafusion::functions_aggregate::variance::var_samp_udaf;
use datafusion::logical_expr::expr::{
    AggregateFunction, AggregateFunctionParams, NullTreatment, WindowFunction, WindowFunctionParams,
};
use datafusion::logical_expr::function::AccumulatorArgs;
use datafusion::logical_expr::planner::{
    ExprPlanner, PlannerResult, RawAggregateExpr, RawWindowExpr,
};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Expr, Signature, SortExpr, Volatility,
    WindowFunctionDefinition, cast, lit,
};

use super::super::json::{ARRAY_OF, ELEMENT, MEMBER, OBJECT_OF, json_call};
use super::super::per_row::check_count;
use super::best_row::BestRow;
use super::frame_scan::{self, Exclusion};
use crate::functions::{CAST_REAL, CAST_TEXT, sqlite_call};

/// An aggregate that planning replaces.
struct Planned {
    name: &'static str,
    arguments: RangeInclusive<usize>,
    /// Builds the expression for a call with an allowed number of arguments.
    plan: fn(RawAggregateExpr) -> Result<Expr>,
}

const fn planned(
    name: &'static str,
    arguments: RangeInclusive<usize>,
    plan: fn(RawAggregateExpr) -> Result<Expr>,
) -> Planned {
    Planned { name, arguments, plan }
}

const PLANNED: &[Planned] = &[
    planned("total", 1..=1, total),
    planned("group_concat", 1..=2, group_concat),
    planned("percentile", 2..=2, percentile),
    planned("approx_percentile", 2..=2, approx_percentile),
    planned("approx_quantile", 2..=2, approx_percentile),
    planned("list", 1..=1, |call| Ok(renamed(call, array_agg_udaf()))),
    planned("variance", 1..=1, |call| Ok(renamed(call, var_samp_udaf()))),
    planned("json_group_array", 1..=1, |call| json_group(call, ELEMENT, ARRAY_OF)),
    planned("json_group_object", 2..=2, |call| json_group(call, MEMBER, OBJECT_OF)),
    planned("first_non_null", 1..=1, |call| Ok(non_null(call, first_value_udaf()))),
    planned("last_non_null", 1..=1, |call| Ok(non_null(call, last_value_udaf()))),
    planned("value_at_max_ts", 2..=2, |call| value_at_ts(call, true)),
    planned("value_at_min_ts", 2..=2, |call| value_at_ts(call, false)),
    planned("arg_max", 2..=2, |call| arg_extreme(call, true)),
    planned("arg_min", 2..=2, |call| arg_extreme(call, false)),
    planned("max_by", 2..=2, |call| arg_extreme(call, true)),
    planned("min_by", 2..=2, |call| arg_extreme(call, false)),
];

fn aggregate(call: RawAggregateExpr) -> Expr {
    let RawAggregateExpr { func, args, distinct, filter, order_by, null_treatment } = call;
    let call = AggregateFunction::new_udf(func, args, distinct, filter, order_by, null_treatment);
    Expr::AggregateFunction(call)
}

/// The same call of another aggregate.
fn renamed(call: RawAggregateExpr, func: Arc<AggregateUDF>) -> Expr {
    aggregate(RawAggregateExpr { func, ..call })
}

/// Converts the first argument with one of the conversion functions.
fn convert_first(call: &mut RawAggregateExpr, name: &str) {
    if let Some(first) = call.args.first_mut() {
        *first = sqlite_call(name, first.clone());
    }
}

/// The sum as a real; 0.0 without values.
fn total(mut call: RawAggregateExpr) -> Result<Expr> {
    convert_first(&mut call, CAST_REAL);
    Ok(coalesce(vec![renamed(call, sum_udaf()), lit(0.0)]))
}

/// Concatenates texts, with a comma if no separator is given.
fn group_concat(mut call: RawAggregateExpr) -> Result<Expr> {
    convert_first(&mut call, CAST_TEXT);
    match call.args.get_mut(1) {
        Some(Expr::Literal(..)) => {}
        Some(separator) => *separator = sqlite_call(CAST_TEXT, separator.clone()),
        None => call.args.push(lit(",")),
    }
    Ok(renamed(call, string_agg_udaf()))
}

/// The rank is in hundredths.
fn percentile(mut call: RawAggregateExpr) -> Result<Expr> {
    convert_first(&mut call, CAST_REAL);
    if let Some(rank) = call.args.get_mut(1) {
        *rank = match &*rank {
            Expr::Literal(ScalarValue::Int64(Some(rank)), _) => lit(*rank as f64 / 100.0),
            Expr::Literal(ScalarValue::Float64(Some(rank)), _) => lit(*rank / 100.0),
            other => cast(other.clone(), DataType::Float64) / lit(100.0),
        };
    }
    Ok(renamed(call, percentile_cont_udaf()))
}

/// The rank is a fraction.
fn approx_percentile(mut call: RawAggregateExpr) -> Result<Expr> {
    convert_first(&mut call, CAST_REAL);
    Ok(renamed(call, approx_percentile_cont_udaf()))
}

/// Joins the arguments of each row, as JSON, and puts brackets around them.
fn json_group(mut call: RawAggregateExpr, part: &str, whole: &str) -> Result<Expr> {
    call.args = vec![json_call(part, std::mem::take(&mut call.args)), lit(",")];
    Ok(json_call(whole, vec![renamed(call, string_agg_udaf())]))
}

/// The first or the last value in the order of the call, without NULL.
fn non_null(call: RawAggregateExpr, func: Arc<AggregateUDF>) -> Expr {
    aggregate(RawAggregateExpr { func, null_treatment: Some(NullTreatment::IgnoreNulls), ..call })
}

/// `value_at_max_ts(ts, value)`: of several rows with this `ts`, the greatest value; the least
/// value for `value_at_min_ts`. Rows without `ts` do not count.
fn value_at_ts(mut call: RawAggregateExpr, greatest: bool) -> Result<Expr> {
    let Some([ts, value]) = take_two(&mut call.args) else { return two_arguments() };
    let order = order(&ts, greatest, &value, greatest);
    Ok(value_at(call, value, ts.is_not_null(), order))
}

/// `arg_max(value, key)`: of several rows with this key, the least value. Rows with NULL in one of
/// the arguments do not count.
fn arg_extreme(mut call: RawAggregateExpr, greatest: bool) -> Result<Expr> {
    let Some([value, key]) = take_two(&mut call.args) else { return two_arguments() };
    let order = order(&key, greatest, &value, false);
    let counted = value.clone().is_not_null().and(key.is_not_null());
    Ok(value_at(call, value, counted, order))
}

fn take_two(args: &mut Vec<Expr>) -> Option<[Expr; 2]> {
    std::mem::take(args).try_into().ok()
}

fn two_arguments<T>() -> Result<T> {
    internal_err!("an aggregate with two arguments was called with others")
}

/// The order by a key, and then by the value. An order has no expression twice.
fn order(key: &Expr, descending: bool, value: &Expr, tie_descending: bool) -> Vec<SortExpr> {
    let mut order = vec![SortExpr::new(key.clone(), !descending, false)];
    if value != key {
        order.push(SortExpr::new(value.clone(), !tie_descending, false));
    }
    order
}

/// The value in the first row of an order, of the rows that count.
fn value_at(call: RawAggregateExpr, value: Expr, counted: Expr, order: Vec<SortExpr>) -> Expr {
    let filter = match call.filter {
        Some(filter) => filter.and(counted),
        None => counted,
    };
    aggregate(RawAggregateExpr {
        func: first_value_udaf(),
        args: vec![value],
        distinct: false,
        filter: Some(Box::new(filter)),
        order_by: order,
        null_treatment: None,
    })
}

/// A name in the registry of aggregates. Planning replaces its calls, so it computes nothing.
#[derive(Debug, PartialEq, Eq, Hash)]
struct PlannedAggregate {
    name: &'static str,
    signature: Signature,
}

/// The names of the aggregates that planning replaces. `first_non_null` and `last_non_null` are
/// also window functions, and registered as such.
pub(super) fn functions() -> impl Iterator<Item = AggregateUDF> {
    let names = PLANNED.iter().map(|planned| planned.name);
    let own = names.filter(|name| !super::edge_value::is_edge(name));
    own.map(|name| {
        let signature = Signature::variadic_any(Volatility::Immutable);
        AggregateUDF::new_from_impl(PlannedAggregate { name, signature })
    })
}

impl AggregateUDFImpl for PlannedAggregate {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        internal_err!("{}() was not replaced", self.name)
    }

    fn accumulator(&self, _: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        internal_err!("{}() was not replaced", self.name)
    }
}

/// Replaces the calls of planned aggregates.
#[derive(Debug)]
pub(in super::super) struct PlannedAggregates;

impl ExprPlanner for PlannedAggregates {
    fn plan_aggregate(&self, expr: RawAggregateExpr) -> Result<PlannerResult<RawAggregateExpr>> {
        let Some(planned) = find(expr.func.name()) else {
            return Ok(PlannerResult::Original(expr));
        };
        check_count(planned.name, &planned.arguments, expr.args.len())?;
        (planned.plan)(expr).map(PlannerResult::Planned)
    }

    /// This sees every call with OVER before other planners do, so that none takes the mark of
    /// EXCLUDE for an expression of PARTITION BY.
    fn plan_window(&self, mut expr: RawWindowExpr) -> Result<PlannerResult<RawWindowExpr>> {
        let exclusion = Exclusion::take(&mut expr.partition_by);
        if let WindowFunctionDefinition::AggregateUDF(func) = &expr.func_def
            && let Some(planned) = find(func.name())
            && !super::edge_value::is_edge(planned.name)
        {
            let func = Arc::clone(func);
            return window(planned, func, expr, exclusion).map(PlannerResult::Planned);
        }
        frame_scan::plan(expr, exclusion)
    }
}

fn find(name: &str) -> Option<&'static Planned> {
    PLANNED.iter().find(|planned| planned.name == name)
}

/// Plans a call with OVER: the aggregate in the replaced expression becomes a window function.
fn window(
    planned: &Planned,
    func: Arc<AggregateUDF>,
    expr: RawWindowExpr,
    exclusion: Option<Exclusion>,
) -> Result<Expr> {
    check_count(planned.name, &planned.arguments, expr.args.len())?;
    let RawWindowExpr {
        args,
        partition_by,
        order_by,
        window_frame,
        filter,
        null_treatment,
        distinct,
        ..
    } = expr;
    let call = RawAggregateExpr { func, args, distinct, filter, order_by: vec![], null_treatment };
    let windowed =
        (planned.plan)(call)?.transform_up(|expr| match expr {
            Expr::AggregateFunction(call) => {
                let AggregateFunctionParams {
                    args,
                    distinct,
                    filter,
                    order_by: order,
                    null_treatment,
                } = call.params;
                let (func, args) = in_order(call.func, args, &order);
                let call = RawWindowExpr {
                    func_def: WindowFunctionDefinition::AggregateUDF(func),
                    args,
                    partition_by: partition_by.clone(),
                    order_by: order_by.clone(),
                    window_frame: window_frame.clone(),
                    filter,
                    null_treatment,
                    distinct,
                };
                frame_scan::plan(call, exclusion)
                    .map(|call| Transformed::yes(window_function(call)))
            }
            other => Ok(Transformed::no(other)),
        })?;
    Ok(windowed.data)
}

/// An aggregate over rows in an order as one that finds the first row itself: frames come in the
/// order of the window. Only the first value is taken from rows in an order.
fn in_order(
    func: Arc<AggregateUDF>,
    mut args: Vec<Expr>,
    order: &[SortExpr],
) -> (Arc<AggregateUDF>, Vec<Expr>) {
    if order.is_empty() {
        return (func, args);
    }
    args.extend(order.iter().map(|sort| sort.expr.clone()));
    (Arc::new(AggregateUDF::new_from_impl(BestRow::new(order))), args)
}

fn window_function(call: PlannerResult<RawWindowExpr>) -> Expr {
    match call {
        PlannerResult::Planned(expr) => expr,
        PlannerResult::Original(call) => {
            let params = WindowFunctionParams {
                args: call.args,
                partition_by: call.partition_by,
                order_by: call.order_by,
                window_frame: call.window_frame,
                filter: call.filter,
                null_treatment: call.null_treatment,
                distinct: call.distinct,
            };
            Expr::from(WindowFunction { fun: call.func_def, params })
        }
    }
}
