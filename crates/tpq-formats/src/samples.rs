//! Rows of samples and of profiles, for formats of profilers.

use tpq_tables::table::{AggregateProfileRow, AggregateSampleRow, ProfilerSampleRow};
use tpq_tables::{StringId, Tables};
use tpq_trackers::stacks::SourceLine;
use tpq_trackers::track::{SampledTask, Trackers, Upid, Utid};

/// A sample of a thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StackSample {
    /// Time, ns in trace time.
    pub(crate) ts: i64,
    /// Thread.
    pub(crate) utid: Utid,
    /// Process, if the sample states it.
    pub(crate) upid: Option<Upid>,
    /// Call stack; `None` for a sample without one.
    pub(crate) callsite: Option<u32>,
}

/// Writes a sample of the profiler `source`.
pub(crate) fn push_sample(
    source: &str,
    sample: StackSample,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    let StackSample { ts, utid, upid, callsite } = sample;
    let task = SampledTask { upid, utid: Some(utid), async_context: None };
    let task = trackers.samples.task(task, tables);
    trackers.bounds.include(ts);
    let row = ProfilerSampleRow {
        ts,
        source: tables.strings.intern(source),
        task_context_id: Some(task),
        callsite_id: callsite,
        ..ProfilerSampleRow::default()
    };
    tables.profiler_sample.push(row);
}

/// The frame of a function without an address, in a binary or a file of that name.
pub(crate) fn named_frame(
    mapping: &str,
    function: &str,
    source: SourceLine,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> u32 {
    let mapping = tables.strings.intern(mapping);
    let function = tables.strings.intern(function);
    let stacks = &mut trackers.source.stacks;
    let mapping = stacks.mappings.placeholder(mapping, tables);
    stacks.frames.named(mapping, function, source, tables)
}

/// The callsite of a stack of frames, the outermost first; `None` if there are none.
pub(crate) fn callsite(
    frames: impl IntoIterator<Item = u32>,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> Option<u32> {
    let callsites = &mut trackers.source.stacks.callsites;
    (0..)
        .zip(frames)
        .fold(None, |parent, (depth, frame)| Some(callsites.get(parent, frame, depth, tables)))
}

/// Adds a profile without times: sums of values by call stack. Returns its row.
pub(crate) fn push_profile(
    scope: StringId,
    name: &str,
    (kind, unit): (&str, &str),
    tables: &mut Tables,
) -> u32 {
    let row = AggregateProfileRow {
        scope,
        name: tables.strings.intern(name),
        sample_type_type: tables.strings.intern(kind),
        sample_type_unit: tables.strings.intern(unit),
    };
    tables.aggregate_profile.push(row)
}

/// Adds a value of a profile at a call stack.
pub(crate) fn push_value(profile: u32, callsite: u32, value: f64, tables: &mut Tables) {
    let row = AggregateSampleRow { aggregate_profile_id: profile, callsite_id: callsite, value };
    tables.aggregate_sample.push(row);
}
