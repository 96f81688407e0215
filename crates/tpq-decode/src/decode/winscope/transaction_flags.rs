//! Sets of flags of changes.

use rustc_hash::FxHashMap;
use tpq_tables::StringId;
use tpq_tables::table::TransactionFlagRow;

use super::context::DecodeContext;

/// What flags are of.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum FlagsOf {
    Layer,
    Display,
}

impl FlagsOf {
    /// The enums of the flags, each of 32 bits, from the lowest on.
    fn enums(self) -> &'static [&'static str] {
        match self {
            Self::Layer => &[
                "com.android.internal.LayerState.ChangesLsb",
                "com.android.internal.LayerState.ChangesMsb",
            ],
            Self::Display => &["com.android.internal.DisplayState.Changes"],
        }
    }
}

/// The sets so far.
#[derive(Default)]
struct KnownFlags(FxHashMap<(FlagsOf, u64), u32>);

impl DecodeContext<'_, '_> {
    /// The id of a set of flags. A new set gets a row for each flag that has a name.
    pub(super) fn flags_id(&mut self, of: FlagsOf, bits: u64) -> u32 {
        let KnownFlags(known) = self.trackers.states.get();
        let next = known.len() as u32;
        if let Some(&id) = known.get(&(of, bits)) {
            return id;
        }
        known.insert((of, bits), next);
        for (word, name) in of.enums().iter().enumerate() {
            for bit in (0..32).filter(|bit| bits >> (32 * word + bit) & 1 == 1) {
                let value = (1_u32 << bit) as i32;
                let flag = self.trackers.file.messages.enum_value_name(name, value);
                let Some(flag) = flag.map(|flag| self.tables.strings.intern(flag)) else {
                    continue;
                };
                self.add_flag(next, flag);
            }
        }
        next
    }

    fn add_flag(&mut self, flags_id: u32, flag: StringId) {
        let row = TransactionFlagRow { flags_id: Some(flags_id), flag };
        self.tables.surfaceflinger_transaction_flag.push(row);
    }
}
