//! SQL on the tables of a trace.
//!
//! This crate owns the session: the names that statements can use, planning, scans of the tables,
//! and error messages. It does not know how a trace became tables or how rows are displayed.
//!
//! ```text
//! text ──perfetto_sql──▶ plan ──DataFusion──▶ ResultSet (a stream of record batches)
//!          ▲ names                ▲ batches
//!       catalog ── views ──┐    scan
//!          └── TraceTables ┴──────┘
//! ```
//!
//! DataFusion plans and runs. The handling of the text before the plan and the tables below the
//! plan are tpq's own, because SQL on traces is SQLite's dialect, and because the tables know their
//! order and value ranges.

mod abort_on_drop;
mod ambiguous_filters;
mod attach;
mod cancel;
mod carried;
mod catalog;
mod changes;
mod constant_folding;
mod distributed;
mod early_distinct;
mod early_semi_joins;
mod early_sums;
mod empty_inputs;
mod engine;
mod errors;
mod execute;
mod explain;
mod files;
mod first_rows;
mod function_list;
mod functions;
mod guarded_rules;
mod in_order;
mod kept_rows;
mod known_rows;
mod limit_barriers;
mod lowering;
mod memory;
mod memory_pool;
mod module_objects;
mod modules;
mod named_expressions;
mod narrow_filters;
mod offsets;
mod opaque_conversions;
mod operators;
mod order_checks;
mod parameters;
mod perfetto_sql;
mod planning_checks;
mod primary_key;
mod reading;
mod result;
mod scan;
mod self_joins;
mod session;
mod show;
mod small_joins;
mod spill_files;
mod stack;
mod step_rules;
mod summarize;
mod table_groups;
mod table_positions;
mod threads;
mod total_windows;
mod unique_columns;
mod views;

#[cfg(test)]
mod tests;

pub use abort_on_drop::AbortOnDrop;
pub use cancel::{CancelOnDrop, CancelToken, is_cancelled_here};
pub use catalog::{Relation, RelationColumn, read_built_in_modules};
pub use distributed::{RemotePlan, function_state};
pub use engine::Engine;
pub use errors::{ErrorLocation, SqlError, SqlErrorKind};
pub use function_list::FunctionInfo;
pub use kept_rows::KeptRows;
pub use modules::{Module, ModuleObject, SqlModule};
pub use operators::{OWN_STEPS, PortableStep, Travel, with_cancel_checks};
pub use parameters::ParameterValue;
pub use perfetto_sql::{Statement, TokenLimits, check_tokens, walk};
pub use reading::ParameterValues;
pub use result::ResultSet;
pub use session::{Session, SessionOptions};
pub use stack::Planning;
pub use table_groups::groups_named;
