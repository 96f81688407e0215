//! Errors of a manifest, or of the traces that it describes.

use super::ClockName;

/// A manifest that breaks a rule, or traces that contradict it. The whole import fails, because a
/// merge with wrong placements would look like any other.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// The manifest cannot be parsed.
    #[error("perfetto_manifest: {file} is not valid JSON: line {line}, column {column}: {what}")]
    Json {
        /// The manifest.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The byte in the line, from 1.
        column: usize,
        /// The error at this position.
        what: String,
    },
    /// The manifest breaks a rule for the whole document.
    #[error("perfetto_manifest: {file}: {problem}")]
    Document {
        /// The manifest.
        file: String,
        /// The rule.
        problem: ManifestProblem,
    },
    /// The entry of one file breaks a rule.
    #[error("perfetto_manifest: {file}: entry of '{path}': {problem}")]
    Entry {
        /// The manifest.
        file: String,
        /// The path that the entry in `files` has.
        path: String,
        /// The rule.
        problem: ManifestProblem,
    },
    /// There is more than one manifest.
    #[error(
        "perfetto_manifest: multiple perfetto_manifest files in archive: {first} and {second}; \
         leave out all but one"
    )]
    Multiple {
        /// One of them.
        first: String,
        /// Another.
        second: String,
    },
    /// The manifest follows a trace in the same file.
    #[error(
        "perfetto_manifest: {file}: a perfetto_manifest file must be the first trace file in the \
         input; put it before the packets"
    )]
    NotFirst {
        /// The file that holds both.
        file: String,
    },
    /// A packet is from a machine that the entry of the trace does not list.
    #[error(
        "perfetto_manifest: {file}: undeclared machine id {id}; list it in the machines of the \
         file's entry"
    )]
    UndeclaredMachine {
        /// The trace.
        file: String,
        /// The machine's id in its packets.
        id: u32,
    },
    /// The manifest names one machine for a trace of several.
    #[error(
        "perfetto_manifest: {file}: machine attributes the file to one machine, but the file \
         contains packets from multiple machines; name each of them in machines instead, as \
         [{{\"id\": 0, \"name\": \"phone\"}}, {{\"id\": 7, \"name\": \"vm\"}}]"
    )]
    MachineOfSeveral {
        /// The trace.
        file: String,
    },
    /// The manifest states the clock of a trace of several machines without naming these.
    #[error(
        "perfetto_manifest: {file}: clocks applies to a file of one machine, but the file contains \
         packets from multiple machines; name them in machines, and the one that has the clock in \
         clocks.machine"
    )]
    ClocksOfSeveral {
        /// The trace.
        file: String,
    },
    /// The manifest names no clock for a trace that has several.
    #[error(
        "perfetto_manifest: {file}: clock overrides require the trace to use a single clock, and \
         this one has clock snapshots; name one of its clocks in clocks.clock"
    )]
    SingleClock {
        /// The trace.
        file: String,
    },
}

/// A rule that a manifest breaks.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestProblem {
    /// The document is too long.
    #[error("the document is longer than {0} bytes")]
    TooLong(usize),
    /// The version is absent.
    #[error("missing required field: version; write \"version\": 1")]
    NoVersion,
    /// The version is not supported.
    #[error("unsupported version: {0}. Only version 1 is supported")]
    Version(String),
    /// A field is absent.
    #[error("{0} is required")]
    Required(String),
    /// A field is of the wrong type.
    #[error("{field} must be {expected}, not {found}")]
    Type {
        /// The field.
        field: String,
        /// The expected type.
        expected: &'static str,
        /// The actual type.
        found: &'static str,
    },
    /// No clock has this name.
    #[error("{field}: unknown clock name: {name}. Use one of {}", clock_names())]
    UnknownClock {
        /// The field.
        field: String,
        /// The name.
        name: String,
    },
    /// A file has two entries.
    #[error("the file has more than one entry in files; write one for each file")]
    PathTwice,
    /// The entry is for a file that is no trace.
    #[error("it names {0}; name a trace")]
    NotATrace(&'static str),
    /// Both `machine` and `machines` are used.
    #[error(
        "machine and machines are mutually exclusive; write machine for a file of one machine, \
         machines for one that holds machine ids"
    )]
    MachineAndMachines,
    /// A machine has no name.
    #[error("{0}: name must be non-empty")]
    NoMachineName(String),
    /// An id is not valid in packets.
    #[error("machines: id must be in [0, 4294967295], not {0}")]
    MachineId(String),
    /// An id has two names.
    #[error("machines: id {0} is listed more than once")]
    MachineIdTwice(u32),
    /// The clock of a file is described without a clock to relate it to.
    #[error("clocks: a sync_to block is required")]
    NoSyncTo,
    /// The other clock is named without its file.
    #[error("clocks: sync_to.file is required")]
    NoSyncFile,
    /// A machine is named without its file.
    #[error("{0}: a machine name alone is ambiguous; name the file too")]
    MachineAlone(&'static str),
    /// A file is named that has no entry.
    #[error(
        "{field} names unknown file '{path}'. It must match the path of an entry in the files \
         array"
    )]
    UnknownFile {
        /// The field.
        field: &'static str,
        /// The file.
        path: String,
    },
    /// A file has several machines, and none of them is named.
    #[error("{field}: '{path}' is a multi-machine trace; also name the machine")]
    NoReferenceMachine {
        /// The field that names the file.
        field: &'static str,
        /// The file.
        path: String,
    },
    /// The file has several machines, and the one with the clock is not named.
    #[error(
        "clocks: file '{0}' is a multi-machine trace; name which machine the clock is on, in \
         clocks.machine"
    )]
    NoClockMachine(String),
    /// A file has no machine of that name.
    #[error("{field}: '{machine}' is not a machine declared by file '{path}'")]
    UndeclaredName {
        /// The field.
        field: &'static str,
        /// The name.
        machine: String,
        /// The file.
        path: String,
    },
    /// A clock is related to itself.
    #[error("clocks: sync_to names the clock that is to be placed; name another")]
    SyncToItself,
    /// The offset is not a whole number.
    #[error("clocks: offset_ns must be an integer")]
    OffsetNotInteger,
    /// The offset is too large.
    #[error(
        "clocks: offset_ns is out of range; it must be between -9223372036854775807 and \
         9223372036854775807"
    )]
    OffsetOutOfRange,
    /// The attributes are not an object.
    #[error("attributes must be an object of string or integer values")]
    Attributes,
    /// An attribute is neither text nor an integer.
    #[error("attributes: '{0}' must be a string or an integer that fits 64 bits")]
    AttributeValue(String),
    /// An attribute has no name.
    #[error("attributes: keys must be non-empty")]
    AttributeKey,
}

fn clock_names() -> String {
    ClockName::ALL.map(ClockName::name).join(", ")
}
