//! Selects the tables that `tpq export` writes, and the metadata of their files, and writes several
//! tables at the same time.

mod at_once;
mod metadata;
mod selection;

pub use at_once::each_at_once;
pub use metadata::{of_query, of_table};
pub use selection::{Selected, include, names_of, selected};
