//! From the node to what runs for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::common::Result;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{LogicalPlan, UserDefinedLogicalNode};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_planner::{ExtensionPlanner, PhysicalPlanner};

use super::exec::SharedReadExec;
use super::run::SharedRun;
use super::{SharedPlan, SharedRead};
use crate::operators::session_state;

/// Plans the readers of shared plans in one statement, and each shared plan once.
pub(in crate::operators) struct SharedPlanner {
    /// How many partitions the statement runs in: a plan that runs many times has only one.
    partitions: usize,
    known: Mutex<HashMap<usize, Known>>,
}

/// A shared plan, and its run as soon as it is planned.
struct Known {
    /// Held, so that its address is that of no other plan.
    _shared: Arc<SharedPlan>,
    run: Place,
}

/// Locked while the plan is planned, so that this is done once.
type Place = Arc<futures::lock::Mutex<Option<Arc<SharedRun>>>>;

impl SharedPlanner {
    pub(in crate::operators) fn new(partitions: usize) -> Self {
        Self { partitions, known: Mutex::default() }
    }

    /// Where the run of a plan is, or will be.
    fn place(&self, shared: &Arc<SharedPlan>) -> Place {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known
            .entry(Arc::as_ptr(shared) as usize)
            .or_insert_with(|| Known { _shared: Arc::clone(shared), run: Arc::default() });
        Arc::clone(&known.run)
    }

    /// The run of a plan, which is planned when the first of its readers is.
    async fn run(
        &self,
        shared: &Arc<SharedPlan>,
        planner: &dyn PhysicalPlanner,
        session: &dyn Session,
    ) -> Result<Arc<SharedRun>> {
        let place = self.place(shared);
        let mut run = place.lock().await;
        if let Some(run) = run.as_ref() {
            return Ok(Arc::clone(run));
        }
        let mut state = session_state(session)?.clone();
        state.config_mut().options_mut().execution.target_partitions = self.partitions;
        let plan = planner.create_physical_plan(&shared.plan, &state).await?;
        let made = Arc::new(SharedRun::new(Arc::clone(shared), plan));
        *run = Some(Arc::clone(&made));
        Ok(made)
    }
}

#[async_trait]
impl ExtensionPlanner for SharedPlanner {
    async fn plan_extension(
        &self,
        planner: &dyn PhysicalPlanner,
        node: &dyn UserDefinedLogicalNode,
        _: &[&LogicalPlan],
        _: &[Arc<dyn ExecutionPlan>],
        session: &dyn Session,
        _: &PhysicalPlanningContext,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let Some(read) = node.as_any().downcast_ref::<SharedRead>() else { return Ok(None) };
        let run = self.run(&read.shared, planner, session).await?;
        Ok(Some(Arc::new(SharedReadExec::new(run, read.is_first))))
    }
}
