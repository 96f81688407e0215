//! Arg sets: written once for each distinct set.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxHashMap;
use tpq_tables::table::ArgsRow;
use tpq_tables::{StringId, StringPool, Tables};

/// One value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ArgValue {
    Int(i64),
    Uint(u64),
    Pointer(u64),
    Bool(bool),
    Real(f64),
    String(StringId),
    Json(StringId),
    /// That a message is there, which holds nothing.
    Null,
}

/// A key without and with array positions, and a value.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Arg {
    flat_key: StringId,
    key: StringId,
    value: ArgValue,
}

/// In a set of so many values, looking at each is the fastest way to find a key.
const FEW: usize = 16;

/// A set under construction.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ArgSet {
    args: Vec<Arg>,
    /// How many elements arrays have, by key, where something was told of it.
    elements: FxHashMap<StringId, usize>,
}

impl ArgSet {
    pub(crate) fn add(&mut self, key: StringId, value: ArgValue) {
        self.add_keyed(key, key, value);
    }

    pub(crate) fn add_keyed(&mut self, flat_key: StringId, key: StringId, value: ArgValue) {
        self.args.push(Arg { flat_key, key, value });
    }

    /// Adds a value; of two under one key the later one counts.
    pub(crate) fn put(&mut self, key: StringId, value: ArgValue) {
        self.put_keyed(key, key, value);
    }

    /// Adds a value unless there is one under the key.
    pub(crate) fn add_new(&mut self, key: StringId, value: ArgValue) {
        if self.args.iter().all(|arg| arg.key != key) {
            self.add(key, value);
        }
    }

    pub(crate) fn put_keyed(&mut self, flat_key: StringId, key: StringId, value: ArgValue) {
        match self.args.iter_mut().find(|arg| arg.key == key) {
            Some(arg) => arg.value = value,
            None => self.add_keyed(flat_key, key, value),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.args.clear();
        self.elements.clear();
    }

    /// How many elements the array under a key has so far: an array of the same key goes on there.
    pub(crate) fn elements(&self, array: StringId) -> usize {
        self.elements.get(&array).copied().unwrap_or_default()
    }

    /// Notes how many elements the array under a key has.
    pub(crate) fn set_elements(&mut self, array: StringId, count: usize) {
        if count != 0 {
            self.elements.insert(array, count);
        }
    }

    /// Values under keys that hold no array positions.
    pub(crate) fn of<'a>(
        values: impl IntoIterator<Item = (&'a str, ArgValue)>,
        strings: &mut StringPool,
    ) -> Self {
        let mut set = Self::default();
        for (key, value) in values {
            set.add(strings.intern(key), value);
        }
        set
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.args.is_empty()
    }

    /// The values that count: of several under one key the last.
    fn counted(&self) -> impl Iterator<Item = &Arg> {
        let last: Option<FxHashMap<StringId, usize>> = (self.args.len() > FEW)
            .then(|| self.args.iter().enumerate().map(|(index, arg)| (arg.key, index)).collect());
        self.args.iter().enumerate().filter_map(move |(index, arg)| {
            let counts = match &last {
                Some(last) => last.get(&arg.key) == Some(&index),
                None => self.args[index + 1..].iter().all(|later| later.key != arg.key),
            };
            counts.then_some(arg)
        })
    }

    /// Adds another set's values; of two values of one key the later one counts.
    pub(crate) fn append(&mut self, other: &Self) {
        self.args.retain(|arg| other.args.iter().all(|later| later.key != arg.key));
        self.args.extend_from_slice(&other.args);
    }
}

#[cfg(test)]
impl ArgSet {
    /// A line for each value: its longer key, the value, and the shorter key where it is another.
    pub(crate) fn lines(&self, strings: &StringPool) -> Vec<String> {
        let line = |arg: &Arg| {
            let value = match arg.value {
                ArgValue::String(text) => format!("\"{}\"", strings.get(text)),
                value => format!("{value:?}"),
            };
            let line = format!("{} = {value}", strings.get(arg.key));
            match arg.flat_key == arg.key {
                true => line,
                false => format!("{line} of {}", strings.get(arg.flat_key)),
            }
        };
        self.args.iter().map(line).collect()
    }
}

/// Gives sets their ids.
pub(crate) struct Args {
    /// Ids by the hash of their sets' content. Two sets of one hash are taken to be the same: with
    /// 128 bits that will not happen. The hashes lie elsewhere, as most sets are new and looking
    /// for them goes all over the table: the smaller it is, the more of it the caches hold.
    ids: HashTable<u32>,
    /// The hash of each set, the first of which has id 1.
    hashes: Vec<u128>,
    types: Types,
}

struct Types {
    int: StringId,
    uint: StringId,
    pointer: StringId,
    bool: StringId,
    real: StringId,
    string: StringId,
    json: StringId,
    null: StringId,
}

impl Args {
    pub(crate) fn new(strings: &mut StringPool) -> Self {
        let types = Types {
            int: strings.intern("int"),
            uint: strings.intern("uint"),
            pointer: strings.intern("pointer"),
            bool: strings.intern("bool"),
            real: strings.intern("real"),
            string: strings.intern("string"),
            json: strings.intern("json"),
            null: strings.intern("null"),
        };
        Self { ids: HashTable::new(), hashes: Vec::new(), types }
    }

    /// The id of a set, written to the table when new; `None` for an empty one.
    pub(crate) fn intern(&mut self, set: &ArgSet, tables: &mut Tables) -> Option<u32> {
        if set.is_empty() {
            return None;
        }
        let Self { ids, hashes, types } = self;
        let hash = hash(set);
        let hash_of = |&id: &u32| hashes.get(id as usize - 1).copied().unwrap_or_default();
        let entry = ids.entry(hash as u64, |id| hash_of(id) == hash, |id| hash_of(id) as u64);
        let id = match entry {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let id = *entry.insert(hashes.len() as u32 + 1).get();
                hashes.push(hash);
                for arg in set.counted() {
                    tables.args.push(row(id, arg, types));
                }
                id
            }
        };
        Some(id)
    }
}

fn row(arg_set_id: u32, arg: &Arg, types: &Types) -> ArgsRow {
    let row = ArgsRow { arg_set_id, flat_key: arg.flat_key, key: arg.key, ..ArgsRow::default() };
    match arg.value {
        ArgValue::Int(value) => ArgsRow { int_value: Some(value), value_type: types.int, ..row },
        ArgValue::Uint(value) => {
            ArgsRow { int_value: Some(value as i64), value_type: types.uint, ..row }
        }
        ArgValue::Pointer(value) => {
            ArgsRow { int_value: Some(value as i64), value_type: types.pointer, ..row }
        }
        ArgValue::Bool(value) => {
            ArgsRow { int_value: Some(i64::from(value)), value_type: types.bool, ..row }
        }
        ArgValue::Real(value) => ArgsRow { real_value: Some(value), value_type: types.real, ..row },
        ArgValue::String(value) => ArgsRow { string_value: value, value_type: types.string, ..row },
        ArgValue::Json(value) => ArgsRow { string_value: value, value_type: types.json, ..row },
        ArgValue::Null => ArgsRow { value_type: types.null, ..row },
    }
}

/// A 128-bit hash: two multiply-and-rotate chains with different constants. What has one
/// fingerprint is taken to be the same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fingerprint(u64, u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f)
    }
}

impl Fingerprint {
    pub(crate) fn mix(&mut self, value: u64) {
        let Self(a, b) = self;
        *a = (*a ^ value).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(31);
        *b = (b.rotate_left(27) ^ value).wrapping_mul(0x9fb2_1c65_1e98_df25);
        *b ^= *b >> 29;
    }

    pub(crate) fn mix_bytes(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.mix(u64::from_le_bytes(last));
        self.mix(bytes.len() as u64);
    }

    pub(crate) fn finish(self) -> u128 {
        let Self(a, b) = self;
        u128::from(a ^ a >> 32) << 64 | u128::from(b ^ b >> 31)
    }
}

fn hash(set: &ArgSet) -> u128 {
    let mut print = Fingerprint::default();
    for arg in &set.args {
        let (tag, value) = match arg.value {
            ArgValue::Int(value) => (1, value as u64),
            ArgValue::Uint(value) => (2, value),
            ArgValue::Pointer(value) => (3, value),
            ArgValue::Bool(value) => (4, u64::from(value)),
            ArgValue::Real(value) => (5, value.to_bits()),
            ArgValue::String(value) => (6, u64::from(value.0)),
            ArgValue::Json(value) => (7, u64::from(value.0)),
            ArgValue::Null => (8, 0),
        };
        print.mix(u64::from(arg.key.0) << 32 | u64::from(arg.flat_key.0));
        print.mix(tag);
        print.mix(value);
    }
    print.mix(set.args.len() as u64);
    print.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sets_are_written_once() {
        let mut tables = Tables::default();
        let mut args = Args::new(&mut tables.strings);
        let key = tables.strings.intern("key");
        let mut set = ArgSet::default();
        assert_eq!(args.intern(&set, &mut tables), None);
        set.add(key, ArgValue::Int(7));
        let id = args.intern(&set, &mut tables);
        assert_eq!(args.intern(&set, &mut tables), id);
        let mut other = ArgSet::default();
        other.add(key, ArgValue::Uint(7));
        assert_ne!(args.intern(&other, &mut tables), id);
        assert_eq!(tables.args.len(), 2);
    }

    #[test]
    fn of_several_values_under_one_key_the_last_counts() {
        for others in [0, FEW] {
            let mut tables = Tables::default();
            let mut args = Args::new(&mut tables.strings);
            let key = tables.strings.intern("key");
            let mut set = ArgSet::default();
            for value in [1, 2, 3] {
                set.add(key, ArgValue::Int(value));
            }
            for index in 0..others {
                set.add(tables.strings.intern(&index.to_string()), ArgValue::Null);
            }
            args.intern(&set, &mut tables);
            assert_eq!(tables.args.len() as usize, 1 + others);
            assert_eq!(tables.args.int_value.get(0), Some(3));
        }
    }
}
