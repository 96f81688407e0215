//! From text to a plan.
//!
//! ```text
//! text ──script──▶ statements (tokens) ──dialect──▶ syntax tree ──rewrite──▶ syntax tree of
//! DataFusion's SQL ──planner──▶ logical plan
//! ```
//!
//! DataFusion's own `SessionContext::sql` is not used: its dialects are not SQLite's, its table
//! lookup cannot make a view at the moment it is named, and its errors say where only when asked.

mod arithmetic;
mod dialect;
mod lateral;
mod planner;
mod rewrite;
mod script;
mod table_pointers;
mod titles;
mod types;

pub(crate) use arithmetic::SqliteOperators;
pub(crate) use planner::{Planned, Planner};
pub use script::Statement;
pub(crate) use script::split;
pub(crate) use types::TraceTypes;
