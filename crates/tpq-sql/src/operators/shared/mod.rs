//! Plans that a statement reads several times, computed once.
//!
//! DataFusion plans a CTE or view again wherever it is named. A query over `b` and `c`, both over
//! `a`, computes `a` twice, and a chain of such queries computes its first one 2ⁿ times.
//!
//! ```text
//! analysed plan ──find──▶ scans of shared queries ──DataFusion's rules──▶ filters and columns of
//! each scan ──settle──▶ SharedRead, or the query in its place ──planner──▶ SharedReadExec
//! ```
//!
//! **What is found.** The inputs of aliases, as CTEs, views and derived tables have one, that are
//! equal, read the same tables and depend on nothing around them. Each is made a scan of a table,
//! so that DataFusion pushes filters into it and finds out the columns that are needed, and plans
//! what is inside only once. It is done after the analyzer, since only then columns have their
//! final types.
//!
//! **What is shared.** After one pass of the optimizer each scan says what its reader wants, and
//! the choice is between two costs. Without sharing, each reader computes the query with its own
//! filters and columns. With it the query is computed once, with those columns that any reader
//! needs, and the rows that any reader wants; and its rows are kept. A step that groups, orders or
//! matches all of its rows costs far more than keeping what it gives, so two readers suffice. A
//! join by equal values streams, skips chunks by its keys, and costs about what keeping its rows
//! does: there it takes four readers, as nested queries soon have. A reader with a filter that
//! passes below all such steps computes a small part of the query, and does not count. One that
//! runs for each row of another plan, or in each round of a recursion, counts twice. Where too few
//! are left, each reader gets the query in its place, which is what DataFusion would have done.
//!
//! **What runs.** Whichever reader is first asked for rows starts the query, on tasks of their own:
//! were a reader to compute it, other readers could wait for one that is not asked for more rows. Each partition
//! of the query is collected whole, in memory or, where the pool refuses, in a temporary file, and
//! read by the same partition of every reader. So partitioning and order are those of the query. An
//! error reaches all readers. A LIMIT above a reader does not stop the query early; recursions that
//! only a LIMIT could stop are not shared.

mod cost;
mod exec;
mod find;
mod independent;
mod planner;
mod query;
mod readers;
mod rows;
mod run;
mod settle;
mod show;

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::common::{DFSchemaRef, Result};
use datafusion::logical_expr::{Expr, LogicalPlan, UserDefinedLogicalNodeCore};

pub(crate) use find::FindSharedPlans;
pub(super) use planner::SharedPlanner;
pub(crate) use settle::SettleSharedPlans;
pub(crate) use show::SHOW_SHARED_PLANS;

/// A plan that is computed once, optimised.
#[derive(Debug)]
struct SharedPlan {
    number: usize,
    /// What the statement calls it at the first place.
    name: String,
    plan: LogicalPlan,
    /// How many steps read it.
    readers: usize,
    /// Whether all of them run many times: then EXPLAIN shows the plan in the line of the first, as
    /// rules look below such a step for what to reset.
    is_in_line: bool,
}

impl fmt::Display for SharedPlan {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { number, name, readers, .. } = self;
        write!(f, "#{number} {name}, readers={readers}")
    }
}

/// The lines of a plan on one line.
fn in_line(plan: &str) -> String {
    let steps: Vec<&str> = plan.lines().map(str::trim).collect();
    format!(", run once [{}]", steps.join(" <- "))
}

/// Reads the rows of a shared plan. It has no inputs, so that nothing is moved across.
#[derive(Clone, Debug)]
struct SharedRead {
    shared: Arc<SharedPlan>,
    /// Whether EXPLAIN shows the plan here and nowhere else.
    is_first: bool,
}

impl PartialEq for SharedRead {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }
}

impl Eq for SharedRead {}

impl Hash for SharedRead {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.shared.number.hash(state);
    }
}

impl PartialOrd for SharedRead {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        (self == other).then_some(Ordering::Equal)
    }
}

impl UserDefinedLogicalNodeCore for SharedRead {
    fn name(&self) -> &str {
        "SharedRead"
    }

    fn inputs(&self) -> Vec<&LogicalPlan> {
        Vec::new()
    }

    fn schema(&self) -> &DFSchemaRef {
        self.shared.plan.schema()
    }

    fn expressions(&self) -> Vec<Expr> {
        Vec::new()
    }

    fn fmt_for_explain(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "SharedRead: {}", self.shared)?;
        if !self.is_first {
            return Ok(());
        }
        write!(f, "{}", in_line(&self.shared.plan.display_indent().to_string()))
    }

    fn with_exprs_and_inputs(&self, _: Vec<Expr>, _: Vec<LogicalPlan>) -> Result<Self> {
        Ok(self.clone())
    }
}
