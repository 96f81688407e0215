//! Aggregate functions that DataFusion does not have.

mod best_row;
mod edge_value;
mod frame_scan;
mod grouped_texts;
mod histogram;
mod planned;
mod sorting_text;

use std::sync::Arc;

use datafusion::logical_expr::AggregateUDF;

pub(crate) use frame_scan::EXCLUDED_ROWS;
pub(super) use frame_scan::excluded_rows;
pub(super) use planned::PlannedAggregates;
pub(crate) use sorting_text::sorting_text;

pub(super) fn functions() -> Vec<Arc<AggregateUDF>> {
    let own = [
        AggregateUDF::new_from_impl(edge_value::EdgeValue::new(edge_value::Edge::First)),
        AggregateUDF::new_from_impl(edge_value::EdgeValue::new(edge_value::Edge::Last)),
        AggregateUDF::new_from_impl(histogram::Histogram::default()),
    ];
    own.into_iter().chain(planned::functions()).map(Arc::new).collect()
}
