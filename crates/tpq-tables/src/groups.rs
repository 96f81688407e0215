//! Groups of tables that an import can leave out, because nothing else is made from them.

use crate::Tables;

/// Tables that are made together. A table names its group where it is declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableGroup {
    /// Made from every kernel event with its fields, and from the args of everything. A set of args
    /// has the number of sets that came before it, so ids of sets, in whatever table, are made with
    /// this group too.
    KernelEvents,
    /// Made from switches and wakeups.
    ThreadStates,
    /// Made from everything that is counted while events are decoded. What was counted up to then
    /// can be read without the rest ([`Table::rows_so_far`](crate::Table::rows_so_far)).
    Counts,
    /// Tracks, what is on them and what refers to it. The last slice may end the trace, so its
    /// bounds are among these. Left out only with all other groups.
    Tracks,
}

impl TableGroup {
    /// Every group.
    pub const ALL: [Self; 4] = [Self::KernelEvents, Self::ThreadStates, Self::Counts, Self::Tracks];

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

    /// Whether these are all groups.
    pub fn is_all(self) -> bool {
        self == Self::all()
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// Whether all of these are among `others`.
    pub fn is_subset_of(self, others: Self) -> bool {
        self.0 & !others.0 == 0
    }

    /// The names of the tables of these groups.
    pub fn table_names(self) -> impl Iterator<Item = &'static str> {
        let has = move |group| self.contains(group);
        let tables = Tables::DECLS.iter().filter(move |decl| decl.group.is_some_and(has));
        tables.map(|decl| decl.name)
    }

    /// A number for these groups, as stored tables have it.
    pub(crate) fn to_word(self) -> u64 {
        self.0.into()
    }

    /// The groups of a number; `None` if it is of groups that do not exist.
    pub(crate) fn from_word(word: u64) -> Option<Self> {
        let groups = u8::try_from(word).ok().map(Self)?;
        groups.is_subset_of(Self::all()).then_some(groups)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ColumnKind;

    #[test]
    fn groups_are_told_apart() {
        let states = TableGroups::NONE.with(TableGroup::ThreadStates);
        assert!(states.contains(TableGroup::ThreadStates));
        assert!(!states.contains(TableGroup::KernelEvents));
        let others = [TableGroup::KernelEvents, TableGroup::Counts, TableGroup::Tracks];
        let others = others.into_iter().fold(TableGroups::NONE, TableGroups::with);
        assert_eq!(states.others(), others);
        assert!(TableGroups::all().is_all() && !others.is_all());
        assert_eq!(states.others().others(), states);
        assert!(TableGroups::all().others().is_empty());
        assert!(states.without(TableGroup::ThreadStates).is_empty());
        assert!(states.is_subset_of(TableGroups::all()) && states.is_subset_of(states));
        assert!(!states.is_subset_of(states.others()));
        assert!(TableGroups::NONE.is_subset_of(TableGroups::NONE));
    }

    #[test]
    fn numbers_of_groups_are_those_of_groups_that_exist() {
        for groups in [TableGroups::NONE, TableGroups::all()] {
            assert_eq!(TableGroups::from_word(groups.to_word()), Some(groups));
        }
        assert_eq!(TableGroups::from_word(1 << TableGroup::ALL.len()), None);
        assert_eq!(TableGroups::from_word(1 << 32), None);
    }

    #[test]
    fn tables_are_declared_with_their_groups() {
        let named = |group| TableGroups::NONE.with(group).table_names().collect::<Vec<_>>();
        assert_eq!(named(TableGroup::KernelEvents), ["ftrace_event", "args"]);
        assert_eq!(named(TableGroup::ThreadStates), ["thread_state", "spurious_sched_wakeup"]);
        let counts = named(TableGroup::Counts);
        assert!(["stats", "data_loss", "trace_import_logs"].iter().all(|it| counts.contains(it)));
        let tracks = named(TableGroup::Tracks);
        assert!(["slice", "track", "trace_bounds"].iter().all(|it| tracks.contains(it)));
    }

    /// Ids of rows that are left out would be those of other rows.
    #[test]
    fn tables_with_ids_of_what_is_on_tracks_are_left_out_with_it() {
        for decl in Tables::DECLS.iter().filter(|decl| decl.group.is_none()) {
            for column in decl.columns {
                let ColumnKind::JoinId(target) = column.kind else { continue };
                let place = format!("{}.{}", decl.name, column.name);
                let of_tracks = ["slice", "track", "flow", "state", "counter"];
                assert!(!of_tracks.contains(&target), "{place}");
            }
        }
    }
}
