//! Several files on one timeline, and what a manifest says of them.
//!
//! Times are small numbers, so that each can be worked out in one's head. A device that read
//! BOOTTIME 100 and REALTIME 1000 together was started at wall time 900.

mod archives;
mod dropped;
mod manifest;
mod many;
mod members;
mod order;
mod pins;
mod refusals;
mod relay;
mod same_boot;
mod scopes;
mod wall_time;

use tpq_testkit::clock_id::{BOOTTIME, MONOTONIC, REALTIME};

use crate::imported::{clocks, instant, recording};

/// A device that was started at wall time 900 and did something when it had been up for 110.
fn left() -> Vec<u8> {
    recording()
        .packet(clocks(&[(BOOTTIME, 100), (MONOTONIC, 90), (REALTIME, 1000)]))
        .packet(instant(110, "left"))
        .build()
}

/// A device that was started at wall time 985 and did something when it had been up for 30.
fn right() -> Vec<u8> {
    recording()
        .packet(clocks(&[(BOOTTIME, 20), (MONOTONIC, 15), (REALTIME, 1005)]))
        .packet(instant(30, "right"))
        .build()
}

/// A program that knows no clock of its device.
fn clockless() -> Vec<u8> {
    recording().packet(instant(5, "first")).packet(instant(8, "second")).build()
}
