//! The page at `/`, and the two endpoints that it asks.
//!
//! | request | answer |
//! |---|---|
//! | `GET /` | [`PAGE`], one HTML file, with [`PAGE_HEADERS`] |
//! | `GET /api/overview` | [`overview`]: health, machines, clocks, tables, functions, modules |
//! | `POST /api/query` | [`query_json`] of a [`QueryRequest`]: columns and rows, or an error |
//!
//! The functions know no HTTP. `docs/page.md` has the members of the answers.

mod assets;
mod overview;
mod query_json;

pub use assets::{PAGE, PAGE_HEADERS};
pub use overview::{OverviewError, overview};
pub use query_json::{QueryRequest, RequestError, query_json};
