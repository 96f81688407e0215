//! Memory the kernel takes back or moves, so that there is some to give.

use tpq_proto::fields::ftrace::{
    cma_alloc_finish, cma_alloc_info, ftrace_event, mm_alloc_contig_migrate_range_info,
    mm_shrink_slab_end, mm_shrink_slab_start, mm_vmscan_direct_reclaim_begin,
    mm_vmscan_direct_reclaim_end, mm_vmscan_memcg_reclaim_begin, mm_vmscan_memcg_reclaim_end,
    pixel_mm_kswapd_done,
};
use tpq_tables::{Stats, Tables};

use super::effects::{Arg, Effects};
use super::event::{Events, FtraceEvent};
use tpq_trackers::track::Trackers;

pub(super) const EVENTS: Events = &[
    (ftrace_event::MM_VMSCAN_DIRECT_RECLAIM_BEGIN, direct_begin),
    (ftrace_event::MM_VMSCAN_DIRECT_RECLAIM_END, direct_end),
    (ftrace_event::MM_SHRINK_SLAB_START, shrink_start),
    (ftrace_event::MM_SHRINK_SLAB_END, shrink_end),
    (ftrace_event::CMA_ALLOC_START, contiguous_start),
    (ftrace_event::CMA_ALLOC_INFO, contiguous_info),
    (ftrace_event::PIXEL_MM_KSWAPD_WAKE, kswapd_wake),
    (ftrace_event::PIXEL_MM_KSWAPD_DONE, kswapd_done),
    (ftrace_event::CMA_ALLOC_FINISH, contiguous_finish),
    (ftrace_event::MM_ALLOC_CONTIG_MIGRATE_RANGE_INFO, contiguous_migrated),
    (ftrace_event::MM_VMSCAN_MEMCG_RECLAIM_BEGIN, group_begin),
    (ftrace_event::MM_VMSCAN_MEMCG_RECLAIM_END, group_end),
];

/// The field of what shrinks a cache.
const SHRINKER: u32 = mm_shrink_slab_start::SHRINK;
const KSWAPD: &str = "kswapd_efficiency";

/// A thread that wants memory has to take it from others first.
fn direct_begin(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let args = [
        ("direct_reclaim_order", Arg::Int(event.int(mm_vmscan_direct_reclaim_begin::ORDER))),
        (
            "direct_reclaim_may_writepage",
            Arg::Int(event.int(mm_vmscan_direct_reclaim_begin::MAY_WRITEPAGE)),
        ),
        (
            "direct_reclaim_gfp_flags",
            Arg::Uint(event.uint(mm_vmscan_direct_reclaim_begin::GFP_FLAGS)),
        ),
    ];
    let track = effects.thread_track();
    effects.begin(track, "mm_vmscan_direct_reclaim", &args);
}

fn direct_end(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let track = effects.thread_track();
    effects.end(
        track,
        &[(
            "direct_reclaim_nr_reclaimed",
            Arg::Uint(event.uint(mm_vmscan_direct_reclaim_end::NR_RECLAIMED)),
        )],
    );
}

/// The same within a control group.
fn group_begin(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let args = [
        ("memcg_reclaim_order", Arg::Int(event.int(mm_vmscan_memcg_reclaim_begin::ORDER))),
        (
            "memcg_reclaim_may_writepage",
            Arg::Int(event.int(mm_vmscan_memcg_reclaim_begin::MAY_WRITEPAGE)),
        ),
        (
            "memcg_reclaim_gfp_flags",
            Arg::Uint(event.uint(mm_vmscan_memcg_reclaim_begin::GFP_FLAGS)),
        ),
    ];
    let track = effects.thread_track();
    effects.begin(track, "mm_vmscan_memcg_reclaim", &args);
}

fn group_end(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let track = effects.thread_track();
    effects.end(
        track,
        &[(
            "memcg_reclaim_nr_reclaimed",
            Arg::Uint(event.uint(mm_vmscan_memcg_reclaim_end::NR_RECLAIMED)),
        )],
    );
}

fn shrink_start(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let shrinker = event.symbol_or_hex(event.uint(SHRINKER), tables, stats);
    let shrinker = tables.strings.get(shrinker).to_owned();
    let mut effects = event.effects(trackers, tables, stats);
    let args = [
        ("shrink_name", Arg::Text(&shrinker)),
        ("total_scan", Arg::Uint(event.uint(mm_shrink_slab_start::TOTAL_SCAN))),
        ("priority", Arg::Int(event.int(mm_shrink_slab_start::PRIORITY))),
    ];
    let track = effects.thread_track();
    effects.begin(track, "mm_vmscan_shrink_slab", &args);
}

fn shrink_end(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let track = effects.thread_track();
    effects.end(track, &[("freed", Arg::Int(event.int(mm_shrink_slab_end::RETVAL)))]);
}

fn kswapd_wake(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let track = effects.thread_track();
    effects.begin(track, KSWAPD, &[]);
}

fn kswapd_done(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let track = effects.thread_track();
    let number = |number| event.field(number).map(|field| field.as_u64());
    let (scanned, reclaimed) = (
        number(pixel_mm_kswapd_done::DELTA_NR_SCANNED),
        number(pixel_mm_kswapd_done::DELTA_NR_RECLAIMED),
    );
    let mut args = Vec::new();
    args.extend(scanned.map(|pages| ("pages scanned", Arg::Uint(pages))));
    args.extend(reclaimed.map(|pages| ("pages reclaimed", Arg::Uint(pages))));
    if let (Some(scanned), Some(reclaimed)) = (scanned, reclaimed) {
        let percent = (reclaimed as f64 * 100.0 / scanned as f64).round();
        args.push(("efficiency %", Arg::Uint(percent as u64)));
    }
    effects.end_named(track, KSWAPD, &args);
}

/// The events by which a kernel reports the end of an allocation of contiguous memory: none before
/// 5.10, one up to 6.0, two from 6.1 on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EndEvents {
    None,
    One,
    Two,
}

fn end_events(effects: &Effects<'_, '_>) -> EndEvents {
    let release = effects.tables.machine.release.get(effects.event.machine);
    let mut numbers = effects.tables.strings.get(release).split(['.', '-']).map(str::parse::<u32>);
    let (Some(Ok(major)), Some(Ok(minor))) = (numbers.next(), numbers.next()) else {
        return EndEvents::None;
    };
    match (major, minor) {
        version if version < (5, 10) => EndEvents::None,
        version if version < (6, 1) => EndEvents::One,
        _ => EndEvents::Two,
    }
}

fn contiguous_start(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let end_events = end_events(&effects);
    if end_events == EndEvents::None {
        return;
    }
    if end_events == EndEvents::Two {
        let utid = effects.utid();
        effects.trackers.source.kernel.contiguous.insert(utid, [0; 3]);
    }
    let track = effects.thread_track();
    effects.begin(track, "mm_cma_alloc", &[]);
}

/// Pages that were moved for the current allocation.
fn contiguous_migrated(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    if end_events(&effects) == EndEvents::Two {
        let utid = effects.utid();
        let pages = [
            mm_alloc_contig_migrate_range_info::NR_MIGRATED,
            mm_alloc_contig_migrate_range_info::NR_RECLAIMED,
            mm_alloc_contig_migrate_range_info::NR_MAPPED,
        ]
        .map(|number| event.uint(number));
        effects.trackers.source.kernel.contiguous.insert(utid, pages);
    }
}

fn contiguous_finish(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    if end_events(&effects) != EndEvents::Two {
        return;
    }
    let utid = effects.utid();
    let pages = effects.trackers.source.kernel.contiguous.get(&utid).copied().unwrap_or_default();
    end_contiguous(
        &mut effects,
        [cma_alloc_finish::NAME, cma_alloc_finish::PFN, cma_alloc_finish::COUNT],
        pages,
        &[],
    );
}

fn contiguous_info(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    if end_events(&effects) == EndEvents::One {
        let pages =
            [cma_alloc_info::NR_MIGRATED, cma_alloc_info::NR_RECLAIMED, cma_alloc_info::NR_MAPPED]
                .map(|number| event.uint(number));
        let failures = [
            ("cma_nr_isolate_fail", Arg::Uint(event.uint(cma_alloc_info::ERR_ISO))),
            ("cma_nr_migrate_fail", Arg::Uint(event.uint(cma_alloc_info::ERR_MIG))),
            ("cma_nr_test_fail", Arg::Uint(event.uint(cma_alloc_info::ERR_TEST))),
        ];
        end_contiguous(
            &mut effects,
            [cma_alloc_info::NAME, cma_alloc_info::PFN, cma_alloc_info::COUNT],
            pages,
            &failures,
        );
    }
}

/// Ends an allocation: given the fields of its area, its position and its size, and the pages that
/// were migrated, reclaimed and mapped.
fn end_contiguous(
    effects: &mut Effects<'_, '_>,
    [name, source, size]: [u32; 3],
    [migrated, reclaimed, mapped]: [u64; 3],
    failures: &[(&str, Arg<'_>)],
) {
    let name = effects.event.string(name);
    let mut args = vec![
        ("cma_name", Arg::Text(&name)),
        ("cma_pfn", Arg::Uint(effects.event.uint(source))),
        ("cma_req_pages", Arg::Uint(effects.event.uint(size))),
        ("cma_nr_migrated", Arg::Uint(migrated)),
        ("cma_nr_reclaimed", Arg::Uint(reclaimed)),
        ("cma_nr_mapped", Arg::Uint(mapped)),
    ];
    args.extend_from_slice(failures);
    let track = effects.thread_track();
    effects.end(track, &args);
}
