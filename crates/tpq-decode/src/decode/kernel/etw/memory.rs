//! Memory of Windows, in pages.

use tpq_proto::fields::mem_info_etw_event;
use tpq_proto::wire::{Fields, LastFields, repeated};
use tpq_tables::{Stats, Tables};
use tpq_trackers::track::{Dimensions, TrackKind, Trackers};

use super::EtwEvent;

const PAGES: TrackKind = TrackKind::counter("etw_meminfo", Some("pages"));
/// The number of priorities of pages. Windows has eight.
const MOST_PRIORITIES: usize = 64;

/// Numbers of pages, by what they are used for.
const COUNTS: &[(u32, &str)] = &[
    (mem_info_etw_event::ZERO_PAGE_COUNT, "Zero"),
    (mem_info_etw_event::FREE_PAGE_COUNT, "Free"),
    (mem_info_etw_event::MODIFIED_PAGE_COUNT, "Modified"),
    (mem_info_etw_event::MODIFIED_NO_WRITE_PAGE_COUNT, "ModifiedNoWrite"),
    (mem_info_etw_event::BAD_PAGE_COUNT, "Bad"),
    (mem_info_etw_event::MODIFIED_PAGE_COUNT_PAGE_FILE, "ModifiedPageFile"),
    (mem_info_etw_event::PAGED_POOL_PAGE_COUNT, "PagedPool"),
    (mem_info_etw_event::NON_PAGED_POOL_PAGE_COUNT, "NonPagedPool"),
    (mem_info_etw_event::MDL_PAGE_COUNT, "Mdl"),
    (mem_info_etw_event::COMMIT_PAGE_COUNT, "Commit"),
];
/// The same by the priority of the pages.
const BY_PRIORITY: &[(u32, &str)] = &[
    (mem_info_etw_event::STANDBY_PAGE_COUNTS, "Standby"),
    (mem_info_etw_event::REPURPOSED_PAGE_COUNTS, "Repurposed"),
];

pub(super) fn decode(
    event: EtwEvent,
    message: &[u8],
    trackers: &mut Trackers,
    tables: &mut Tables,
    _: &mut Stats,
) {
    let counts = LastFields::<14>::new(message);
    for &(number, kind) in COUNTS {
        if let Some(count) = counts.get(number) {
            push(event, kind, count.as_u64(), trackers, tables);
        }
    }
    for &(number, kind) in BY_PRIORITY {
        let fields = Fields::new(message).filter(|field| field.number == number);
        let counts: Vec<u64> =
            fields.flat_map(|field| repeated(&field).collect::<Vec<_>>()).collect();
        for (priority, count) in counts.into_iter().take(MOST_PRIORITIES).enumerate() {
            push(event, &format!("{kind} Pri-{priority}"), count, trackers, tables);
        }
    }
}

fn push(event: EtwEvent, kind: &str, pages: u64, trackers: &mut Trackers, tables: &mut Tables) {
    let name = tables.strings.intern(&format!("{kind} Page Count"));
    let kind = tables.strings.intern(kind);
    let dimensions = Dimensions::machine(event.machine).text("counter_type", kind);
    trackers.count((event.ts, pages as f64), PAGES, dimensions, name, tables);
}
