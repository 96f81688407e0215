//! System calls: who is in one, and what their args are called.

use rustc_hash::{FxHashMap, FxHashSet};
use tpq_tables::{StringId, StringPool};

use super::Utid;

/// The most arguments a call may have; the kernel's have six.
const MAX_ARGS: usize = 16;

/// What is remembered of system calls.
#[derive(Default)]
pub(crate) struct Syscalls {
    /// Threads that were seen to enter a write and not to leave it.
    pub(crate) writing: FxHashSet<Utid>,
    /// The calls seen, by architecture and number: the name, where it is known, and that of slices.
    pub(crate) calls: FxHashMap<(StringId, i64), (Option<&'static str>, StringId)>,
    /// `args`, then `args[0]`, `args[1]`…
    keys: Vec<StringId>,
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

    /// The keys of an argument, without and with its position. `None` for one too many.
    pub(crate) fn keys(
        &mut self,
        position: usize,
        strings: &mut StringPool,
    ) -> Option<(StringId, StringId)> {
        if self.keys.is_empty() {
            self.keys.push(strings.intern("args"));
            let names = (0..MAX_ARGS).map(|position| format!("args[{position}]"));
            self.keys.extend(names.map(|name| strings.intern(&name)));
        }
        Some((self.keys[0], *self.keys.get(position + 1)?))
    }
}
