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
    names: Vec<Option<KindNames>>,
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

/// An event without its name and arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KernelEvent {
    pub(crate) ts: i64,
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

    /// Adds an event of a known kind. `made_from` tells its arguments apart from all others; `fill`
    /// reads them, unless they are those of an event shortly before.
    pub(crate) fn push_kind(
        &mut self,
        kind: &EventKind,
        event: KernelEvent,
        made_from: Option<Fingerprint>,
        args: &mut Args,
        tables: &mut Tables,
        fill: impl FnOnce(&mut ArgSet, &KindNames, &mut Tables),
    ) {
        let Self { recent, scratch, names, .. } = self;
        let names = names_of(names, kind, &mut tables.strings);
        let print = made_from.map(Fingerprint::finish);
        let place = print.and_then(|print| recent.get_mut(print as usize % REMEMBERED));
        let set = match (place, print) {
            (Some(&mut (known, set)), Some(print)) if known == print => set,
            (place, print) => {
                scratch.clear();
                fill(scratch, names, tables);
                let set = args.intern(scratch, tables);
                if let (Some(place), Some(print)) = (place, print) {
                    *place = (print, set);
                }
                set
            }
        };
        push_row(names.name, event, set, tables);
    }

    /// Adds an event that has a name of its own.
    pub(crate) fn push_named(
        &mut self,
        name: StringId,
        event: KernelEvent,
        args: &mut Args,
        tables: &mut Tables,
        fill: impl FnOnce(&mut ArgSet, &mut Tables),
    ) {
        self.scratch.clear();
        fill(&mut self.scratch, tables);
        let set = args.intern(&self.scratch, tables);
        push_row(name, event, set, tables);
    }
}

fn push_row(name: StringId, event: KernelEvent, arg_set_id: Option<u32>, tables: &mut Tables) {
    let KernelEvent { ts, utid, ucpu, common_flags } = event;
    tables.ftrace_event.push(FtraceEventRow { ts, name, utid, arg_set_id, common_flags, ucpu });
}

/// The names of a kind, interned when it is first met.
fn names_of<'a>(
    names: &'a mut Vec<Option<KindNames>>,
    kind: &EventKind,
    strings: &mut StringPool,
) -> &'a KindNames {
    let index = kind.number as usize;
    if index >= names.len() {
        names.resize_with(index + 1, || None);
    }
    names[index].get_or_insert_with(|| {
        let fields = kind.fields.iter().map(|field| strings.intern(field.name)).collect();
        KindNames { name: strings.intern(kind.name), fields }
    })
}
