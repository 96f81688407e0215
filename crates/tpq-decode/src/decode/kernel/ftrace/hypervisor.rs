//! The hypervisor that protects virtual machines from their host: when it runs, and what for.

use tpq_proto::fields::ftrace::{
    ftrace_event, host_ffa_call, host_hcall, host_mem_abort, host_smc,
    hypervisor_iommu_idmap_complete, hypervisor_vcpu_illegal_trap, iommu_idmap, psci_mem_protect,
};
use tpq_tables::{Stats, Tables};

use super::effects::{Arg, NamedArg};
use super::event::{Events, FtraceEvent};
use tpq_trackers::track::{Dimensions, TrackKind, Trackers};

/// Older kernels have the events in a group of another name.
pub(super) const EVENTS: Events = &[
    (ftrace_event::HYP_ENTER, enter),
    (ftrace_event::HYP_EXIT, exit),
    (ftrace_event::HOST_HCALL, host_hcall),
    (ftrace_event::HOST_SMC, host_smc),
    (ftrace_event::HOST_MEM_ABORT, host_mem_abort),
    (ftrace_event::HOST_FFA_CALL, host_ffa_call),
    (ftrace_event::IOMMU_IDMAP, iommu_idmap),
    (ftrace_event::PSCI_MEM_PROTECT, psci_mem_protect),
    (ftrace_event::HYPERVISOR_HOST_HCALL, host_hcall),
    (ftrace_event::HYPERVISOR_HOST_SMC, host_smc),
    (ftrace_event::HYPERVISOR_HYP_EXIT, exit),
    (ftrace_event::HYPERVISOR_IOMMU_IDMAP, iommu_idmap),
    (ftrace_event::HYPERVISOR_PSCI_MEM_PROTECT, psci_mem_protect),
    (ftrace_event::HYPERVISOR_HOST_MEM_ABORT, host_mem_abort),
    (ftrace_event::HYPERVISOR_HYP_ENTER, enter),
    (ftrace_event::HYPERVISOR_IOMMU_IDMAP_COMPLETE, iommu_idmap_complete),
    (ftrace_event::HYPERVISOR_VCPU_ILLEGAL_TRAP, vcpu_illegal_trap),
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
    event.effects(trackers, tables, stats).begin(track, SLICE, &[]);
}

fn exit(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let track = track(event, trackers, tables);
    event.effects(trackers, tables, stats).end(track, &[]);
}

/// Reasons for entering the hypervisor.
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
    event.effects(trackers, tables, stats).add_to_open(track, SLICE, &all);
}

fn host_hcall(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let args = [
        ("id", Arg::Uint(event.uint(host_hcall::ID))),
        ("invalid", Arg::Uint(event.uint(host_hcall::INVALID))),
    ];
    reason(event, "host_hcall", &args, trackers, tables, stats);
}

fn host_smc(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let args = [
        ("id", Arg::Uint(event.uint(host_smc::ID))),
        ("forwarded", Arg::Uint(event.uint(host_smc::FORWARDED))),
    ];
    reason(event, "host_smc", &args, trackers, tables, stats);
}

fn host_mem_abort(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let args = [
        ("esr", Arg::Uint(event.uint(host_mem_abort::ESR))),
        ("addr", Arg::Uint(event.uint(host_mem_abort::ADDR))),
    ];
    reason(event, "host_mem_abort", &args, trackers, tables, stats);
}

fn host_ffa_call(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let args = [
        ("func_id", Arg::Uint(event.uint(host_ffa_call::FUNC_ID))),
        ("handled", Arg::Int(event.int(host_ffa_call::HANDLED))),
        ("err", Arg::Int(event.int(host_ffa_call::ERR))),
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
        ("from", Arg::Uint(event.uint(iommu_idmap::FROM))),
        ("to", Arg::Uint(event.uint(iommu_idmap::TO))),
        ("prot", Arg::Int(event.int(iommu_idmap::PROT))),
    ];
    reason(event, "iommu_idmap", &args, trackers, tables, stats);
}

fn iommu_idmap_complete(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let args = [("map", Arg::Bool(event.int(hypervisor_iommu_idmap_complete::MAP) != 0))];
    reason(event, "iommu_idmap_complete", &args, trackers, tables, stats);
}

fn psci_mem_protect(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let args = [
        ("count", Arg::Uint(event.uint(psci_mem_protect::COUNT))),
        ("was", Arg::Uint(event.uint(psci_mem_protect::WAS))),
    ];
    reason(event, "psci_mem_protect", &args, trackers, tables, stats);
}

fn vcpu_illegal_trap(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let args = [("esr", Arg::Uint(event.uint(hypervisor_vcpu_illegal_trap::ESR)))];
    reason(event, "vcpu_illegal_trap", &args, trackers, tables, stats);
}
