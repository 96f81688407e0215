//! The trace manifest: a JSON document that tells a merge how the files beside it relate.

mod check;
mod error;
mod parse;
mod place;

use std::collections::HashMap;

use crate::archive::plain;

pub use error::{ManifestError, ManifestProblem};

/// How the traces of a merge relate, as its author says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Manifest {
    /// What the timeline is; if absent, the first file with a clock decides.
    pub trace_time: Option<TraceTime>,
    /// What is known of single files.
    pub files: Vec<ManifestFile>,
    /// Notes of the author, each key once.
    pub attributes: Vec<(String, Attribute)>,
    shown: String,
    /// The number of each file, by its plain path.
    by_path: HashMap<String, usize>,
}

/// The clock that is the timeline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceTime {
    /// Which clock.
    pub clock: ClockName,
    /// The file whose machine's clock it is; if absent, it is the host's.
    pub file: Option<String>,
    /// Which of the file's machines, if it has several.
    pub machine: Option<String>,
}

/// What is known of one file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ManifestFile {
    /// Its name in the archive.
    pub path: String,
    /// The machine that all of it is of.
    pub machine: Option<String>,
    /// The machines whose ids it holds, by id.
    pub machines: Vec<(u32, String)>,
    /// How its clock relates to another.
    pub clocks: Option<ManifestClocks>,
}

/// How a clock of a file relates to another: when the one reads T, the other reads T +
/// `offset_ns`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ManifestClocks {
    /// Which clock of the file; if absent, the file has none, and its times are its own.
    pub clock: Option<ClockName>,
    /// Which of the file's machines the clock is on.
    pub machine: Option<String>,
    /// The file with the other clock.
    pub to_file: String,
    /// Which of that file's machines the other clock is on.
    pub to_machine: Option<String>,
    /// The other clock; if absent, it is that file's own time.
    pub to_clock: Option<ClockName>,
    /// By how much the other clock is ahead.
    pub offset_ns: i64,
}

/// A note of the manifest's author.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Attribute {
    /// A text.
    Text(String),
    /// A whole number.
    Int(i64),
}

/// A clock that has a name; its number is the one that packets know it by.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum ClockName {
    /// The time of day.
    Realtime = 1,
    /// The time of day, to a tick.
    RealtimeCoarse = 2,
    /// The time since boot, without sleep.
    Monotonic = 3,
    /// The time since boot, without sleep, to a tick.
    MonotonicCoarse = 4,
    /// The time since boot, without sleep and corrections.
    MonotonicRaw = 5,
    /// The time since boot.
    Boottime = 6,
}

impl Manifest {
    /// What messages call the document.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// What is known of the file of this name.
    pub fn file(&self, member: &str) -> Option<&ManifestFile> {
        self.files.get(*self.by_path.get(plain(member))?)
    }
}

impl ManifestFile {
    /// Whether the file has several machines, of which one must be named.
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
    /// All that a manifest may name.
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

    /// Its name, as in `BOOTTIME`.
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
