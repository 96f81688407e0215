//! Disk counters since boot, as last polled.

use rustc_hash::FxHashMap;
use tpq_tables::StringId;

/// Totals of a disk: sectors and milliseconds of what was read, of what was written and of what
/// was discarded; the number of flushes and their milliseconds.
pub type DiskTotals = [u64; 8];

/// Remembers the totals of each disk of a machine.
#[derive(Default)]
pub struct Disks {
    last: FxHashMap<StringId, DiskTotals>,
}

impl Disks {
    /// Notes the totals of a disk; gives those of the poll before, if there was one.
    pub fn replace(&mut self, disk: StringId, totals: DiskTotals) -> Option<DiskTotals> {
        self.last.insert(disk, totals)
    }
}
