//! Files beside the trace as tables: `read_parquet('builds.parquet')`, `FROM 'devices.csv'`,
//! `ATTACH 'builds.parquet' AS builds`.
//!
//! The columns of a file are known only after it is opened, which is asynchronous, and planning is
//! not. So a planner notes the files that it needs in the [`FileAccess`] of its statement, and
//! fails; [`open_wanted`] opens them, and the statement is planned again.
//!
//! ```text
//! planner ──FileCall──▶ FileAccess ──open_wanted──▶ paths ──▶ format ──▶ TableSource
//!    ▲                                                                       │
//!    └───────────────────────────────────────────────────────────────────────┘
//! ```

mod access;
mod format;
mod open;
mod paths;

pub(crate) use access::{FileAccess, FileCall, open_wanted};
pub(crate) use format::Reader;
