//! The rows of tracks that writers describe.

use tpq_tables::table::TrackRow;
use tpq_tables::{StringId, Tables};

use crate::args::{ArgSet, ArgValue};
use crate::deferred::DeferredWrites;
use crate::track::tracks::track_owner::Owner;
use crate::track::{Described, DescribedCounter, DescribedKind, Merge};

/// A track to be.
#[derive(Clone, Copy)]
pub(in crate::track) struct NewTrack {
    pub(in crate::track) uuid: u64,
    pub(in crate::track) described: Described,
    pub(in crate::track) owner: Owner,
    pub(in crate::track) name: StringId,
    pub(in crate::track) parent: Option<u32>,
    /// Whether the first packet of its writer was seen.
    pub(in crate::track) whole: bool,
    /// The group it is shown as one with, and its rank in it.
    pub(in crate::track) shared: Option<(u32, u32)>,
}

impl NewTrack {
    /// Writes the row.
    pub(in crate::track) fn write(
        &self,
        deferred: &mut DeferredWrites,
        tables: &mut Tables,
    ) -> u32 {
        let Self { described, shared, owner, .. } = *self;
        let unit = match described.kind {
            DescribedKind::Counter(counter) => counter.unit,
            _ => StringId::NULL,
        };
        let mut row = TrackRow {
            name: self.name,
            track_type: tables.strings.intern(kind_name(owner, described.kind, shared.is_some())),
            parent_id: self.parent,
            track_group_id: shared.map(|(group, _)| group),
            unit,
            description: described.description,
            is_counter: u32::from(matches!(described.kind, DescribedKind::Counter(_))),
            ..TrackRow::default()
        };
        match owner {
            Owner::Thread(utid) => {
                row.utid = Some(utid);
                row.machine_id = tables.thread.machine_id.get(utid);
            }
            Owner::Process(upid) => {
                row.upid = Some(upid);
                row.machine_id = tables.process.machine_id.get(upid);
            }
            Owner::Machine(machine) => row.machine_id = machine,
        }
        let dimensions = self.dimensions(tables);
        row.dimension_arg_set_id = deferred.intern(&dimensions);
        let source = self.source(tables);
        row.source_arg_set_id = deferred.intern(&source);
        tables.track.push(row)
    }

    /// The dimensions that distinguish it from others of its kind.
    fn dimensions(&self, tables: &mut Tables) -> ArgSet {
        let mut set = ArgSet::default();
        let mut add = |name: &str, value: ArgValue| set.add(tables.strings.intern(name), value);
        match self.owner {
            Owner::Thread(utid) => add("utid", ArgValue::Int(i64::from(utid))),
            Owner::Process(upid) => add("upid", ArgValue::Int(i64::from(upid))),
            Owner::Machine(_) => {}
        }
        let Some((_, index)) = self.shared else {
            add("track_uuid", ArgValue::Int(self.uuid as i64));
            return set;
        };
        let (kind, key) = merge_key(self.described.merge, self.name);
        add("parent_track_uuid", ArgValue::Int(self.described.parent as i64));
        add("merge_key_type", ArgValue::Int(kind));
        add("merge_key_value", ArgValue::String(key));
        add("track_compressor_idx", ArgValue::Int(i64::from(index)));
        set
    }

    /// The contents of its descriptor.
    fn source(&self, tables: &mut Tables) -> ArgSet {
        let Self { described, uuid, whole, .. } = *self;
        let strings = &mut tables.strings;
        let text = |text: StringId| (!text.is_null()).then_some(ArgValue::String(text));
        let root = described.is_root() || uuid == 0;
        let counter = match described.kind {
            DescribedKind::Counter(counter) => counter,
            _ => DescribedCounter::default(),
        };
        let mut word = |word: &str| ArgValue::String(strings.intern(word));
        let args = [
            ("source", Some(word("descriptor"))),
            ("trace_id", Some(ArgValue::Int(uuid as i64))),
            ("is_root_in_scope", Some(ArgValue::Bool(root))),
            ("category", text(counter.category)),
            ("builtin_counter_type", counter.builtin.map(|builtin| word(builtin.name()))),
            ("y_axis_share_key", text(counter.share_key)),
            ("has_first_packet_on_sequence", whole.then_some(ArgValue::Bool(true))),
            ("child_ordering", described.ordering.map(&mut word)),
            ("sibling_order_rank", described.rank.map(|rank| ArgValue::Int(i64::from(rank)))),
            ("description", text(described.description)),
        ];
        let given = args.into_iter().filter_map(|(key, value)| Some((key, value?)));
        ArgSet::of(given, strings)
    }
}

/// By what tracks are shown as one, as a number, and its value.
pub(in crate::track) fn merge_key(merge: Merge, name: StringId) -> (i64, StringId) {
    match merge {
        Merge::ByName => (0, name),
        Merge::Never => (1, StringId::NULL),
        Merge::ByKey(key) => (2, key),
    }
}

fn kind_name(owner: Owner, kind: DescribedKind, shared: bool) -> &'static str {
    match (kind, shared, owner) {
        (DescribedKind::Counter(_), _, Owner::Thread(_)) => "thread_counter_track_event",
        (DescribedKind::Counter(_), _, Owner::Process(_)) => "process_counter_track_event",
        (DescribedKind::Counter(_), _, Owner::Machine(_)) => "global_counter_track_event",
        (DescribedKind::State, _, Owner::Thread(_)) => "thread_state_track_event",
        (DescribedKind::State, _, Owner::Process(_)) => "process_state_track_event",
        (DescribedKind::State, _, Owner::Machine(_)) => "global_state_track_event",
        (_, true, Owner::Thread(_)) => "thread_merged_track_event",
        (_, true, Owner::Process(_)) => "process_merged_track_event",
        (_, true, Owner::Machine(_)) => "global_merged_track_event",
        (_, false, Owner::Thread(_)) => "thread_track_event",
        (_, false, Owner::Process(_)) => "process_track_event",
        (_, false, Owner::Machine(_)) => "global_track_event",
    }
}
