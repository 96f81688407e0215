//! Views: what SQL says on top of the stored tables.

mod declaration;
mod prelude;

pub(crate) use declaration::{View, ViewColumn};
pub(crate) use prelude::Prelude;
