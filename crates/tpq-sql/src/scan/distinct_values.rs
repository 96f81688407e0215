//! Scans below a DISTINCT on one column of few values.
//!
//! `SELECT DISTINCT ucpu FROM sched` needs each CPU once. Such a scan gives each value when it comes
//! to it first, and skips the chunks of which it has all values that their bounds allow: mostly all
//! but the first one.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use datafusion::arrow::datatypes::Int64Type;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{Result, internal_err};
use datafusion::config::ConfigOptions;
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use tpq_tables::ChunkRange;

use super::source::ChunkSource;

/// The most integers between the bounds of such a column.
const MOST_VALUES: u64 = 4096;

/// Makes such scans. The step above them stays, because parts of a scan have values in common.
#[derive(Debug)]
pub(crate) struct DistinctScans;

impl PhysicalOptimizerRule for DistinctScans {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| {
            let Some(scan) = distinct_scan(&node) else { return Ok(Transformed::no(node)) };
            let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
            node.replace_children(vec![scan], options).map(Transformed::yes)
        })
        .data()
    }

    fn name(&self) -> &str {
        "distinct_scans"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// The scan below a DISTINCT that can leave out values that come again.
fn distinct_scan(node: &Arc<dyn ExecutionPlan>) -> Option<Arc<dyn ExecutionPlan>> {
    let step = node.downcast_ref::<AggregateExec>()?;
    let groups = step.group_expr();
    let [(key, _)] = groups.expr() else { return None };
    let is_distinct =
        step.aggr_expr().is_empty() && groups.is_single() && step.limit_options().is_none();
    if !is_distinct || key.downcast_ref::<Column>().is_none() {
        return None;
    }
    let scan = step.input().downcast_ref::<DataSourceExec>()?;
    let source = scan.data_source().downcast_ref::<ChunkSource>()?.of_distinct_values()?;
    Some(DataSourceExec::from_data_source(source))
}

/// The least and the greatest value of a column, if there are few between them.
pub(super) fn few_values(ranges: impl Iterator<Item = ChunkRange>) -> Option<(i64, i64)> {
    let bounds = ranges.filter_map(|range| range.bounds);
    let (least, greatest) = bounds
        .reduce(|(low, high), (next_low, next_high)| (low.min(next_low), high.max(next_high)))?;
    (greatest.abs_diff(least) < MOST_VALUES).then_some((least, greatest))
}

/// The values that a scan has come to.
pub(super) struct DistinctValues {
    least: i64,
    /// For each value from the least one on, whether it was there.
    seen: Vec<bool>,
    has_null: bool,
    /// The values in the order in which they came.
    values: Vec<Option<i64>>,
}

impl DistinctValues {
    /// No values yet, of a column with these bounds.
    pub(super) fn within((least, greatest): (i64, i64)) -> Self {
        let count = greatest.abs_diff(least).min(MOST_VALUES) as usize + 1;
        Self { least, seen: vec![false; count], has_null: false, values: Vec::new() }
    }

    fn place(&self, value: i64) -> usize {
        value.abs_diff(self.least) as usize
    }

    /// Whether all values that a chunk can have were there.
    pub(super) fn has_all(&self, range: ChunkRange) -> bool {
        let has_bounds = range.bounds.is_none_or(|(least, greatest)| {
            let seen = self.seen.get(self.place(least)..=self.place(greatest));
            seen.is_some_and(|seen| seen.iter().all(|&seen| seen))
        });
        has_bounds && (range.nulls == 0 || self.has_null)
    }

    /// Adds the values of a column.
    ///
    /// # Errors
    /// When they are beyond the bounds, which is a bug.
    pub(super) fn add(&mut self, column: &ArrayRef) -> Result<()> {
        let Some(column) = column.as_primitive_opt::<Int64Type>() else {
            return internal_err!("a column of integers is expected");
        };
        for (row, &value) in column.values().iter().enumerate() {
            if column.is_null(row) {
                if !std::mem::replace(&mut self.has_null, true) {
                    self.values.push(None);
                }
                continue;
            }
            let place = self.place(value);
            let Some(seen) = self.seen.get_mut(place) else {
                return internal_err!("{value} is not within the bounds of its column");
            };
            if !std::mem::replace(seen, true) {
                self.values.push(Some(value));
            }
        }
        Ok(())
    }

    /// The values; `None` if there were none.
    pub(super) fn finish(self) -> Option<ArrayRef> {
        (!self.values.is_empty()).then(|| Arc::new(Int64Array::from(self.values)) as ArrayRef)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(bounds: Option<(i64, i64)>, nulls: usize) -> ChunkRange {
        ChunkRange { bounds, nulls }
    }

    fn column(values: &[Option<i64>]) -> ArrayRef {
        Arc::new(Int64Array::from(values.to_vec()))
    }

    #[test]
    fn values_come_once_in_the_order_of_the_rows() {
        let mut values = DistinctValues::within((-2, 3));
        assert!(!values.has_all(range(Some((1, 1)), 0)));
        values.add(&column(&[Some(1), Some(-2), Some(1), None, Some(3), None])).unwrap();
        assert!(values.has_all(range(Some((1, 1)), 5)));
        assert!(!values.has_all(range(Some((1, 3)), 0)));
        assert!(values.has_all(range(None, 7)));
        values.add(&column(&[Some(2), Some(-2)])).unwrap();
        assert!(values.has_all(range(Some((1, 3)), 0)));
        assert!(values.add(&column(&[Some(4)])).is_err());
        let found = values.finish().unwrap();
        assert_eq!(&found, &column(&[Some(1), Some(-2), None, Some(3), Some(2)]));
        assert!(DistinctValues::within((0, 0)).finish().is_none());
    }

    #[test]
    fn few_values_are_between_near_bounds() {
        let of =
            |bounds: &[(i64, i64)]| few_values(bounds.iter().map(|&bounds| range(Some(bounds), 0)));
        assert_eq!(of(&[(5, 7), (-1, 6)]), Some((-1, 7)));
        assert_eq!(of(&[(0, 4095)]), Some((0, 4095)));
        assert_eq!(of(&[(0, 1), (4096, 4096)]), None);
        assert_eq!(of(&[(i64::MIN, i64::MAX)]), None);
        assert_eq!(of(&[]), None);
    }
}
