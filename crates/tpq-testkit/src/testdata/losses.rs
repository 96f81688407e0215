//! All kinds of losses on the way from the kernel or a program to the file.

use crate::{
    BufferStats, FtraceBundle, FtraceCpuStats, FtraceEvent, FtraceStats, InternedData, NEEDS_STATE,
    Packet, STATE_CLEARED, Task, TraceBuilder, TraceStats, TrackDescriptor, TrackEvent, prev_state,
};

const SERVICE: u32 = 1;
const GAP: u32 = 40;
const FTRACE: u32 = 41;
const HEADLESS: u32 = 42;

const TRACK: u64 = 40;
const ORPHAN: u64 = 41;
const NEVER_DESCRIBED: u64 = 99;

const MIGRANT: Task<'_> = Task::new("migrant", 71);

pub fn trace() -> TraceBuilder {
    let service = || Packet::new().sequence(SERVICE);
    let kernel = |phase: FtraceStats, overrun, read| {
        phase.cpu(FtraceCpuStats::new(0).overrun(overrun).dropped_events(0).read_events(read))
    };
    TraceBuilder::new()
        .packet(service().timestamp(500).ftrace_stats(kernel(FtraceStats::at_start(), 5, 0)))
        .packets(sequence_with_a_gap())
        .packet(headless_sequence())
        .packets([migration(), kernel_loss()].map(|b| Packet::new().sequence(FTRACE).ftrace(b)))
        .packet(service().timestamp(5_000).ftrace_stats(kernel(FtraceStats::at_end(), 12, 90)))
        .packet(service().timestamp(5_000).trace_stats(buffers()))
}

fn sequence_with_a_gap() -> Vec<Packet> {
    let packet = |at, flags| Packet::new().sequence(GAP).timestamp(at).flags(flags);
    let event = || TrackEvent::instant(TRACK).name_iid(1);
    vec![
        // The service marks the first packet of every sequence like this; nothing was lost.
        packet(900, STATE_CLEARED)
            .previous_packet_dropped()
            .first_on_sequence()
            .track_descriptor(TrackDescriptor::new(TRACK).name("gap")),
        packet(1_000, NEEDS_STATE)
            .interned(InternedData::new().event_name(1, "before"))
            .track_event(event()),
        // Data was lost: the meaning of name 1 is unknown, so the event is skipped.
        packet(2_000, NEEDS_STATE).previous_packet_dropped().track_event(event()),
        packet(3_000, STATE_CLEARED)
            .interned(InternedData::new().event_name(1, "after"))
            .track_event(event()),
        // The parent of the track was never described.
        packet(3_200, STATE_CLEARED)
            .track_descriptor(TrackDescriptor::new(ORPHAN).parent(NEVER_DESCRIBED).name("orphan")),
        packet(3_200, NEEDS_STATE).track_event(TrackEvent::instant(ORPHAN).name("nowhere")),
        // The beginning of the slice was lost in the gap.
        packet(3_600, NEEDS_STATE).track_event(TrackEvent::end(TRACK)),
    ]
}

/// A sequence without its beginning, so that all its interned data is missing.
fn headless_sequence() -> Packet {
    Packet::new()
        .sequence(HEADLESS)
        .timestamp(2_500)
        .flags(NEEDS_STATE)
        .track_event(TrackEvent::instant(TRACK).name_iid(1))
}

fn kernel_loss() -> FtraceBundle {
    let idle = Task::new("swapper/1", 0);
    let task = Task::new("task", 70);
    FtraceBundle::new(1)
        .lost_events()
        .event(FtraceEvent::sched_switch(4_000, idle, prev_state::RUNNABLE, task))
        .event(FtraceEvent::sched_switch(4_400, task, prev_state::SLEEPING, idle))
        .event(FtraceEvent::sched_switch(4_800, idle, prev_state::RUNNABLE, MIGRANT))
        .event(FtraceEvent::sched_switch(5_000, MIGRANT, prev_state::SLEEPING, idle))
}

/// A thread runs on CPU 0 and next on CPU 1. The event in which it left CPU 0 is missing.
fn migration() -> FtraceBundle {
    let idle = Task::new("swapper/0", 0);
    FtraceBundle::new(0).event(FtraceEvent::sched_switch(
        4_600,
        idle,
        prev_state::RUNNABLE,
        MIGRANT,
    ))
}

fn buffers() -> TraceStats {
    TraceStats::new()
        .buffer(BufferStats::new(4_096).written(100, 40_960).chunks_overwritten(7).packet_loss(3))
        .buffer(BufferStats::new(8_192).written(2, 8_192).chunks_discarded(2))
        .writer(GAP, 0)
        .writer(HEADLESS, 0)
        .flushes(3, 2, 1)
}
