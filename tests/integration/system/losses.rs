//! Texts of `data_loss`.

use insta::assert_snapshot;
use tpq_testkit::{
    BufferStats, FtraceBundle, FtraceCpuStats, FtraceEvent, FtraceStats, Message, Packet,
    ServiceEvent, Task, TraceStats, TrackEvent,
};

use crate::imported::{Imported, TRACK, instant, recording};

const LOSSES: &str = "SELECT kind, severity, ts, ts_end, amount, unit, stat, buffer, cpu, \
    sequence_id AS sequence, pid, machine_id AS machine, trace_id AS file FROM data_loss ORDER BY id";
const WORDS: &str = "SELECT what, remedy FROM data_loss ORDER BY id";
const BUFFERS: &str = "SELECT buffer, fill_policy, sources, size, written, lost, fill, \
    write_rate, ts, ts_end FROM trace_buffer ORDER BY id";

const S: u64 = 1_000_000_000;
const KIB: u64 = 1024;
const RING: u64 = 1;
const DISCARD: u64 = 2;

/// A configuration: buffers of a size in KiB and a policy, then whatever else.
fn config(buffers: &[(u64, u64)], rest: impl FnOnce(Message) -> Message) -> Packet {
    let buffer = |&(kb, policy): &(u64, u64)| Message::new().uint(1, kb).uint(4, policy);
    let config = buffers.iter().fold(Message::new(), |all, it| all.message(1, buffer(it)));
    Packet::new().sequence(9).trace_config(rest(config))
}

/// A data source and the buffer it writes to.
fn source(config: Message, name: &str, buffer: u64, more: Message) -> Message {
    let source = Message::new().bytes(1, name).uint(2, buffer).message(100, more);
    config.message(2, Message::new().message(1, source))
}

fn stats(stats: TraceStats) -> Packet {
    Packet::new().sequence(9).trace_stats(stats)
}

/// When the recording started and stopped.
fn service(at: u64, event: ServiceEvent) -> Packet {
    Packet::new().sequence(9).timestamp(at).service_event(event)
}

fn from_to(from: u64, to: u64) -> [Packet; 2] {
    [service(from, ServiceEvent::TracingStarted), service(to, ServiceEvent::TracingDisabled)]
}

/// 4 MiB were written in 8 s to a ring of 1 MiB, so 4 MiB and a tenth would have been enough. The
/// remaining data begins at 7 s.
#[test]
fn a_ring_that_wrapped() {
    let buffer = BufferStats::new(1024 * KIB).written(64, 4096 * KIB).chunks_overwritten(48);
    let buffer = BufferStats::from(Message::from(buffer).uint(13, 3072 * KIB).uint(4, 3));
    let trace = recording()
        .packets(from_to(S, 9 * S))
        .packet(config(&[(1024, RING)], |it| source(it, "track_event", 0, Message::new())))
        .packets([instant(7 * S, "kept"), instant(8 * S, "kept")])
        .packet(stats(TraceStats::new().buffer(buffer).writer(1, 0)));
    let imported = Imported::trace(trace);
    assert_snapshot!(imported.rows(LOSSES), @r"
    kind                 severity   ts          ts_end      amount   unit   stat                           buffer  cpu   sequence  pid   machine  file
    ring_buffer_wrapped  data_loss  1000000000  7000000000  3145728  bytes  traced_buf_chunks_overwritten  0       NULL  NULL      NULL  0        0
    ");
    assert_snapshot!(imported.rows(WORDS), @r"
    what                                                                                                                       remedy
    The oldest data of buffer 0 (1024 KiB, RING_BUFFER) was overwritten: 3.0 MiB of the 4.0 MiB written, in 3 turns round it.  Set size_kb of buffer 0 to 5120 or more: that holds the 8.0 s recorded, at the 512 KiB/s written. Or stream into a file, with write_into_file, file_write_period_ms 250, fill_policy RING_BUFFER and a size_kb of 2048 or more. Or record fewer events.
    ");
    assert_snapshot!(imported.rows(BUFFERS), @r"
    buffer  fill_policy  sources      size     written  lost     fill  write_rate  ts          ts_end
    0       RING_BUFFER  track_event  1048576  4194304  3145728  1.0   524288.0    7000000000  8000000000
    ");
}

/// The same ring, drained into a file every 2 s: twice what is written in that time is enough.
#[test]
fn a_ring_that_was_drained_too_seldom() {
    let buffer = BufferStats::new(1024 * KIB).written(64, 4096 * KIB).chunks_overwritten(48);
    let streaming = |config: Message| config.bool(8, true).uint(9, 2000).uint(13, 1000);
    let trace = recording()
        .packets(from_to(S, 9 * S))
        .packet(config(&[(1024, RING)], streaming))
        .packet(stats(TraceStats::new().buffer(buffer)));
    assert_snapshot!(Imported::trace(trace).rows(WORDS), @r"
    what                                                                                                  remedy
    The oldest data of buffer 0 (1024 KiB, RING_BUFFER) was overwritten: 3.0 MiB of the 4.0 MiB written.  Set size_kb of buffer 0 to 3072 or more: 512 KiB/s were written, and the file is written every 2000 ms. Or lower file_write_period_ms.
    ");
}

/// 16 chunks of 64 KiB filled the buffer by 3 s; 48 more were turned away.
#[test]
fn a_buffer_that_was_full() {
    let buffer = BufferStats::new(1024 * KIB).written(16, 1024 * KIB).chunks_discarded(48);
    let trace = recording()
        .packets(from_to(S, 9 * S))
        .packet(config(&[(1024, DISCARD)], |config| config))
        .packets([instant(2 * S, "kept"), instant(3 * S, "kept")])
        .packet(stats(TraceStats::new().buffer(buffer).writer(1, 0)));
    let imported = Imported::trace(trace);
    assert_snapshot!(imported.rows(LOSSES), @r"
    kind         severity   ts          ts_end      amount  unit    stat                         buffer  cpu   sequence  pid   machine  file
    buffer_full  data_loss  3000000000  9000000000  48      chunks  traced_buf_chunks_discarded  0       NULL  NULL      NULL  0        0
    ");
    assert_snapshot!(imported.rows(WORDS), @r"
    what                                                                                                   remedy
    The newest data of buffer 0 (1024 KiB, DISCARD) was turned away: 48 chunks, about 3.0 MiB of 4.0 MiB.  Set size_kb of buffer 0 to 5120 or more: that holds the 8.0 s recorded, at the 512 KiB/s written. Or stream into a file, with write_into_file, file_write_period_ms 250, fill_policy RING_BUFFER and a size_kb of 2048 or more. Or record fewer events.
    ");
}

/// A CPU of which 300 events were read and 900 were overwritten, from a buffer of 64 KiB that was
/// drained every 500 ms: at half the period, twice 64 KiB, and half as much again for bursts.
#[test]
fn a_kernel_buffer_that_was_overrun() {
    let cpu = |overrun, read| FtraceCpuStats::new(1).overrun(overrun).read_events(read);
    let ftrace = |stats: FtraceStats| Packet::new().sequence(9).ftrace_stats(stats);
    let switch = |at| FtraceEvent::sched_switch(at, Task::new("a", 11), 1, Task::new("b", 12));
    let bundles = [
        FtraceBundle::new(1).event(switch(2 * S)).event(switch(3 * S)),
        FtraceBundle::new(1).lost_events().event(switch(5 * S)),
    ];
    let bundles = bundles.map(|bundle| Packet::new().sequence(2).ftrace(bundle));
    let asked = Message::new().uint(10, 64).uint(11, 500);
    let trace = recording()
        .packet(config(&[(1024, RING)], |it| source(it, "linux.ftrace", 0, asked)))
        .packet(ftrace(FtraceStats::at_start().cpu(cpu(100, 0))))
        .packets(bundles)
        .packet(ftrace(FtraceStats::at_end().cpu(cpu(1000, 300))));
    let imported = Imported::trace(trace);
    assert_snapshot!(imported.rows(LOSSES), @r"
    kind                    severity   ts          ts_end      amount  unit    stat                    buffer  cpu   sequence  pid   machine  file
    kernel_buffer_overrun   data_loss  3000000000  5000000000  900     events  ftrace_cpu_overrun_end  NULL    1     NULL      NULL  0        0
    no_recorder_statistics  notice     NULL        NULL        NULL    NULL    NULL                    NULL    NULL  NULL      NULL  0        0
    ");
    assert_snapshot!(imported.rows(WORDS), @r"
    what                                                                                                       remedy
    CPU 1 overwrote 900 kernel events before they were read, 75.0 % of its events. They were lost in 1 place.  Set buffer_size_kb of ftrace_config to 256 and drain_period_ms to 250: of 1,200 events written there, 300 were read from 64 KiB every 500 ms. At worst 2.0 s were lost at a stretch: the machine was too busy to read them in time. Or record fewer events.
    The recorder's statistics are not in the trace: what its buffers lost is not known.                        They are written when a recording ends: let it end by itself, and copy the whole file.
    ");
}

/// Data that was overwritten before the recording began is no loss of the recording.
#[test]
fn an_overrun_of_before_is_no_loss() {
    let cpu = || FtraceCpuStats::new(1).overrun(100).read_events(5);
    let ftrace = |stats: FtraceStats| Packet::new().sequence(9).ftrace_stats(stats);
    let trace = recording()
        .packet(ftrace(FtraceStats::at_start().cpu(cpu())))
        .packet(ftrace(FtraceStats::at_end().cpu(cpu())));
    let imported = Imported::trace(trace);
    assert_eq!(imported.cell("SELECT count(*) FROM data_loss"), "0");
}

/// Packets that found no room, between 2 s and 4 s; the first of a sequence is marked as well, and
/// nothing was lost before it. The second writer gives a reason for its first packet.
#[test]
fn packets_that_found_no_room() {
    let trace = recording()
        .packet(config(&[(1024, RING)], |config| config))
        .packets([
            instant(S, "first").previous_packet_dropped().first_on_sequence().trusted_pid(77),
            instant(2 * S, "before"),
            instant(4 * S, "after").previous_packet_dropped(),
        ])
        .packet(Packet::from(
            Message::from(Packet::new().sequence(2).timestamp(5 * S)).uint(42, 257),
        ))
        .packet(stats(
            TraceStats::new()
                .buffer(BufferStats::new(1024 * KIB).written(2, 100 * KIB).packet_loss(12))
                .writer(1, 0)
                .writer(2, 0),
        ));
    let imported = Imported::trace(trace);
    assert_snapshot!(imported.rows(LOSSES), @r"
    kind                severity   ts          ts_end      amount  unit     stat                                 buffer  cpu   sequence  pid   machine  file
    shared_memory_full  data_loss  2000000000  4000000000  12      packets  traced_buf_trace_writer_packet_loss  0       NULL  NULL      NULL  0        0
    packets_lost        data_loss  2000000000  4000000000  1       places   traced_buf_sequence_packet_loss      0       NULL  1         77    0        0
    packets_lost        data_loss  NULL        NULL        1       places   traced_buf_sequence_packet_loss      0       NULL  2         NULL  0        0
    ");
    assert_snapshot!(imported.rows(WORDS), @r"
    what                                                                                                                                                                  remedy
    12 packets for buffer 0 found no room in the memory that producers share with the recorder. The largest burst of one writer that came through was 31 bytes in 10 ms.  Set shmem_size_kb (shmem_size_hint_kb in the SDK; shm_size_kb of the producer in the configuration) to 512 or more; it is by default 256. Or have the data source wait instead of dropping (BufferExhaustedPolicy kStall).
    Writer 1 of process 77 lost packets in 1 place; their number is unknown.                                                                                              See the advice for buffer 0.
    Writer 2 lost packets in 1 place; their number is unknown.                                                                                                            See the advice for buffer 0.
    ");
    let counted = "SELECT name, idx, value FROM stats WHERE value != 0 AND name LIKE '%loss%' \
        ORDER BY name";
    assert_snapshot!(imported.rows(counted), @r"
    name                                 idx  value
    traced_buf_data_loss_smb_full        0    1
    traced_buf_sequence_packet_loss      0    2
    traced_buf_trace_writer_packet_loss  0    12
    ");
}

/// Of a ring that holds a quarter of the 80 s recorded, 20 s: state must come again within 2 s.
#[test]
fn names_that_were_lost() {
    let buffer = BufferStats::new(1024 * KIB).written(64, 4096 * KIB).chunks_overwritten(48);
    let needy = |at| instant(at, "needs names").flags(tpq_testkit::NEEDS_STATE);
    let trace = recording()
        .packets(from_to(S, 81 * S))
        .packet(config(&[(1024, RING)], |config| config))
        .packets([needy(50 * S), needy(51 * S)])
        .packet(instant(52 * S, "names anew").flags(tpq_testkit::STATE_CLEARED))
        .packet(needy(53 * S))
        .packet(stats(TraceStats::new().buffer(buffer).writer(1, 0)));
    let imported = Imported::trace(trace);
    let lost = "SELECT kind, ts, ts_end, amount, sequence_id, what, remedy FROM data_loss \
        WHERE kind = 'incremental_state_lost'";
    assert_snapshot!(imported.rows(lost), @r"
    kind                    ts          ts_end       amount  sequence_id  what                                                                                  remedy
    incremental_state_lost  1000000000  52000000000  2       1            Writer 1: 2 of 5 packets cannot be understood, as the names they refer to were lost.  Set clear_period_ms of incremental_state_config to 100: the buffer held the last 1.0 s, and names must come again well within that.
    ");
    let packets = "SELECT l.name, key, int_value FROM trace_import_logs l \
        JOIN args USING (arg_set_id) ORDER BY l.id, args.id";
    assert_snapshot!(imported.rows(packets), @r"
    name                                                key                 int_value
    packet_skipped_seq_needs_incremental_state_invalid  packet_sequence_id  1
    packet_skipped_seq_needs_incremental_state_invalid  packet_sequence_id  1
    ");
}

/// The last data of this source was not flushed, and the final flush failed.
#[test]
fn flushes_that_failed() {
    let pair = Message::new().bytes(1, "app").bytes(2, "track_event");
    let slow = Message::new().message(8, Message::new().message(1, pair));
    let slow = Packet::new().sequence(9).timestamp(8 * S).payload(69, slow);
    let failed = TraceStats::from(Message::from(TraceStats::new().flushes(3, 1, 2)).uint(15, 2));
    let streaming = |config: Message| config.bool(8, true);
    let trace = recording()
        .packets(from_to(S, 9 * S))
        .packet(config(&[(1024, DISCARD)], streaming))
        .packet(slow)
        .packet(stats(failed.buffer(BufferStats::new(1024 * KIB))));
    let imported = Imported::trace(trace);
    assert_snapshot!(imported.rows(LOSSES), @r"
    kind                     severity   ts    ts_end      amount  unit  stat                            buffer  cpu   sequence  pid   machine  file
    final_flush_failed       data_loss  NULL  9000000000  NULL    NULL  traced_final_flush_failed       NULL    NULL  NULL      NULL  0        0
    flushes_failed           data_loss  NULL  NULL        NULL    NULL  traced_flushes_failed           NULL    NULL  NULL      NULL  0        0
    source_not_flushed       data_loss  NULL  NULL        NULL    NULL  traced_flushes_failed           NULL    NULL  NULL      NULL  0        0
    discard_while_streaming  notice     NULL  NULL        NULL    NULL  config_write_into_file_discard  0       NULL  NULL      NULL  0        0
    no_periodic_flush        notice     NULL  NULL        NULL    NULL  NULL                            NULL    NULL  NULL      NULL  0        0
    ");
    assert_snapshot!(imported.rows(WORDS), @r"
    what                                                                                                                                       remedy
    Not all producers handed over what they had when the recording ended.                                                                      Raise flush_timeout_ms, and see that producers still run at the end.
    2 flushes were not answered by all producers in time.                                                                                      Raise flush_timeout_ms.
    track_event of app did not answer the last flush.                                                                                          What it had not handed over by then is missing. Raise flush_timeout_ms or data_source_stop_timeout_ms.
    Buffer 0 (1024 KiB, DISCARD) is drained into a file. It lost nothing, but had it been full once, all that came later would be missing.     Set fill_policy of buffer 0 to RING_BUFFER.
    The recording streams into a file without periodic flushes: a source that writes little may hand over events minutes after they happened.  Set flush_period_ms to 5000. Open this trace with --full-sort if events were dropped as too late.
    ");
}

/// An event of 1 s lay in a buffer until two windows had closed over it.
#[test]
fn late_events() {
    let flushed = |at| service(at, ServiceEvent::AllDataSourcesFlushed);
    let read = |at| service(at, ServiceEvent::ReadTracingBuffersCompleted);
    let window = |at| [instant(at, "in time"), flushed(at + 1), flushed(at + 2), read(at + 3)];
    let trace = recording()
        .packet(config(&[(1024, RING)], |config| config.uint(13, 4000)))
        .packets(window(10 * S))
        .packets(window(20 * S))
        .packets(window(30 * S))
        .packet(instant(S, "late"))
        .packet(instant(40 * S, "last"));
    let imported = Imported::trace(trace);
    assert_snapshot!(imported.rows(LOSSES), @r"
    kind                    severity   ts          ts_end      amount  unit    stat                            buffer  cpu   sequence  pid   machine  file
    late_packets            data_loss  1000000000  1000000000  1       events  sorter_push_event_out_of_order  NULL    NULL  NULL      NULL  0        0
    no_recorder_statistics  notice     NULL        NULL        NULL    NULL    NULL                            NULL    NULL  NULL      NULL  0        0
    ");
    assert_snapshot!(imported.rows(WORDS), @r"
    what                                                                                                             remedy
    1 event came too late to be put in order: what held them was handed over when later ones had been read already.  Open the trace with --full-sort to have them. For the next recording, set flush_period_ms to 2000 instead of 4000.
    The recorder's statistics are not in the trace: what its buffers lost is not known.                              They are written when a recording ends: let it end by itself, and copy the whole file.
    ");
}

/// Events that the kernel does not have, or would not switch on.
#[test]
fn kernel_events_that_were_refused() {
    let stats = FtraceStats::from(
        Message::from(FtraceStats::at_start()).bytes(6, "sched_what").bytes(7, "block_rq_issue"),
    );
    let trace = recording().packet(Packet::new().sequence(9).ftrace_stats(stats));
    assert_snapshot!(Imported::trace(trace).rows(WORDS), @r"
    what                                                                                      remedy
    Kernel events were asked for and not recorded: unknown to the kernel: sched_what.         Take them out of the configuration, or record as a user who may, on a kernel that has them.
    Kernel events were asked for and not recorded: could not be switched on: block_rq_issue.  Take them out of the configuration, or record as a user who may, on a kernel that has them.
    ");
}

/// A count without details is reported as its stat describes it.
#[test]
fn losses_known_from_a_stat_only() {
    let event = |at, event| Packet::new().sequence(1).timestamp(at).track_event(event);
    let stray = |at| event(at, TrackEvent::begin(TRACK).name("never ended"));
    // The end of the outer slice lies before the inner one was over.
    let trace = recording().packets([
        event(10, TrackEvent::begin(TRACK).name("outer")),
        stray(20),
        event(30, TrackEvent::end(TRACK).name("outer")),
        stray(40),
    ]);
    let imported = Imported::trace(trace);
    let found = "SELECT kind, amount, what FROM data_loss";
    assert_snapshot!(imported.rows(found), @r"
    kind                 amount  what
    misplaced_end_event  1       1 × misplaced_end_event: Slice ends that match no open slice on their track and were dropped. The begin was lost or came on another track, so durations nearby may be wrong.
    ");
}
