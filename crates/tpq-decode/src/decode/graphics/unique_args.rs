//! Args under keys that the trace chooses.

use rustc_hash::FxHashMap;
use tpq_tables::{StringId, Tables};

use tpq_trackers::args::{ArgSet, ArgValue};

/// Args of which each key has one value: of two under one key the later one counts.
#[derive(Default)]
pub(in crate::decode) struct UniqueArgs {
    args: Vec<(StringId, ArgValue)>,
    places: FxHashMap<StringId, usize>,
}

impl UniqueArgs {
    /// Adds a value under a key of the trace.
    pub(in crate::decode) fn put(&mut self, key: StringId, value: ArgValue) {
        match self.places.get(&key) {
            Some(&place) => self.args[place].1 = value,
            None => {
                self.places.insert(key, self.args.len());
                self.args.push((key, value));
            }
        }
    }

    /// Adds a value under a key that decoders choose.
    pub(in crate::decode) fn put_named(&mut self, key: &str, value: ArgValue, tables: &mut Tables) {
        self.put(tables.strings.intern(key), value);
    }

    /// How many keys there are.
    pub(in crate::decode) fn len(&self) -> usize {
        self.args.len()
    }

    /// All keys with their values.
    pub(in crate::decode) fn into_pairs(self) -> Vec<(StringId, ArgValue)> {
        self.args
    }

    /// The set of all args.
    pub(in crate::decode) fn finish(self) -> ArgSet {
        let mut set = ArgSet::default();
        self.args.into_iter().for_each(|(key, value)| set.add(key, value));
        set
    }
}
