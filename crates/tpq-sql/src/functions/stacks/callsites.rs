//! `experimental_ancestor_stack_profile_callsite(id)`, also without `experimental_`: the callers of
//! a call site. tpq does not fill the tables of call sites, so that no `id` is known.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, RecordBatch, UInt32Array};
use datafusion::arrow::datatypes::{DataType, Field, Int64Type, Schema, SchemaRef};
use datafusion::common::{Result, exec_err, internal_err};

use super::super::table_function::{CallArgument, CalledRows, TableFunction};

const NAMES: [&str; 2] =
    ["experimental_ancestor_stack_profile_callsite", "ancestor_stack_profile_callsite"];

pub(super) fn table() -> Vec<Arc<dyn TableFunction>> {
    let function = |name| Arc::new(AncestorCallsites { name }) as Arc<dyn TableFunction>;
    NAMES.into_iter().map(function).collect()
}

#[derive(Debug)]
struct AncestorCallsites {
    name: &'static str,
}

/// The columns of `stack_profile_callsite`.
fn columns() -> SchemaRef {
    let column = |name: &str| Field::new(name, DataType::Int64, true);
    let columns = ["id", "depth", "parent_id", "frame_id"].map(column);
    Arc::new(Schema::new(columns.to_vec()))
}

impl TableFunction for AncestorCallsites {
    fn name(&self) -> &str {
        self.name
    }

    fn arguments(&self) -> &[(&'static str, DataType)] {
        &[("id", DataType::Int64)]
    }

    fn schema(&self, _: &[CallArgument]) -> Result<SchemaRef> {
        Ok(columns())
    }

    fn call(&self, args: &[ArrayRef], _: usize, wanted: &[usize]) -> Result<CalledRows> {
        let Some(ids) = args.first().and_then(|ids| ids.as_primitive_opt::<Int64Type>()) else {
            return internal_err!("{}() without an id", self.name);
        };
        if let Some(id) = ids.iter().flatten().next() {
            return exec_err!("{}(): there is no callsite with id {id}", self.name);
        }
        let rows = RecordBatch::new_empty(Arc::new(columns().project(wanted)?));
        Ok(CalledRows { calls: UInt32Array::from(Vec::<u32>::new()), rows })
    }
}
