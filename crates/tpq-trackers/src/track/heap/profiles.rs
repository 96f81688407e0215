//! Allocations of native and Java memory, by call site.
//!
//! The profiler reports the total of each stack since it started. Rows are the differences from one
//! dump to the next.

use rustc_hash::{FxHashMap, FxHashSet};
use tpq_ingest::SourceId;
use tpq_tables::table::{HeapProfileAllocationRow, HeapProfileRow};
use tpq_tables::{Stat, Stats, StringId, Tables};

use crate::ids::Upid;

/// The heap of Java. The profiler does not see when its objects are freed.
const JAVA_HEAP: &str = "com.android.art";

/// Totals of a stack since the profiler started.
#[derive(Clone, Copy, Debug)]
pub struct Allocation {
    /// Process.
    pub upid: Upid,
    /// Time of the dump, ns of trace time.
    pub ts: i64,
    /// Name of the heap.
    pub heap_name: StringId,
    /// Id of the stack in the sequence.
    pub callstack: u64,
    /// Number of allocations.
    pub alloc_count: u64,
    /// Allocated bytes.
    pub allocated: u64,
    /// Number of allocations that were freed.
    pub free_count: u64,
    /// Freed bytes.
    pub freed: u64,
}

/// The profile that a sequence of packets writes.
#[derive(Debug, Default)]
pub struct HeapProfile {
    last_index: Option<u64>,
    /// Allocations of the dump under way.
    pending: Vec<Allocation>,
    totals: FxHashMap<TotalKey, Totals>,
}

/// What a total is of. The profiler forgets stacks without memory and numbers them anew, so that
/// a callsite can have several stacks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct TotalKey {
    upid: Upid,
    heap_name: StringId,
    callstack: u64,
    callsite: u32,
}

/// Number and size of allocations, and of those that were freed.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    allocated: [i64; 2],
    freed: [i64; 2],
}

impl HeapProfile {
    /// Notes the position of a packet among those of its sequence. Returns whether packets before
    /// it are missing.
    pub fn set_index(&mut self, index: u64) -> bool {
        let expected = self.last_index.map_or(0, |last| last.wrapping_add(1));
        self.last_index = Some(index);
        index != expected
    }

    /// Adds totals of a stack to the dump under way.
    pub fn add(&mut self, allocation: Allocation) {
        self.pending.push(allocation);
    }

    /// Ends the dump and returns its allocations, to be [`write`](Self::write)n.
    pub fn take_pending(&mut self) -> Vec<Allocation> {
        std::mem::take(&mut self.pending)
    }

    /// Writes what was allocated and freed at a callsite since the dump before. Totals that
    /// decrease are counted and skipped. Returns whether there are rows.
    pub fn write(
        &mut self,
        new: &Allocation,
        callsite: u32,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> bool {
        let Allocation { upid, heap_name, callstack, .. } = *new;
        let last =
            self.totals.entry(TotalKey { upid, heap_name, callstack, callsite }).or_default();
        let totals = Totals {
            allocated: [new.alloc_count, new.allocated].map(as_total),
            freed: [new.free_count, new.freed].map(as_total),
        };
        let allocated = difference(totals.allocated, last.allocated);
        let freed = difference(totals.freed, last.freed);
        if allocated.iter().chain(&freed).any(|&by| by < 0) {
            stats.add_indexed(Stat::HeapprofdMalformedPacket, i64::from(upid), 1);
            return false;
        }
        *last = totals;
        let is_java = tables.strings.get(heap_name) == JAVA_HEAP;
        let mut written = false;
        let freed = freed.map(|by| -by);
        for [count, size] in [allocated].into_iter().chain((!is_java).then_some(freed)) {
            if count == 0 && size == 0 {
                continue;
            }
            let row = HeapProfileAllocationRow {
                ts: new.ts,
                upid,
                heap_name,
                callsite_id: callsite,
                count,
                size,
            };
            tables.heap_profile_allocation.push(row);
            written = true;
        }
        written
    }
}

fn as_total(total: u64) -> i64 {
    i64::try_from(total).unwrap_or(i64::MAX)
}

/// Both are not negative.
fn difference(now: [i64; 2], before: [i64; 2]) -> [i64; 2] {
    [now[0] - before[0], now[1] - before[1]]
}

/// Heap profiles of an import.
#[derive(Debug, Default)]
pub struct HeapProfiles {
    profiles: FxHashMap<(SourceId, u32), HeapProfile>,
    dumps: FxHashSet<(Upid, i64, StringId)>,
}

impl HeapProfiles {
    /// The profile that a sequence of packets writes.
    pub fn profile(&mut self, source: SourceId, sequence: u32) -> &mut HeapProfile {
        self.profiles.entry((source, sequence)).or_default()
    }

    /// Adds a dump of a heap. Each of its packets states it again.
    pub fn add_dump(
        &mut self,
        upid: Upid,
        heap_name: StringId,
        (start, end): (i64, i64),
        tables: &mut Tables,
    ) {
        if self.dumps.insert((upid, end, heap_name)) {
            let dur = end.saturating_sub(start);
            tables.heap_profile.push(HeapProfileRow {
                ts: start,
                ts_end: end,
                dur,
                upid,
                heap_name,
            });
        }
    }

    /// Counts dumps without their last packet; they are dropped. `stats` are those of each
    /// source.
    pub fn end_all(&mut self, stats: &mut [Stats]) {
        for ((source, _), profile) in self.profiles.drain() {
            let stats = stats.get_mut(source as usize).filter(|_| !profile.pending.is_empty());
            if let Some(stats) = stats {
                stats.increment(Stat::HeapprofdNonFinalizedProfile);
            }
        }
    }
}
