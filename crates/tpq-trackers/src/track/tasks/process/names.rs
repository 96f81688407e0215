//! Names of threads: several sources have names, of different quality.

use tpq_tables::{StringId, Tables};

use super::Utid;

/// Priority of a source of thread names. A name replaces names of the same or a lower priority.
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
    /// The kind of thread that its program states.
    ThreadType,
    /// Given by the program itself.
    Descriptor,
    /// The role of the thread, such as an idle task.
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
