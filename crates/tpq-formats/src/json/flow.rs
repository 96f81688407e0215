//! Flows: events of their own in the older form, fields of slices in the newer.

use tpq_tables::Stat;

use super::context::Context;
use super::owner::EventOwner;
use tpq_trackers::track::FlowId;

impl Context<'_> {
    /// An event that only says that a flow begins, passes or ends: its id together with its
    /// category and name distinguishes them.
    pub(super) fn flow(&mut self, owner: EventOwner) {
        let Some(id) = self.number(self.event.id) else {
            return self.fail(Stat::FlowInvalidId);
        };
        let flow = self.trackers.file.flows.named(id, self.category, self.name);
        let track = self.thread_track(owner);
        let enclosing = self.event.bind_enclosing;
        let Self { trackers, tables, stats, .. } = self;
        match self.event.phase {
            b's' => trackers.begin_flow_on(flow, track, tables, stats),
            b't' => trackers.step_flow_on(flow, track, tables, stats),
            _ => trackers.end_flow_on(flow, track, enclosing, tables, stats),
        }
    }

    /// The flow that a slice says it is part of, once the slice has begun on its track.
    pub(super) fn bind_flow(&mut self, track: u32) {
        let Some(id) = self.number(self.event.bind_id) else { return };
        let flow = FlowId::Number(id);
        let Self { trackers, tables, stats, .. } = self;
        match (self.event.flow_in, self.event.flow_out) {
            (true, true) => trackers.step_flow_on(flow, track, tables, stats),
            (false, true) => trackers.begin_flow_on(flow, track, tables, stats),
            (true, false) => trackers.end_flow_on(flow, track, true, tables, stats),
            (false, false) => self.fail(Stat::FlowWithoutDirection),
        }
    }
}
