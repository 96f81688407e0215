//! Values of clocks. The prescan of the files has decoded the snapshots, since conversion needs
//! all of them; here they become rows of `clock_snapshot`, with whatever else ties clocks.

use rustc_hash::FxHashSet;
use tpq_clock::{Assumed, BOOTTIME, Clock, Reading, builtin_name};
use tpq_ingest::Timeline;
use tpq_tables::table::ClockSnapshotRow;
use tpq_tables::{Stat, Stats, StringId, Tables};

/// Clocks read together, and what says so.
#[derive(Clone, Debug)]
pub struct Tie {
    /// For the `origin` column.
    pub origin: &'static str,
    /// The value of each clock.
    pub readings: Vec<Reading>,
}

impl Tie {
    /// Two clocks that were taken to read the same.
    fn assumed(assumed: Assumed) -> Self {
        let readings = vec![Reading::ns(assumed.to, 0), Reading::ns(assumed.from, 0)];
        Self { origin: assumed.rule.name(), readings }
    }
}

/// Writes the rows of all ties, then of the assumptions that place clocks on the timeline.
pub(crate) fn write_rows(
    ties: &[Tie],
    timeline: &mut Timeline,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut next_id = 0;
    for tie in ties {
        if write_tie(tie, next_id, timeline, tables) {
            // Packets convert by whole columns; these readings are placed one at a time.
            let trace_clock = timeline.trace_clock();
            let others = tie.readings.iter().filter(|reading| reading.clock != trace_clock);
            stats.add(Stat::ClockSyncCacheMiss, others.count() as i64);
            next_id += 1;
        }
    }
    let mut placements: Vec<(Clock, Vec<Assumed>)> = timeline
        .placements()
        .filter_map(|(clock, placement)| Some((clock, placement.as_ref().ok()?.assumed.clone())))
        .collect();
    placements.sort_unstable_by_key(|&(clock, _)| clock);
    let mut written: FxHashSet<Assumed> = FxHashSet::default();
    for assumed in placements.into_iter().flat_map(|(_, assumed)| assumed) {
        if written.insert(assumed) {
            write_tie(&Tie::assumed(assumed), next_id, timeline, tables);
            next_id += 1;
        }
    }
}

/// Writes the rows of a tie; returns whether it is on the timeline.
fn write_tie(tie: &Tie, id: u32, timeline: &mut Timeline, tables: &mut Tables) -> bool {
    let Some(ts) = moment(tie, timeline) else { return false };
    let origin = tables.strings.intern(tie.origin);
    for reading in &tie.readings {
        let clock_name = match builtin_name(reading.clock.id) {
            Some(name) => tables.strings.intern(name),
            None => StringId::NULL,
        };
        tables.clock_snapshot.push(ClockSnapshotRow {
            ts,
            clock_id: i64::from(reading.clock.id),
            clock_name,
            clock_value: reading.value,
            snapshot_id: id,
            machine_id: reading.clock.source.machine,
            trace_id: reading.clock.source.file,
            origin,
        });
    }
    true
}

/// The time of a snapshot: of the timeline's clock if it was read, else of a clock of the same
/// domain, else of boot time, else of any clock that can be placed.
fn moment(tie: &Tie, timeline: &mut Timeline) -> Option<i64> {
    let target = timeline.trace_clock();
    let rank = |reading: &&Reading| match reading.clock {
        clock if clock == target => 0,
        clock if clock.id == target.id => 1,
        clock if clock.id == BOOTTIME => 2,
        _ if reading.ticks => 4,
        _ => 3,
    };
    let mut readings: Vec<&Reading> = tie.readings.iter().collect();
    readings.sort_by_key(rank);
    readings.into_iter().find_map(|reading| timeline.to_trace_time(reading.clock, reading.value))
}
