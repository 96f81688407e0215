//! Flows: arrows between slices that share a flow id.

use rustc_hash::FxHashMap;
use tpq_tables::table::FlowRow;
use tpq_tables::{Stat, Stats, StringId, Tables};

use crate::args::{ArgSet, ArgValue};
use crate::track::Trackers;

/// The identity of a flow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FlowId {
    /// A number that means the same wherever it is written.
    Number(u64),
    /// A number together with a category and a name, in the order in which they were first seen.
    Named(u32),
}

/// Whether a flow that ends in a slice may end in others too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FlowEnd {
    /// It is over.
    Last,
    /// It may end again.
    MayRepeat,
}

/// Writes `flow`.
#[derive(Default)]
pub struct Flows {
    /// The slice each flow was last seen at.
    last: FxHashMap<FlowId, u32>,
    named: FxHashMap<(u64, StringId, StringId), u32>,
    /// The category and the name of each.
    names: Vec<(StringId, StringId)>,
    /// Flows that end in the next slice that begins on a track of a source.
    awaiting: FxHashMap<(u32, u32), Vec<FlowId>>,
}

impl Flows {
    /// The flow of a number, a category and a name.
    pub fn named(&mut self, number: u64, category: StringId, name: StringId) -> FlowId {
        let Self { named, names, .. } = self;
        FlowId::Named(*named.entry((number, category, name)).or_insert_with(|| {
            names.push((category, name));
            names.len() as u32 - 1
        }))
    }

    /// Whether a flow has begun and not ended.
    pub fn is_active(&self, flow: FlowId) -> bool {
        self.last.contains_key(&flow)
    }

    /// One slice led to another; no id names the flow.
    pub fn link(&self, slice_out: u32, slice_in: u32, tables: &mut Tables) {
        tables.flow.push(FlowRow { slice_out, slice_in, ..FlowRow::default() });
    }
}

impl Trackers {
    /// A flow begins in a slice.
    pub fn begin_flow(&mut self, flow: FlowId, slice: u32, tables: &mut Tables, stats: &mut Stats) {
        self.bind_arrived(tables, stats);
        if self.file.flows.is_active(flow) {
            return stats.increment(Stat::FlowDuplicateId);
        }
        self.file.flows.last.insert(flow, slice);
    }

    /// A flow passes through a slice.
    pub fn step_flow(&mut self, flow: FlowId, slice: u32, tables: &mut Tables, stats: &mut Stats) {
        self.bind_arrived(tables, stats);
        let Some(last) = self.file.flows.last.get_mut(&flow) else {
            return stats.increment(Stat::FlowStepWithoutStart);
        };
        let from = std::mem::replace(last, slice);
        self.push_flow(flow, from, slice, tables);
    }

    /// A flow arrives in a slice.
    pub fn end_flow(
        &mut self,
        flow: FlowId,
        slice: u32,
        end: FlowEnd,
        tables: &mut Tables,
        stats: &mut Stats,
    ) {
        self.bind_arrived(tables, stats);
        self.arrive(flow, slice, tables, stats);
        if end == FlowEnd::Last {
            self.file.flows.last.remove(&flow);
        }
    }

    /// A flow begins in what was last to begin on a track.
    pub fn begin_flow_on(
        &mut self,
        flow: FlowId,
        track: u32,
        tables: &mut Tables,
        stats: &mut Stats,
    ) {
        match self.source.slices.topmost(track) {
            Some(slice) => self.begin_flow(flow, slice, tables, stats),
            None => stats.increment(Stat::FlowNoEnclosingSlice),
        }
    }

    /// A flow passes through what was last to begin on a track.
    pub fn step_flow_on(
        &mut self,
        flow: FlowId,
        track: u32,
        tables: &mut Tables,
        stats: &mut Stats,
    ) {
        match self.source.slices.topmost(track) {
            Some(slice) => self.step_flow(flow, slice, tables, stats),
            None => stats.increment(Stat::FlowNoEnclosingSlice),
        }
    }

    /// A flow arrives on a track: in what was last to begin there, or, unless `enclosing`, in what
    /// will be the next to begin.
    pub fn end_flow_on(
        &mut self,
        flow: FlowId,
        track: u32,
        enclosing: bool,
        tables: &mut Tables,
        stats: &mut Stats,
    ) {
        if !enclosing {
            self.bind_arrived(tables, stats);
            self.source.slices.await_next(track);
            let key = (self.source_id(), track);
            return self.file.flows.awaiting.entry(key).or_default().push(flow);
        }
        match self.source.slices.topmost(track) {
            Some(slice) => self.end_flow(flow, slice, FlowEnd::MayRepeat, tables, stats),
            None => stats.increment(Stat::FlowNoEnclosingSlice),
        }
    }

    /// Binds waiting flows to slices that have begun since. Functions that change flows call this
    /// first, so that the result is the same as binding at the start of each slice.
    pub fn bind_arrived(&mut self, tables: &mut Tables, stats: &mut Stats) {
        if self.source.slices.arrived.is_empty() {
            return;
        }
        for (track, slice) in std::mem::take(&mut self.source.slices.arrived) {
            let waited =
                self.file.flows.awaiting.remove(&(self.source_id(), track)).unwrap_or_default();
            for flow in waited {
                self.arrive(flow, slice, tables, stats);
            }
        }
    }

    fn arrive(&mut self, flow: FlowId, slice: u32, tables: &mut Tables, stats: &mut Stats) {
        match self.file.flows.last.get(&flow) {
            Some(&from) => self.push_flow(flow, from, slice, tables),
            None => stats.increment(Stat::FlowEndWithoutStart),
        }
    }

    /// Writes the arrow, which leads to the slice that began later: the end of a slice may state
    /// of a flow after slices in it did.
    fn push_flow(&mut self, flow: FlowId, from: u32, to: u32, tables: &mut Tables) {
        let begun = |slice: u32| tables.slice.ts.get(slice);
        let (slice_out, slice_in) = if begun(from) > begun(to) { (to, from) } else { (from, to) };
        let (trace_id, names) = match flow {
            FlowId::Number(id) => (id as i64, None),
            FlowId::Named(index) => {
                (i64::from(index), self.file.flows.names.get(index as usize).copied())
            }
        };
        let arg_set_id = names.and_then(|(category, name)| {
            let names = [("name", ArgValue::String(name)), ("cat", ArgValue::String(category))];
            self.deferred.intern(&ArgSet::of(names, &mut tables.strings))
        });
        tables.flow.push(FlowRow { slice_out, slice_in, trace_id: Some(trace_id), arg_set_id });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::Setup;
    use crate::track::NewSlice;

    struct Fixture {
        tables: Tables,
        stats: Stats,
        trackers: Trackers,
    }

    impl Fixture {
        fn new() -> Self {
            let mut tables = Tables::default();
            let trackers = Trackers::new(&Setup::default(), &mut tables);
            Self { tables, stats: Stats::default(), trackers }
        }

        fn begin(&mut self, ts: i64, track: u32) -> u32 {
            let slice = NewSlice { ts, track, ..NewSlice::default() };
            let Self { tables, stats, trackers } = self;
            trackers.source.slices.begin(slice, tables, stats).unwrap()
        }

        fn arrows(&self) -> Vec<(u32, u32, Option<i64>)> {
            let flow = &self.tables.flow;
            (0..flow.len())
                .map(|row| {
                    (flow.slice_out.get(row), flow.slice_in.get(row), flow.trace_id.get(row))
                })
                .collect()
        }
    }

    #[test]
    fn an_arrow_leads_to_what_began_later() {
        let mut fixture = Fixture::new();
        let (outer, inner) = (fixture.begin(10, 1), fixture.begin(20, 1));
        let Fixture { tables, stats, trackers } = &mut fixture;
        let flow = FlowId::Number(5);
        trackers.begin_flow(flow, inner, tables, stats);
        trackers.end_flow(flow, outer, FlowEnd::Last, tables, stats);
        trackers.end_flow(flow, outer, FlowEnd::Last, tables, stats);
        assert_eq!(stats.get(Stat::FlowEndWithoutStart), 1, "it was over");
        assert_eq!(fixture.arrows(), [(outer, inner, Some(5))]);
    }

    #[test]
    fn a_flow_may_wait_for_the_next_slice_of_a_track() {
        let mut fixture = Fixture::new();
        let from = fixture.begin(10, 1);
        let Fixture { tables, stats, trackers } = &mut fixture;
        let [category, name] = ["net", "send"].map(|text| tables.strings.intern(text));
        let flow = trackers.file.flows.named(77, category, name);
        let other = trackers.file.flows.named(78, category, name);
        assert_ne!(flow, other);
        trackers.begin_flow_on(flow, 1, tables, stats);
        trackers.end_flow_on(flow, 2, false, tables, stats);
        trackers.end_flow_on(other, 2, false, tables, stats);
        trackers.end_flow_on(flow, 3, true, tables, stats);
        assert_eq!(stats.get(Stat::FlowNoEnclosingSlice), 1, "nothing is open on track 3");
        let (to, _) = (fixture.begin(20, 2), fixture.begin(30, 2));
        let Fixture { tables, stats, trackers } = &mut fixture;
        trackers.bind_arrived(tables, stats);
        assert_eq!(stats.get(Stat::FlowEndWithoutStart), 1, "the other never began");
        assert_eq!(fixture.arrows(), [(from, to, Some(0))]);
        fixture.trackers.write_deferred(&mut fixture.tables);
        assert_eq!(fixture.tables.args.len(), 2, "its name and its category");
    }
}
