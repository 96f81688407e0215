//! Which counters a GPU has: their tracks, and the groups they are in.

use rustc_hash::FxHashMap;
use tpq_proto::message::GpuCounterDescriptor;
use tpq_proto::message::gpu_counter_descriptor::gpu_counter_spec::ValueDirection;
use tpq_proto::message::gpu_counter_descriptor::{GpuCounterGroup, GpuCounterSpec};
use tpq_tables::table::GpuCounterGroupRow;
use tpq_tables::{Stat, Stats, StringId, Tables};

use super::unit::unit;
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{GpuCounter, TrackKind, Trackers};

const COUNTER: TrackKind = TrackKind::counter("gpu_counter", None);
const INVALID: Stat = Stat::GpuCountersInvalidSpec;

/// Names and descriptions of groups, by their number.
type Groups = FxHashMap<i32, (StringId, StringId)>;

/// Adds the counters that were described in the packets of their values. Their numbers hold for the
/// whole file, so the first description of one counts.
pub(super) fn add_inline(
    machine: u32,
    gpu: u32,
    descriptor: &GpuCounterDescriptor,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let groups = groups(descriptor, tables);
    let mut added = FxHashMap::default();
    for spec in &descriptor.specs {
        let (Some(id), Some(name)) = (spec.counter_id, &spec.name) else {
            stats.increment(INVALID);
            trackers.log(INVALID, None, &ArgSet::default(), tables);
            continue;
        };
        if trackers.source.gpu_counters.inline.contains_key(&id) {
            stats.increment(INVALID);
            let name = ArgValue::String(tables.strings.intern(name));
            let details = [("counter_id", ArgValue::Uint(u64::from(id))), ("counter_name", name)];
            let details = ArgSet::of(details, &mut tables.strings);
            trackers.log(INVALID, None, &details, tables);
            continue;
        }
        let counter = counter(machine, gpu, spec, name, trackers, tables);
        add_groups(counter.track, spec, &groups, tables);
        trackers.source.gpu_counters.inline.insert(id, counter);
        added.insert(id, counter);
    }
    add_listed_groups(descriptor, &groups, &added, tables);
}

/// The counters of a description that was interned, by their numbers in it.
pub(super) fn counters(
    machine: u32,
    gpu: u32,
    descriptor: &GpuCounterDescriptor,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> FxHashMap<u32, GpuCounter> {
    let groups = groups(descriptor, tables);
    let mut counters: FxHashMap<u32, GpuCounter> = FxHashMap::default();
    for spec in &descriptor.specs {
        let (Some(id), Some(name)) = (spec.counter_id, &spec.name) else { continue };
        let counter = counter(machine, gpu, spec, name, trackers, tables);
        if counters.contains_key(&id) {
            continue;
        }
        add_groups(counter.track, spec, &groups, tables);
        counters.insert(id, counter);
    }
    add_listed_groups(descriptor, &groups, &counters, tables);
    counters
}

/// Finds or makes the track of a counter.
fn counter(
    machine: u32,
    gpu: u32,
    spec: &GpuCounterSpec,
    name: &str,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> GpuCounter {
    let name = tables.strings.intern(name);
    let dimensions = trackers.gpus.dimensions(machine, gpu, tables).text("name", name);
    let track =
        trackers.source.tracks.get(COUNTER, dimensions, name, &mut trackers.deferred, tables);
    if tables.track.source_arg_set_id.get(track).is_none() {
        let text = spec.description.as_deref();
        let description = text.map(|text| tables.strings.intern(text)).unwrap_or_default();
        let mut args = ArgSet::default();
        args.add(tables.strings.intern("description"), ArgValue::String(description));
        let unit = unit(spec).map(|unit| tables.strings.intern(&unit)).unwrap_or_default();
        let arg_set = trackers.deferred.intern(&args);
        tables.track.source_arg_set_id.set(track, arg_set);
        tables.track.description.set(track, description);
        tables.track.unit.set(track, unit);
    }
    let forwards = spec.value_direction() == ValueDirection::ForwardsLooking;
    GpuCounter { track, forwards }
}

fn groups(descriptor: &GpuCounterDescriptor, tables: &mut Tables) -> Groups {
    let mut text = |text: &Option<String>| {
        text.as_deref().map(|text| tables.strings.intern(text)).unwrap_or_default()
    };
    let groups = descriptor.counter_groups.iter();
    let mut named = Groups::default();
    for (id, group) in groups.filter_map(|group| Some((group.group_id?, group))) {
        let about = (text(&group.name), text(&group.description));
        named.entry(id as i32).or_insert(about);
    }
    named
}

/// Puts a counter into the groups that it names, or into that of what is in none.
fn add_groups(track_id: u32, spec: &GpuCounterSpec, groups: &Groups, tables: &mut Tables) {
    let of_none = [GpuCounterGroup::Unclassified as i32];
    let (ids, groups) = match spec.groups.as_slice() {
        [] => (of_none.as_slice(), None),
        ids => (ids, Some(groups)),
    };
    for &group_id in ids {
        let known = groups.and_then(|groups| groups.get(&group_id)).copied();
        let (name, description) = known.unwrap_or_default();
        tables.gpu_counter_group.push(GpuCounterGroupRow { group_id, track_id, name, description });
    }
}

/// Puts counters into the groups that name them.
fn add_listed_groups(
    descriptor: &GpuCounterDescriptor,
    groups: &Groups,
    counters: &FxHashMap<u32, GpuCounter>,
    tables: &mut Tables,
) {
    for group in &descriptor.counter_groups {
        let Some(group_id) = group.group_id.map(|id| id as i32) else { continue };
        let (name, description) = groups.get(&group_id).copied().unwrap_or_default();
        for counter in group.counter_ids.iter().filter_map(|id| counters.get(id)) {
            let track_id = counter.track;
            tables.gpu_counter_group.push(GpuCounterGroupRow {
                group_id,
                track_id,
                name,
                description,
            });
        }
    }
}
