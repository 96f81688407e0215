//! Functions of SQL that DataFusion does not have, one file each.

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

/// Every scalar function, made for one trace.
pub(crate) fn scalar(tables: &TraceTables) -> Vec<Arc<ScalarUDF>> {
    let (start, end) = trace_time::bounds(tables);
    let cpu = |numbering| ScalarUDF::new_from_impl(cpu_of::CpuOf::new(tables, numbering));
    let time = |name, value| ScalarUDF::new_from_impl(trace_time::TraceTime::new(name, value));
    let clock = |name, clock, shown| {
        ScalarUDF::new_from_impl(clocks::OnClock::new(tables, name, clock, shown))
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
        cpu(cpu_of::Numbering::OfMachine),
        cpu(cpu_of::Numbering::AmongMachines),
        ScalarUDF::new_from_impl(chain::AllTrue::default()),
        ScalarUDF::new_from_impl(chain::Arithmetic::default()),
        ScalarUDF::new_from_impl(integer::Negative::default()),
        ScalarUDF::new_from_impl(extract_arg::ExtractArg::new(tables)),
        ScalarUDF::new_from_impl(slice_ancestry::SliceIsAncestor::new(tables)),
        clock("to_realtime", "REALTIME", clocks::Shown::Nanoseconds),
        clock("to_monotonic", "MONOTONIC", clocks::Shown::Nanoseconds),
        clock("abs_time_str", "REALTIME", clocks::Shown::Iso8601),
        time("trace_start", start),
        time("trace_end", end),
        time("trace_dur", end.saturating_sub(start)),
    ];
    let of_integers = integer::of_integers().map(ScalarUDF::new_from_impl);
    per_row.chain(of_trace).chain(of_integers).map(Arc::new).chain(pointers::scalar()).collect()
}

/// A call of one of the functions of this crate, for plans.
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

/// Two texts one after the other, for plans: NULL where any of them is. What is joined already
/// becomes part of the same call, up to so many parts that not too many are there at a time.
pub(crate) fn joined_text(left: Expr, right: Expr) -> Expr {
    const MOST_PARTS: usize = 64;
    static JOINED: LazyLock<Arc<ScalarUDF>> =
        LazyLock::new(|| Arc::new(ScalarUDF::new_from_impl(text::joined_text())));
    let parts = |expr: &Expr| match expr {
        Expr::ScalarFunction(call) if call.name() == JOINED_TEXT => call.args.len(),
        _ => 1,
    };
    let few = parts(&left) + parts(&right) <= MOST_PARTS;
    let mut texts = Vec::new();
    for side in [left, right] {
        match side {
            Expr::ScalarFunction(call) if few && call.name() == JOINED_TEXT => {
                texts.extend(call.args);
            }
            other => texts.push(other),
        }
    }
    JOINED.call(texts)
}

/// A call of one of the operators on two integers, for plans.
pub(crate) fn integer_call(name: &str, left: Expr, right: Expr) -> Option<Expr> {
    static OPERATORS: LazyLock<Vec<Arc<ScalarUDF>>> = LazyLock::new(|| {
        let operators = integer::of_integers().into_iter();
        operators.map(ScalarUDF::new_from_impl).map(Arc::new).collect()
    });
    let operator = OPERATORS.iter().find(|operator| operator.name() == name)?;
    Some(operator.call(vec![left, right]))
}

/// Every aggregate function.
pub(crate) fn aggregate() -> Vec<Arc<AggregateUDF>> {
    pointers::aggregate()
}

/// Every table function, made for one trace.
pub(crate) fn table(tables: &Arc<TraceTables>) -> Vec<Arc<dyn TableFunction>> {
    slices::functions(tables).into_iter().chain(pointers::table()).collect()
}
