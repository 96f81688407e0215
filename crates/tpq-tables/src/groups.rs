//! Groups of tables that an import can leave out, because nothing else is made from them.

/// Tables that are made together. A table names its group where it is declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableGroup {
    /// Made from every kernel event with its fields, and from the args of everything. A set of args
    /// has the number of sets that came before it, so ids of sets, in whatever table, are made with
    /// this group too.
    KernelEvents,
    /// Made from switches and wakeups.
    ThreadStates,
}

impl TableGroup {
    /// Every group.
    pub const ALL: [Self; 2] = [Self::KernelEvents, Self::ThreadStates];

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A set of groups.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TableGroups(u8);

impl TableGroups {
    /// No group.
    pub const NONE: Self = Self(0);

    /// Every group.
    pub fn all() -> Self {
        TableGroup::ALL.into_iter().fold(Self::NONE, Self::with)
    }

    /// These and `group`.
    #[must_use]
    pub fn with(self, group: TableGroup) -> Self {
        Self(self.0 | group.bit())
    }

    /// These without `group`.
    #[must_use]
    pub fn without(self, group: TableGroup) -> Self {
        Self(self.0 & !group.bit())
    }

    /// The groups that are not among these.
    #[must_use]
    pub fn others(self) -> Self {
        Self(Self::all().0 & !self.0)
    }

    /// Whether `group` is among these.
    pub fn contains(self, group: TableGroup) -> bool {
        self.0 & group.bit() != 0
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tables;

    #[test]
    fn groups_are_told_apart() {
        let states = TableGroups::NONE.with(TableGroup::ThreadStates);
        assert!(states.contains(TableGroup::ThreadStates));
        assert!(!states.contains(TableGroup::KernelEvents));
        assert_eq!(states.others(), TableGroups::NONE.with(TableGroup::KernelEvents));
        assert_eq!(states.others().others(), states);
        assert!(TableGroups::all().others().is_empty());
        assert!(states.without(TableGroup::ThreadStates).is_empty());
    }

    #[test]
    fn tables_are_declared_with_their_groups() {
        let named = |group| {
            let tables = Tables::DECLS.iter().filter(move |decl| decl.group == Some(group));
            tables.map(|decl| decl.name).collect::<Vec<_>>()
        };
        assert_eq!(named(TableGroup::KernelEvents), ["ftrace_event", "args"]);
        assert_eq!(named(TableGroup::ThreadStates), ["thread_state", "spurious_sched_wakeup"]);
    }
}
