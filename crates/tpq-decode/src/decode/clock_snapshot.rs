//! What the clocks read. The survey of the trace has decoded the snapshots, since conversion needs
//! all of them; here they become rows of `clock_snapshot`.

use tpq_clock::builtin_name;
use tpq_ingest::{SnapshotPacket, Timeline};
use tpq_tables::table::ClockSnapshotRow;
use tpq_tables::{Stat, Stats, StringId, Tables};

use crate::track::Trackers;

/// Writes the rows of all snapshots.
pub(crate) fn write_rows(
    snapshots: &[SnapshotPacket],
    timeline: &mut Timeline,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    for (index, snapshot) in snapshots.iter().enumerate() {
        let own = snapshot.clocks.iter().find(|clock| clock.clock == timeline.trace_clock());
        let ts = match own {
            Some(clock) => Some(clock.ns),
            None => snapshot
                .clocks
                .iter()
                .find_map(|clock| timeline.to_trace_time(clock.clock, clock.ns)),
        };
        let Some(ts) = ts else { continue };
        // Packets convert by whole columns; these readings are placed one at a time.
        let others = snapshot.clocks.iter().filter(|clock| clock.clock != timeline.trace_clock());
        stats.add(Stat::ClockSyncCacheMiss, others.count() as i64);
        for clock in &snapshot.clocks {
            let clock_name = match builtin_name(clock.clock.id) {
                Some(name) => tables.strings.intern(name),
                None => StringId::NULL,
            };
            let machine_id = trackers.machines.get(clock.clock.machine, tables);
            tables.clock_snapshot.push(ClockSnapshotRow {
                ts,
                clock_id: i64::from(clock.clock.id),
                clock_name,
                clock_value: clock.ns,
                snapshot_id: index as u32,
                machine_id,
            });
        }
    }
}
