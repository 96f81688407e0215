//! The health of a trace: the data that it lost, in words, with advice for the next recording.
//!
//! ```text
//! data_loss, stats ──rows──▶ LossReport ──groups──▶ Health ──▶ text of `tpq check`, JSON of the page
//! ```
//!
//! A [`LossReport`] has the rows as they are, and the [`Advice`] on configurations. A [`Health`] has what people read: a headline, and one
//! [`Finding`] for losses of one kind. The crate reads tables through a session, and prints nothing.

mod advice;
mod error;
mod findings;
mod json;
mod loss_report;
mod numbers;
mod rows;
mod source_names;

pub use advice::Advice;
pub use error::HealthError;
pub use findings::{Finding, Health, HealthState, Severity};
pub use loss_report::{ErrorCount, Loss, LossReport};
pub use numbers::grouped;
pub use source_names::SourceNames;
