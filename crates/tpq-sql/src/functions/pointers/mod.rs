//! Functions that take and return whole tables.
//!
//! Perfetto's own modules collect the rows of a query with an aggregate, pass them to a function,
//! and read its result as a table:
//!
//! ```sql
//! SELECT c0 AS node_id, c1 AS parent_node_id
//! FROM __intrinsic_table_ptr(__intrinsic_dfs(
//!   (SELECT __intrinsic_graph_agg(source, dest) FROM edges),
//!   (SELECT __intrinsic_array_agg(id) FROM starts)))
//! WHERE __intrinsic_table_ptr_bind(c0, 'node_id')
//!   AND __intrinsic_table_ptr_bind(c1, 'parent_node_id')
//! ```
//!
//! A table is passed as a list of rows, a `LargeList<Struct<…>>`, so that planning knows the types
//! of all columns.

mod collect;
mod graphs;
mod intervals;
mod operator;
mod symbolize;
mod table;
mod table_ptr;

use std::sync::Arc;

use datafusion::logical_expr::{AggregateUDF, ScalarUDF};

use super::TableFunction;
use collect::Collect;
pub(crate) use graphs::{AGGREGATING_GRAPH_SCAN, GRAPH_SCAN, Graph};
use operator::{OperatorFunction, TableOperator};

/// The scalar functions that take tables and return a table.
pub(super) fn scalar() -> Vec<Arc<ScalarUDF>> {
    let symbolize: Arc<dyn TableOperator> = Arc::new(symbolize::Symbolize);
    let operators = intervals::operators().into_iter().chain(graphs::operators());
    let operators = operators.chain([symbolize]);
    operators.map(|op| Arc::new(ScalarUDF::new_from_impl(OperatorFunction::new(op)))).collect()
}

/// The aggregate functions that collect rows.
pub(super) fn aggregate() -> Vec<Arc<AggregateUDF>> {
    let layouts = intervals::COLLECTED.iter().chain(graphs::COLLECTED);
    let layouts = layouts.chain(symbolize::COLLECTED);
    layouts.map(|layout| Arc::new(AggregateUDF::new_from_impl(Collect::new(layout)))).collect()
}

/// Whether an aggregate collects rows, so that the order of its input determines its result.
pub(crate) fn collects_rows(function: &AggregateUDF) -> bool {
    let mut layouts = intervals::COLLECTED.iter().chain(graphs::COLLECTED);
    layouts.any(|layout| layout.name == function.name())
}

/// The table functions, for use in FROM.
pub(super) fn table() -> Vec<Arc<dyn TableFunction>> {
    vec![Arc::new(table_ptr::TablePointer), Arc::new(graphs::DfsWeightBounded)]
}
