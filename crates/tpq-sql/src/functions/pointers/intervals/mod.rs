//! Functions on intervals: intersections, intervals between starts and ends, counter intervals.

mod counter;
mod create;
mod intersect;
mod keys;
mod overlap;
mod self_intersect;

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, exec_datafusion_err};

use super::collect::Layout;
use super::operator::TableOperator;

/// The aggregates of this family.
pub(super) const COLLECTED: &[Layout] = &[
    Layout {
        name: "__intrinsic_interval_tree_intervals_agg",
        arguments: &[("id", DataType::Int64), ("ts", DataType::Int64), ("dur", DataType::Int64)],
        pairs: true,
        finish: None,
        null_error: None,
    },
    Layout {
        name: "__intrinsic_isi_intervals_agg",
        arguments: &[
            ("ts", DataType::Int64),
            ("dur", DataType::Int64),
            ("value", DataType::Float64),
        ],
        pairs: true,
        finish: None,
        null_error: None,
    },
    Layout {
        name: "__intrinsic_interval_overlap_count_agg",
        arguments: &[("ts", DataType::Int64), ("dur", DataType::Int64)],
        pairs: false,
        finish: Some((overlap::counted, overlap::columns)),
        null_error: None,
    },
    Layout {
        name: "__intrinsic_timestamp_set_agg",
        arguments: &[("ts", DataType::Int64)],
        pairs: false,
        finish: None,
        null_error: None,
    },
    Layout {
        name: "__intrinsic_counter_per_track_agg",
        arguments: &[
            ("id", DataType::Int64),
            ("ts", DataType::Int64),
            ("track_id", DataType::Int64),
            ("value", DataType::Float64),
        ],
        pairs: false,
        finish: None,
        null_error: None,
    },
];

/// A time or duration that was computed from others.
///
/// # Errors
/// When it is no integer of 64 bits.
fn checked_time(time: Option<i64>) -> Result<i64> {
    time.ok_or_else(|| exec_datafusion_err!("integer overflow in the times of intervals"))
}

/// The functions of this family.
pub(super) fn operators() -> Vec<Arc<dyn TableOperator>> {
    vec![
        Arc::new(intersect::Intersect),
        Arc::new(self_intersect::SelfIntersect),
        Arc::new(self_intersect::SelfIntersectAggregate),
        Arc::new(create::CreateIntervals("__intrinsic_create_intervals")),
        Arc::new(create::CreateIntervals("__intrinsic_interval_create")),
        Arc::new(create::CreateIntervals("__intrinsic_create_slices")),
        Arc::new(counter::CounterIntervals),
    ]
}
