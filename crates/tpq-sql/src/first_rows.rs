//! The first rows of a statement, and how many there are in all.

use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Int64Type;
use datafusion::common::Result;
use datafusion::common::tree_node::TreeNode;
use datafusion::functions_aggregate::count::count;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};

use crate::cancel::{CancelOnDrop, CancelToken, WithCancelToken};
use crate::errors::{Names, SqlError, translate};
use crate::explain::explains;
use crate::perfetto_sql::{Planned, Statement};
use crate::result::ResultSet;
use crate::session::Session;
use crate::stack::Planning;

impl Session {
    /// Runs a statement as [`Session::run_cancellable`] does, but for no more than its first `rows`
    /// rows: the rest is not computed where that can be avoided. Listings and plans are given
    /// whole; [`ResultSet::limit`] distinguishes them from others.
    ///
    /// # Errors
    /// As [`Session::run_cancellable`].
    pub async fn run_first(
        &self,
        statement: &Statement,
        rows: usize,
        cancel: &CancelToken,
    ) -> Result<Option<ResultSet>, SqlError> {
        let mut is_cut = false;
        let shape = |planned: Planned| {
            is_cut = !explains(&planned.plan);
            if is_cut { first(planned, rows) } else { Ok(planned) }
        };
        let result = self.run_shaped(statement, cancel, shape).await?;
        Ok(result.map(|result| if is_cut { result.limited_to(rows) } else { result }))
    }

    /// How many rows a statement gives, without computing more than the count needs; `None` for
    /// one that gives no rows, explains another, or may never end. Nothing is changed.
    ///
    /// # Errors
    /// As [`Session::run_cancellable`].
    pub async fn count_rows(
        &self,
        statement: &Statement,
        cancel: &CancelToken,
    ) -> Result<Option<u64>, SqlError> {
        Planning::new(WithCancelToken::new(cancel, self.count_here(statement, cancel))).await
    }

    async fn count_here(
        &self,
        statement: &Statement,
        cancel: &CancelToken,
    ) -> Result<Option<u64>, SqlError> {
        let Some((state, planned, text)) = self.plan_of_rows(statement, cancel).await? else {
            return Ok(None);
        };
        let failed = |error| translate(error, &text, &Names::none());
        if explains(&planned.plan) || may_not_end(&planned.plan).map_err(failed)? {
            return Ok(None);
        }
        let counting = counted(planned).map_err(failed)?;
        let stop = CancelOnDrop(cancel.child());
        let rows = self.start(state, counting, text.clone(), stop).await?;
        let batches = rows.collect().await?;
        let batch = batches.iter().find(|batch| batch.num_rows() > 0);
        let count = batch.map(|batch| batch.column(0).as_primitive::<Int64Type>().value(0));
        Ok(count.and_then(|count| u64::try_from(count).ok()))
    }
}

fn first(planned: Planned, rows: usize) -> Result<Planned> {
    let Planned { plan, names } = planned;
    let plan = LogicalPlanBuilder::from(plan).limit(0, Some(rows))?.build()?;
    Ok(Planned { plan, names })
}

/// Whether a plan is recursive, or pairs all rows of one input with all of another.
fn may_not_end(plan: &LogicalPlan) -> Result<bool> {
    plan.exists(|node| {
        Ok(match node {
            LogicalPlan::RecursiveQuery(_) => true,
            LogicalPlan::Join(join) => join.on.is_empty() && join.filter.is_none(),
            _ => false,
        })
    })
}

fn counted(planned: Planned) -> Result<Planned> {
    let mut plan = planned.plan;
    // The order of rows does not change their number.
    while let LogicalPlan::Sort(sort) = &plan
        && sort.fetch.is_none()
    {
        plan = sort.input.as_ref().clone();
    }
    let rows = LogicalPlanBuilder::from(plan)
        .aggregate(Vec::<Expr>::new(), vec![count(lit(1_i64)).alias("count")])?
        .build()?;
    Ok(Planned { plan: rows, names: vec!["count".to_owned()] })
}
