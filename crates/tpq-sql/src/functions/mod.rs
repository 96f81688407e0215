//! SQL functions that DataFusion does not have, or that must behave as in SQLite; one file for
//! each family.

mod aggregates;
mod arg_sets;
mod bounded;
mod budget;
mod chain;
mod checked;
mod choice;
mod clocks;
mod conversion;
mod cpu_of;
mod dates;
mod declared;
mod encoding;
mod equal_by_name;
mod experimental_flamegraph;
mod extract_arg;
mod flamegraph;
mod ftrace_text;
mod glob;
mod hexadecimal;
mod index_kind;
mod integer;
mod integer_sum;
mod internal_layout;
mod json;
mod mathematics;
mod message_defaults;
mod metadata;
mod mipmap;
mod neighbours;
mod number;
mod of_trace;
mod packages;
mod pattern;
mod per_row;
mod perf_samples;
mod pointers;
mod printf;
mod random;
mod regex_text;
mod reserved;
mod series;
mod slice_ancestry;
mod slices;
mod stacks;
mod steps;
mod stored_rows;
mod table_function;
mod text;
mod time_bucket;
mod trace_time;
mod unicode_escapes;
mod value;
mod wide_sum;

use std::sync::{Arc, LazyLock};

use datafusion::logical_expr::planner::ExprPlanner;
use datafusion::logical_expr::{AggregateUDF, Expr, ScalarUDF, WindowUDF};
use tpq_tables::TraceTables;

pub(crate) use aggregates::{EXCLUDED_ROWS, sorting_text};
pub(crate) use bounded::bounded;
pub(crate) use chain::{ALL_TRUE, ARITHMETIC};
pub(crate) use checked::{ADD, MULTIPLY, SUBTRACT};
pub(crate) use choice::{GREATEST, LEAST};
pub(crate) use conversion::{
    CAST_BLOB, CAST_INTEGER, CAST_REAL, CAST_TEXT, COMPARABLE, FOLD_CASE, NUMBER, SAME,
    STORED_INTEGER, STORED_REAL, TRIM_END, TRUTHY, literal_number,
};
pub(crate) use declared::declared_call;
pub(crate) use extract_arg::{EXTRACT_ARG, extracts_texts};
pub(crate) use flamegraph::{FLAMEGRAPH_CONFIG, literal_config};
pub(crate) use glob::matches as matches_glob;
pub(crate) use index_kind::{Index, IndexKind, index_kinds};
pub(crate) use integer::{NEGATIVE, REMAINDER, SHIFT_LEFT, SHIFT_RIGHT};
pub(crate) use json::is_extracted;
pub(crate) use neighbours::{check_lag, of_number};
pub(crate) use number::{real_prefix, real_text};
pub(crate) use per_row::is_text;
pub(crate) use pointers::{AGGREGATING_GRAPH_SCAN, GRAPH_SCAN, Graph, collects_rows};
pub(crate) use reserved::Reserved;
pub(crate) use table_function::{
    CallArgument, CallPart, CallParts, CalledRows, PendingCalls, RowParts, TableFunction,
};
pub(crate) use text::CONCAT_TEXT;
pub(crate) use wide_sum::{sum_in_range, wide_sum};

/// The scalar functions that look up nothing in a trace.
pub(crate) fn scalar() -> Vec<Arc<ScalarUDF>> {
    let families = [
        choice::functions(),
        clocks::functions(),
        conversion::functions(),
        dates::functions(),
        declared::functions(),
        encoding::functions(),
        glob::functions(),
        hexadecimal::functions(),
        mathematics::functions(),
        pattern::functions(),
        printf::functions(),
        random::functions(),
        regex_text::functions(),
        stacks::functions(),
        text::functions(),
        unicode_escapes::functions(),
        vec![aggregates::excluded_rows()],
    ];
    let per_row = families.into_iter().flatten().map(ScalarUDF::new_from_impl);
    let others = [
        ScalarUDF::new_from_impl(chain::AllTrue::default()),
        ScalarUDF::new_from_impl(chain::Arithmetic::default()),
        ScalarUDF::new_from_impl(integer::Negative::default()),
        ScalarUDF::new_from_impl(flamegraph::FlamegraphConfig::default()),
    ];
    let integer_operators = integer::integer_operators().map(ScalarUDF::new_from_impl);
    let checked_operators = checked::checked_operators().map(ScalarUDF::new_from_impl);
    let integer_operators = integer_operators.into_iter().chain(checked_operators);
    let json = json::functions().into_iter().map(ScalarUDF::new_from_impl);
    let buckets = time_bucket::functions().map(ScalarUDF::new_from_impl);
    let own = per_row.chain(others).chain(integer_operators).chain(json).chain(buckets);
    own.map(Arc::new).chain(pointers::scalar()).collect()
}

/// The scalar functions that look up rows of a trace.
pub(crate) fn scalar_of(tables: &TraceTables) -> Vec<Arc<ScalarUDF>> {
    let bounds = Arc::new(trace_time::Bounds::new(tables));
    let cpu = |numbering| ScalarUDF::new_from_impl(cpu_of::CpuOf::new(tables, numbering));
    let time = |name, of_bounds: fn(i64, i64) -> i64| {
        ScalarUDF::new_from_impl(trace_time::TraceTime::new(name, &bounds, of_bounds))
    };
    let clock = |name, clock, format| {
        ScalarUDF::new_from_impl(clocks::ToClock::new(tables, name, clock, format))
    };
    let of_trace = [
        cpu(cpu_of::Numbering::PerMachine),
        cpu(cpu_of::Numbering::AcrossMachines),
        ScalarUDF::new_from_impl(extract_arg::ExtractArg::new(tables)),
        ScalarUDF::new_from_impl(slice_ancestry::SliceIsAncestor::new(tables)),
        clock("to_realtime", "REALTIME", clocks::TimeFormat::Nanoseconds),
        clock("to_monotonic", "MONOTONIC", clocks::TimeFormat::Nanoseconds),
        clock("abs_time_str", "REALTIME", clocks::TimeFormat::Iso8601),
        time("trace_start", |start, _| start),
        time("trace_end", |_, end| end),
        time("trace_dur", |start, end| end.saturating_sub(start)),
    ];
    of_trace.into_iter().chain(lookups(tables)).map(Arc::new).collect()
}

/// The functions of rows that have files of their own.
fn lookups(tables: &TraceTables) -> impl Iterator<Item = ScalarUDF> {
    let sets = arg_sets::index(tables);
    let of_trace = [
        arg_sets::to_json(&sets),
        ftrace_text::function(tables, &sets),
        packages::function(tables),
        perf_samples::function(tables),
    ];
    let metadata = metadata::functions(tables).into_iter().map(ScalarUDF::new_from_impl);
    of_trace.into_iter().map(ScalarUDF::new_from_impl).chain(metadata)
}

/// Builds a call of one of the conversion functions; returns the argument if there is no such
/// function.
pub(crate) fn sqlite_call(name: &str, argument: Expr) -> Expr {
    static CONVERSIONS: LazyLock<Vec<Arc<ScalarUDF>>> = LazyLock::new(|| {
        let functions = conversion::functions().into_iter();
        functions.map(ScalarUDF::new_from_impl).map(Arc::new).collect()
    });
    match CONVERSIONS.iter().find(|function| function.name() == name) {
        Some(function) => function.call(vec![argument]),
        None => argument,
    }
}

/// Builds the concatenation of two texts, which is NULL if one of them is NULL. Nested
/// concatenations become arguments of the same call, up to `MAX_PARTS`, which limits the number of
/// texts that exist at the same time.
pub(crate) fn concat_text(left: Expr, right: Expr) -> Expr {
    const MAX_PARTS: usize = 64;
    static JOINED: LazyLock<Arc<ScalarUDF>> =
        LazyLock::new(|| Arc::new(ScalarUDF::new_from_impl(text::concat_text())));
    let parts = |expr: &Expr| match expr {
        Expr::ScalarFunction(call) if call.name() == CONCAT_TEXT => call.args.len(),
        _ => 1,
    };
    let can_merge = parts(&left) + parts(&right) <= MAX_PARTS;
    let mut texts = Vec::new();
    for side in [left, right] {
        match side {
            Expr::ScalarFunction(call) if can_merge && call.name() == CONCAT_TEXT => {
                texts.extend(call.args);
            }
            other => texts.push(other),
        }
    }
    JOINED.call(texts)
}

/// Builds a call of an operator on two integers; `None` if there is no such operator.
pub(crate) fn integer_call(name: &str, left: Expr, right: Expr) -> Option<Expr> {
    static OPERATORS: LazyLock<Vec<Arc<ScalarUDF>>> = LazyLock::new(|| {
        let checked = checked::checked_operators().map(ScalarUDF::new_from_impl);
        let operators = integer::integer_operators().map(ScalarUDF::new_from_impl);
        operators.into_iter().chain(checked).map(Arc::new).collect()
    });
    let operator = OPERATORS.iter().find(|operator| operator.name() == name)?;
    Some(operator.call(vec![left, right]))
}

/// All aggregate functions.
pub(crate) fn aggregate() -> Vec<Arc<AggregateUDF>> {
    let sum = AggregateUDF::new_from_impl(integer_sum::CheckedSum::default());
    let own = pointers::aggregate().into_iter().chain(aggregates::functions());
    own.chain([sum, stacks::aggregate()].map(Arc::new)).collect()
}

/// The planner of aggregates that stand for calls of other functions. It comes before the planners
/// of DataFusion.
pub(crate) fn aggregate_planner() -> Arc<dyn ExprPlanner> {
    Arc::new(aggregates::PlannedAggregates)
}

/// The planner of operators that stand for calls of functions.
pub(crate) fn operator_planner() -> Arc<dyn ExprPlanner> {
    Arc::new(json::JsonOperators)
}

/// All window functions.
pub(crate) fn window() -> Vec<Arc<WindowUDF>> {
    let layout = WindowUDF::new_from_impl(internal_layout::InternalLayout::default());
    neighbours::functions().into_iter().chain([Arc::new(layout)]).collect()
}

/// All table functions for a trace.
pub(crate) fn table(tables: &Arc<TraceTables>) -> Vec<Arc<dyn TableFunction>> {
    let own = slices::functions(tables).into_iter().chain(pointers::table());
    let own = own.chain(series::table()).chain(json::table()).chain(stacks::table(tables));
    let own = own.chain(experimental_flamegraph::table(tables));
    own.chain([message_defaults::table(tables)]).collect()
}
