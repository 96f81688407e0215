//! Descriptions of tracks: of a thread, of a process, a counter or a custom track.

use crate::{Message, field};
use field::TrackDescriptor as track;

/// The unit of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterUnit {
    /// Nanoseconds.
    Nanoseconds = 1,
    /// A count.
    Count = 2,
    /// Bytes.
    Bytes = 3,
}

message_type! {
    /// The description of a track.
    TrackDescriptor
}

impl TrackDescriptor {
    /// Returns the track with this `uuid`.
    pub fn new(uuid: u64) -> Self {
        Self(Message::new().uint(track::uuid, uuid))
    }

    /// Sets the parent track.
    pub fn parent(self, uuid: u64) -> Self {
        Self(self.0.uint(track::parent_uuid, uuid))
    }

    /// Sets the name.
    pub fn name(self, name: &str) -> Self {
        Self(self.0.bytes(track::name, name))
    }

    /// Makes it the track of a process.
    pub fn process(self, pid: i32, name: &str) -> Self {
        let process = Message::new()
            .int(field::ProcessDescriptor::pid, pid.into())
            .bytes(field::ProcessDescriptor::process_name, name);
        Self(self.0.message(track::process, process))
    }

    /// Makes it the track of a process with a command line.
    pub fn process_with_cmdline(self, pid: i32, name: &str, cmdline: &[&str]) -> Self {
        let process = Message::new().int(field::ProcessDescriptor::pid, pid.into());
        let process = cmdline
            .iter()
            .fold(process, |m, word| m.bytes(field::ProcessDescriptor::cmdline, word))
            .bytes(field::ProcessDescriptor::process_name, name);
        Self(self.0.message(track::process, process))
    }

    /// Makes it the track of a thread.
    pub fn thread(self, pid: i32, tid: i64, name: &str) -> Self {
        let thread = Message::new()
            .int(field::ThreadDescriptor::pid, pid.into())
            .int(field::ThreadDescriptor::tid, tid)
            .bytes(field::ThreadDescriptor::thread_name, name);
        Self(self.0.message(track::thread, thread))
    }

    /// Makes it a counter track.
    pub fn counter(self) -> Self {
        Self(self.0.message(track::counter, Message::new()))
    }

    /// Makes it a counter track with one of the standard units.
    pub fn counter_in(self, unit: CounterUnit) -> Self {
        let counter = Message::new().uint(field::CounterDescriptor::unit, unit as u64);
        Self(self.0.message(track::counter, counter))
    }

    /// Makes it a counter track with a custom unit.
    pub fn counter_named(self, unit: &str) -> Self {
        let counter = Message::new().bytes(field::CounterDescriptor::unit_name, unit);
        Self(self.0.message(track::counter, counter))
    }

    /// Makes it a counter track with values that are sent as differences, in units of `multiplier`.
    pub fn counter_incremental(self, multiplier: i64) -> Self {
        let counter = Message::new()
            .int(field::CounterDescriptor::unit_multiplier, multiplier)
            .bool(field::CounterDescriptor::is_incremental, true);
        Self(self.0.message(track::counter, counter))
    }
}
