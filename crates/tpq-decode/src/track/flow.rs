//! Flows: arrows between slices that share a flow id.

use rustc_hash::FxHashMap;
use tpq_tables::Tables;
use tpq_tables::table::FlowRow;

/// Writes `flow`.
#[derive(Default)]
pub(crate) struct Flows {
    /// The slice each flow was last seen at.
    last: FxHashMap<u64, u32>,
}

impl Flows {
    /// A flow passes through a slice: it begins there or arrives from where it was.
    pub(crate) fn step(&mut self, id: u64, slice: u32, tables: &mut Tables) {
        if let Some(from) = self.last.insert(id, slice) {
            push(id, from, slice, tables);
        }
    }

    /// One slice led to another; no id names the flow.
    pub(crate) fn link(&self, slice_out: u32, slice_in: u32, tables: &mut Tables) {
        tables.flow.push(FlowRow { slice_out, slice_in, ..FlowRow::default() });
    }

    /// A flow ends in a slice.
    pub(crate) fn end(&mut self, id: u64, slice: u32, tables: &mut Tables) {
        if let Some(from) = self.last.remove(&id) {
            push(id, from, slice, tables);
        }
    }
}

fn push(id: u64, slice_out: u32, slice_in: u32, tables: &mut Tables) {
    let trace_id = Some(id as i64);
    tables.flow.push(FlowRow { slice_out, slice_in, trace_id, arg_set_id: None });
}
