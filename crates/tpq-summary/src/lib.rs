//! Trace summaries: metrics that a `TraceSummarySpec` describes, computed on the tables of a trace.
//!
//! ```text
//! text or bytes ──specs──▶ TraceSummarySpec ──metrics──▶ bundles of metrics with one query
//!                                                          │ query: structured query → SQL
//!                                                          │ run: SQL → rows
//!                                                          ▼ rows: rows → messages
//!                                                        TraceSummary ──output──▶ text, JSON, bytes
//! ```
//!
//! [`summarize()`] is the entry. The crate generates SQL and reads rows; it knows neither tables nor
//! traces.

mod columns;
mod error;
mod interned;
mod memory;
mod metrics;
mod output;
mod query;
mod query_sql;
mod rows;
mod run;
mod specs;
mod summarize;

pub use error::SummaryError;
pub use output::SummaryFormat;
pub use query_sql::{QuerySql, query_sql};
pub use specs::SummarySpecs;
pub use summarize::{SummaryOptions, summarize};
