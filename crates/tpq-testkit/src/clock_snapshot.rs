//! Snapshots of clocks.

use crate::{Message, field};

/// The ids of the clocks that every trace can use.
pub mod clock_id {
    /// Time of day.
    pub const REALTIME: u32 = 1;
    /// [`REALTIME`] at the last tick of the kernel.
    pub const REALTIME_COARSE: u32 = 2;
    /// Time since boot without suspend.
    pub const MONOTONIC: u32 = 3;
    /// [`MONOTONIC`] without the corrections of network time.
    pub const MONOTONIC_RAW: u32 = 5;
    /// Time since boot including suspend: the default trace time.
    pub const BOOTTIME: u32 = 6;
    /// The processor's counter, in ticks.
    pub const TSC: u32 = 9;
    /// The smallest id of a clock that is scoped to one sequence.
    pub const FIRST_OF_SEQUENCE: u32 = 64;
    /// The smallest id of a custom clock of producers, valid on all sequences.
    pub const FIRST_GLOBAL: u32 = 128;
}

message_type! {
    /// A snapshot: clocks read at the same moment.
    ClockSnapshot
}

impl ClockSnapshot {
    /// Returns a snapshot without clocks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a clock with its value in ns.
    pub fn clock(self, id: u32, value: u64) -> Self {
        self.with(Clock::new(id, value))
    }

    /// Adds a clock with a unit other than ns, or with other properties.
    pub fn with(self, clock: Clock) -> Self {
        Self(self.0.message(field::ClockSnapshot::clocks, clock))
    }

    /// Sets the clock of the trace time.
    pub fn primary(self, id: u32) -> Self {
        Self(self.0.uint(field::ClockSnapshot::primary_trace_clock, id.into()))
    }
}

message_type! {
    /// One clock of a snapshot.
    Clock
}

impl Clock {
    /// Returns a clock and its value, in the unit of the clock.
    pub fn new(id: u32, value: u64) -> Self {
        Self(
            Message::new()
                .uint(field::Clock::clock_id, id.into())
                .uint(field::Clock::timestamp, value),
        )
    }

    /// Marks the clock as incremental: its timestamps are differences from the one before.
    pub fn incremental(self) -> Self {
        Self(self.0.bool(field::Clock::is_incremental, true))
    }

    /// Sets the unit of the clock in ns.
    pub fn unit(self, nanoseconds: u64) -> Self {
        Self(self.0.uint(field::Clock::unit_multiplier_ns, nanoseconds))
    }
}

message_type! {
    /// A comparison of the clocks of a client machine with those of its host.
    RemoteClockSync
}

impl RemoteClockSync {
    /// Returns a comparison without exchanges.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one message: the clocks of the client when it was sent, and those of the host when it
    /// was received.
    pub fn exchange(self, client: ClockSnapshot, host: ClockSnapshot) -> Self {
        let synced = Message::new()
            .message(field::SyncedClocks::client_clocks, client)
            .message(field::SyncedClocks::host_clocks, host);
        Self(self.0.message(field::RemoteClockSync::synced_clocks, synced))
    }
}
