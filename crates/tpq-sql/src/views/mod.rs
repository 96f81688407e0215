//! Views: what SQL says on top of the stored tables.

mod prelude;
mod unread;

pub(crate) use prelude::Prelude;
pub(crate) use unread::Unread;
