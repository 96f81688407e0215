//! Planning that stops when its statement is cancelled: between any two rules that rewrite a plan,
//! another looks at the token.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::logical_expr::LogicalPlan;
use datafusion::optimizer::analyzer::Analyzer;
use datafusion::optimizer::optimizer::Optimizer;
use datafusion::optimizer::{AnalyzerRule, OptimizerConfig, OptimizerRule};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;

use crate::cancel::CancelToken;
use crate::constant_folding::BoundedFolding;
use crate::guarded_rules::{guarded, guarded_physical};
use crate::small_joins::SMALL_JOINS;

/// Names of the rules.
pub(crate) const CHECK: &str = "check_cancelled";

/// DataFusion's analyzer rules, with a look at the token before each.
pub(crate) fn analyzer_rules() -> Vec<Arc<dyn AnalyzerRule + Send + Sync>> {
    let rules = Analyzer::new().rules.into_iter();
    rules.flat_map(|rule| [Arc::new(CheckCancelled) as _, rule]).collect()
}

/// DataFusion's optimizer rules, with short literals and a look at the token before each. Small tables
/// are joined first, once joins have keys, and before other rules put steps between joins.
pub(crate) fn optimizer_rules() -> Vec<Arc<dyn OptimizerRule + Send + Sync>> {
    let rules = Optimizer::new().rules.into_iter().map(|rule| BoundedFolding(guarded(rule)));
    let mut rules: Vec<Arc<dyn OptimizerRule + Send + Sync>> =
        rules.flat_map(|rule| [Arc::new(CheckCancelled) as _, Arc::new(rule) as _]).collect();
    let with_keys = rules.iter().position(|rule| rule.name() == "extract_equijoin_predicate");
    rules.insert(with_keys.map_or(0, |at| at + 1), Arc::new(SMALL_JOINS));
    rules
}

/// Rules for physical plans, with a look at the token before each.
pub(crate) fn physical_rules(
    rules: Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>>,
) -> Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> {
    let rules = rules.into_iter().map(guarded_physical);
    rules.flat_map(|rule| [Arc::new(CheckCancelled) as _, rule]).collect()
}

/// Leaves plans as they are.
#[derive(Debug)]
struct CheckCancelled;

impl AnalyzerRule for CheckCancelled {
    fn name(&self) -> &str {
        CHECK
    }

    fn analyze(&self, plan: LogicalPlan, config: &ConfigOptions) -> Result<LogicalPlan> {
        CancelToken::of(config).check()?;
        Ok(plan)
    }
}

impl OptimizerRule for CheckCancelled {
    fn name(&self) -> &str {
        CHECK
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        CancelToken::of(&config.options()).check()?;
        Ok(Transformed::no(plan))
    }
}

impl PhysicalOptimizerRule for CheckCancelled {
    fn name(&self) -> &str {
        CHECK
    }

    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        CancelToken::of(config).check()?;
        Ok(plan)
    }

    fn schema_check(&self) -> bool {
        true
    }
}
