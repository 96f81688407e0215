//! Every kernel event as it was recorded, and the sets of its arguments.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use tpq_proto::ftrace::{DescribedKind, EventKind};
use tpq_tables::table::FtraceEventRow;
use tpq_tables::{StringId, StringPool, Tables};

use super::args::Fingerprint;
use super::{ArgSet, Args, Scoped};

/// How many sets of arguments are remembered by what they were made from. Most events of a trace
/// say what one shortly before said: the same few threads take turns.
const REMEMBERED: usize = 1 << 14;

/// Writes `ftrace_event`.
pub(crate) struct KernelEvents {
    /// Whether the table is wanted.
    kept: bool,
    /// Sets lately made; the place in here follows from what a set is made of.
    recent: Vec<(u128, Option<u32>)>,
    /// A set under construction.
    scratch: ArgSet,
    /// The names of kinds and of their fields, by the field of an event that a kind lies in.
    names: Vec<Option<Arc<KindNames>>>,
    /// Kinds of events that a trace describes itself, by the field they lie in.
    pub(crate) described: Scoped<FxHashMap<u32, Arc<DescribedKind>>>,
    /// Those of them that are slices or counters.
    pub(crate) track_events: Scoped<FxHashMap<u32, KernelTrackEvent>>,
}

/// What a kind of event, and its fields in the order of the table of kinds, are called.
pub(crate) struct KindNames {
    pub(crate) name: StringId,
    pub(crate) fields: Vec<StringId>,
}

/// A kind of event that is a slice or a counter, with the numbers of the fields that say which.
#[derive(Clone, Debug, Default)]
pub(crate) struct KernelTrackEvent {
    /// The name of the kind, which is that of tracks that have no other.
    pub(crate) name: Vec<u8>,
    pub(crate) track_name: Option<u32>,
    pub(crate) context: TrackContext,
    /// Whether a slice begins, ends, or is an instant.
    pub(crate) phase: Option<u32>,
    pub(crate) slice_name: Option<u32>,
    pub(crate) value: Option<u32>,
}

/// What the tracks of a kind of event are of, with the number of the field that names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum TrackContext {
    /// The thread that was running.
    #[default]
    Thread,
    Process(u32),
    Cpu(u32),
    /// Something that has no tracks.
    Unknown,
}

/// An event without its arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KernelEvent {
    pub(crate) ts: i64,
    pub(crate) name: StringId,
    pub(crate) utid: u32,
    pub(crate) ucpu: u32,
    pub(crate) common_flags: u32,
}

impl KernelEvents {
    pub(crate) fn new(
        kept: bool,
        described: Scoped<FxHashMap<u32, Arc<DescribedKind>>>,
        track_events: Scoped<FxHashMap<u32, KernelTrackEvent>>,
    ) -> Self {
        let recent = vec![(0, None); if kept { REMEMBERED } else { 0 }];
        Self {
            kept,
            recent,
            scratch: ArgSet::default(),
            names: Vec::new(),
            described,
            track_events,
        }
    }

    /// Whether events are wanted at all.
    pub(crate) fn are_kept(&self) -> bool {
        self.kept
    }

    /// The names of a kind.
    pub(crate) fn names(&mut self, kind: &EventKind, strings: &mut StringPool) -> Arc<KindNames> {
        let index = kind.number as usize;
        if index >= self.names.len() {
            self.names.resize_with(index + 1, || None);
        }
        let names = self.names[index].get_or_insert_with(|| {
            let fields = kind.fields.iter().map(|field| strings.intern(field.name)).collect();
            Arc::new(KindNames { name: strings.intern(kind.name), fields })
        });
        Arc::clone(names)
    }

    /// Adds an event. `made_from` tells its arguments apart from all others; `fill` reads them,
    /// unless they are those of an event shortly before.
    pub(crate) fn push(
        &mut self,
        event: KernelEvent,
        made_from: Option<Fingerprint>,
        args: &mut Args,
        tables: &mut Tables,
        fill: impl FnOnce(&mut ArgSet, &mut Tables),
    ) {
        let print = made_from.map(Fingerprint::finish);
        let known = print.and_then(|print| {
            let (known, set) = *self.recent.get(print as usize % REMEMBERED)?;
            (known == print).then_some(set)
        });
        let arg_set_id = known.unwrap_or_else(|| {
            self.scratch.clear();
            fill(&mut self.scratch, tables);
            let set = args.intern(&self.scratch, tables);
            if let Some(print) = print
                && let Some(place) = self.recent.get_mut(print as usize % REMEMBERED)
            {
                *place = (print, set);
            }
            set
        });
        let KernelEvent { ts, name, utid, ucpu, common_flags } = event;
        tables.ftrace_event.push(FtraceEventRow { ts, name, utid, arg_set_id, common_flags, ucpu });
    }
}
