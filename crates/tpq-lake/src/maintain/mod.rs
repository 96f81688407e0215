//! Keeps a lake in order: deletes traces, joins small files, and removes files that nothing refers
//! to.

mod compact;
mod delete;
mod groups;
mod joiner;
mod limits;
mod reconcile;
mod vacuum;

pub use compact::Compacted;
pub use vacuum::Vacuumed;
