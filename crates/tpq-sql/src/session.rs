//! A session: a trace's tables with everything SQL needs around them.

use std::sync::Arc;

use datafusion::execution::memory_pool::{FairSpillPool, TrackConsumersPool};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::registry::FunctionRegistry;
use datafusion::prelude::{SessionConfig, SessionContext};
use tpq_tables::TraceTables;

use crate::catalog::{Catalog, Relation};
use crate::changes::{Change, change_of};
use crate::errors::{Names, SqlError, SqlErrorKind, translate};
use crate::execute::Executor;
use crate::functions;
use crate::in_order::{LimitInOrder, in_order};
use crate::modules::{Module, Modules, SqlModule};
use crate::narrow_filters;
use crate::operators::{ForemostRows, PackedSorts, TraceQueryPlanner};
use crate::perfetto_sql::{
    Command, Planned, Planner, SqliteOperators, Statement, Text, TraceTypes, split,
};
use crate::result::ResultSet;

/// How many of the greediest parts of a plan are told apart when memory runs out.
const CONSUMERS_SHOWN: std::num::NonZeroUsize = std::num::NonZeroUsize::MIN.saturating_add(4);

const MERGE_BUFFER: usize = 16 << 20;

/// What a session may use.
#[derive(Clone, Debug, Default)]
pub struct SessionOptions {
    /// The most memory for sorting, grouping and joining, in bytes; beyond it they spill to
    /// disk where they can.
    pub memory_limit: Option<u64>,
    /// How many threads a statement may use; all cores when not given.
    pub threads: Option<usize>,
    /// Modules of the user's own, beside tpq's.
    pub modules: Vec<SqlModule>,
    /// The kinds of packets in the trace, by the names of their payload fields: tables for what
    /// is not read yet are empty only without them.
    pub packets: Vec<String>,
}

/// Runs SQL on the tables of a trace.
pub struct Session {
    context: SessionContext,
    catalog: Catalog,
}

impl Session {
    /// Starts a session; takes milliseconds whatever the size of the trace.
    ///
    /// # Errors
    /// Only when the query engine cannot be set up, which is a bug.
    pub fn new(tables: Arc<TraceTables>, options: &SessionOptions) -> Result<Self, SqlError> {
        let mut config = SessionConfig::new()
            // Plans that differ from their schema only in what may be NULL, as after a CASE was
            // simplified, are no less right.
            .set_bool("datafusion.execution.skip_physical_aggregate_schema_check", true)
            // SQLite's order: NULL is less than everything.
            .set_str("datafusion.sql_parser.default_null_ordering", "nulls_min")
            // What a part of a scan may hold back while it waits to be merged with the others;
            // DataFusion would let it be a gigabyte.
            .set_usize("datafusion.execution.sort_pushdown_buffer_capacity", MERGE_BUFFER)
            // Scans split themselves into neighbouring parts, which keeps the order of rows;
            // dealing batches out in turns would lose it.
            .with_round_robin_repartition(false);
        if let Some(threads) = options.threads {
            config = config.with_target_partitions(threads.max(1));
        }
        let mut runtime = RuntimeEnvBuilder::new();
        if let Some(bytes) = options.memory_limit {
            let pool = FairSpillPool::new(usize::try_from(bytes).unwrap_or(usize::MAX));
            let pool = TrackConsumersPool::new(pool, CONSUMERS_SHOWN);
            runtime = runtime.with_memory_pool(Arc::new(pool));
        }
        let bug = |error| translate(error, &Text::none(), &Names::none());
        let mut state = SessionStateBuilder::new()
            .with_config(config)
            .with_runtime_env(runtime.build_arc().map_err(bug)?)
            .with_default_features()
            .with_query_planner(Arc::new(TraceQueryPlanner))
            .with_type_planner(Arc::new(TraceTypes))
            .with_physical_optimizer_rules(narrow_filters::rules())
            .with_physical_optimizer_rule(Arc::new(LimitInOrder));
        if options.memory_limit.is_none() {
            state = state.with_physical_optimizer_rule(Arc::new(PackedSorts));
            state = state.with_physical_optimizer_rule(Arc::new(ForemostRows));
        }
        let mut state = state.build();
        for function in functions::scalar(&tables) {
            state.register_udf(function).map_err(bug)?;
        }
        for function in functions::aggregate() {
            state.register_udaf(function).map_err(bug)?;
        }
        state.register_expr_planner(Arc::new(SqliteOperators)).map_err(bug)?;
        let context = SessionContext::new_with_state(state);
        let modules = Modules::new(&options.modules);
        Ok(Self { context, catalog: Catalog::new(tables, modules, options.packets.clone()) })
    }

    /// Cuts a script into statements, to be run one after the other.
    ///
    /// # Errors
    /// When the text has a quote or comment that is never closed.
    pub fn statements(&self, sql: &str) -> Result<Vec<Statement>, SqlError> {
        split(sql)
    }

    /// Runs a statement that gives no rows, or starts one that does.
    ///
    /// # Errors
    /// When the statement is not SQL, names what does not exist, or asks for the impossible.
    pub async fn run(&self, statement: &Statement) -> Result<Option<ResultSet>, SqlError> {
        let state = self.context.state();
        let executor = Executor { state: &state, catalog: &self.catalog, checked: true };
        let text = executor.expanded(statement)?;
        match Command::parse(&text)? {
            Command::Sql => {}
            command => return executor.execute(command, &text).await.map(|()| None),
        }
        match self.ask(&state, &text)? {
            Asked::Change(change) => executor.change(change, &text).await.map(|()| None),
            Asked::Rows(planned) => self.start(planned, text).await.map(Some),
        }
    }

    /// What a statement of SQL asks for.
    fn ask(&self, state: &SessionState, text: &Text) -> Result<Asked, SqlError> {
        let planner = Planner::new(state, &self.catalog);
        let tree = planner.parse(text)?;
        match change_of(&tree, text, &planner)? {
            Some(change) => Ok(Asked::Change(change)),
            None => planner.plan_tree(tree, text).map(Asked::Rows),
        }
    }

    async fn start(&self, planned: Planned, text: Text) -> Result<ResultSet, SqlError> {
        let Planned { plan, names } = planned;
        let failed = |error| translate(error, &text, &Names::none());
        let frame = self.context.execute_logical_plan(plan).await.map_err(failed)?;
        let planned = Arc::clone(frame.schema().inner());
        let partitions = frame.execute_stream_partitioned().await.map_err(failed)?;
        let rows = in_order(planned, partitions);
        Ok(ResultSet::new(rows, &names, text))
    }

    /// Runs the statements of `sql`, of which the last gives rows and no other does.
    ///
    /// # Errors
    /// As [`Session::run`], and when the rows of not exactly one statement are asked for.
    pub async fn query(&self, sql: &str) -> Result<ResultSet, SqlError> {
        let wrong = |message: &str| Err(SqlError::new(SqlErrorKind::Invalid, message));
        let mut statements = self.statements(sql)?;
        let Some(last) = statements.pop() else { return wrong("expected a statement, found none") };
        for statement in &statements {
            if self.run(statement).await?.is_some() {
                return wrong("expected one statement that gives rows, found several");
            }
        }
        match self.run(&last).await? {
            Some(rows) => Ok(rows),
            None => wrong("the last statement gives no rows"),
        }
    }

    /// The names of all tables and views, in alphabetical order.
    pub fn table_names(&self) -> Vec<String> {
        self.catalog.names()
    }

    /// The names of all functions, in alphabetical order.
    pub fn function_names(&self) -> Vec<String> {
        let state = self.context.state();
        let planner = Planner::new(&state, &self.catalog);
        planner.names().functions.into_iter().filter(|name| !name.starts_with("__")).collect()
    }

    /// The columns and documentation of a table or view; `None` when there is none of that name.
    pub fn describe(&self, name: &str) -> Option<Relation> {
        let state = self.context.state();
        self.catalog.relation(name, &Planner::new(&state, &self.catalog)).ok().flatten()
    }

    /// The names of all modules there are to include, in alphabetical order.
    pub fn module_names(&self) -> Vec<String> {
        self.catalog.modules().names().into_iter().map(str::to_owned).collect()
    }

    /// What a module creates; `None` when there is none of that name.
    pub fn module(&self, name: &str) -> Option<Module> {
        Module::read(name, &self.catalog.modules().text(name)?).ok()
    }

    /// The module that creates something of that name.
    pub fn module_of(&self, name: &str) -> Option<String> {
        self.catalog.modules().module_of(&name.to_lowercase())
    }

    /// The names of the modules that were included, in alphabetical order.
    pub fn included_modules(&self) -> Vec<String> {
        self.catalog.objects().included().into_iter().collect()
    }
}

/// What a statement of SQL asks for.
enum Asked {
    Rows(Planned),
    Change(Change),
}
