//! Relations between the files of an import: the machine of each, the graph of their clocks, and
//! the clock of the timeline. A manifest takes precedence over the files, and these over the
//! default rules.

mod clocks;
mod machines;

use tpq_clock::{BOOTTIME, Clock, ClockGraph, Interpolation};
use tpq_decode::{MachineInfo, Tie};
use tpq_ingest::{ClockNames, FileContext, LossBook, Prescan, SourceId, Sources};
use tpq_source::{Inputs, ManifestError};

/// A file with events, after the prescan.
pub(crate) struct PrescannedFile<'a> {
    /// Its entry among the inputs, which is its row in `trace_file`.
    pub(crate) entry: usize,
    pub(crate) prescan: Prescan<'a>,
}

/// How the files relate.
pub(crate) struct Arrangement {
    pub(crate) machines: Vec<MachineInfo>,
    pub(crate) sources: Sources,
    /// By source.
    pub(crate) contexts: Vec<FileContext>,
    pub(crate) graph: ClockGraph,
    pub(crate) ties: Vec<Tie>,
    /// Snapshots that could not be used.
    pub(crate) losses: LossBook,
    pub(crate) trace_clock: Clock,
    /// Files that are taken to be of the same boot as another although their wall times say
    /// otherwise.
    pub(crate) doubtful: Vec<u32>,
}

impl Arrangement {
    /// The clock ids of each source.
    pub(crate) fn clock_names(&self) -> Vec<ClockNames> {
        let nothing = |source| ClockNames { source, default: BOOTTIME, private: true };
        let mut names: Vec<ClockNames> = self.sources.iter().map(nothing).collect();
        for context in &self.contexts {
            for &(id, of_source) in context.machines.values().chain([&context.base]) {
                names[id as usize] = of_source;
            }
        }
        names
    }
}

/// Arranges the files. Snapshots that cannot be used are counted.
///
/// # Errors
/// When a manifest and the files contradict each other.
pub(crate) fn arrange(
    inputs: &Inputs,
    scans: &mut [PrescannedFile<'_>],
    interpolation: Interpolation,
) -> Result<Arrangement, ManifestError> {
    let machines::Attribution { machines, sources, files } = machines::attribute(inputs, scans)?;
    let mut contexts = Vec::with_capacity(scans.len());
    for (scan, machines) in scans.iter_mut().zip(&files) {
        let (private, default) = clocks::own_clock(inputs, scan)?;
        let names = |id: SourceId| (id, ClockNames { source: sources.get(id), default, private });
        contexts.push(FileContext {
            segments: scan.prescan.bytes.take_segments(),
            snapshots: std::mem::take(&mut scan.prescan.snapshots),
            machines: machines.iter().map(|(&raw, &id)| (raw, names(id))).collect(),
            base: names(machines.get(&0).copied().unwrap_or_default()),
        });
    }
    let mut graph = ClockGraph::new(interpolation);
    // So far only a manifest has named machines.
    let named = (0..).zip(&machines).filter(|(_, machine)| machine.name.is_some());
    graph.set_distinct(named.map(|(row, _)| row));
    let mut losses = LossBook::default();
    let mut ties = clocks::tie_files(&contexts, &mut graph, &mut losses);
    let bases = clocks::Bases::new(inputs, scans, &contexts, &machines, &sources);
    ties.extend(clocks::tie_manifest(inputs, &bases, &mut graph));
    let trace_clock = clocks::trace_clock(inputs, &machines, &contexts, &bases, &graph);
    let doubtful = clocks::doubtful(&contexts, trace_clock, &graph);
    Ok(Arrangement { machines, sources, contexts, graph, ties, losses, trace_clock, doubtful })
}
