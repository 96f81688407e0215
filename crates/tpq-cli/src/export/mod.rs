//! Selects the tables that `tpq export` writes, and the metadata of their files.

mod metadata;
mod selection;

pub use metadata::{of_query, of_table};
pub use selection::{Selected, include, names_of, selected};
