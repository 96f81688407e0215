//! Steps next to DataFusion's steps that hold rows, so that each row is counted once.
//!
//! A sort counts every text buffer of a batch whole, although the batches of a trace share the
//! buffers of all its texts: one of 8,192 names may count as a hundred megabytes. So its input is
//! copied first where memory has a limit, and so is that of some joins. A window over whole
//! partitions reserves nothing at all for the rows it holds. So its input is counted on the way.
//! A sort of which many first rows are wanted keeps all of these, and does not spill; there the
//! sort is a whole one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::buffer::Buffer;
use datafusion::arrow::compute::BatchCoalescer;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{Result, internal_err};
use datafusion::config::ConfigOptions;
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::joins::{CrossJoinExec, NestedLoopJoinExec, SortMergeJoinExec};
use datafusion::physical_plan::limit::LocalLimitExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::windows::WindowAggExec;
use datafusion::physical_plan::{ExecutionPlan, replace_children_if_necessary};

use super::each_batch::EachBatchExec;
use crate::memory::{Memory, bytes_of};

/// Bytes of a value that a window function makes, counted twice: they are made for each partition
/// and then put together.
const WINDOW_VALUE: usize = 2 * 8;

/// Rows that a sort may keep in memory at a time.
const MAX_FETCH_IN_MEMORY: usize = 10_000;

/// Puts steps next to sorts, windows and joins.
#[derive(Debug)]
pub(crate) struct MemoryGuards {
    /// Whether the user set a limit. Without one sorts do not spill, and are not DataFusion's.
    pub(crate) limited: bool,
}

impl PhysicalOptimizerRule for MemoryGuards {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let guarded = plan.transform_up(|node| {
            if node.downcast_ref::<WindowAggExec>().is_some() {
                return counted(&node).map(Transformed::yes);
            }
            if !self.limited || !counts_shared_texts(&node) {
                return Ok(Transformed::no(node));
            }
            let inputs = node.children().into_iter().map(|input| full_batches(Arc::clone(input)));
            let inputs = inputs.collect();
            let node = replace_children_if_necessary(node, inputs)?;
            Ok(Transformed::yes(spilling(&node).unwrap_or(node)))
        });
        guarded.data()
    }

    fn name(&self) -> &str {
        "memory_guards"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Whether a step reserves memory for all of a text buffer once for each batch that shares it.
fn counts_shared_texts(node: &Arc<dyn ExecutionPlan>) -> bool {
    node.downcast_ref::<SortExec>().is_some()
        || node.downcast_ref::<SortPreservingMergeExec>().is_some()
        || node.downcast_ref::<CrossJoinExec>().is_some()
        || node.downcast_ref::<NestedLoopJoinExec>().is_some()
        || node.downcast_ref::<SortMergeJoinExec>().is_some()
}

/// In place of a sort that keeps many first rows, which cannot spill, one that sorts all.
fn spilling(node: &Arc<dyn ExecutionPlan>) -> Option<Arc<dyn ExecutionPlan>> {
    let sort = node.downcast_ref::<SortExec>()?;
    let fetch = sort.fetch().filter(|&fetch| fetch > MAX_FETCH_IN_MEMORY)?;
    Some(Arc::new(LocalLimitExec::new(Arc::new(sort.with_fetch(None)), fetch)))
}

/// Returns full batches with text buffers that hold hardly more than their own texts. A join may
/// give thousands of batches of a few rows, for each of which a sort has a task and a place in a
/// merge.
fn full_batches(input: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    let schema = input.schema();
    if schema.fields().is_empty() {
        return input;
    }
    EachBatchExec::over(input, "FullBatchesExec", move |context, _| {
        let rows = context.session_config().batch_size();
        let mut coalescer = BatchCoalescer::new(Arc::clone(&schema), rows)
            .with_biggest_coalesce_batch_size(Some(rows / 2));
        Box::new(move |batch| {
            match batch {
                Some(batch) => coalescer.push_batch(batch)?,
                None => coalescer.finish_buffered_batch()?,
            }
            let full = std::iter::from_fn(|| coalescer.next_completed_batch());
            full.map(|batch| with_own_texts(&batch)).collect()
        })
    })
}

fn with_own_texts(batch: &RecordBatch) -> Result<RecordBatch> {
    let columns = batch.columns().iter().map(with_own_text).collect();
    Ok(RecordBatch::try_new(batch.schema(), columns)?)
}

/// The same values, copied where the buffers hold more than twice their texts.
fn with_own_text(column: &ArrayRef) -> ArrayRef {
    let is_shared = |buffers: &[Buffer], used: usize| {
        buffers.iter().map(|buffer| buffer.capacity()).sum::<usize>() > 2 * used
    };
    match column.data_type() {
        DataType::Utf8View => {
            let texts = column.as_string_view();
            match is_shared(texts.data_buffers(), texts.total_buffer_bytes_used()) {
                true => Arc::new(texts.gc()),
                false => Arc::clone(column),
            }
        }
        DataType::BinaryView => {
            let blobs = column.as_binary_view();
            match is_shared(blobs.data_buffers(), blobs.total_buffer_bytes_used()) {
                true => Arc::new(blobs.gc()),
                false => Arc::clone(column),
            }
        }
        _ => Arc::clone(column),
    }
}

/// Reserves memory for the rows that a window holds: it copies all of them into one batch before
/// it computes anything, and keeps both until it has given the last row.
///
/// A step below the window counts rows and a step above it shares the reservation, since the window
/// drops its input before it computes.
fn counted(window: &Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let [input] = window.children()[..] else { return internal_err!("a window over no input") };
    let added = window.schema().fields().len().saturating_sub(input.schema().fields().len());
    let reserved: Arc<Mutex<HashMap<usize, Arc<MemoryReservation>>>> = Arc::default();
    let of_partition = Arc::clone(&reserved);
    let below = EachBatchExec::over(Arc::clone(input), "CountExec", move |_, partition| {
        let held = lock(&of_partition).remove(&partition);
        Box::new(move |batch| {
            if let (Some(held), Some(batch)) = (&held, &batch) {
                let made = batch.num_rows() * added * WINDOW_VALUE;
                held.try_grow(2 * bytes_of(batch) + made)?;
            }
            Ok(batch.into_iter().collect())
        })
    });
    let window = replace_children_if_necessary(Arc::clone(window), vec![below])?;
    Ok(EachBatchExec::over(window, "ReserveExec", move |context, partition| {
        let memory = Memory::of(context.session_config().options());
        let held = memory.map(|memory| Arc::new(memory.consumer("WindowAggExec")));
        if let Some(held) = &held {
            lock(&reserved).insert(partition, Arc::clone(held));
        }
        Box::new(move |batch| {
            // Held for as long as there may be batches.
            let _ = &held;
            Ok(batch.into_iter().collect())
        })
    }))
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
