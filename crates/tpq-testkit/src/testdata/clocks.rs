//! Instants with timestamps of five clocks, two snapshots that relate most of the clocks, and one
//! unknown clock.
//!
//! | clock | first snapshot | second snapshot |
//! |---|---|---|
//! | BOOTTIME | 1,000,000 | 2,000,000 |
//! | MONOTONIC | 900,000 | 1,900,100 |
//! | REALTIME | 1.7e18 | 1.7e18 + 1,000,050 |
//! | 64 on sequence 20, in µs, by differences | 5 µs | |
//! | 128 | | 500 |

use crate::{
    Clock, ClockSnapshot, Defaults, NEEDS_STATE, Packet, STATE_CLEARED, TraceBuilder,
    TrackDescriptor, TrackEvent, clock_id,
};

const SERVICE: u32 = 1;
const PLAIN: u32 = 19;
const OWN_CLOCK: u32 = 20;

const TRACK: u64 = 9;
const EPOCH: u64 = 1_700_000_000_000_000_000;
const MICROSECONDS: u32 = clock_id::FIRST_OF_SEQUENCE;
const LATE: u32 = clock_id::FIRST_GLOBAL;
const UNKNOWN: u32 = 70;

pub fn trace() -> TraceBuilder {
    let event =
        |at, name| Packet::new().timestamp(at).track_event(TrackEvent::instant(TRACK).name(name));
    let plain = |at, name| event(at, name).sequence(PLAIN);
    let own = |at, name| event(at, name).sequence(OWN_CLOCK).flags(NEEDS_STATE);
    TraceBuilder::new()
        .packet(
            Packet::new().sequence(PLAIN).track_descriptor(TrackDescriptor::new(TRACK).name("t")),
        )
        .packet(
            Packet::new().sequence(SERVICE).clock_snapshot(
                ClockSnapshot::new()
                    .clock(clock_id::BOOTTIME, 1_000_000)
                    .clock(clock_id::MONOTONIC, 900_000)
                    .clock(clock_id::REALTIME, EPOCH)
                    .primary(clock_id::BOOTTIME),
            ),
        )
        .packet(plain(1_100_000, "boot"))
        .packet(plain(1_000_000, "monotonic").clock(clock_id::MONOTONIC))
        .packet(plain(EPOCH + 200_000, "realtime").clock(clock_id::REALTIME))
        .packet(
            Packet::new()
                .sequence(OWN_CLOCK)
                .flags(STATE_CLEARED)
                .defaults(Defaults::new().clock(MICROSECONDS))
                .clock_snapshot(
                    ClockSnapshot::new()
                        .with(Clock::new(MICROSECONDS, 5).incremental().unit(1_000))
                        .clock(clock_id::BOOTTIME, 1_000_000),
                ),
        )
        .packet(own(100, "100 µs later"))
        .packet(own(50, "50 µs after that"))
        .packet(plain(1_300_000, "unknown").clock(UNKNOWN))
        .packet(plain(1_500, "before its snapshot").clock(LATE))
        .packet(
            Packet::new().sequence(SERVICE).clock_snapshot(
                ClockSnapshot::new()
                    .clock(clock_id::BOOTTIME, 2_000_000)
                    .clock(clock_id::MONOTONIC, 1_900_100)
                    .clock(clock_id::REALTIME, EPOCH + 1_000_050)
                    .clock(LATE, 500)
                    .primary(clock_id::BOOTTIME),
            ),
        )
        .packet(plain(2_000_100, "monotonic again").clock(clock_id::MONOTONIC))
        .packet(plain(1_050_000, "monotonic, sent late").clock(clock_id::MONOTONIC))
}
