//! Samples that Chromium's profiler streams: call stacks with differences of times.

use std::sync::Arc;

use tpq_ingest::{Bundle, Loss, Payload, SplitSink};
use tpq_proto::fields::{streaming_profile_packet, trace_packet};
use tpq_proto::wire::{Fields, LastFields, repeated};
use tpq_tables::table::{ChromeSampleExtrasRow, ProfilerSampleRow};
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::{BundleDecoder, events_of};
use crate::event::RunEvent;
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::stacks::InternedStacks;
use tpq_trackers::track::{SampledTask, Tid, Trackers};

const FIELD: u32 = trace_packet::STREAMING_PROFILE_PACKET;

pub(crate) const EVENTS: BundleDecoder =
    BundleDecoder { field: FIELD, split, decode: decode_sample };

/// The name of the profiler among others.
const SOURCE: &str = "chrome";

/// Words of a sample: the two halves of the id of its stack, and the priority of the process.
const WORDS: usize = 3;

/// Splits a packet into samples. Times count from that of the sequence, which its threads and
/// events state.
fn split(bundle: Bundle<'_>, sink: &mut SplitSink<'_>) {
    // `None` from the first difference on that leads outside of time.
    let mut now = bundle.ns;
    let priority = LastFields::<4>::new(bundle.payload);
    let priority = priority.int(streaming_profile_packet::PROCESS_PRIORITY) as i32;
    let all = |number: u32| {
        let fields = Fields::new(bundle.payload).filter(move |field| field.number == number);
        fields.flat_map(|field| repeated(&field))
    };
    let mut deltas = all(streaming_profile_packet::TIMESTAMP_DELTA_US);
    let (mut timestamps, mut words) = (Vec::new(), Vec::new());
    for iid in all(streaming_profile_packet::CALLSTACK_IID) {
        let Some(delta) = deltas.next() else {
            sink.lose(Loss::ProfileWithoutTimes);
            break;
        };
        let delta = (delta as i64).checked_mul(1000);
        now = now.zip(delta).and_then(|(now, delta)| now.checked_add(delta));
        now = now.filter(|&now| now >= 0);
        let Some(now) = now else {
            sink.lose(Loss::UndatedProfile);
            continue;
        };
        timestamps.push(now);
        words.extend(crate::decode::halves(iid));
        words.push(priority as u32);
    }
    let payload = Payload::Words {
        width: WORDS,
        words,
        strings: Arc::new([]),
        ranks: Vec::new(),
        own_strings: false,
    };
    sink.push(bundle.clock, bundle.run(events_of(FIELD), timestamps, payload));
}

fn decode_sample(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (&[iid_high, iid_low, priority], _) = event.words() else { return };
    let id = event.run.generation;
    let writer = event
        .interned
        .generation(id)
        .and_then(|generation| trackers.source.sequence_threads.get(id, generation));
    let thread = writer.map(|writer| {
        let [tid, pid] = [writer.tid, writer.pid].map(|id| Tid { machine: event.machine, id });
        let utid = trackers.processes.thread_of_process(tid, pid, tables);
        (utid, trackers.processes.process(pid, tables))
    });
    let (utid, upid) = thread.unzip();
    let stacks = InternedStacks { interned: event.interned, generation: id, upid };
    let iid = crate::decode::whole(iid_high, iid_low);
    let Some(callsite) = stacks.callstack(iid, &mut trackers.source.stacks, tables, stats) else {
        let stat = Stat::StackprofileParserError;
        stats.increment(stat);
        let details = ArgSet::of([("callstack_iid", ArgValue::Uint(iid))], &mut tables.strings);
        trackers.log(stat, Some(event.ts), &details, tables);
        return;
    };
    trackers.bounds.include(event.ts);
    let task = SampledTask { upid, utid, async_context: None };
    let row = ProfilerSampleRow {
        ts: event.ts,
        source: tables.strings.intern(SOURCE),
        task_context_id: utid.map(|_| trackers.samples.task(task, tables)),
        callsite_id: Some(callsite),
        ..ProfilerSampleRow::default()
    };
    let sample = tables.profiler_sample.push(row);
    let process_priority = priority as i32;
    if process_priority != 0 {
        let row = ChromeSampleExtrasRow { profiler_sample_id: sample, process_priority };
        tables.chrome_sample_extras.push(row);
    }
}
