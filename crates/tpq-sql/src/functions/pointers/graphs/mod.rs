//! Functions on graphs and trees; nodes are identified by integers.

mod critical_path;
mod dfs_weight_bounded;
mod dominator_summary;
mod dominators;
mod graph;
mod partition;
mod scan;
mod search;
mod tree;

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Fields};

use super::collect::Layout;
use super::operator::TableOperator;
use super::table::integer;

pub(super) use dfs_weight_bounded::DfsWeightBounded;
pub(crate) use graph::Graph;
pub(crate) use scan::{AGGREGATING_GRAPH_SCAN, GRAPH_SCAN};

/// The aggregates of this family.
pub(super) const COLLECTED: &[Layout] = &[
    Layout {
        name: "__intrinsic_graph_agg",
        arguments: &[("source", DataType::Int64), ("dest", DataType::Int64)],
        pairs: false,
        finish: None,
        null_error: None,
    },
    Layout {
        name: "__intrinsic_array_agg",
        arguments: &[("value", DataType::Null)],
        pairs: false,
        finish: None,
        null_error: Some(
            "ARRAY_AGG: nulls are not supported. \
             They should be filtered out before calling ARRAY_AGG.",
        ),
    },
    Layout {
        name: "repeatedfield",
        arguments: &[("value", DataType::Null)],
        pairs: false,
        finish: None,
        null_error: None,
    },
    Layout {
        name: "__intrinsic_dominator_tree",
        arguments: &[
            ("source", DataType::Int64),
            ("dest", DataType::Int64),
            ("root", DataType::Int64),
        ],
        pairs: false,
        finish: Some((dominators::dominator_tree, || {
            Fields::from(vec![integer("node_id"), integer("dominator_node_id")])
        })),
        null_error: None,
    },
    Layout {
        name: "__intrinsic_structural_tree_partition",
        arguments: &[
            ("id", DataType::Int64),
            ("parent_id", DataType::Int64),
            ("group_key", DataType::Int64),
        ],
        pairs: false,
        finish: Some((partition::partition_by_group, || {
            let names = ["node_id", "parent_node_id", "group_key"];
            names.into_iter().map(integer).collect()
        })),
        null_error: None,
    },
    // The planner passes the pairs of name and value of the following two as one row.
    Layout {
        name: "__intrinsic_row_dataframe_agg",
        arguments: &[("row", DataType::Null)],
        pairs: false,
        finish: None,
        null_error: None,
    },
    Layout {
        name: "__intrinsic_tree_from_table",
        arguments: &[("row", DataType::Null)],
        pairs: false,
        finish: None,
        null_error: None,
    },
    Layout {
        name: "__intrinsic_wakeup_graph_agg",
        arguments: critical_path::SPAN_COLUMNS,
        pairs: false,
        finish: None,
        null_error: None,
    },
];

/// The functions of this family.
pub(super) fn operators() -> Vec<Arc<dyn TableOperator>> {
    vec![
        Arc::new(search::Search::DepthFirst),
        Arc::new(search::Search::BreadthFirst),
        Arc::new(scan::MisplacedScan(GRAPH_SCAN)),
        Arc::new(scan::MisplacedScan(AGGREGATING_GRAPH_SCAN)),
        Arc::new(tree::TreeToTable),
        Arc::new(dominator_summary::DominatorSummary),
        Arc::new(critical_path::CriticalPathWalk),
    ]
}
