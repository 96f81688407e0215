//! Memory maps of processes, from /proc/PID/smaps.

use tpq_ingest::Route;
use tpq_proto::decode;
use tpq_proto::fields::trace_packet;
use tpq_proto::message::{PackedSmaps, SmapsEntry, SmapsPacket};
use tpq_tables::table::ProfilerSmapsRow;
use tpq_tables::{Stat, Stats, StringId, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::track::{Tid, Trackers, Upid};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::SMAPS_PACKET, route: Route::Sorted, decode: decode_smaps };

/// The suffix that the kernel appends to the path of a deleted file.
const DELETED: &str = " (deleted)";

fn decode_smaps(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let Ok(smaps) = decode::<SmapsPacket>(packet.data) else {
        stats.increment(Stat::SmapsParserErrors);
        return;
    };
    trackers.bounds.include(packet.ts());
    let pid = Tid { machine: packet.machine, id: i64::from(smaps.pid()) };
    let upid = trackers.processes.process(pid, tables);
    if let Some(packed) = &smaps.packed_entries {
        if !add_packed(packet.ts(), upid, packed, tables) {
            stats.increment(Stat::SmapsParserErrors);
        }
        return;
    }
    for entry in &smaps.entries {
        add_entry(packet.ts(), upid, entry, tables);
    }
}

/// A path of mappings.
#[derive(Clone, Copy, Default)]
struct Path {
    whole: StringId,
    /// Without the word that says that the file is deleted.
    trimmed: StringId,
    deleted: bool,
}

impl Path {
    fn of(path: &str, tables: &mut Tables) -> Self {
        let trimmed = path.strip_suffix(DELETED);
        let strings = &mut tables.strings;
        Self {
            whole: strings.intern(path),
            trimmed: strings.intern(trimmed.unwrap_or(path)),
            deleted: trimmed.is_some(),
        }
    }
}

/// A row for a mapping of that path, and nothing else of it.
fn row(ts: i64, upid: Upid, path: Path) -> ProfilerSmapsRow {
    ProfilerSmapsRow {
        upid,
        ts,
        path: path.whole,
        path_trimmed: path.trimmed,
        aggregate_count: 1,
        is_deleted: u32::from(path.deleted),
        ..ProfilerSmapsRow::default()
    }
}

fn add_entry(ts: i64, upid: Upid, entry: &SmapsEntry, tables: &mut Tables) {
    let path = entry.path.as_deref().map(|path| Path::of(path, tables));
    let row = row(ts, upid, path.unwrap_or_default());
    let mut text = |text: &Option<String>| {
        text.as_deref().map(|text| tables.strings.intern(text)).unwrap_or_default()
    };
    let row = ProfilerSmapsRow {
        size_kb: entry.size_kb() as i64,
        private_dirty_kb: entry.private_dirty_kb() as i64,
        swap_kb: entry.swap_kb() as i64,
        file_name: text(&entry.file_name),
        start_address: entry.start_address() as i64,
        module_timestamp: entry.module_timestamp() as i64,
        module_debugid: text(&entry.module_debugid),
        module_debug_path: text(&entry.module_debug_path),
        protection_flags: i64::from(entry.protection_flags() as i32),
        private_clean_resident_kb: entry.private_clean_resident_kb() as i64,
        shared_dirty_resident_kb: entry.shared_dirty_resident_kb() as i64,
        shared_clean_resident_kb: entry.shared_clean_resident_kb() as i64,
        locked_kb: entry.locked_kb() as i64,
        proportional_resident_kb: entry.proportional_resident_kb() as i64,
        ..row
    };
    tables.profiler_smaps.push(row);
}

/// Sets a column of a row to a number of KiB.
type SetKib = fn(&mut ProfilerSmapsRow, i64);

/// The columns of packed mappings, with where they go.
fn columns(packed: &PackedSmaps) -> [(&[u64], SetKib); 12] {
    [
        (&packed.size_kb, |row, kib| row.size_kb = kib),
        (&packed.rss_kb, |row, kib| row.rss_kb = kib),
        (&packed.anonymous_kb, |row, kib| row.anonymous_kb = kib),
        (&packed.swap_kb, |row, kib| row.swap_kb = kib),
        (&packed.shared_clean_kb, |row, kib| row.shared_clean_resident_kb = kib),
        (&packed.shared_dirty_kb, |row, kib| row.shared_dirty_resident_kb = kib),
        (&packed.private_clean_kb, |row, kib| row.private_clean_resident_kb = kib),
        (&packed.private_dirty_kb, |row, kib| row.private_dirty_kb = kib),
        (&packed.locked_kb, |row, kib| row.locked_kb = kib),
        (&packed.pss_kb, |row, kib| row.proportional_resident_kb = kib),
        (&packed.pss_dirty_kb, |row, kib| row.pss_dirty_kb = kib),
        (&packed.swap_pss_kb, |row, kib| row.swap_pss_kb = kib),
    ]
}

/// Adds packed mappings as far as all columns go; says whether they were complete.
///
/// Either the mappings of one path are taken together, and there is one for each path, or each
/// mapping says which path it has.
fn add_packed(ts: i64, upid: Upid, packed: &PackedSmaps, tables: &mut Tables) -> bool {
    let counts = &packed.aggregate_count;
    let aggregated = !counts.is_empty();
    let columns = columns(packed);
    let columns = || columns.iter().filter(|(column, _)| !column.is_empty());
    let named = if aggregated { counts.len() } else { packed.name_id.len() };
    let rows = columns().map(|(column, _)| column.len()).fold(named, usize::min);
    // Many mappings may have one path.
    let paths: Vec<Path> = packed.string_table.iter().map(|path| Path::of(path, tables)).collect();
    for index in 0..rows {
        let name = match packed.name_id.get(index) {
            Some(&name) if !aggregated => name as usize,
            _ => index,
        };
        let Some(&path) = paths.get(name) else { return false };
        let mut row = row(ts, upid, path);
        row.aggregate_count = counts.get(index).copied().unwrap_or(1);
        for (column, set) in columns() {
            set(&mut row, column.get(index).copied().unwrap_or_default() as i64);
        }
        tables.profiler_smaps.push(row);
    }
    let complete = columns().all(|(column, _)| column.len() == rows) && named == rows;
    let of_one_kind = packed.name_id.is_empty() || !aggregated;
    complete && of_one_kind && (!aggregated || rows == packed.string_table.len())
}
