//! Table functions on the nesting of slices, on their layout, and on the flows between slices.

pub(super) mod columns;
mod flow_index;
mod flows;
mod index;
mod layout;
mod relatives;

use std::sync::Arc;

use datafusion::error::DataFusionError;
use tpq_tables::TraceTables;

use super::TableFunction;
use columns::StoredColumns;
use flow_index::FlowIndex;
use flows::{ConnectedFlows, Direction};
use index::SliceIndex;
use layout::SliceLayout;
use relatives::{Relation, Relatives};

/// The functions of this family. Their indexes are built on first use.
pub(super) fn functions(tables: &Arc<TraceTables>) -> Vec<Arc<dyn TableFunction>> {
    let (Some(slice), Some(flow)) = (tables.get("slice"), tables.get("flow")) else {
        return Vec::new();
    };
    let slices = Arc::new(SliceIndex::new(slice));
    let flows = Arc::new(FlowIndex::new(flow));
    let mut functions: Vec<Arc<dyn TableFunction>> = Vec::new();
    let columns = Arc::new(StoredColumns::new(slice));
    for relation in [Relation::Ancestors, Relation::Descendants] {
        functions.push(Arc::new(Relatives::new(
            relation,
            Arc::clone(&slices),
            Arc::clone(&columns),
        )));
    }
    functions.push(Arc::new(SliceLayout::new(Arc::clone(&slices))));
    let columns = Arc::new(StoredColumns::new(flow));
    for direction in [Direction::Preceding, Direction::Following, Direction::Direct] {
        let (slices, flows) = (Arc::clone(&slices), Arc::clone(&flows));
        let columns = Arc::clone(&columns);
        functions.push(Arc::new(ConnectedFlows::new(direction, slices, flows, columns)));
    }
    functions
}

/// The error for an id that is not the id of a slice.
fn unknown_slice(function: &str, id: i64) -> DataFusionError {
    DataFusionError::Execution(format!("{function}(): there is no slice with id {id}"))
}
