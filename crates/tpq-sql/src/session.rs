//! A session: a trace's tables with everything SQL needs around them.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion::error::DataFusionError;
use datafusion::execution::disk_manager::DiskManagerBuilder;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::registry::FunctionRegistry;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::prelude::{DataFrame, SessionConfig, SessionContext};
use tpq_tables::TraceTables;

use crate::ambiguous_filters::guarded;
use crate::cancel::{CancelOnDrop, CancelToken, WithCancelToken};
use crate::catalog::{Catalog, Relation};
use crate::changes::{Change, change_of};
use crate::early_distinct::EARLY_DISTINCT;
use crate::early_semi_joins::EARLY_SEMI_JOINS;
use crate::early_sums::EARLY_SUMS;
use crate::errors::{Names, SqlError, SqlErrorKind, translate};
use crate::execute::Executor;
use crate::explain::{explains, in_lines};
use crate::files::{FileAccess, open_wanted};
use crate::function_list::{FunctionInfo, functions_of};
use crate::functions;
use crate::in_order::{LIMIT_IN_ORDER, in_order};
use crate::limit_barriers;
use crate::memory::Memory;
use crate::modules::{Module, Modules, SqlModule};
use crate::narrow_filters;
use crate::offsets;
use crate::opaque_conversions::{self, OPAQUE_CONVERSIONS};
use crate::operators::apply::UNUSED_VALUES;
use crate::operators::{
    CANCEL_CHECKS, DenseAggregates, FindSharedPlans, MemoryGuards, OUTER_CONSTANTS, PACKED_SORTS,
    PartitionTopNRule, SHOW_SHARED_PLANS, SUBQUERY_LABELS, SettleSharedPlans, TraceQueryPlanner,
    early_aggregates,
};
use crate::parameters::Parameters;
use crate::perfetto_sql::{
    Command, Planned, Planner, SqliteOperators, Statement, Text, TraceTypes, split, with_parameters,
};
use crate::planning_checks;
use crate::result::ResultSet;
use crate::scan::DistinctScans;
use crate::self_joins::SELF_JOINS;
use crate::spill_files::SpillFiles;
use crate::stack::{Planning, give_tasks_room, with_room_to_plan};
use crate::total_windows::TOTAL_WINDOWS;
use crate::views::Prelude;

/// Bytes that a part of a scan may hold back while it waits to be merged with the others.
/// DataFusion would let it be a gigabyte.
const MERGE_BUFFER: usize = 16 << 20;
/// The number of keys of a join's small side up to which the scan of the other side knows them.
const MAX_KEYS: usize = 8192;
/// The share of the integers between the least and the greatest key of a join's small side from
/// which an array finds the rows of a key. It takes as much memory as a hash table then. Half of
/// the ids on each of two threads are less than DataFusion asks for.
const KEY_DENSITY: &str = "0.1";
/// Bytes of a limit for each row of a batch: with less, batches are shorter than usual.
const LIMIT_FOR_A_ROW: usize = 8192;
/// Bytes that a sort reserves for merging what it has spilled, as DataFusion has it.
const SPILLED_MERGE: usize = 10 << 20;

/// Functions of DataFusion that are compiled for others than sessions, and that no trace needs.
const LEFT_OUT: [&str; 6] = ["digest", "md5", "sha224", "sha256", "sha384", "sha512"];

/// Settings with which the buffers of a plan for a few threads take a small part of a limit.
fn within(limit: u64, config: SessionConfig) -> SessionConfig {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let part = limit / 16 / config.target_partitions().max(1);
    let rows = (limit / LIMIT_FOR_A_ROW).clamp(1, config.batch_size());
    config
        .with_batch_size(rows)
        .with_sort_spill_reservation_bytes(part.min(SPILLED_MERGE))
        .set_usize("datafusion.execution.sort_pushdown_buffer_capacity", part.min(MERGE_BUFFER))
}

/// Options of a session.
#[derive(Clone, Debug, Default)]
pub struct SessionOptions {
    /// The most memory for sorting, grouping, joining, kept tables and long texts, in bytes;
    /// beyond it they spill to disk where they can, and fail where they cannot. When not given,
    /// they fail at three quarters of the machine's memory, where the system says how much it
    /// has.
    pub memory_limit: Option<u64>,
    /// How many threads a statement may use; all cores when not given.
    pub threads: Option<usize>,
    /// Modules of the user, in addition to tpq's.
    pub modules: Vec<SqlModule>,
    /// The kinds of packets in the trace, by the names of their payload fields: tables for what
    /// is not read yet are empty only without them.
    pub packets: Vec<String>,
    /// Whether statements may read files with the permissions of the process: `read_parquet`,
    /// `FROM 'devices.csv'`, ATTACH. Off unless set, because statements may come from others.
    pub allow_files: bool,
}

/// Settings of the engine, and the memory that statements share.
pub(crate) fn session_config(options: &SessionOptions, memory: Memory) -> SessionConfig {
    let mut config = SessionConfig::new()
        // Plans that differ from their schema only in what may be NULL, as after a CASE was
        // simplified, are no less right.
        .set_bool("datafusion.execution.skip_physical_aggregate_schema_check", true)
        // SQLite's order: NULL is less than everything.
        .set_str("datafusion.sql_parser.default_null_ordering", "nulls_min")
        // The order of a view is that of its rows where they are shown; `lowering/view_orders.rs`
        // removes the others.
        .set_bool("datafusion.sql_parser.enable_subquery_sort_elimination", false)
        .set_usize("datafusion.execution.sort_pushdown_buffer_capacity", MERGE_BUFFER)
        // Scans read rows with these keys alone.
        .set_usize("datafusion.optimizer.hash_join_inlist_pushdown_max_distinct_values", MAX_KEYS)
        .set_str("datafusion.execution.perfect_hash_join_min_key_density", KEY_DENSITY)
        // Scans split themselves into neighbouring parts, which keeps the order of rows;
        // distributing batches round-robin would lose it.
        .with_round_robin_repartition(false);
    if let Some(threads) = options.threads {
        config = config.with_target_partitions(threads.max(1));
    }
    if let Some(limit) = options.memory_limit {
        config = within(limit, config);
    }
    config.options_mut().extensions.insert(memory);
    config.options_mut().extensions.insert(FileAccess::new(options.allow_files));
    config
}

/// The engine with tpq's rules and planners. The order of the physical rules matters: guards see
/// the final sorts, cancellation checks come after all rules that inspect joins, and no rule may
/// follow the one that shows shared plans.
fn session_state(options: &SessionOptions) -> datafusion::common::Result<SessionState> {
    let memory = Memory::new(options.memory_limit);
    let mut physical_rules = first_physical_rules();
    if options.memory_limit.is_none() {
        physical_rules = early_aggregates::before(physical_rules);
    }
    let spill =
        DiskManagerBuilder::default().with_temp_file_factory(Arc::new(SpillFiles::default()));
    let runtime = RuntimeEnvBuilder::new()
        .with_disk_manager_builder(spill)
        .with_memory_pool(Arc::clone(memory.pool()));
    let mut state = SessionStateBuilder::new()
        .with_config(session_config(options, memory))
        .with_runtime_env(runtime.build_arc()?)
        .with_expr_planners(vec![functions::aggregate_planner()])
        .with_default_features()
        .with_analyzer_rules(planning_checks::analyzer_rules())
        .with_analyzer_rule(Arc::new(FindSharedPlans))
        .with_optimizer_rules(planning_checks::optimizer_rules())
        .with_optimizer_rule(Arc::new(UNUSED_VALUES))
        .with_optimizer_rule(Arc::new(SELF_JOINS))
        .with_optimizer_rule(Arc::new(EARLY_SEMI_JOINS))
        .with_optimizer_rule(Arc::new(EARLY_DISTINCT))
        .with_optimizer_rule(Arc::new(EARLY_SUMS))
        .with_optimizer_rule(Arc::new(TOTAL_WINDOWS))
        .with_optimizer_rule(Arc::new(OPAQUE_CONVERSIONS))
        .with_optimizer_rule(Arc::new(SettleSharedPlans))
        .with_query_planner(Arc::new(TraceQueryPlanner))
        .with_type_planner(Arc::new(TraceTypes))
        .with_physical_optimizer_rules(planning_checks::physical_rules(physical_rules))
        .with_physical_optimizer_rule(Arc::new(LIMIT_IN_ORDER))
        .with_physical_optimizer_rule(Arc::new(DistinctScans));
    if options.memory_limit.is_none() {
        state = state
            .with_physical_optimizer_rule(Arc::new(PACKED_SORTS))
            .with_physical_optimizer_rule(Arc::new(PartitionTopNRule))
            .with_physical_optimizer_rule(Arc::new(DenseAggregates));
    }
    let guards = MemoryGuards { limited: options.memory_limit.is_some() };
    Ok(state
        .with_physical_optimizer_rule(Arc::new(guards))
        .with_physical_optimizer_rule(Arc::new(CANCEL_CHECKS))
        .with_physical_optimizer_rule(Arc::new(SUBQUERY_LABELS))
        .with_physical_optimizer_rule(Arc::new(SHOW_SHARED_PLANS))
        .build())
}

/// DataFusion's rules for physical plans, with those of tpq that come before or between them.
pub(crate) fn first_physical_rules() -> Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> {
    let mut rules = guarded(offsets::before(limit_barriers::before(narrow_filters::rules())));
    rules.insert(0, Arc::new(OUTER_CONSTANTS));
    rules
}

/// Registers tpq's functions, and bounds those of DataFusion that make long text.
pub(crate) fn register_functions(
    state: &mut SessionState,
    tables: &Arc<TraceTables>,
) -> datafusion::common::Result<()> {
    for name in LEFT_OUT {
        state.deregister_udf(name)?;
    }
    let checked = state.scalar_functions().values().filter_map(functions::bounded);
    for function in checked.collect::<Vec<_>>() {
        state.register_udf(Arc::new(function))?;
    }
    for function in functions::scalar(tables) {
        state.register_udf(function)?;
    }
    for function in opaque_conversions::functions() {
        state.register_udf(function)?;
    }
    for function in functions::aggregate() {
        state.register_udaf(function)?;
    }
    for function in functions::window() {
        state.register_udwf(function)?;
    }
    state.register_expr_planner(functions::operator_planner())?;
    state.register_expr_planner(Arc::new(SqliteOperators))
}

/// The error of an engine that cannot be set up.
fn bug(error: DataFusionError) -> SqlError {
    translate(error, &Text::none(), &Names::none())
}

/// Runs SQL on the tables of a trace.
pub struct Session {
    context: SessionContext,
    catalog: Arc<Catalog>,
    parameters: Parameters,
}

impl Session {
    /// Starts a session; takes milliseconds whatever the size of the trace.
    ///
    /// # Errors
    /// Only when the query engine cannot be set up, which is a bug.
    pub fn new(tables: Arc<TraceTables>, options: &SessionOptions) -> Result<Self, SqlError> {
        Self::with_scans(tables, HashMap::new(), options)
    }

    /// Starts a session with other scans of some tables, by their names: statements read these, and
    /// functions that look up rows of the trace read `tables`. Both must have the same rows.
    ///
    /// # Errors
    /// As [`Session::new`].
    pub fn with_scans(
        tables: Arc<TraceTables>,
        scans: HashMap<String, Arc<dyn TableProvider>>,
        options: &SessionOptions,
    ) -> Result<Self, SqlError> {
        give_tasks_room();
        let state = session_state(options).map_err(bug)?;
        Self::with_state(state, tables, scans, options)
    }

    /// A session that plans and runs with this state.
    pub(crate) fn with_state(
        mut state: SessionState,
        tables: Arc<TraceTables>,
        scans: HashMap<String, Arc<dyn TableProvider>>,
        options: &SessionOptions,
    ) -> Result<Self, SqlError> {
        register_functions(&mut state, &tables).map_err(bug)?;
        let context = SessionContext::new_with_state(state);
        let modules = Modules::new(&options.modules);
        let packets = options.packets.clone();
        let catalog = Catalog::new(tables, scans, modules, packets, context.clone());
        Ok(Self { context, catalog, parameters: Parameters::default() })
    }

    /// Adds the tables of a schema, which statements name as `schema.table`. It replaces a schema
    /// of the same name.
    pub fn add_schema(&self, name: &str, tables: HashMap<String, Arc<dyn TableProvider>>) {
        self.catalog.add_schema(name, tables);
    }

    /// The context of DataFusion that runs statements: where object stores are registered.
    pub fn context(&self) -> &SessionContext {
        &self.context
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
        self.run_cancellable(statement, &CancelToken::default()).await
    }

    /// The same, until `cancel` is asked to stop: planning, functions and operators end early with
    /// an error of [`SqlErrorKind::Cancelled`]. What the statement would have created does not
    /// exist then. Dropping the result stops the statement as well.
    ///
    /// # Errors
    /// As [`Session::run`], and when the statement was cancelled.
    pub async fn run_cancellable(
        &self,
        statement: &Statement,
        cancel: &CancelToken,
    ) -> Result<Option<ResultSet>, SqlError> {
        self.run_shaped(statement, cancel, Ok).await
    }

    /// The same, with the plan of rows changed by `shape`.
    pub(crate) async fn run_shaped(
        &self,
        statement: &Statement,
        cancel: &CancelToken,
        shape: impl FnOnce(Planned) -> datafusion::common::Result<Planned> + Send,
    ) -> Result<Option<ResultSet>, SqlError> {
        Planning::new(WithCancelToken::new(cancel, self.run_here(statement, cancel, shape))).await
    }

    async fn run_here(
        &self,
        statement: &Statement,
        cancel: &CancelToken,
        shape: impl FnOnce(Planned) -> datafusion::common::Result<Planned> + Send,
    ) -> Result<Option<ResultSet>, SqlError> {
        let stop = CancelOnDrop(cancel.child());
        let state = self.state_with(&stop.0);
        let executor = Executor { state: &state, catalog: &self.catalog, checked: true };
        let text = with_parameters(executor.expanded(statement)?, &self.parameters)?;
        match Command::parse(&text)? {
            Command::Sql => {}
            Command::Show(show) => return self.show(&state, &show, text).await.map(Some),
            Command::Summarize(query) => {
                return self.summarize(state, query, text, stop).await.map(Some);
            }
            _ => loop {
                let outcome = executor.execute(Command::parse(&text)?, &text).await;
                if outcome.is_ok() || !open_wanted(&state).await {
                    return outcome.map(|()| None);
                }
            },
        }
        match self.plan_statement(&state, &text).await? {
            PlannedStatement::Change(change) => executor.change(change, &text).await.map(|()| None),
            PlannedStatement::Rows(planned) => {
                let shaped = shape(planned);
                let shaped = shaped.map_err(|error| translate(error, &text, &Names::none()))?;
                self.start(state, shaped, text, stop).await.map(Some)
            }
        }
    }

    /// The plan of a statement, if it gives rows, and the state to run it in; nothing is run.
    pub(crate) async fn plan_of_rows(
        &self,
        statement: &Statement,
        cancel: &CancelToken,
    ) -> Result<Option<(SessionState, Planned, Text)>, SqlError> {
        let state = self.state_with(cancel);
        let executor = Executor { state: &state, catalog: &self.catalog, checked: true };
        let text = with_parameters(executor.expanded(statement)?, &self.parameters)?;
        if !matches!(Command::parse(&text)?, Command::Sql) {
            return Ok(None);
        }
        match self.plan_statement(&state, &text).await? {
            PlannedStatement::Rows(planned) => Ok(Some((state, planned, text))),
            PlannedStatement::Change(_) => Ok(None),
        }
    }

    pub(crate) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    pub(crate) fn parameter_values(&self) -> &Parameters {
        &self.parameters
    }

    /// The state to plan and run a statement in that `cancel` stops.
    pub(crate) fn state_with(&self, cancel: &CancelToken) -> SessionState {
        let mut state = self.context.state();
        let files = FileAccess::of(state.config_options()).renewed();
        let extensions = &mut state.config_mut().options_mut().extensions;
        extensions.insert(cancel.clone());
        extensions.insert(files);
        // Functions get the configuration that was noted when the statement began.
        state.mark_start_execution();
        state
    }

    /// The state to describe objects in.
    pub(crate) fn state(&self) -> SessionState {
        self.state_with(&CancelToken::default())
    }

    /// The result of a statement. Files that it names are opened first.
    async fn plan_statement(
        &self,
        state: &SessionState,
        text: &Text,
    ) -> Result<PlannedStatement, SqlError> {
        loop {
            let asked = self.plan_once(state, text);
            if asked.is_ok() || !open_wanted(state).await {
                return asked;
            }
        }
    }

    fn plan_once(&self, state: &SessionState, text: &Text) -> Result<PlannedStatement, SqlError> {
        let planner = Planner::new(state, &self.catalog);
        let tree = planner.parse(text)?;
        match change_of(&tree, text, &planner)? {
            Some(change) => Ok(PlannedStatement::Change(change)),
            None => planner.plan_tree(tree, text).map(PlannedStatement::Rows),
        }
    }

    /// Plans a query. Files that it names are opened first.
    pub(crate) async fn planned(
        &self,
        state: &SessionState,
        query: &Text,
    ) -> Result<Planned, SqlError> {
        loop {
            let planned = Planner::new(state, &self.catalog).plan(query);
            if planned.is_ok() || !open_wanted(state).await {
                return planned;
            }
        }
    }

    pub(crate) async fn start(
        &self,
        state: SessionState,
        planned: Planned,
        text: Text,
        stop: CancelOnDrop,
    ) -> Result<ResultSet, SqlError> {
        let Planned { plan, names } = planned;
        let failed = |error| translate(error, &text, &Names::none());
        let is_explained = explains(&plan);
        let frame = DataFrame::new(state, plan);
        let planned = Arc::clone(frame.schema().inner());
        let partitions = frame.execute_stream_partitioned().await.map_err(failed)?;
        let rows = in_order(planned, partitions);
        let rows = if is_explained { in_lines(rows) } else { rows };
        Ok(ResultSet::new(rows, &names, text, stop))
    }

    /// Runs the statements of `sql`, of which the last gives rows and no other does.
    ///
    /// # Errors
    /// As [`Session::run`], and when the rows of not exactly one statement are asked for.
    pub async fn query(&self, sql: &str) -> Result<ResultSet, SqlError> {
        self.query_cancellable(sql, &CancelToken::default()).await
    }

    /// The same, until `cancel` is asked to stop.
    ///
    /// # Errors
    /// As [`Session::query`], and when the statements were cancelled.
    pub async fn query_cancellable(
        &self,
        sql: &str,
        cancel: &CancelToken,
    ) -> Result<ResultSet, SqlError> {
        let wrong = |message: &str| Err(SqlError::new(SqlErrorKind::Invalid, message));
        let mut statements = self.statements(sql)?;
        let Some(last) = statements.pop() else { return wrong("expected a statement, found none") };
        for statement in &statements {
            if self.run_cancellable(statement, cancel).await?.is_some() {
                return wrong("expected one statement that gives rows, found several");
            }
        }
        match self.run_cancellable(&last, cancel).await? {
            Some(rows) => Ok(rows),
            None => wrong("the last statement gives no rows"),
        }
    }

    /// The names of all tables and views, in alphabetical order.
    pub fn table_names(&self) -> Vec<String> {
        self.catalog.names()
    }

    /// The names of the views that every session has, some of them of a table's name.
    pub fn built_in_views(&self) -> Vec<String> {
        Prelude::names().map(str::to_owned).collect()
    }

    /// Whether a name is that of a table or view of every trace, and no statement created another.
    pub fn is_built_in(&self, name: &str) -> bool {
        self.catalog.is_built_in(name) && self.catalog.objects().relation(name).is_none()
    }

    /// The names of all functions, in alphabetical order.
    pub fn function_names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.functions().into_iter().map(|function| function.name).collect();
        names.dedup();
        names
    }

    /// All functions, in alphabetical order.
    pub fn functions(&self) -> Vec<FunctionInfo> {
        functions_of(&self.context.state(), &self.catalog)
    }

    /// The columns and documentation of a table or view; `None` when there is none of that name.
    pub fn describe(&self, name: &str) -> Option<Relation> {
        let state = self.state();
        let planner = Planner::new(&state, &self.catalog);
        with_room_to_plan(|| self.catalog.relation(name, &planner)).ok().flatten()
    }

    /// The names of all modules there are to include, in alphabetical order.
    pub fn module_names(&self) -> Vec<String> {
        self.catalog.modules().names().into_iter().map(str::to_owned).collect()
    }

    /// The objects that a module creates; `None` when there is none of that name.
    pub fn module(&self, name: &str) -> Option<Module> {
        Module::read(name, &self.catalog.modules().text(name)?).ok()
    }

    /// The module that creates something of that name.
    pub fn module_of(&self, name: &str) -> Option<String> {
        self.catalog.modules().module_of(&name.to_lowercase())
    }

    /// Adds modules for INCLUDE PERFETTO MODULE. A module of the same name is replaced.
    pub fn add_modules(&self, modules: &[SqlModule]) {
        self.catalog.add_modules(modules);
    }

    /// Drops the tables, views, functions and macros that statements created, and forgets which
    /// modules were included. Statements that run keep what they read.
    pub fn restore_initial_tables(&self) {
        self.catalog.drop_created();
    }

    /// The names of the modules that were included, in alphabetical order.
    pub fn included_modules(&self) -> Vec<String> {
        self.catalog.objects().included().into_iter().collect()
    }
}

/// The result of a statement.
enum PlannedStatement {
    Rows(Planned),
    Change(Change),
}
