//! The hypervisor that protects virtual machines from their host: when it runs, and what for.

use tpq_tables::{Stats, Tables};

use super::effects::{Arg, NamedArg};
use super::event::{Events, FtraceEvent};
use tpq_trackers::track::{Dimensions, TrackKind, Trackers};

/// Older kernels have the events in a group of another name.
pub(super) const EVENTS: Events = &[
    (476, enter),
    (477, exit),
    (478, host_hcall),
    (479, host_smc),
    (480, host_mem_abort),
    (578, host_ffa_call),
    (580, iommu_idmap),
    (581, psci_mem_protect),
    (582, host_hcall),
    (583, host_smc),
    (584, exit),
    (585, iommu_idmap),
    (586, psci_mem_protect),
    (587, host_mem_abort),
    (588, enter),
    (589, iommu_idmap_complete),
    (590, vcpu_illegal_trap),
];

const HYPERVISOR: TrackKind = TrackKind::slices("pkvm_hypervisor");
const SLICE: (&str, &str) = ("pkvm_hyp", "hyp");

fn track(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables) -> u32 {
    let name = tables.strings.intern(&format!("pkVM Hypervisor CPU {}", event.cpu));
    let of = Dimensions::cpu(event.machine, event.cpu);
    trackers.source.tracks.get(HYPERVISOR, of, name, &mut trackers.deferred, tables)
}

fn enter(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let track = track(event, trackers, tables);
    event.on(trackers, tables, stats).begin(track, SLICE, &[]);
}

fn exit(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let track = track(event, trackers, tables);
    event.on(trackers, tables, stats).end(track, &[]);
}

/// What the hypervisor was entered for.
fn reason(
    event: &FtraceEvent<'_>,
    reason: &str,
    args: &[NamedArg<'_>],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let track = track(event, trackers, tables);
    let mut all = vec![("hyp_enter_reason", Arg::Text(reason))];
    all.extend_from_slice(args);
    event.on(trackers, tables, stats).add_to_open(track, SLICE, &all);
}

fn host_hcall(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let args = [("id", Arg::Uint(event.uint(1))), ("invalid", Arg::Uint(event.uint(2)))];
    reason(event, "host_hcall", &args, trackers, tables, stats);
}

fn host_smc(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let args = [("id", Arg::Uint(event.uint(1))), ("forwarded", Arg::Uint(event.uint(2)))];
    reason(event, "host_smc", &args, trackers, tables, stats);
}

fn host_mem_abort(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let args = [("esr", Arg::Uint(event.uint(1))), ("addr", Arg::Uint(event.uint(2)))];
    reason(event, "host_mem_abort", &args, trackers, tables, stats);
}

fn host_ffa_call(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let args = [
        ("func_id", Arg::Uint(event.uint(1))),
        ("handled", Arg::Int(event.int(6))),
        ("err", Arg::Int(event.int(7))),
    ];
    reason(event, "host_ffa_call", &args, trackers, tables, stats);
}

fn iommu_idmap(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let args = [
        ("from", Arg::Uint(event.uint(1))),
        ("to", Arg::Uint(event.uint(2))),
        ("prot", Arg::Int(event.int(3))),
    ];
    reason(event, "iommu_idmap", &args, trackers, tables, stats);
}

fn iommu_idmap_complete(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let args = [("map", Arg::Bool(event.int(1) != 0))];
    reason(event, "iommu_idmap_complete", &args, trackers, tables, stats);
}

fn psci_mem_protect(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let args = [("count", Arg::Uint(event.uint(1))), ("was", Arg::Uint(event.uint(2)))];
    reason(event, "psci_mem_protect", &args, trackers, tables, stats);
}

fn vcpu_illegal_trap(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let args = [("esr", Arg::Uint(event.uint(1)))];
    reason(event, "vcpu_illegal_trap", &args, trackers, tables, stats);
}
