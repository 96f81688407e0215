//! Structured queries become SQL.
//!
//! ```text
//! query ──steps──▶ Steps: every query of the tree, after those it reads
//!                    │ select: source ▸ filters ▸ groups ▸ columns ▸ order ▸ limit
//!                    ▼
//!                  one SELECT for each step, which names the steps it reads
//! ```
//!
//! Only `run` needs a session: it makes each step a common table expression of the last one.

mod filters;
mod groups;
mod intervals;
mod joins;
mod select;
mod sources;
mod steps;
mod text;

#[cfg(test)]
mod tests;

pub(crate) use tpq_proto::message::PerfettoSqlStructuredQuery as Query;
/// The messages within a query.
pub(crate) use tpq_proto::message::perfetto_sql_structured_query as parts;

pub(crate) use select::{Relation, select};
pub(crate) use steps::{SharedQueries, Steps};
