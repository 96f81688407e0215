//! Stacks of named frames, which statements put together, and profiles of them.
//!
//! A stack is a blob: a `Stack` message, the innermost frame first. Frames have names: no function
//! makes stacks of frames that are rows of call stack tables. Table functions read those rows.

mod annotated;
mod callsites;
mod profile;
mod samples;
mod wire;

use std::sync::Arc;

use datafusion::common::exec_err;
use datafusion::logical_expr::AggregateUDF;
use tpq_tables::TraceTables;

use super::TableFunction;
use super::per_row::{PerRow, blob};
use super::value::Value;
use wire::push_bytes;

/// The field of a stack that holds a frame.
const STACK_ENTRY: u64 = 1;

/// The field of a frame that holds its name.
const ENTRY_NAME: u64 = 1;

/// The scalar functions of this family.
pub(super) fn functions() -> Vec<PerRow> {
    let cat_stacks = PerRow::new("cat_stacks", 0..=usize::MAX, blob, |values| {
        let mut stack = Vec::new();
        // The first argument is the outermost frame.
        for value in values.iter().rev() {
            match value {
                Value::Null => {}
                Value::Blob(frames) => stack.extend_from_slice(frames),
                Value::Text(name) => push_frame(&mut stack, name),
                Value::Integer(_) | Value::Real(_) => {
                    return exec_err!("cat_stacks() takes texts and stacks, not numbers");
                }
            }
        }
        Ok(Value::Blob(stack.into()))
    });
    vec![cat_stacks.sized(stack_size)]
}

/// An upper bound of a stack in bytes.
fn stack_size(values: &[Value]) -> usize {
    /// The maximum size of a frame without its name.
    const FRAME: usize = 24;
    let sizes = values.iter().map(|value| value.byte_count().saturating_add(FRAME));
    sizes.fold(0, usize::saturating_add)
}

/// The aggregate of this family.
pub(super) fn aggregate() -> AggregateUDF {
    AggregateUDF::new_from_impl(samples::ExperimentalProfile::default())
}

/// The table functions of this family.
pub(super) fn table(tables: &TraceTables) -> Vec<Arc<dyn TableFunction>> {
    callsites::table(tables).into_iter().chain(annotated::table(tables)).collect()
}

/// Appends a frame to a stack.
fn push_frame(stack: &mut Vec<u8>, name: &str) {
    let mut entry = Vec::with_capacity(name.len() + 10);
    push_bytes(&mut entry, ENTRY_NAME, name.as_bytes());
    push_bytes(stack, STACK_ENTRY, &entry);
}
