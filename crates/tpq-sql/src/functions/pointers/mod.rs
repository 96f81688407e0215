//! Functions that pass whole tables to each other.
//!
//! Perfetto's own modules collect the rows of a query with an aggregate, hand them to a function,
//! and read what it gives as a table:
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
//! What is passed is a list of rows, a `LargeList<Struct<…>>`, so that the types of all columns
//! are known before anything runs.

mod collect;
mod graphs;
mod intervals;
mod operator;
mod table;
mod table_ptr;

use std::sync::Arc;

use datafusion::logical_expr::{AggregateUDF, ScalarUDF};

use super::TableFunction;
use collect::Collect;
use operator::OperatorFunction;

/// The functions from tables to a table.
pub(super) fn scalar() -> Vec<Arc<ScalarUDF>> {
    let operators = intervals::operators().into_iter().chain(graphs::operators());
    operators.map(|op| Arc::new(ScalarUDF::new_from_impl(OperatorFunction::new(op)))).collect()
}

/// The functions that collect rows.
pub(super) fn aggregate() -> Vec<Arc<AggregateUDF>> {
    let layouts = intervals::COLLECTED.iter().chain(graphs::COLLECTED);
    layouts.map(|layout| Arc::new(AggregateUDF::new_from_impl(Collect::new(layout)))).collect()
}

/// Whether an aggregate collects rows, so that their order is that of its value.
pub(crate) fn collects_rows(function: &AggregateUDF) -> bool {
    let mut layouts = intervals::COLLECTED.iter().chain(graphs::COLLECTED);
    layouts.any(|layout| layout.name == function.name())
}

/// The functions to be named in FROM.
pub(super) fn table() -> Vec<Arc<dyn TableFunction>> {
    vec![Arc::new(table_ptr::TablePointer), Arc::new(graphs::DfsWeightBounded)]
}
