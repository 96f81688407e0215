//! Sorting by keys that are packed into machine words.
//!
//! ```text
//! key columns ──keys──▶ codes that order as the values do, in as few bits as hold them
//!             ──radix─▶ the order of rows ──take──▶ sorted batches
//! ```
//!
//! DataFusion compares rows byte by byte and merges sorted batches, which lets it spill, but costs
//! a thousand instructions a row. Here all rows are held at once, so this takes the place of its
//! sort only if there is no memory limit. Window functions above it then process a partition at a
//! time instead of row by row.

mod exec;
mod keys;
mod radix;
mod views;

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::Transformed;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{ExecutionPlan, InputOrderMode};

use crate::step_rules::{PhysicalStepRule, replaced};

pub(super) use exec::PackedSortExec;
pub(super) use keys::code_of_real;

/// Puts [`PackedSortExec`] where all rows are sorted by keys it knows.
pub(crate) const PACKED_SORTS: PhysicalStepRule =
    PhysicalStepRule { name: "packed_sorts", rewrite: packed };

fn packed(node: Arc<dyn ExecutionPlan>) -> Result<Transformed<Arc<dyn ExecutionPlan>>> {
    if let Some(sort) = node.downcast_ref::<SortExec>() {
        return Ok(match PackedSortExec::of(sort)? {
            Some(packed) => Transformed::yes(Arc::new(packed)),
            None => Transformed::no(node),
        });
    }
    Ok(replaced(whole_window(&node)?, node))
}

/// Window functions over rows that are all there, a partition at a time.
fn whole_window(node: &Arc<dyn ExecutionPlan>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let Some(window) = node.downcast_ref::<BoundedWindowAggExec>() else { return Ok(None) };
    let is_sorted = matches!(window.input_order_mode, InputOrderMode::Sorted);
    if !is_sorted || window.input().downcast_ref::<PackedSortExec>().is_none() {
        return Ok(None);
    }
    let can_repartition = !window.partition_keys().is_empty();
    let (functions, input) = (window.window_expr().to_vec(), Arc::clone(window.input()));
    Ok(Some(Arc::new(WindowAggExec::try_new(functions, input, can_repartition)?)))
}
