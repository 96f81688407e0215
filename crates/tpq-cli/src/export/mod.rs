//! What `tpq export` writes: which tables, and what their files say of themselves.

mod metadata;
mod selection;

pub use metadata::{of_query, of_table};
pub use selection::{Selected, include, names_of, selected};
