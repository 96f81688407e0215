//! What a recorder says of a recording and of itself.

use tpq_testkit::{BufferStats, ClockSnapshot, Packet, SystemInfo, TraceBuilder, TraceStats};

use super::{message, packet, string};
use crate::bases::{Base, plain};

pub fn bases() -> Vec<Base> {
    let source = message()
        .message(1, message().bytes(1, "linux.ftrace").message(100, message().bytes(1, "sched/*")));
    let config = message()
        .message(1, message().uint(1, 1024).uint(4, 1))
        .message(2, source)
        .uint(3, 5_000)
        .bytes(22, "session");
    let filter =
        message().uint(1, 10).uint(2, 1_000).uint(3, 500).uint(4, 1).uint(5, 7).uint(20, 9);
    let stats = TraceStats::new().buffer(BufferStats::new(4_096).written(2, 100));
    let extra = message()
        .message(11, filter)
        .uint(2, 3)
        .uint(3, 4)
        .message(14, message().uint(1, 1).uint(5, 0));
    let translated = message().message(1, message().message(1, string(7, "name")));
    let session = message().bytes(1, "other").uint(2, 5);
    let attribute = message().message(1, message().bytes(1, "key").bytes(2, "value"));
    let metatrace = message()
        .uint(5, 9)
        .uint(3, 5)
        .uint(11, 7)
        .message(10, string(7, "query"))
        .message(7, message().bytes(1, "key").bytes(2, "value"));
    let tokens = [
        &b"TOKENS\0\0\x01\0\0\0\0\0\0\0\x05\0\0\0\xff\xff\xff\xff"[..],
        &"\u{25a0}domain\u{2666}L1\u{25a0}format\u{2666}%d %.1f %*d %u %p".as_bytes(),
        b"\0",
    ];
    let event = [5, 0, 0, 0, 9, 0, 0, 0, 63, 4, 5, 7, 9];
    let packets = [
        Packet::new().sequence(9).trace_config(config),
        Packet::new().sequence(9).clock_snapshot(ClockSnapshot::new().clock(6, 5).clock(1, 1_000)),
        Packet::new().sequence(9).system_info(SystemInfo::linux("6.1")),
        Packet::new().sequence(9).trace_uuid(1, 2),
        Packet::new().sequence(9).trace_stats(stats),
        Packet::new().sequence(9).payload(35, extra),
        Packet::new().sequence(9).timestamp(4).payload(69, message().bool(3, true).bool(1, true)),
        Packet::new()
            .sequence(9)
            .timestamp(5)
            .payload(46, message().bytes(1, "trigger").bytes(2, "p")),
        Packet::new().sequence(9).payload(82, translated),
        Packet::new().sequence(9).timestamp(6).payload(134, session),
        Packet::new().sequence(9).payload(126, attribute),
        Packet::new().sequence(9).payload(111, message().bytes(1, tokens.concat())),
        packet(10, 49, metatrace),
        packet(20, 110, message().bytes(1, event).uint(2, 30).bytes(1, event).uint(2, 5)),
    ];
    vec![plain("recordings", TraceBuilder::new().packets(packets).build())]
}
