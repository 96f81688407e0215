//! Clocks read at the same moment.

use crate::{Message, field};

/// The numbers of the clocks every trace may use.
pub mod clock_id {
    /// Time of day.
    pub const REALTIME: u32 = 1;
    /// [`REALTIME`] as of the last tick of the kernel.
    pub const REALTIME_COARSE: u32 = 2;
    /// Time since boot, standing still in suspend.
    pub const MONOTONIC: u32 = 3;
    /// [`MONOTONIC`] without the corrections of network time.
    pub const MONOTONIC_RAW: u32 = 5;
    /// Time since boot, suspend included: trace time.
    pub const BOOTTIME: u32 = 6;
    /// The processor's counter, in ticks.
    pub const TSC: u32 = 9;
    /// The smallest number of a clock known on one sequence only.
    pub const FIRST_OF_SEQUENCE: u32 = 64;
    /// The smallest number of a clock of the producers' own, known on all sequences.
    pub const FIRST_GLOBAL: u32 = 128;
}

message_type! {
    /// Clocks read at the same moment.
    ClockSnapshot
}

impl ClockSnapshot {
    /// No clocks.
    pub fn new() -> Self {
        Self::default()
    }

    /// A clock's value, in nanoseconds.
    pub fn clock(self, id: u32, value: u64) -> Self {
        self.with(Clock::new(id, value))
    }

    /// A clock that is not simply in nanoseconds.
    pub fn with(self, clock: Clock) -> Self {
        Self(self.0.message(field::ClockSnapshot::clocks, clock))
    }

    /// The clock that is trace time.
    pub fn primary(self, id: u32) -> Self {
        Self(self.0.uint(field::ClockSnapshot::primary_trace_clock, id.into()))
    }
}

message_type! {
    /// One clock of a snapshot.
    Clock
}

impl Clock {
    /// A clock and its value, in its unit.
    pub fn new(id: u32, value: u64) -> Self {
        Self(
            Message::new()
                .uint(field::Clock::clock_id, id.into())
                .uint(field::Clock::timestamp, value),
        )
    }

    /// Timestamps of this clock are differences from the one before.
    pub fn incremental(self) -> Self {
        Self(self.0.bool(field::Clock::is_incremental, true))
    }

    /// How many nanoseconds its unit has.
    pub fn unit(self, nanoseconds: u64) -> Self {
        Self(self.0.uint(field::Clock::unit_multiplier_ns, nanoseconds))
    }
}

message_type! {
    /// How a client machine and its host compared their clocks.
    RemoteClockSync
}

impl RemoteClockSync {
    /// No exchange.
    pub fn new() -> Self {
        Self::default()
    }

    /// One message: what the client's clocks read when it was sent, and the host's when it came.
    pub fn exchange(self, client: ClockSnapshot, host: ClockSnapshot) -> Self {
        let synced = Message::new()
            .message(field::SyncedClocks::client_clocks, client)
            .message(field::SyncedClocks::host_clocks, host);
        Self(self.0.message(field::RemoteClockSync::synced_clocks, synced))
    }
}
