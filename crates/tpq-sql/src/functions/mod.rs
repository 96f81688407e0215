//! SQL functions that DataFusion does not have, or that must behave as in SQLite; one file for
//! each family.

mod bounded;
mod budget;
mod chain;
mod choice;
mod clocks;
mod conversion;
mod cpu_of;
mod dates;
mod encoding;
mod extract_arg;
mod glob;
mod integer;
mod mathematics;
mod number;
mod pattern;
mod per_row;
mod pointers;
mod printf;
mod random;
mod regex_text;
mod slice_ancestry;
mod slices;
mod steps;
mod table_function;
mod text;
mod trace_time;
mod value;

use std::sync::{Arc, LazyLock};

use datafusion::logical_expr::{AggregateUDF, Expr, ScalarUDF};
use tpq_tables::TraceTables;

pub(crate) use bounded::bounded;
pub(crate) use chain::{ALL_TRUE, ARITHMETIC};
pub(crate) use choice::{GREATEST, LEAST};
pub(crate) use conversion::{
    CAST_BLOB, CAST_INTEGER, CAST_REAL, CAST_TEXT, COMPARABLE, NUMBER, TRUTHY, literal_number,
};
pub(crate) use integer::{NEGATIVE, REMAINDER, SHIFT_LEFT, SHIFT_RIGHT};
pub(crate) use number::real_prefix;
pub(crate) use per_row::is_text;
pub(crate) use pointers::collects_rows;
pub(crate) use table_function::{CallArgument, CalledRows, TableFunction};
pub(crate) use text::JOINED_TEXT;

/// All scalar functions for a trace.
pub(crate) fn scalar(tables: &TraceTables) -> Vec<Arc<ScalarUDF>> {
    let (start, end) = trace_time::bounds(tables);
    let cpu = |numbering| ScalarUDF::new_from_impl(cpu_of::CpuOf::new(tables, numbering));
    let time = |name, value| ScalarUDF::new_from_impl(trace_time::TraceTime::new(name, value));
    let clock = |name, clock, format| {
        ScalarUDF::new_from_impl(clocks::ToClock::new(tables, name, clock, format))
    };
    let families = [
        choice::functions(),
        clocks::functions(),
        conversion::functions(),
        dates::functions(),
        encoding::functions(),
        glob::functions(),
        mathematics::functions(),
        pattern::functions(),
        printf::functions(),
        random::functions(),
        regex_text::functions(),
        text::functions(),
    ];
    let per_row = families.into_iter().flatten().map(ScalarUDF::new_from_impl);
    let of_trace = [
        cpu(cpu_of::Numbering::PerMachine),
        cpu(cpu_of::Numbering::AcrossMachines),
        ScalarUDF::new_from_impl(chain::AllTrue::default()),
        ScalarUDF::new_from_impl(chain::Arithmetic::default()),
        ScalarUDF::new_from_impl(integer::Negative::default()),
        ScalarUDF::new_from_impl(extract_arg::ExtractArg::new(tables)),
        ScalarUDF::new_from_impl(slice_ancestry::SliceIsAncestor::new(tables)),
        clock("to_realtime", "REALTIME", clocks::TimeFormat::Nanoseconds),
        clock("to_monotonic", "MONOTONIC", clocks::TimeFormat::Nanoseconds),
        clock("abs_time_str", "REALTIME", clocks::TimeFormat::Iso8601),
        time("trace_start", start),
        time("trace_end", end),
        time("trace_dur", end.saturating_sub(start)),
    ];
    let integer_operators = integer::integer_operators().map(ScalarUDF::new_from_impl);
    let own = per_row.chain(of_trace).chain(integer_operators).map(Arc::new);
    own.chain(pointers::scalar()).collect()
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
pub(crate) fn joined_text(left: Expr, right: Expr) -> Expr {
    const MAX_PARTS: usize = 64;
    static JOINED: LazyLock<Arc<ScalarUDF>> =
        LazyLock::new(|| Arc::new(ScalarUDF::new_from_impl(text::joined_text())));
    let parts = |expr: &Expr| match expr {
        Expr::ScalarFunction(call) if call.name() == JOINED_TEXT => call.args.len(),
        _ => 1,
    };
    let can_merge = parts(&left) + parts(&right) <= MAX_PARTS;
    let mut texts = Vec::new();
    for side in [left, right] {
        match side {
            Expr::ScalarFunction(call) if can_merge && call.name() == JOINED_TEXT => {
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
        let operators = integer::integer_operators().into_iter();
        operators.map(ScalarUDF::new_from_impl).map(Arc::new).collect()
    });
    let operator = OPERATORS.iter().find(|operator| operator.name() == name)?;
    Some(operator.call(vec![left, right]))
}

/// All aggregate functions.
pub(crate) fn aggregate() -> Vec<Arc<AggregateUDF>> {
    pointers::aggregate()
}

/// All table functions for a trace.
pub(crate) fn table(tables: &Arc<TraceTables>) -> Vec<Arc<dyn TableFunction>> {
    slices::functions(tables).into_iter().chain(pointers::table()).collect()
}
