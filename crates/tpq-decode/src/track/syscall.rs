//! System calls: which there are, and who is in one.

use rustc_hash::{FxHashMap, FxHashSet};
use tpq_tables::{StringId, StringPool};

use super::Utid;

/// What is remembered of system calls.
#[derive(Default)]
pub(crate) struct Syscalls {
    /// Threads that were seen to enter a write and not to leave it.
    pub(crate) writing: FxHashSet<Utid>,
    /// The calls seen, by architecture and number: the name, where it is known, and that of slices.
    pub(crate) calls: FxHashMap<(StringId, i64), (Option<&'static str>, StringId)>,
    ret: StringId,
}

impl Syscalls {
    /// The key of what a call gave back.
    pub(crate) fn ret(&mut self, strings: &mut StringPool) -> StringId {
        if self.ret.is_null() {
            self.ret = strings.intern("ret");
        }
        self.ret
    }
}
