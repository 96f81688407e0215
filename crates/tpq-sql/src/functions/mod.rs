//! Functions of SQL that DataFusion does not have, one file each.

mod cpu_of;
mod glob;
mod pointers;
mod slices;
mod table_function;
mod trace_time;

use std::sync::Arc;

use datafusion::logical_expr::{AggregateUDF, ScalarUDF};
use tpq_tables::TraceTables;

pub(crate) use pointers::collects_rows;
pub(crate) use table_function::{CallArgument, CalledRows, TableFunction};

/// Every scalar function, made for one trace.
pub(crate) fn scalar(tables: &TraceTables) -> Vec<Arc<ScalarUDF>> {
    let (start, end) = trace_time::bounds(tables);
    let cpu = |numbering| ScalarUDF::new_from_impl(cpu_of::CpuOf::new(tables, numbering));
    let time = |name, value| ScalarUDF::new_from_impl(trace_time::TraceTime::new(name, value));
    [
        cpu(cpu_of::Numbering::OfMachine),
        cpu(cpu_of::Numbering::AmongMachines),
        ScalarUDF::new_from_impl(glob::Glob::default()),
        time("trace_start", start),
        time("trace_end", end),
        time("trace_dur", end.saturating_sub(start)),
    ]
    .map(Arc::new)
    .into_iter()
    .chain(pointers::scalar())
    .collect()
}

/// Every aggregate function.
pub(crate) fn aggregate() -> Vec<Arc<AggregateUDF>> {
    pointers::aggregate()
}

/// Every table function, made for one trace.
pub(crate) fn table(tables: &Arc<TraceTables>) -> Vec<Arc<dyn TableFunction>> {
    slices::functions(tables).into_iter().chain(pointers::table()).collect()
}
