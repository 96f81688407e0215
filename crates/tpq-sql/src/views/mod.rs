//! Views: what SQL says on top of the stored tables.

mod prelude;

pub(crate) use prelude::Prelude;
