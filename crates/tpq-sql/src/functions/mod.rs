//! Functions of SQL that DataFusion does not have, one file each.

mod choice;
mod clocks;
mod conversion;
mod cpu_of;
mod dates;
mod encoding;
mod extract_arg;
mod glob;
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
mod table_function;
mod text;
mod trace_time;
mod value;

use std::sync::{Arc, LazyLock};

use datafusion::logical_expr::{AggregateUDF, Expr, ScalarUDF};
use tpq_tables::TraceTables;

pub(crate) use choice::{GREATEST, LEAST};
pub(crate) use conversion::{
    CAST_BLOB, CAST_INTEGER, CAST_REAL, CAST_TEXT, COMPARABLE, NUMBER, TRUTHY, literal_number,
};
pub(crate) use number::real_prefix;
pub(crate) use per_row::is_text;
pub(crate) use pointers::collects_rows;
pub(crate) use table_function::{CallArgument, CalledRows, TableFunction};

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
        ScalarUDF::new_from_impl(glob::Glob::default()),
        ScalarUDF::new_from_impl(extract_arg::ExtractArg::new(tables)),
        ScalarUDF::new_from_impl(slice_ancestry::SliceIsAncestor::new(tables)),
        clock("to_realtime", "REALTIME", clocks::Shown::Nanoseconds),
        clock("to_monotonic", "MONOTONIC", clocks::Shown::Nanoseconds),
        clock("abs_time_str", "REALTIME", clocks::Shown::Iso8601),
        time("trace_start", start),
        time("trace_end", end),
        time("trace_dur", end.saturating_sub(start)),
    ];
    per_row.chain(of_trace).map(Arc::new).chain(pointers::scalar()).collect()
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

/// Every aggregate function.
pub(crate) fn aggregate() -> Vec<Arc<AggregateUDF>> {
    pointers::aggregate()
}

/// Every table function, made for one trace.
pub(crate) fn table(tables: &Arc<TraceTables>) -> Vec<Arc<dyn TableFunction>> {
    slices::functions(tables).into_iter().chain(pointers::table()).collect()
}
