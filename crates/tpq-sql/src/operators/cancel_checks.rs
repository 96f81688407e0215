//! Joins, recursion and other steps that make many batches of few, made to stop when asked.
//!
//! A scan yields to the runtime after a number of batches, and so does everything that takes as
//! long as its input does. A cross join takes a batch of its input and gives a million: nothing
//! below it is asked for more, so nothing yields. These steps yield, and look whether the statement
//! was cancelled, with every batch they give. A join may try pairs for hours and give none, all of
//! those with equal keys or all there are, so its filter looks as well.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::joins::{
    CrossJoinExec, HashJoinExec, NestedLoopJoinExec, NestedLoopJoinExecBuilder, SortMergeJoinExec,
};
use datafusion::physical_plan::recursive_query::RecursiveQueryExec;
use datafusion::physical_plan::unnest::UnnestExec;

use super::apply::ApplyExec;
use super::checked_filter::checked_filter;
use super::each_batch::EachBatchExec;
use super::span_join::SpanJoinExec;
use super::table_call::TableCallExec;
use crate::cancel::CancelToken;
use crate::step_rules::PhysicalStepRule;

/// Puts a check over every step that may give far more batches than it takes.
pub(crate) const CANCEL_CHECKS: PhysicalStepRule = PhysicalStepRule {
    name: "cancel_checks",
    rewrite: |node| match multiplies(&node) {
        true => Ok(Transformed::yes(cancel_check(with_checked_filter(node)?))),
        false => Ok(Transformed::no(node)),
    },
};

/// The plan with a check over every leaf, and over every step that may give far more batches than
/// it takes: for a part of a plan that was made by another process.
///
/// # Errors
/// Only on a bug.
pub fn with_cancel_checks(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let checked = plan.transform_up(|node| match node.children().is_empty() || multiplies(&node) {
        true => Ok(Transformed::yes(cancel_check(with_checked_filter(node)?))),
        false => Ok(Transformed::no(node)),
    });
    checked.data()
}

/// A join with a check in its filter; any other step as it is.
fn with_checked_filter(node: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    if let Some(join) = node.downcast_ref::<NestedLoopJoinExec>() {
        let Some(filter) = join.filter().map(checked_filter) else { return Ok(node) };
        let join = NestedLoopJoinExecBuilder::from(join).with_filter(Some(filter)).build()?;
        return Ok(Arc::new(join));
    }
    if let Some(join) = node.downcast_ref::<HashJoinExec>() {
        let Some(filter) = join.filter().map(checked_filter) else { return Ok(node) };
        return join.builder().with_filter(Some(filter)).build_exec();
    }
    Ok(node)
}

/// Gives what `input` gives, until the statement is cancelled.
fn cancel_check(input: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    EachBatchExec::over(input, "CancelCheckExec", |context, _| {
        let cancel = CancelToken::of(context.session_config().options());
        Box::new(move |batch| cancel.check().map(|()| batch.into_iter().collect()))
    })
}

/// Whether a step may give many batches for one that it takes.
fn multiplies(node: &Arc<dyn ExecutionPlan>) -> bool {
    node.downcast_ref::<CrossJoinExec>().is_some()
        || node.downcast_ref::<HashJoinExec>().is_some()
        || node.downcast_ref::<NestedLoopJoinExec>().is_some()
        || node.downcast_ref::<SortMergeJoinExec>().is_some()
        || node.downcast_ref::<RecursiveQueryExec>().is_some()
        || node.downcast_ref::<UnnestExec>().is_some()
        || node.downcast_ref::<ApplyExec>().is_some()
        || node.downcast_ref::<SpanJoinExec>().is_some()
        || node.downcast_ref::<TableCallExec>().is_some()
}
