//! `SUMMARIZE`: one row for each column of a query, with its range, its distribution and its NULLs.
//!
//! One aggregation measures all columns at once. Its only row becomes the rows of the result.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Float64Array, Int64Array, RecordBatch, StringArray,
};
use datafusion::arrow::compute::cast as cast_array;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type, UInt64Type};
use datafusion::arrow::error::ArrowError;
use datafusion::common::Result;
use datafusion::execution::SessionState;
use datafusion::functions_aggregate::approx_percentile_cont::approx_percentile_cont_udaf;
use datafusion::functions_aggregate::expr_fn::{approx_distinct, avg, count, max, min, stddev};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, cast, lit};
use datafusion::sql::sqlparser::tokenizer::TokenWithSpan;

use crate::cancel::CancelOnDrop;
use crate::catalog::type_name;
use crate::errors::{Names, SqlError, SqlErrorKind, translate};
use crate::perfetto_sql::{Planned, Text};
use crate::result::ResultSet;
use crate::session::Session;
use crate::show::of_batch;

/// The largest number of columns. Each takes some 20 KiB while it is measured.
const MAX_COLUMNS: usize = 1_000;

/// The name of the number of rows.
const ROWS: &str = "rows";

/// The ranks of the quartiles, with the names of their columns.
const QUARTILES: [(&str, f64); 3] = [("q25", 0.25), ("q50", 0.5), ("q75", 0.75)];

impl Session {
    /// Runs `SUMMARIZE`.
    pub(crate) async fn summarize(
        &self,
        state: SessionState,
        query: Vec<TokenWithSpan>,
        text: Text,
        stop: CancelOnDrop,
    ) -> Result<ResultSet, SqlError> {
        let query = Text { sources: text.sources.clone(), tokens: query };
        let Planned { plan, names } = self.planned(&state, &query).await?;
        let failed = |error| translate(error, &text, &Names::none());
        let fields = plan.schema().fields().iter();
        let kinds: Vec<DataType> = fields.map(|field| field.data_type().clone()).collect();
        if kinds.len() > MAX_COLUMNS {
            let message = format!("SUMMARIZE of {} columns, of {MAX_COLUMNS} at most", kinds.len());
            let hint = Some("select some of the columns".to_owned());
            return Err(SqlError::new(SqlErrorKind::TooLarge, message).hint(hint));
        }
        let plan = measured(plan).map_err(failed)?;
        let measures = plan.schema().fields().iter().map(|field| field.name().clone()).collect();
        let planned = Planned { plan, names: measures };
        let measured = self.start(state, planned, text.clone(), stop).await?.collect().await?;
        let row = measured.iter().find(|batch| batch.num_rows() > 0);
        let rows = summary(&names, &kinds, row).map_err(|error| failed(error.into()))?;
        of_batch(rows, &text).map_err(failed)
    }
}

/// The aggregation of all measures of the columns of a plan.
fn measured(plan: LogicalPlan) -> Result<LogicalPlan> {
    let mut measures = vec![count(lit(1_i64)).alias(ROWS)];
    for (index, column) in plan.schema().iter().enumerate() {
        let kind = column.1.data_type().clone();
        measures.extend(measures_of(index, &Expr::from(column), &kind));
    }
    LogicalPlanBuilder::from(plan).aggregate(Vec::<Expr>::new(), measures)?.build()
}

/// The name of a measure of the column at a position.
fn measure(name: &str, index: usize) -> String {
    format!("{name}_{index}")
}

fn measures_of(index: usize, column: &Expr, kind: &DataType) -> Vec<Expr> {
    let named = |expr: Expr, name: &str| expr.alias(measure(name, index));
    let mut measures = vec![named(count(column.clone()), "count")];
    if has_order(kind) {
        measures.push(named(min(column.clone()), "min"));
        measures.push(named(max(column.clone()), "max"));
        // Distinct reals have distinct texts.
        let values = match kind.is_floating() {
            true => cast(column.clone(), DataType::Utf8View),
            false => column.clone(),
        };
        measures.push(named(approx_distinct(values), "approx_unique"));
    }
    if kind.is_numeric() {
        let real = cast(column.clone(), DataType::Float64);
        measures.push(named(avg(real.clone()), "avg"));
        measures.push(named(stddev(real.clone()), "std"));
        for (name, rank) in QUARTILES {
            let quartile = approx_percentile_cont_udaf().call(vec![real.clone(), lit(rank)]);
            measures.push(named(quartile, name));
        }
    }
    measures
}

/// Whether values of a type have a least and a greatest one.
fn has_order(kind: &DataType) -> bool {
    use DataType::{Date32, Date64, Time32, Time64, Timestamp};
    kind.is_numeric()
        || kind.is_string()
        || matches!(kind, Date32 | Date64 | Time32(_) | Time64(_) | Timestamp(..))
}

/// The rows of the result, from the row of measures.
fn summary(
    names: &[String],
    kinds: &[DataType],
    row: Option<&RecordBatch>,
) -> Result<RecordBatch, ArrowError> {
    let value = |name: &str, index: usize| row?.column_by_name(&measure(name, index));
    let integer = |name, index| value(name, index).and_then(integer_in);
    let text = |name, index| value(name, index).map_or(Ok(None), text_in);
    let real = |name, index| value(name, index).and_then(real_in);
    let rows = row.and_then(|row| row.column_by_name(ROWS)).and_then(integer_in).unwrap_or(0);
    let all = || 0..names.len();
    let texts = |name| all().map(|index| text(name, index)).collect::<Result<StringArray, _>>();
    let reals = |name| -> ArrayRef {
        Arc::new(all().map(|index| real(name, index)).collect::<Float64Array>())
    };
    let unique = all().map(|index| integer("approx_unique", index)).collect::<Int64Array>();
    let nulls = all().map(|index| {
        let nulls = rows - integer("count", index).unwrap_or(0);
        (rows > 0).then(|| nulls as f64 * 100.0 / rows as f64)
    });
    let nulls = nulls.collect::<Float64Array>();
    let kinds = StringArray::from_iter_values(kinds.iter().map(type_name));
    let columns: [(&str, ArrayRef); 12] = [
        ("column_name", Arc::new(StringArray::from_iter_values(names))),
        ("column_type", Arc::new(kinds)),
        ("min", Arc::new(texts("min")?)),
        ("max", Arc::new(texts("max")?)),
        ("approx_unique", Arc::new(unique)),
        ("avg", reals("avg")),
        ("std", reals("std")),
        ("q25", reals("q25")),
        ("q50", reals("q50")),
        ("q75", reals("q75")),
        ("count", Arc::new(Int64Array::from(vec![rows; names.len()]))),
        ("null_percentage", Arc::new(nulls)),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)))
}

fn integer_in(column: &ArrayRef) -> Option<i64> {
    if let Some(counts) = column.as_primitive_opt::<UInt64Type>() {
        let count = counts.is_valid(0).then(|| counts.value(0))?;
        return i64::try_from(count).ok();
    }
    let counts = column.as_primitive_opt::<Int64Type>()?;
    counts.is_valid(0).then(|| counts.value(0))
}

fn real_in(column: &ArrayRef) -> Option<f64> {
    let reals = column.as_primitive_opt::<Float64Type>()?;
    reals.is_valid(0).then(|| reals.value(0))
}

fn text_in(column: &ArrayRef) -> Result<Option<String>, ArrowError> {
    let texts = cast_array(column, &DataType::Utf8)?;
    let texts = texts.as_string_opt::<i32>();
    Ok(texts.filter(|texts| texts.is_valid(0)).map(|texts| texts.value(0).to_owned()))
}
