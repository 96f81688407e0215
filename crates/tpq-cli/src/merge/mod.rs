//! Packs traces into one file, and reports how an import places them on one timeline.

mod advice;
mod members;
mod output;
mod report;

pub use members::{Member, members};
pub use output::pack;
pub use report::{headline, report};
