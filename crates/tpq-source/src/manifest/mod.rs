//! The trace manifest: a JSON document that states how the files of a merge relate.

mod check;
mod error;
mod json_node;
mod parse;

use std::collections::HashMap;

use crate::archive::plain;

pub use error::{ManifestError, ManifestProblem};

/// The relations between the traces of a merge, as its author states them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Manifest {
    /// The clock of the timeline; if absent, the first file with a clock decides.
    pub trace_time: Option<TraceTime>,
    /// The files that it describes.
    pub files: Vec<ManifestFile>,
    /// Attributes from the author, each key once.
    pub attributes: Vec<(String, Attribute)>,
    shown: String,
    /// The index of each file, by its plain path.
    by_path: HashMap<String, usize>,
}

/// The clock of the timeline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceTime {
    /// The clock.
    pub clock: ClockName,
    /// The file that contains the clock; if absent, it is a clock of the host.
    pub file: Option<String>,
    /// The machine of the clock, if the file has several.
    pub machine: Option<String>,
}

/// The description of one file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ManifestFile {
    /// Its name in the archive.
    pub path: String,
    /// The machine that recorded the whole file.
    pub machine: Option<String>,
    /// The machines with ids in the packets of the file: id and name, in the order of the document.
    pub machines: Vec<(u32, String)>,
    /// The relation of its clock to another clock.
    pub clocks: Option<ManifestClocks>,
}

/// The relation of a clock of a file to another clock: when the first reads T, the other reads T +
/// `offset_ns`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ManifestClocks {
    /// The clock of the file; if absent, the file has no clock, and its times are its own.
    pub clock: Option<ClockName>,
    /// The machine of the clock, if the file has several.
    pub machine: Option<String>,
    /// The file with the other clock.
    pub to_file: String,
    /// The machine of the other clock, if that file has several.
    pub to_machine: Option<String>,
    /// The other clock; if absent, it is that file's own time.
    pub to_clock: Option<ClockName>,
    /// The amount in ns by which the other clock is ahead.
    pub offset_ns: i64,
}

/// The value of an attribute from the author of the manifest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Attribute {
    /// A text.
    Text(String),
    /// A whole number.
    Int(i64),
}

/// A clock with a name. Its number is its clock id in packets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum ClockName {
    /// The time of day.
    Realtime = 1,
    /// The time of day, with the resolution of a kernel tick.
    RealtimeCoarse = 2,
    /// The time since boot, without sleep.
    Monotonic = 3,
    /// The time since boot, without sleep, with the resolution of a kernel tick.
    MonotonicCoarse = 4,
    /// The time since boot, without sleep and without corrections.
    MonotonicRaw = 5,
    /// The time since boot.
    Boottime = 6,
}

impl Manifest {
    /// The name of the document in messages.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Returns the description of the file with this name.
    pub fn file(&self, member: &str) -> Option<&ManifestFile> {
        self.files.get(*self.by_path.get(plain(member))?)
    }
}

impl ManifestFile {
    /// Whether the file has several machines, so that a reference to it must name one.
    pub fn is_multi_machine(&self) -> bool {
        !self.machines.is_empty()
    }

    /// Whether a machine of the file has this name.
    pub fn declares(&self, machine: &str) -> bool {
        self.machine.as_deref() == Some(machine)
            || self.machines.iter().any(|(_, name)| name == machine)
    }
}

impl ClockName {
    /// All clocks that a manifest can name.
    pub const ALL: [Self; 6] = [
        Self::Realtime,
        Self::RealtimeCoarse,
        Self::Monotonic,
        Self::MonotonicCoarse,
        Self::MonotonicRaw,
        Self::Boottime,
    ];

    /// The id of the clock in packets.
    pub fn id(self) -> u32 {
        self as u32
    }

    /// The name of the clock, for example `BOOTTIME`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Realtime => "REALTIME",
            Self::RealtimeCoarse => "REALTIME_COARSE",
            Self::Monotonic => "MONOTONIC",
            Self::MonotonicCoarse => "MONOTONIC_COARSE",
            Self::MonotonicRaw => "MONOTONIC_RAW",
            Self::Boottime => "BOOTTIME",
        }
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|clock| clock.name() == name)
    }
}

#[cfg(test)]
mod tests;
