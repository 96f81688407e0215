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

    /// One slice caused another, in a flow that has no id.
    pub(crate) fn join(&mut self, from: u32, to: u32, tables: &mut Tables) {
        let row = FlowRow { slice_out: from, slice_in: to, trace_id: None, arg_set_id: None };
        tables.flow.push(row);
    }

    /// A flow ends in a slice.
    pub(crate) fn end(&mut self, id: u64, slice: u32, tables: &mut Tables) {
        if let Some(from) = self.last.remove(&id) {
            push(id, from, slice, tables);
        }
    }

    /// One slice led to another; there is no number that names the flow.
    pub(crate) fn link(&mut self, from: u32, to: u32, tables: &mut Tables) {
        let row = FlowRow { slice_out: from, slice_in: to, trace_id: None, arg_set_id: None };
        tables.flow.push(row);
    }
}

fn push(id: u64, slice_out: u32, slice_in: u32, tables: &mut Tables) {
    let trace_id = Some(id as i64);
    tables.flow.push(FlowRow { slice_out, slice_in, trace_id, arg_set_id: None });
}
