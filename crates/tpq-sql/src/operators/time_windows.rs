//! `__intrinsic_window`: a table of windows of time, one after the other.

use std::sync::{Arc, LazyLock};

use async_trait::async_trait;
use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use futures::stream;

static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    let names = ["ts", "dur", "quantum_ts"];
    let fields = names.map(|name| Field::new(name, DataType::Int64, false));
    Arc::new(Schema::new(fields.to_vec()))
});

/// Windows of `quantum` ns from `start` on, as many as `dur` ns have room for or begin in. With a
/// `quantum` of 0, one window of `dur` ns. The rows are made when they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeWindows {
    start: i64,
    dur: i64,
    quantum: i64,
}

impl TimeWindows {
    /// `None` if a duration is negative, or the end of the last window is no time.
    pub(crate) fn new(start: i64, dur: i64, quantum: i64) -> Option<Self> {
        let windows = Self { start, dur, quantum };
        if dur < 0 || quantum < 0 {
            return None;
        }
        let end = i128::from(start) + windows.count() * i128::from(windows.step());
        i64::try_from(end).is_ok().then_some(windows)
    }

    /// The length of a window.
    fn step(&self) -> i64 {
        if self.quantum == 0 { self.dur } else { self.quantum }
    }

    /// The number of windows.
    fn count(&self) -> i128 {
        match i128::from(self.step()) {
            0 => 0,
            step => (i128::from(self.dur) + step - 1) / step,
        }
    }

    /// The first windows from the one with number `first` on, `most` at most; `None` after the
    /// last window.
    fn batch(&self, first: i64, most: i64) -> Option<Result<RecordBatch>> {
        let end = self.count().min(i128::from(first) + i128::from(most));
        // The end of every window is a time, so the numbers below do not overflow.
        let end = i64::try_from(end).ok().filter(|&end| end > first)?;
        let step = self.step();
        let ts = (first..end).map(|number| self.start + number * step);
        let columns: [Int64Array; 3] = [
            ts.collect::<Vec<_>>().into(),
            vec![step; usize::try_from(end - first).ok()?].into(),
            (first..end).collect::<Vec<_>>().into(),
        ];
        let columns: Vec<ArrayRef> =
            columns.into_iter().map(|column| Arc::new(column) as ArrayRef).collect();
        Some(RecordBatch::try_new(Arc::clone(&SCHEMA), columns).map_err(Into::into))
    }
}

impl PartitionStream for TimeWindows {
    fn schema(&self) -> &SchemaRef {
        &SCHEMA
    }

    fn execute(&self, context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let windows = *self;
        let most = i64::try_from(context.session_config().batch_size()).unwrap_or(i64::MAX);
        let batches = std::iter::successors(Some(0i64), move |first| first.checked_add(most));
        let batches = batches.map_while(move |first| windows.batch(first, most));
        let batches = stream::iter(batches);
        Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&SCHEMA), batches))
    }
}

#[async_trait]
impl TableProvider for TimeWindows {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&SCHEMA)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let columns = projection.map_or_else(|| vec![0, 1, 2], Clone::clone);
        let ts = columns.iter().position(|&column| column == 0);
        let order = ts.and_then(|ts| {
            LexOrdering::new([PhysicalSortExpr::new_default(Arc::new(Column::new("ts", ts)))])
        });
        let exec = StreamingTableExec::try_new(
            Arc::clone(&SCHEMA),
            vec![Arc::new(*self)],
            projection,
            order,
            false,
            limit,
        )?;
        Ok(Arc::new(exec))
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::AsArray;
    use datafusion::arrow::datatypes::Int64Type;

    use super::*;

    /// The windows: ts, dur and quantum_ts.
    fn rows(start: i64, dur: i64, quantum: i64) -> Vec<[i64; 3]> {
        let windows = TimeWindows::new(start, dur, quantum).expect("the windows end in time");
        let mut found = Vec::new();
        // Two windows a batch.
        while let Some(batch) = windows.batch(found.len() as i64, 2) {
            let batch = batch.expect("the columns fit the schema");
            let value =
                |at: usize, row: usize| batch.column(at).as_primitive::<Int64Type>().value(row);
            found.extend((0..batch.num_rows()).map(|row| [0, 1, 2].map(|at| value(at, row))));
        }
        found
    }

    #[test]
    fn windows_follow_one_another() {
        assert_eq!(rows(-10, 30, 10), [[-10, 10, 0], [0, 10, 1], [10, 10, 2]]);
        // The third begins at 10 + 20, before 10 + 25.
        assert_eq!(rows(10, 25, 10), [[10, 10, 0], [20, 10, 1], [30, 10, 2]]);
    }

    #[test]
    fn without_a_quantum_there_is_one_window() {
        assert_eq!(rows(5, 100, 0), [[5, 100, 0]]);
    }

    #[test]
    fn windows_without_time_are_none() {
        assert!(rows(0, 0, 1).is_empty());
        assert!(rows(0, 0, 0).is_empty());
    }

    #[test]
    fn windows_end_at_a_time() {
        assert!(TimeWindows::new(0, -1, 1).is_none());
        assert!(TimeWindows::new(0, 1, -1).is_none());
        assert!(TimeWindows::new(i64::MAX, 1, 0).is_none());
        assert!(TimeWindows::new(i64::MAX - 5, 5, 4).is_none());
        assert!(TimeWindows::new(i64::MIN, i64::MAX, 1).is_some());
    }
}
