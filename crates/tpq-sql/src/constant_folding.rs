//! A bound on the values that the optimizer computes from constants.
//!
//! A computed value becomes a literal of the plan, and plans are copied, compared and formatted
//! many times. A call with a longer value stays a call, and is computed when the statement runs.

use std::cell::Cell;
use std::sync::Arc;

use datafusion::common::tree_node::Transformed;
use datafusion::common::{Result, exec_err};
use datafusion::logical_expr::LogicalPlan;
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};

/// The size of the longest value that becomes a literal, in bytes.
const LONGEST_LITERAL: usize = 1 << 10;

thread_local! {
    /// Whether this thread runs a rule of the optimizer.
    static FOLDING: Cell<bool> = const { Cell::new(false) };
}

/// A rule of the optimizer, with literals of at most [`LONGEST_LITERAL`] bytes.
#[derive(Debug)]
pub(crate) struct BoundedFolding(pub Arc<dyn OptimizerRule + Send + Sync>);

impl OptimizerRule for BoundedFolding {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        self.0.apply_order()
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        /// Restores the outer state, also when the rule panics.
        struct Restore(bool);
        impl Drop for Restore {
            fn drop(&mut self) {
                FOLDING.set(self.0);
            }
        }
        let _restore = Restore(FOLDING.replace(true));
        self.0.rewrite(plan, config)
    }
}

/// Checks the size in bytes of a function's result, before the result is made.
///
/// # Errors
/// When the optimizer makes the call and the result is too long for a literal. The optimizer then
/// leaves the call in the plan.
pub(crate) fn check_literal(bytes: usize) -> Result<()> {
    if bytes > LONGEST_LITERAL && FOLDING.get() {
        return exec_err!("a value of {bytes} bytes is too long for a literal of the plan");
    }
    Ok(())
}
