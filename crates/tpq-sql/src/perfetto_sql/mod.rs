//! From text to a plan.
//!
//! ```text
//! text ──script──▶ statements (tokens) ──macros──▶ tokens ──command──▶ what is asked for
//!      query ──dialect──▶ syntax tree ──rewrite──▶ syntax tree of DataFusion's SQL
//!            ──planner──▶ logical plan
//! ```
//!
//! DataFusion's own `SessionContext::sql` is not used: its dialects are not SQLite's, its table
//! lookup cannot make a view at the moment it is named, and its errors say where only when asked.

mod affinity;
mod arithmetic;
mod attach;
mod calls_in_from;
mod column_names;
mod command;
mod comparison;
mod complexity;
mod cursor;
mod declared;
mod dialect;
mod duckdb;
mod exact;
mod exclusions;
mod expansion;
mod fields;
mod file_tables;
mod flamegraph_find;
mod graph_scans;
mod lateral;
mod legacy_functions;
mod macros;
mod parameters;
mod planner;
mod rewrite;
mod scope;
mod scope_stack;
mod script;
mod show;
mod source;
mod span_join;
mod summarize;
mod table_pointers;
mod time_windows;
mod titles;
mod token_macros;
mod types;
mod union_types;
mod virtual_table;
mod walk;
mod wildcards;

pub(crate) use affinity::{Affinity, affinity, affinity_in, column_affinity};
pub(crate) use arithmetic::SqliteOperators;
pub(crate) use column_names::named;
pub(crate) use command::{
    Command, Creation, FunctionBody, FunctionDeclaration, MacroArgument, MacroDeclaration,
    ObjectKind, RelationDeclaration, Returns, exists_already,
};
pub(crate) use comparison::{Comparison, Mark, Side, convert, final_type, make_comparable};
pub(crate) use complexity::too_large;
pub use complexity::{TokenLimits, check_tokens};
pub(crate) use cursor::Name;
pub(crate) use declared::Declared;
pub(crate) use expansion::check_call;
pub(crate) use legacy_functions::legacy_function;
pub(crate) use macros::{Macro, Macros, expand};
pub(crate) use parameters::with_parameters;
pub(crate) use planner::{NESTING, Planned, Planner};
pub(crate) use rewrite::call;
pub use script::Statement;
pub(crate) use script::{split, split_script, tokenize};
pub(crate) use show::{Show, Shown};
pub(crate) use source::{Script, Sources, Text};
pub(crate) use span_join::{SpanJoinCall, SpanJoinSide};
pub(crate) use types::TraceTypes;
pub(crate) use virtual_table::VirtualTable;
pub use walk::walk;
