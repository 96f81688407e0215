//! Functions that read whole arg sets.

mod index;
mod json;

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use tpq_tables::TraceTables;

use super::of_trace::{Lookup, OfTrace};
use super::value::Value;
pub(super) use index::{Arg, ArgSets};

/// `__intrinsic_arg_set_to_json(arg_set_id)`.
pub(super) fn to_json(sets: &Arc<ArgSets>) -> OfTrace {
    let lookup = ToJson(Arc::clone(sets));
    OfTrace::new("__intrinsic_arg_set_to_json", 1..=1, DataType::Utf8View, lookup)
}

/// Makes the arg set with an id JSON. NULL for NULL, and an empty object for an id without args.
struct ToJson(Arc<ArgSets>);

impl Lookup for ToJson {
    fn find(&self, values: &[Value]) -> Result<Value<'static>> {
        let Some(id) = values[0].as_integer() else { return Ok(Value::Null) };
        let mut tree = json::Tree::default();
        self.0.each(id, |arg| tree.add(arg))?;
        Ok(Value::text(tree.json()))
    }
}

/// An index over the args of a trace.
pub(super) fn index(tables: &TraceTables) -> Arc<ArgSets> {
    Arc::new(ArgSets::new(tables))
}
