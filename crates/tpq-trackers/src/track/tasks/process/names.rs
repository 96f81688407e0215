//! What threads are called: several sources know names, and not equally well.

use tpq_tables::{StringId, Tables};

use super::Utid;

/// How good a source of a thread's name is. A better one is not overridden, one as good is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum NamePriority {
    #[default]
    /// The thread has no name.
    None,
    /// Written by a format that says nothing of where names come from.
    Other,
    /// The kernel's `comm`, cut to 15 bytes.
    Ftrace,
    /// Read from /proc.
    ProcessTree,
    /// What kind of thread it is, as its program says.
    ThreadType,
    /// Given by the program itself.
    Descriptor,
    /// What the thread is, as idle tasks are.
    Fixed,
}

/// The name of each thread, and how good it is.
#[derive(Default)]
pub(super) struct ThreadNames(Vec<(NamePriority, StringId)>);

impl ThreadNames {
    /// Names a thread unless a better source already did.
    pub(super) fn name(
        &mut self,
        utid: Utid,
        name: StringId,
        priority: NamePriority,
        tables: &mut Tables,
    ) {
        if name.is_null() {
            return;
        }
        let row = utid as usize;
        if self.0.len() <= row {
            self.0.resize(row + 1, (NamePriority::None, StringId::NULL));
        }
        if let Some(current) = self.0.get_mut(row)
            && priority >= current.0
            && (priority, name) != *current
        {
            *current = (priority, name);
            tables.thread.name.set(utid, name);
        }
    }
}
