//! The groups of tables that an import leaves out.

use tpq_proto::fields::trace_packet;
use tpq_source::{Format, Inputs};
use tpq_tables::{TableGroup, TableGroups};

use crate::arrange::PrescannedFile;
use crate::options::ImportOptions;

/// Packets that count something when their events become states of threads.
const COUNTING_STATES: [u32; 2] =
    [trace_packet::GENERIC_KERNEL_TASK_STATE_EVENT, trace_packet::ETW_EVENTS];

/// Of the groups `unwanted` those that can be left out: they have rows, and nothing is counted
/// while these are made.
///
/// Ftrace events have all groups, and track events have args. Other packets have few. Other formats
/// have kernel events that are noted for the bounds of the trace only as their states are written.
pub(super) fn groups(
    unwanted: TableGroups,
    inputs: &Inputs,
    scans: &[PrescannedFile<'_>],
    options: &ImportOptions,
) -> TableGroups {
    let has = |kind: u32| scans.iter().any(|scan| scan.prescan.kinds.contains_key(&kind));
    let packets_only = inputs.traces().all(|(_, file)| file.format() == Format::Perfetto);
    let (kernel, track) = (has(trace_packet::FTRACE_EVENTS), has(trace_packet::TRACK_EVENT));
    if !packets_only || !(kernel || track) {
        return TableGroups::NONE;
    }
    let mut groups = unwanted;
    if !options.ftrace_raw {
        groups = groups.without(TableGroup::KernelEvents);
    }
    if !kernel || COUNTING_STATES.into_iter().any(has) {
        groups = groups.without(TableGroup::ThreadStates);
    }
    groups
}
