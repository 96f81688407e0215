//! The groups of tables that an import leaves out.

use tpq_proto::fields::trace_packet;
use tpq_source::{Format, Inputs};
use tpq_tables::{TableGroup, TableGroups};

use crate::arrange::PrescannedFile;
use crate::options::ImportOptions;

/// Packets that count something when their events become states of threads.
const COUNTING_STATES: [u32; 2] =
    [trace_packet::GENERIC_KERNEL_TASK_STATE_EVENT, trace_packet::ETW_EVENTS];

/// Of the groups `unwanted` those that can be left out: they have rows, and nothing that is wanted
/// is counted while these are made.
///
/// Ftrace events have all groups; track events have args, and so have events of JSON. Other packets
/// have few. Formats other than packets have kernel events that are noted for the bounds of the
/// trace only as their states are written: lines of a system trace in JSON are such events.
pub(super) fn groups(
    unwanted: TableGroups,
    inputs: &Inputs,
    scans: &[PrescannedFile<'_>],
    options: &ImportOptions,
) -> TableGroups {
    let has = |kind: u32| scans.iter().any(|scan| scan.prescan.kinds.contains_key(&kind));
    let count =
        |format: Format| inputs.traces().filter(|(_, file)| file.format() == format).count();
    let (packets, json) = (count(Format::Perfetto), count(Format::Json));
    let (kernel, track) = (has(trace_packet::FTRACE_EVENTS), has(trace_packet::TRACK_EVENT));
    let checks_args = packets + json == inputs.traces().count();
    if !checks_args || !(kernel || track || json > 0) {
        return TableGroups::NONE;
    }
    let mut groups = unwanted;
    if !options.ftrace_raw {
        groups = groups.without(TableGroup::KernelEvents);
    }
    if json > 0 || !kernel || COUNTING_STATES.into_iter().any(has) {
        groups = groups.without(TableGroup::ThreadStates);
    }
    // Args are counted while they are written. Losses that are refused are counted first.
    if options.strict || !groups.contains(TableGroup::KernelEvents) {
        groups = groups.without(TableGroup::Counts);
    }
    if !groups.is_all() {
        groups = groups.without(TableGroup::Tracks);
    }
    groups
}
