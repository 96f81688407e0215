//! Aggregates as window functions over frames that DataFusion cannot evaluate: those with EXCLUDE,
//! and frames with a moving start for aggregates that cannot take rows back.
//!
//! The rows of each frame are aggregated anew, as in SQLite.

use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::compute::{filter, partition};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema};
use datafusion::common::{Result, ScalarValue, internal_err, plan_err};
use datafusion::functions_aggregate::first_last::{first_value_udaf, last_value_udaf};
use datafusion::functions_aggregate::nth_value::nth_value_udaf;
use datafusion::logical_expr::expr::{WindowFunction, WindowFunctionParams};
use datafusion::logical_expr::function::{
    AccumulatorArgs, PartitionEvaluatorArgs, WindowUDFFieldArgs,
};
use datafusion::logical_expr::planner::{PlannerResult, RawWindowExpr};
use datafusion::logical_expr::type_coercion::functions::fields_with_udf;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, Expr, PartitionEvaluator, Signature, Volatility,
    WindowFunctionDefinition, WindowUDF, WindowUDFImpl, lit,
};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{Column, Literal};

use super::super::per_row::{PerRow, text};
use super::super::value::Value;

/// A function that stands for EXCLUDE among the expressions of PARTITION BY. Its argument is what
/// follows the word, in lower case.
pub(crate) const EXCLUDED_ROWS: &str = "__excluded_rows";

/// Aggregates that cannot take back the rows that leave a frame.
const NOT_SLIDING: [&str; 11] = [
    "any_value",
    "approx_distinct",
    "approx_median",
    "approx_percentile_cont",
    "approx_percentile_cont_with_weight",
    "bit_and",
    "bit_or",
    "bool_and",
    "bool_or",
    "histogram",
    "string_agg",
];

/// The function that stands for EXCLUDE. Its value is the same in all rows, so that it divides no
/// partition.
pub(in super::super) fn excluded_rows() -> PerRow {
    PerRow::new(EXCLUDED_ROWS, 1..=1, text, |_| Ok(Value::Null))
}

/// The rows that EXCLUDE takes out of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Exclusion {
    CurrentRow,
    /// The current row and its peers, which are equal to it in the order of the window.
    Group,
    /// The peers of the current row.
    Ties,
}

impl Exclusion {
    /// The exclusion that PARTITION BY stands for; takes it out of there.
    pub(super) fn take(partition_by: &mut Vec<Expr>) -> Option<Self> {
        let at = partition_by.iter().position(|expr| Self::of(expr).is_some())?;
        Self::of(&partition_by.remove(at))
    }

    fn of(expr: &Expr) -> Option<Self> {
        let Expr::ScalarFunction(call) = expr else { return None };
        if call.name() != EXCLUDED_ROWS {
            return None;
        }
        let Some(Expr::Literal(rows, _)) = call.args.first() else { return None };
        match rows.try_as_str().flatten()? {
            "current row" => Some(Self::CurrentRow),
            "group" => Some(Self::Group),
            "ties" => Some(Self::Ties),
            _ => None,
        }
    }

    /// The end of the name of a function.
    fn suffix(exclusion: Option<Self>) -> &'static str {
        match exclusion {
            None => "",
            Some(Self::CurrentRow) => "_excluding_current_row",
            Some(Self::Group) => "_excluding_group",
            Some(Self::Ties) => "_excluding_ties",
        }
    }
}

/// Plans a call with frames that have to be scanned; returns any other as it is.
pub(super) fn plan(
    expr: RawWindowExpr,
    exclusion: Option<Exclusion>,
) -> Result<PlannerResult<RawWindowExpr>> {
    let Some(func) = scanned(&expr, exclusion) else { return Ok(PlannerResult::Original(expr)) };
    let is_computed = |number: &Expr| !number.column_refs().is_empty();
    if func.name() == "nth_value" && expr.args.get(1).is_some_and(is_computed) {
        return plan_err!("nth_value() with EXCLUDE takes a literal as its second argument");
    }
    let RawWindowExpr { mut args, filter, distinct, .. } = expr;
    if is_star(&args) {
        args = vec![lit(1_i64)];
    }
    let filtered = filter.is_some();
    args.extend(filter.map(|condition| *condition));
    let scan = FrameScan::new(func, exclusion, distinct, filtered);
    let fun = WindowFunctionDefinition::WindowUDF(Arc::new(WindowUDF::new_from_impl(scan)));
    let params = WindowFunctionParams {
        args,
        partition_by: expr.partition_by,
        order_by: expr.order_by,
        window_frame: expr.window_frame,
        filter: None,
        null_treatment: expr.null_treatment,
        distinct: false,
    };
    Ok(PlannerResult::Planned(Expr::from(WindowFunction { fun, params })))
}

/// The aggregate to evaluate for each frame, if frames have to be scanned.
fn scanned(expr: &RawWindowExpr, exclusion: Option<Exclusion>) -> Option<Arc<AggregateUDF>> {
    match (&expr.func_def, exclusion) {
        (WindowFunctionDefinition::AggregateUDF(func), Some(_)) => Some(Arc::clone(func)),
        (WindowFunctionDefinition::AggregateUDF(func), None) => {
            let slides = !expr.window_frame.is_ever_expanding();
            (slides && NOT_SLIDING.contains(&func.name())).then(|| Arc::clone(func))
        }
        (WindowFunctionDefinition::WindowUDF(func), Some(_)) => match func.name() {
            "first_value" => Some(first_value_udaf()),
            "last_value" => Some(last_value_udaf()),
            "nth_value" => Some(nth_value_udaf()),
            // The results of others do not depend on the frame.
            _ => None,
        },
        (WindowFunctionDefinition::WindowUDF(_), None) => None,
    }
}

/// Whether the arguments are those of `count(*)`.
#[expect(deprecated, reason = "the planner of SQL makes wildcards of `*`")]
fn is_star(args: &[Expr]) -> bool {
    matches!(args, [] | [Expr::Wildcard { .. }])
}

/// An aggregate that is evaluated for each frame.
#[derive(Debug, PartialEq, Eq, Hash)]
struct FrameScan {
    name: String,
    func: Arc<AggregateUDF>,
    exclusion: Option<Exclusion>,
    distinct: bool,
    /// Whether the last argument is the condition of FILTER.
    filtered: bool,
    signature: Signature,
}

impl FrameScan {
    fn new(
        func: Arc<AggregateUDF>,
        exclusion: Option<Exclusion>,
        distinct: bool,
        filtered: bool,
    ) -> Self {
        // Different calls with the same arguments have different names.
        let name = format!(
            "__{}{}{}_of_frame{}",
            func.name(),
            if distinct { "_distinct" } else { "" },
            if filtered { "_filtered" } else { "" },
            Exclusion::suffix(exclusion)
        );
        let signature = Signature::user_defined(Volatility::Immutable);
        Self { name, func, exclusion, distinct, filtered, signature }
    }

    /// The number of arguments of the aggregate among all.
    fn own(&self, arguments: usize) -> usize {
        arguments.saturating_sub(usize::from(self.filtered))
    }
}

impl WindowUDFImpl for FrameScan {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, arg_types: &[DataType]) -> Result<Vec<DataType>> {
        let own = self.own(arg_types.len());
        let field = |data_type: &DataType| Arc::new(Field::new("value", data_type.clone(), true));
        let fields: Vec<FieldRef> = arg_types.iter().take(own).map(field).collect();
        let coerced = fields_with_udf(&fields, self.func.as_ref())?;
        let mut types: Vec<DataType> =
            coerced.iter().map(|field| field.data_type().clone()).collect();
        types.extend(self.filtered.then_some(DataType::Boolean));
        Ok(types)
    }

    fn field(&self, field_args: WindowUDFFieldArgs) -> Result<FieldRef> {
        let fields = field_args.input_fields();
        let own = fields.get(..self.own(fields.len())).unwrap_or_default();
        let result = self.func.return_field(own)?;
        Ok(Arc::new(result.as_ref().clone().with_name(field_args.name()).with_nullable(true)))
    }

    fn partition_evaluator(
        &self,
        args: PartitionEvaluatorArgs,
    ) -> Result<Box<dyn PartitionEvaluator>> {
        let fields = args.input_fields();
        let own: Vec<FieldRef> = fields.iter().take(self.own(fields.len())).cloned().collect();
        // An aggregate reads constants while it is planned. Other arguments are columns here.
        let expr = |(index, expr): (usize, &Arc<dyn PhysicalExpr>)| -> Arc<dyn PhysicalExpr> {
            match expr.downcast_ref::<Literal>() {
                Some(_) => Arc::clone(expr),
                None => Arc::new(Column::new(own[index].name(), index)),
            }
        };
        let exprs = args.input_exprs().iter().take(own.len()).enumerate().map(expr).collect();
        let aggregate = Aggregate {
            func: Arc::clone(&self.func),
            returns: self.func.return_field(&own)?,
            schema: Schema::new(own.clone()),
            exprs,
            fields: own,
            distinct: self.distinct,
            ignore_nulls: args.ignore_nulls(),
        };
        Ok(Box::new(FrameEvaluator {
            aggregate,
            exclusion: self.exclusion,
            filtered: self.filtered,
            arguments: fields.len(),
            row: 0,
            groups: Vec::new(),
        }))
    }
}

/// What an accumulator is made of.
#[derive(Debug)]
struct Aggregate {
    func: Arc<AggregateUDF>,
    returns: FieldRef,
    schema: Schema,
    exprs: Vec<Arc<dyn PhysicalExpr>>,
    fields: Vec<FieldRef>,
    distinct: bool,
    ignore_nulls: bool,
}

impl Aggregate {
    fn accumulator(&self) -> Result<Box<dyn Accumulator>> {
        self.func.accumulator(AccumulatorArgs {
            return_field: Arc::clone(&self.returns),
            schema: &self.schema,
            ignore_nulls: self.ignore_nulls,
            order_bys: &[],
            is_reversed: false,
            name: self.func.name(),
            is_distinct: self.distinct,
            exprs: &self.exprs,
            expr_fields: &self.fields,
        })
    }
}

/// Evaluates the frames of a partition, one for each row.
#[derive(Debug)]
struct FrameEvaluator {
    aggregate: Aggregate,
    exclusion: Option<Exclusion>,
    filtered: bool,
    /// The number of arguments, with the condition of FILTER.
    arguments: usize,
    /// The next row.
    row: usize,
    /// The groups of rows that are equal in the order of the window, if they were needed.
    groups: Vec<Range<usize>>,
}

impl PartitionEvaluator for FrameEvaluator {
    /// `values` are the arguments followed by the columns of ORDER BY, for the whole partition. The
    /// rows come one after the other.
    fn evaluate(&mut self, values: &[ArrayRef], range: &Range<usize>) -> Result<ScalarValue> {
        let row = self.row;
        self.row += 1;
        let Some((arguments, order)) = values.split_at_checked(self.arguments) else {
            return internal_err!("a window function without its arguments");
        };
        let mut accumulator = self.aggregate.accumulator()?;
        for part in self.parts(order, range, row)? {
            if !part.is_empty() {
                accumulator.update_batch(&self.rows(arguments, &part)?)?;
            }
        }
        accumulator.evaluate()
    }

    fn uses_window_frame(&self) -> bool {
        true
    }
}

impl FrameEvaluator {
    /// The rows of the frame of a row, without those that are excluded.
    fn parts(
        &mut self,
        order: &[ArrayRef],
        frame: &Range<usize>,
        row: usize,
    ) -> Result<[Range<usize>; 3]> {
        let within = |from: usize, to: usize| from.max(frame.start)..to.min(frame.end);
        let (excluded, kept) = match self.exclusion {
            None => return Ok([frame.clone(), 0..0, 0..0]),
            Some(Exclusion::CurrentRow) => (row..row + 1, 0..0),
            Some(Exclusion::Group) => (self.group(order, row)?, 0..0),
            Some(Exclusion::Ties) => (self.group(order, row)?, within(row, row + 1)),
        };
        Ok([within(frame.start, excluded.start), kept, within(excluded.end, frame.end)])
    }

    /// A row and its peers. Without ORDER BY, all rows of the partition are peers.
    fn group(&mut self, order: &[ArrayRef], row: usize) -> Result<Range<usize>> {
        if order.is_empty() {
            return Ok(0..usize::MAX);
        }
        if self.groups.is_empty() {
            self.groups = partition(order)?.ranges();
        }
        let at = self.groups.partition_point(|group| group.end <= row);
        Ok(self.groups.get(at).cloned().unwrap_or(row..row + 1))
    }

    /// The arguments of the aggregate in a part of the rows.
    fn rows(&self, arguments: &[ArrayRef], part: &Range<usize>) -> Result<Vec<ArrayRef>> {
        let slice = |array: &ArrayRef| array.slice(part.start, part.len());
        let (condition, own) = match arguments.split_last() {
            Some((condition, own)) if self.filtered => (slice(condition), own),
            _ => return Ok(arguments.iter().map(slice).collect()),
        };
        let Some(mask) = condition.as_boolean_opt() else {
            return internal_err!("FILTER with a condition of type {}", condition.data_type());
        };
        own.iter().map(|array| Ok(filter(&slice(array), mask)?)).collect()
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{BooleanArray, Int64Array};
    use datafusion::functions_aggregate::sum::sum_udaf;

    use super::*;

    /// The sums of the values in their order, which is that of the window as well, each in the
    /// frame that reaches from the row before to the row after.
    fn sums(exclusion: Option<Exclusion>, keep: Option<Vec<bool>>) -> Vec<String> {
        let filtered = keep.is_some();
        let scan = FrameScan::new(sum_udaf(), exclusion, false, filtered);
        let field = |name: &str, kind| -> FieldRef { Arc::new(Field::new(name, kind, true)) };
        let mut fields = vec![field("x", DataType::Int64)];
        let mut exprs: Vec<Arc<dyn PhysicalExpr>> = vec![Arc::new(Column::new("x", 0))];
        let column: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 2, 7]));
        let mut values = vec![Arc::clone(&column)];
        if let Some(keep) = keep {
            fields.push(field("keep", DataType::Boolean));
            exprs.push(Arc::new(Column::new("keep", 1)));
            values.push(Arc::new(BooleanArray::from(keep)));
        }
        values.push(column);
        let args = PartitionEvaluatorArgs::new(&exprs, &fields, false, false);
        let mut evaluator = scan.partition_evaluator(args).unwrap();
        let frame = |row: usize| row.saturating_sub(1)..(row + 2).min(4);
        let sum = |row| evaluator.evaluate(&values, &frame(row)).unwrap().to_string();
        (0..4).map(sum).collect()
    }

    #[test]
    fn rows_are_taken_out_of_frames() {
        assert_eq!(sums(None, None), ["3", "5", "11", "9"]);
        assert_eq!(sums(Some(Exclusion::CurrentRow), None), ["2", "3", "9", "2"]);
        // The second and the third row are peers.
        assert_eq!(sums(Some(Exclusion::Group), None), ["2", "1", "7", "2"]);
        assert_eq!(sums(Some(Exclusion::Ties), None), ["3", "3", "9", "9"]);
        let keep = Some(vec![false, true, true, true]);
        assert_eq!(sums(Some(Exclusion::Ties), keep), ["2", "2", "9", "9"]);
    }
}
