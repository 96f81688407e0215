//! SQL on the tables of a trace.
//!
//! This crate owns the session: which names there are, how text becomes a plan, how a plan reads
//! the tables, and what an error says. It knows nothing of how a trace became tables, nor of how
//! rows are shown.
//!
//! ```text
//! text ──perfetto_sql──▶ plan ──DataFusion──▶ ResultSet (a stream of record batches)
//!          ▲ names                ▲ batches
//!       catalog ── views ──┐    scan
//!          └── TraceTables ┴──────┘
//! ```
//!
//! DataFusion plans and runs; the text before the plan and the tables below it are tpq's own,
//! since SQL on traces is SQLite's SQL, and since the tables know their order and bounds.

mod cancel;
mod carried;
mod catalog;
mod changes;
mod errors;
mod execute;
mod explain;
mod first_rows;
mod functions;
mod in_order;
mod lowering;
mod memory;
mod memory_pool;
mod modules;
mod narrow_filters;
mod operators;
mod perfetto_sql;
mod planning_checks;
mod result;
mod scan;
mod session;
mod show;
mod spill_files;
mod stack;
mod views;

#[cfg(test)]
mod tests;

pub use cancel::CancelToken;
pub use catalog::{Relation, RelationColumn};
pub use errors::{Place, SqlError, SqlErrorKind};
pub use modules::{Module, ModuleObject, SqlModule};
pub use perfetto_sql::Statement;
pub use result::ResultSet;
pub use session::{Session, SessionOptions};
