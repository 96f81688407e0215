//! The engine of a session: DataFusion with tpq's rules, planners and functions, before it has the
//! tables of a trace.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::error::DataFusionError;
use datafusion::execution::disk_manager::DiskManagerBuilder;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::registry::FunctionRegistry;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::prelude::SessionConfig;
use tpq_tables::TraceTables;

use crate::ambiguous_filters::guarded;
use crate::early_distinct::EARLY_DISTINCT;
use crate::early_semi_joins::EARLY_SEMI_JOINS;
use crate::early_sums::EARLY_SUMS;
use crate::errors::{Names, SqlError, translate};
use crate::files::FileAccess;
use crate::functions;
use crate::in_order::LIMIT_IN_ORDER;
use crate::limit_barriers;
use crate::memory::Memory;
use crate::narrow_filters;
use crate::offsets;
use crate::opaque_conversions::{self, OPAQUE_CONVERSIONS};
use crate::operators::apply::UNUSED_VALUES;
use crate::operators::{
    CANCEL_CHECKS, DenseAggregates, FindSharedPlans, MemoryGuards, OUTER_CONSTANTS, PACKED_SORTS,
    PartitionTopNRule, SHOW_SHARED_PLANS, SUBQUERY_LABELS, SettleSharedPlans, TraceQueryPlanner,
    early_aggregates,
};
use crate::perfetto_sql::{SqliteOperators, Text, TraceTypes};
use crate::planning_checks;
use crate::scan::DistinctScans;
use crate::self_joins::SELF_JOINS;
use crate::session::SessionOptions;
use crate::spill_files::SpillFiles;
use crate::stack::give_tasks_room;
use crate::total_windows::TOTAL_WINDOWS;

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

/// The part of a session that is the same for every trace: rules, planners, and the functions that
/// look up nothing in a trace. Made while a trace is opened, it takes no time of its own.
pub struct Engine {
    state: SessionState,
}

impl Engine {
    /// An engine for a session with these options.
    ///
    /// # Errors
    /// Only when the query engine cannot be set up, which is a bug.
    pub fn new(options: &SessionOptions) -> std::result::Result<Self, SqlError> {
        give_tasks_room();
        session_state(options).and_then(Self::of_state).map_err(bug)
    }

    /// An engine that plans and runs with this state.
    pub(crate) fn of_state(mut state: SessionState) -> Result<Self> {
        register_functions(&mut state)?;
        Ok(Self { state })
    }

    /// The state with the functions that look up rows of a trace as well.
    pub(crate) fn with_functions_of(mut self, tables: &TraceTables) -> Result<SessionState> {
        for function in functions::scalar_of(tables) {
            self.state.register_udf(function)?;
        }
        Ok(self.state)
    }
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
fn session_state(options: &SessionOptions) -> Result<SessionState> {
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

/// Registers tpq's functions that look up nothing in a trace, and bounds those of DataFusion that
/// make long text.
fn register_functions(state: &mut SessionState) -> Result<()> {
    for name in LEFT_OUT {
        state.deregister_udf(name)?;
    }
    let checked = state.scalar_functions().values().filter_map(functions::bounded);
    for function in checked.collect::<Vec<_>>() {
        state.register_udf(Arc::new(function))?;
    }
    for function in functions::scalar() {
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
pub(crate) fn bug(error: DataFusionError) -> SqlError {
    translate(error, &Text::none(), &Names::none())
}
