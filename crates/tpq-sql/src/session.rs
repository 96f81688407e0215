//! A session: a trace's tables with everything SQL needs around them.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion::execution::SessionState;
use datafusion::prelude::{DataFrame, SessionContext};
use tpq_tables::TraceTables;

use crate::cancel::{CancelOnDrop, CancelToken, WithCancelToken};
use crate::catalog::{Catalog, Relation};
use crate::changes::{Change, change_of};
use crate::engine::{Engine, bug};
use crate::errors::{Names, SqlError, SqlErrorKind, translate};
use crate::execute::Executor;
use crate::explain::{explains, in_lines};
use crate::files::{FileAccess, open_wanted};
use crate::function_list::{FunctionInfo, functions_of};
use crate::in_order::in_order;
use crate::modules::{Module, Modules, SqlModule};
use crate::parameters::Parameters;
use crate::perfetto_sql::{Command, Planned, Planner, Statement, Text, split, with_parameters};
use crate::result::ResultSet;
use crate::stack::{Planning, with_room_to_plan};
use crate::views::Prelude;

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
        Self::with_engine(Engine::new(options)?, tables, scans, options)
    }

    /// Starts a session on an engine that was made with these options.
    ///
    /// # Errors
    /// As [`Session::new`].
    pub fn on_engine(
        engine: Engine,
        tables: Arc<TraceTables>,
        options: &SessionOptions,
    ) -> Result<Self, SqlError> {
        Self::with_engine(engine, tables, HashMap::new(), options)
    }

    /// A session that plans and runs with this engine.
    pub(crate) fn with_engine(
        engine: Engine,
        tables: Arc<TraceTables>,
        scans: HashMap<String, Arc<dyn TableProvider>>,
        options: &SessionOptions,
    ) -> Result<Self, SqlError> {
        let state = engine.with_functions_of(&tables).map_err(bug)?;
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
