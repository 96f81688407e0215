//! Counts of what was lost, dropped or malformed, and what the trace itself counted.
//!
//! A drop increments its stat where it happens. [`Stats`] holds the counts; they become the
//! `stats` table, in which a single stat always has a row and an indexed one a row per index.

use std::collections::BTreeMap;

use crate::Tables;
use crate::table::StatsRow;

/// Declares the enum [`Stat`] and what is known of each variant.
macro_rules! catalogue {
    ($($variant:ident = $name:literal: $kind:ident, $severity:ident, $source:ident, $scope:ident,
        $description:literal;)+) => {
        use super::{Severity, StatInfo, StatKind, StatScope, StatSource};

        /// Something that is counted.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u16)]
        pub enum Stat {
            $(
                #[doc = concat!("`", $name, "`: ", $description)]
                $variant,
            )+
        }

        impl Stat {
            /// Every stat, in the order of the catalogue.
            pub const ALL: &'static [Stat] = &[$(Stat::$variant),+];

            pub(super) fn info(self) -> &'static StatInfo {
                static INFO: &[StatInfo] = &[$(StatInfo {
                    name: $name,
                    kind: StatKind::$kind,
                    severity: Severity::$severity,
                    source: StatSource::$source,
                    scope: StatScope::$scope,
                    description: $description,
                }),+];
                &INFO[self as usize]
            }
        }
    };
}

mod catalogue;

pub use catalogue::Stat;

/// Severity of a stat that is not 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// Nothing is wrong.
    Info,
    /// Worth knowing.
    Notice,
    /// Something that happened is not in the tables.
    DataLoss,
    /// Something could not be understood.
    Error,
}

/// Whether a stat has one value or one for each index (CPU, buffer).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StatKind {
    /// One value.
    Single,
    /// One value for each index.
    Indexed,
}

/// The part that counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StatSource {
    /// The recorder; the count is in the trace.
    Trace,
    /// tpq, while importing.
    Analysis,
}

/// The scope of a count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StatScope {
    /// The import as a whole.
    Global,
    /// One machine in one trace file.
    MachineAndTrace,
}

struct StatInfo {
    name: &'static str,
    kind: StatKind,
    severity: Severity,
    source: StatSource,
    scope: StatScope,
    description: &'static str,
}

impl Stat {
    /// Its name in the `stats` table.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Whether it has one value or many.
    pub fn kind(self) -> StatKind {
        self.info().kind
    }

    /// The severity.
    pub fn severity(self) -> Severity {
        self.info().severity
    }

    /// The part that counts it.
    pub fn source(self) -> StatSource {
        self.info().source
    }

    /// Its scope.
    pub fn scope(self) -> StatScope {
        self.info().scope
    }

    /// Its meaning, and advice.
    pub fn description(self) -> &'static str {
        self.info().description
    }
}

impl Severity {
    /// The word in the `severity` column.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Notice => "notice",
            Self::DataLoss => "data_loss",
            Self::Error => "error",
        }
    }
}

impl StatSource {
    /// The word in the `source` column.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Trace => "trace",
            Self::Analysis => "analysis",
        }
    }
}

/// Largest number of sources for which stats of value 0 have rows.
const MAX_SOURCES: usize = 1000;

/// The counts of an import.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    single: BTreeMap<Stat, i64>,
    indexed: BTreeMap<(Stat, i64), i64>,
}

impl Stats {
    /// Counts `stat` once.
    pub fn increment(&mut self, stat: Stat) {
        self.add(stat, 1);
    }

    /// Adds to a stat that has one value.
    pub fn add(&mut self, stat: Stat, by: i64) {
        debug_assert_eq!(stat.kind(), StatKind::Single);
        let value = self.single.entry(stat).or_default();
        *value = value.saturating_add(by);
    }

    /// Sets a stat that has one value.
    pub fn set(&mut self, stat: Stat, value: i64) {
        debug_assert_eq!(stat.kind(), StatKind::Single);
        self.single.insert(stat, value);
    }

    /// Adds to the value a stat has for `index`.
    pub fn add_indexed(&mut self, stat: Stat, index: i64, by: i64) {
        debug_assert_eq!(stat.kind(), StatKind::Indexed);
        let value = self.indexed.entry((stat, index)).or_default();
        *value = value.saturating_add(by);
    }

    /// Sets the value a stat has for `index`.
    pub fn set_indexed(&mut self, stat: Stat, index: i64, value: i64) {
        debug_assert_eq!(stat.kind(), StatKind::Indexed);
        self.indexed.insert((stat, index), value);
    }

    /// The value of a stat: of a single one, or the sum over the indices of an indexed one.
    pub fn get(&self, stat: Stat) -> i64 {
        match stat.kind() {
            StatKind::Single => self.single.get(&stat).copied().unwrap_or_default(),
            StatKind::Indexed => self
                .indexed
                .range((stat, i64::MIN)..=(stat, i64::MAX))
                .fold(0, |sum, (_, value)| sum.saturating_add(*value)),
        }
    }

    /// The value a stat has for `index`, if it was counted there.
    pub fn get_indexed(&self, stat: Stat, index: i64) -> Option<i64> {
        self.indexed.get(&(stat, index)).copied()
    }

    /// Adds the counts of another part of the same import.
    pub fn merge(&mut self, other: &Self) {
        for (&stat, &value) in &other.single {
            self.add(stat, value);
        }
        for (&(stat, index), &value) in &other.indexed {
            self.add_indexed(stat, index, value);
        }
    }

    /// Whether anything that counts as an error or a loss was seen.
    pub fn any_loss_or_error(&self) -> bool {
        let grave = |stat: &Stat| matches!(stat.severity(), Severity::DataLoss | Severity::Error);
        self.single.iter().any(|(stat, &value)| grave(stat) && value != 0)
            || self.indexed.iter().any(|((stat, _), &value)| grave(stat) && value != 0)
    }

    /// Writes the `stats` table. These counts are of the import as a whole; `scoped` has, for each
    /// source, the rows of its machine and its trace file, and its counts. A count of no source,
    /// such as damage to an archive, has a row of its own.
    pub fn write(&self, scoped: &[(u32, u32, &Stats)], tables: &mut Tables) {
        for &stat in Stat::ALL {
            let template = StatsRow {
                name: tables.strings.intern(stat.name()),
                key: stat as i64,
                severity: tables.strings.intern(stat.severity().as_str()),
                source: tables.strings.intern(stat.source().as_str()),
                description: tables.strings.intern(stat.description()),
                ..StatsRow::default()
            };
            match stat.scope() {
                StatScope::Global => self.write_one(stat, &template, tables),
                StatScope::MachineAndTrace => {
                    let placed = scoped.iter().map(|(.., stats)| stats.get(stat));
                    let placed = placed.fold(0, i64::saturating_add);
                    let rest = self.get(stat).saturating_sub(placed);
                    if stat.kind() == StatKind::Single && rest != 0 {
                        tables.stats.push(StatsRow { value: rest, ..template });
                    }
                    // Of very many files only what was counted has rows, or there would be a
                    // hundred times as many as of events.
                    let every = scoped.len() <= MAX_SOURCES || stat == Stat::TraceTruncatedBytes;
                    let counted = |stats: &Stats| {
                        every || stat.kind() == StatKind::Indexed || stats.get(stat) != 0
                    };
                    if !every && rest == 0 && !scoped.iter().any(|(.., it)| counted(it)) {
                        tables.stats.push(template);
                    }
                    for &(machine, trace, stats) in scoped.iter().filter(|(.., it)| counted(it)) {
                        let [machine_id, trace_id] = [Some(machine), Some(trace)];
                        let template = StatsRow { machine_id, trace_id, ..template };
                        stats.write_one(stat, &template, tables);
                    }
                }
            }
        }
    }

    fn write_one(&self, stat: Stat, template: &StatsRow, tables: &mut Tables) {
        match stat.kind() {
            StatKind::Single => {
                tables.stats.push(StatsRow { value: self.get(stat), ..*template });
            }
            StatKind::Indexed => {
                for (&(_, index), &value) in self.indexed.range((stat, i64::MIN)..=(stat, i64::MAX))
                {
                    tables.stats.push(StatsRow { idx: Some(index), value, ..*template });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stat_says_what_it_means() {
        for &stat in Stat::ALL {
            assert!(!stat.description().is_empty(), "{} has no description", stat.name());
        }
    }

    #[test]
    fn a_single_stat_has_a_row_even_when_nothing_happened() {
        let mut tables = Tables::default();
        let mut stats = Stats::default();
        stats.add_indexed(Stat::FtraceCpuOverrunEnd, 1, 7);
        stats.write(&[(0, 0, &stats)], &mut tables);
        let singles = Stat::ALL.iter().filter(|stat| stat.kind() == StatKind::Single).count();
        assert_eq!(tables.stats.len() as usize, singles + 1);
    }

    #[test]
    fn of_very_many_files_what_is_0_has_one_row() {
        let mut tables = Tables::default();
        let mut some = Stats::default();
        some.add(Stat::MalformedPackets, 3);
        let none = Stats::default();
        let of = |trace| if trace == 7 { &some } else { &none };
        let files = MAX_SOURCES as u32 + 1;
        let scoped: Vec<_> = (0..files).map(|trace| (0, trace, of(trace))).collect();
        some.write(&scoped, &mut tables);
        let rows = |stat: Stat| {
            let keys = tables.stats.key.iter().filter(|&key| key == stat as i64);
            keys.count()
        };
        assert_eq!(rows(Stat::MalformedPackets), 1);
        assert_eq!(rows(Stat::CompressedPacketsFailed), 1);
        assert_eq!(rows(Stat::TraceTruncatedBytes), files as usize);
    }

    #[test]
    fn losses_at_the_recorder_are_losses() {
        assert_eq!(Stat::TracedBufChunksOverwritten.severity(), Severity::DataLoss);
        assert_eq!(Stat::FtraceCpuOverrunEnd.severity(), Severity::DataLoss);
    }
}
