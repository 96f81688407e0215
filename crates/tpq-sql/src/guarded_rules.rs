//! Rules of DataFusion, kept from the plans for which they are wrong.
//!
//! - `eliminate_duplicated_expr` leaves out keys of an ORDER BY that others decide. Of groups and
//!   joins it concludes that columns decide others which do not, so it keeps to rows of one table.
//! - `push_down_filter` moves conditions without columns below an aggregate without GROUP BY, which
//!   gives a row for no rows.
//! - `extract_equijoin_predicate` and `eliminate_cross_join` add `=` to the keys of a join that
//!   were compared by IS, and then NULL equals NULL for both.
//! - `common_sub_expression_eliminate` makes one column of two window expressions that are equal once
//!   constants are computed, below the windows, where none is evaluated.
//! - `LimitAggregation` keeps the least keys of groups for the least values of an expression that
//!   has the name of the key.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{NullEquality, Result};
use datafusion::config::ConfigOptions;
use datafusion::logical_expr::{Expr, Filter, Join, JoinType, LogicalPlan};
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::projection::ProjectionExec;

use crate::order_checks::{self, CheckPlan};

/// A rule for logical plans, where it is right.
#[derive(Debug)]
struct GuardedRule {
    rule: Arc<dyn OptimizerRule + Send + Sync>,
    is_wrong: fn(&LogicalPlan) -> Result<bool>,
}

/// A rule for physical plans, where it is right.
#[derive(Debug)]
struct GuardedPhysicalRule {
    rule: Arc<dyn PhysicalOptimizerRule + Send + Sync>,
    is_wrong: fn(&Arc<dyn ExecutionPlan>) -> Result<bool>,
}

/// The rule, guarded if it is wrong for some plans.
pub(crate) fn guarded(
    rule: Arc<dyn OptimizerRule + Send + Sync>,
) -> Arc<dyn OptimizerRule + Send + Sync> {
    let is_wrong: fn(&LogicalPlan) -> Result<bool> = match rule.name() {
        "eliminate_duplicated_expr" => |plan| Ok(orders_other_than_table_rows(plan)),
        "push_down_filter" => |plan| Ok(filters_a_total(plan)),
        "extract_equijoin_predicate" => |plan| Ok(has_null_keys_and_filter(plan)),
        "common_sub_expression_eliminate" => |plan| plan.exists(|node| Ok(repeats_a_window(node))),
        "eliminate_cross_join" => |plan| plan.exists(|node| Ok(mixes_null_equality(node))),
        _ => return rule,
    };
    Arc::new(GuardedRule { rule, is_wrong })
}

/// The same for a rule for physical plans.
pub(crate) fn guarded_physical(
    rule: Arc<dyn PhysicalOptimizerRule + Send + Sync>,
) -> Arc<dyn PhysicalOptimizerRule + Send + Sync> {
    match rule.name() {
        "LimitAggregation" => {}
        order_checks::NAME => return Arc::new(CheckPlan),
        _ => return rule,
    }
    let is_wrong = |plan: &Arc<dyn ExecutionPlan>| plan.exists(|node| Ok(reuses_a_name(node)));
    Arc::new(GuardedPhysicalRule { rule, is_wrong })
}

impl OptimizerRule for GuardedRule {
    fn name(&self) -> &str {
        self.rule.name()
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        self.rule.apply_order()
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        match (self.is_wrong)(&plan)? {
            true => Ok(Transformed::no(plan)),
            false => self.rule.rewrite(plan, config),
        }
    }
}

impl PhysicalOptimizerRule for GuardedPhysicalRule {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match (self.is_wrong)(&plan)? {
            true => Ok(plan),
            false => self.rule.optimize(plan, config),
        }
    }

    fn name(&self) -> &str {
        self.rule.name()
    }

    fn schema_check(&self) -> bool {
        self.rule.schema_check()
    }
}

/// Whether two expressions of windows that are computed one after the other are equal.
fn repeats_a_window(plan: &LogicalPlan) -> bool {
    let (mut node, mut seen) = (plan, HashSet::new());
    while let LogicalPlan::Window(window) = node {
        for expr in &window.window_expr {
            let mut expr = expr;
            while let Expr::Alias(alias) = expr {
                expr = &alias.expr;
            }
            if !seen.insert(expr) {
                return true;
            }
        }
        node = &window.input;
    }
    false
}

fn orders_other_than_table_rows(plan: &LogicalPlan) -> bool {
    let LogicalPlan::Sort(sort) = plan else { return false };
    let mut input = &sort.input;
    loop {
        input = match input.as_ref() {
            LogicalPlan::TableScan(_) => return false,
            LogicalPlan::Projection(projection) => &projection.input,
            LogicalPlan::Filter(filter) => &filter.input,
            LogicalPlan::SubqueryAlias(alias) => &alias.input,
            LogicalPlan::Limit(limit) => &limit.input,
            LogicalPlan::Sort(sort) => &sort.input,
            _ => return true,
        };
    }
}

/// Whether a filter is over an aggregate that has a group without rows.
fn filters_a_total(plan: &LogicalPlan) -> bool {
    let LogicalPlan::Filter(Filter { input, .. }) = plan else { return false };
    match input.as_ref() {
        filter @ LogicalPlan::Filter(_) => filters_a_total(filter),
        LogicalPlan::Aggregate(aggregate) => {
            let is_set = |group: &Expr| matches!(group, Expr::GroupingSet(_));
            aggregate.group_expr.is_empty() || aggregate.group_expr.iter().any(is_set)
        }
        _ => false,
    }
}

fn has_null_keys(join: &Join) -> bool {
    join.null_equality == NullEquality::NullEqualsNull && !join.on.is_empty()
}

fn has_null_keys_and_filter(plan: &LogicalPlan) -> bool {
    matches!(plan, LogicalPlan::Join(join) if has_null_keys(join) && join.filter.is_some())
}

/// Whether a join compared by IS is made one with other joins or with a filter.
fn mixes_null_equality(node: &LogicalPlan) -> bool {
    match node {
        LogicalPlan::Filter(filter) => inner_join(&filter.input).is_some_and(has_null_keys),
        LogicalPlan::Join(join) if join.join_type == JoinType::Inner => {
            let inputs = [&join.left, &join.right].map(|input| inner_join(input));
            inputs.iter().flatten().any(|input| has_null_keys(input) || has_null_keys(join))
        }
        _ => false,
    }
}

fn inner_join(plan: &LogicalPlan) -> Option<&Join> {
    match plan {
        LogicalPlan::Join(join) if join.join_type == JoinType::Inner => Some(join),
        _ => None,
    }
}

/// Whether a projection gives something else under the name of a column of its input.
fn reuses_a_name(node: &Arc<dyn ExecutionPlan>) -> bool {
    let Some(projection) = node.downcast_ref::<ProjectionExec>() else { return false };
    let schema = projection.input().schema();
    projection.expr().iter().any(|expr| {
        let column = expr.expr.downcast_ref::<Column>();
        column.is_none_or(|column| column.name() != expr.alias)
            && schema.column_with_name(&expr.alias).is_some()
    })
}
