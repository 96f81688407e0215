//! Packing traces into one file, and saying how they come onto one timeline.

mod advice;
mod members;
mod output;
mod report;

pub use members::{Member, members};
pub use output::pack;
pub use report::{headline, report};
