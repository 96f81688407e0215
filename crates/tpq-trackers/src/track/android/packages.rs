//! Which package an app's user id belongs to.

use rustc_hash::{FxHashMap, FxHashSet};
use tpq_tables::StringId;

/// Android gives each of its users a range of ids of this size; the rest is the app's.
const IDS_OF_A_USER: i64 = 100_000;

/// Remembers packages.
#[derive(Default)]
pub struct Packages {
    seen: FxHashSet<StringId>,
    by_uid: FxHashMap<i64, StringId>,
}

impl Packages {
    /// Notes a package; false when it is already known. Of packages that share an id the first
    /// counts.
    pub fn add(&mut self, name: StringId, uid: i64) -> bool {
        self.by_uid.entry(uid).or_insert(name);
        self.seen.insert(name)
    }

    /// The package of an app, whichever user runs it.
    pub fn of_app(&self, uid: u32) -> Option<StringId> {
        self.by_uid.get(&(i64::from(uid) % IDS_OF_A_USER)).copied().filter(|_| uid != 0)
    }
}
