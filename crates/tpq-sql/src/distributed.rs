//! Plans that other processes run.
//!
//! A distributed session is without the rules that put steps into a plan which only work where the
//! plan was made: plans that several readers share, steps that count memory, and sorts of tpq's
//! own. What runs the parts of a plan adds the steps that it needs itself
//! ([`with_cancel_checks`](crate::with_cancel_checks)).

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion::common::Result;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::SessionConfig;
use tpq_tables::{Tables, TraceTables};

use crate::cancel::{CancelToken, WithCancelToken};
use crate::catalog::Created;
use crate::engine::{Engine, bug, first_physical_rules, session_config};
use crate::errors::{Names, SqlError, translate};
use crate::functions;
use crate::memory::Memory;
use crate::opaque_conversions::OPAQUE_CONVERSIONS;
use crate::operators::TraceQueryPlanner;
use crate::perfetto_sql::{Planned, Statement, TraceTypes};
use crate::planning_checks;
use crate::session::{Session, SessionOptions};
use crate::stack::{Planning, give_tasks_room};

/// A statement that other processes can run.
pub struct RemotePlan {
    /// The plan.
    pub plan: Arc<dyn ExecutionPlan>,
    /// The title of each column.
    pub names: Vec<String>,
    /// The settings that the plan was made with.
    pub config: SessionConfig,
}

impl Session {
    /// A session without a trace, for plans that other processes run. `scans` are tables in place
    /// of empty ones; `configure` adds the settings that these processes need.
    ///
    /// # Errors
    /// Only when the query engine cannot be set up, which is a bug.
    pub fn distributed(
        scans: HashMap<String, Arc<dyn TableProvider>>,
        options: &SessionOptions,
        configure: impl FnOnce(SessionConfig) -> SessionConfig,
    ) -> std::result::Result<Self, SqlError> {
        give_tasks_room();
        let memory = Memory::new(options.memory_limit);
        let runtime = RuntimeEnvBuilder::new().with_memory_pool(Arc::clone(memory.pool()));
        let config = configure(session_config(options, memory));
        let state = runtime.build_arc().map(|runtime| {
            planning(SessionStateBuilder::new().with_config(config).with_runtime_env(runtime))
        });
        let engine = state.and_then(Engine::of_state).map_err(bug)?;
        Self::with_engine(engine, no_events(), scans, options)
    }

    /// Makes a table known under a name, in lower case. Statements read it as they read any other
    /// table.
    pub fn add_table(&self, name: &str, table: Arc<dyn TableProvider>) {
        self.catalog().add_relation(name, Created::Given(table));
    }

    /// The plan of a statement for other processes; `None` if it gives no rows. Nothing is run.
    ///
    /// # Errors
    /// When the statement is not SQL, names what does not exist, or asks for the impossible.
    pub async fn remote_plan(
        &self,
        statement: &Statement,
        cancel: &CancelToken,
    ) -> std::result::Result<Option<RemotePlan>, SqlError> {
        let work = async move {
            let planned = self.plan_of_rows(statement, cancel).await?;
            let Some((state, Planned { plan, names }, text)) = planned else { return Ok(None) };
            let plan = state.create_physical_plan(&plan).await;
            let plan = plan.map_err(|error| translate(error, &text, &Names::none()))?;
            Ok(Some(RemotePlan { plan, names, config: state.config().clone() }))
        };
        Planning::new(WithCancelToken::new(cancel, work)).await
    }
}

/// The engine with the rules that plans of any process need.
fn planning(builder: SessionStateBuilder) -> SessionState {
    let physical = first_physical_rules();
    builder
        .with_expr_planners(vec![functions::aggregate_planner()])
        .with_default_features()
        .with_analyzer_rules(planning_checks::analyzer_rules())
        .with_optimizer_rules(planning_checks::optimizer_rules())
        .with_optimizer_rule(Arc::new(OPAQUE_CONVERSIONS))
        .with_query_planner(Arc::new(TraceQueryPlanner))
        .with_type_planner(Arc::new(TraceTypes))
        .with_physical_optimizer_rules(planning_checks::physical_rules(physical))
        .build()
}

/// A state with tpq's functions, for a process that runs parts of plans. They are those of a trace
/// without events.
///
/// # Errors
/// Only on a bug.
pub fn function_state(config: SessionConfig) -> Result<SessionState> {
    give_tasks_room();
    let runtime = RuntimeEnvBuilder::new().build_arc()?;
    let state = planning(SessionStateBuilder::new().with_config(config).with_runtime_env(runtime));
    Engine::of_state(state)?.with_functions_of(&no_events())
}

fn no_events() -> Arc<TraceTables> {
    Arc::new(Tables::default().finish())
}
