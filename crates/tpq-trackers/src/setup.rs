//! Facts about an import before its events are decoded.

use std::collections::BTreeSet;

use tpq_ingest::{ClockNames, Sources};
use tpq_tables::TableGroups;

/// A machine, as its row begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MachineInfo {
    /// The id that packets give it, or the number of its name.
    pub raw_id: i64,
    /// The name it was given.
    pub name: Option<String>,
}

/// The files and machines of an import.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// The machines, by row.
    pub machines: Vec<MachineInfo>,
    /// The machine of each file.
    pub sources: Sources,
    /// The machines on which thread 0 is the idle task; elsewhere 0 is a number as any other.
    pub kernels: BTreeSet<u32>,
    /// The clock ids of each source.
    pub clocks: Vec<ClockNames>,
    /// Files are numbered below this.
    pub files: usize,
    /// Whether the deferred writer reads the args of any of the files: packets or
    /// JSON.
    pub late_args: bool,
    /// Whether every kernel event gets a row of its own.
    pub ftrace_raw: bool,
    /// Tables that get no rows, as something else makes them.
    pub left_out: TableGroups,
    /// Whether track events before a recording's range of interest are dropped.
    pub crop: bool,
}
