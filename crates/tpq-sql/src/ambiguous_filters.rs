//! Filters that DataFusion would push down to a wrong column.
//!
//! Its rule finds the column of a filter in the input of a step by name alone. The output of a join
//! may have two columns of one name, and then the filter of the second reads the first. A plan is
//! left without that rule if a step filters by a column with a name that occurs twice below it.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::config::ConfigOptions;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::sorts::sort::SortExec;

/// The rule of DataFusion that pushes filters down, where it is right.
#[derive(Debug)]
struct SafeFilterPushdown(Arc<dyn PhysicalOptimizerRule + Send + Sync>);

/// The rules with those that push filters down guarded.
pub(crate) fn guarded(
    rules: Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>>,
) -> Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> {
    let guard = |rule: Arc<dyn PhysicalOptimizerRule + Send + Sync>| {
        if rule.name().starts_with("FilterPushdown") {
            Arc::new(SafeFilterPushdown(rule)) as _
        } else {
            rule
        }
    };
    rules.into_iter().map(guard).collect()
}

impl PhysicalOptimizerRule for SafeFilterPushdown {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if Names::below(&plan).is_ambiguous {
            return Ok(plan);
        }
        self.0.optimize(plan, config)
    }

    fn name(&self) -> &str {
        self.0.name()
    }

    fn schema_check(&self) -> bool {
        self.0.schema_check()
    }
}

/// The names of columns in a step and all steps below it.
#[derive(Default)]
struct Names {
    /// The names that a step gives to two columns.
    repeated: HashSet<String>,
    /// Whether a step filters by such a name.
    is_ambiguous: bool,
}

impl Names {
    fn below(plan: &Arc<dyn ExecutionPlan>) -> Self {
        let mut names = Self::default();
        for input in plan.children() {
            let input = Self::below(input);
            names.is_ambiguous |= input.is_ambiguous;
            if names.repeated.is_empty() {
                names.repeated = input.repeated;
            } else {
                names.repeated.extend(input.repeated);
            }
        }
        let is_repeated = |name: &String| names.repeated.contains(name);
        if !names.repeated.is_empty() && !names.is_ambiguous {
            names.is_ambiguous = filtered_by(plan).iter().any(is_repeated);
        }
        let schema = plan.schema();
        let mut seen = HashSet::new();
        for field in schema.fields() {
            if !seen.insert(field.name()) {
                names.repeated.insert(field.name().clone());
            }
        }
        names
    }
}

/// The columns by which a step may filter its inputs.
fn filtered_by(plan: &Arc<dyn ExecutionPlan>) -> Vec<String> {
    let mut names = Vec::new();
    let mut add = |expr: &Arc<dyn PhysicalExpr>| {
        names.extend(collect_columns(expr).iter().map(|column: &Column| column.name().to_owned()));
    };
    if let Some(filter) = plan.downcast_ref::<FilterExec>() {
        add(filter.predicate());
    } else if let Some(join) = plan.downcast_ref::<HashJoinExec>() {
        join.on().iter().for_each(|(left, right)| {
            add(left);
            add(right);
        });
    } else if let Some(sort) = plan.downcast_ref::<SortExec>() {
        if sort.fetch().is_some() {
            sort.expr().iter().for_each(|by| add(&by.expr));
        }
    } else if let Some(aggregate) = plan.downcast_ref::<AggregateExec>() {
        for function in aggregate.aggr_expr() {
            function.expressions().iter().for_each(&mut add);
        }
    }
    names
}
