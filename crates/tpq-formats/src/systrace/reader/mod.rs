//! Text of the kernel's tracer, alone or in the page that a script made around it.
//!
//! ```text
//! bytes ─lines─▶ what each is of, by the section it lies in ─▶ Run
//! ```
//!
//! Lines come in nearly the order of time, but each CPU's apart where a script put them together,
//! so the file is sorted in full later.

mod sections;
mod systrace_reader;

pub(super) use systrace_reader::{SystraceKinds, SystraceReader, TextLine};
