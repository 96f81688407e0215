//! System calls, and the threads that are in one.

use rustc_hash::FxHashSet;
use tpq_tables::{StringId, StringPool};

use crate::track::Utid;

/// Calls with numbers below this are remembered, as all are that an architecture calls its own.
const REMEMBERED: usize = 1024;

/// A system call.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The name of its slices.
    pub name: StringId,
    /// Whether the call needs special handling.
    pub handling: SyscallHandling,
}

/// Special handling of a system call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SyscallHandling {
    /// No special handling.
    Nothing,
    /// It may hand over a marker, by which its slice is cut.
    Write,
    /// It goes elsewhere than it came from: it has no exit.
    ReturnFromSignal,
}

/// The state of system calls.
#[derive(Default)]
pub struct Syscalls {
    /// Threads that were seen to enter a write and not to leave it.
    pub writing: FxHashSet<Utid>,
    /// The calls seen of an architecture, by number.
    arch: StringId,
    calls: Vec<Option<Call>>,
    ret: StringId,
}

impl Syscalls {
    /// The call of a number that `look_up` found before, or finds.
    pub fn call(
        &mut self,
        arch: StringId,
        number: i64,
        look_up: impl FnOnce() -> Option<Call>,
    ) -> Option<Call> {
        // There is one, until there is more known of it.
        if arch != self.arch {
            self.calls.clear();
            self.arch = arch;
        }
        let Some(index) = usize::try_from(number).ok().filter(|&index| index < REMEMBERED) else {
            return look_up();
        };
        if index >= self.calls.len() {
            self.calls.resize(REMEMBERED, None);
        }
        if self.calls[index].is_none() {
            self.calls[index] = look_up();
        }
        self.calls[index]
    }

    /// The key of what a call gave back.
    pub fn ret(&mut self, strings: &mut StringPool) -> StringId {
        if self.ret.is_null() {
            self.ret = strings.intern("ret");
        }
        self.ret
    }
}
