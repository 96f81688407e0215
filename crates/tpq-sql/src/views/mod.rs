//! Views on the stored tables, and empty tables for data that tpq does not read.

mod prelude;
mod unfilled;

pub(crate) use prelude::Prelude;
pub(crate) use unfilled::UnfilledTable;
