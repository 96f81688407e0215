//! The ids of sets: each distinct set is written once.

use std::sync::Arc;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use tpq_tables::table::{ArgsRow, ArgsTable};
use tpq_tables::{Packer, StringId, StringPool};

use super::rows::Rows;
use super::set::Arg;
use super::texts::Texts;
use super::{ArgSet, ArgValue, Fingerprint};

/// Writes `args`.
pub(super) struct SetIndex {
    /// Ids by the hash of their sets' content. Two sets of one hash are taken to be the same: with
    /// 128 bits that will not happen. The hashes lie elsewhere, as most sets are new and looking
    /// for them goes all over the table: the smaller it is, the more of it the caches hold.
    ids: HashTable<u32>,
    /// The hash of each set, the first of which has id 1.
    hashes: Vec<u128>,
    types: Types,
    rows: Rows<ArgsRow>,
    table: ArgsTable,
}

/// The names of types of values, as tables have them.
#[derive(Clone, Copy)]
pub(super) struct Types {
    int: StringId,
    uint: StringId,
    pointer: StringId,
    bool: StringId,
    real: StringId,
    string: StringId,
    json: StringId,
    null: StringId,
}

impl Types {
    pub(super) fn new(strings: &mut StringPool) -> Self {
        Self {
            int: strings.intern("int"),
            uint: strings.intern("uint"),
            pointer: strings.intern("pointer"),
            bool: strings.intern("bool"),
            real: strings.intern("real"),
            string: strings.intern("string"),
            json: strings.intern("json"),
            null: strings.intern("null"),
        }
    }
}

impl SetIndex {
    pub(super) fn new(types: Types) -> Self {
        Self {
            ids: HashTable::new(),
            hashes: Vec::new(),
            types,
            rows: Rows::default(),
            table: ArgsTable::default(),
        }
    }

    /// Has full chunks of rows packed by someone else from now on.
    pub(super) fn pack_by(&mut self, packer: &Arc<Packer>) {
        self.table.pack_by(packer);
    }

    /// The table, complete.
    pub(super) fn finish(mut self) -> ArgsTable {
        self.rows.flush(|rows| self.table.push_all(rows));
        self.table
    }

    /// The id of a set of values, written to the table when new; 0 for an empty one.
    pub(super) fn intern(&mut self, set: &ArgSet, texts: &Texts) -> u32 {
        if set.is_empty() {
            return 0;
        }
        let Self { ids, hashes, types, rows, table } = self;
        let hash = hash(set);
        let hash_of = |&id: &u32| hashes.get(id as usize - 1).copied().unwrap_or_default();
        let entry = ids.entry(hash as u64, |id| hash_of(id) == hash, |id| hash_of(id) as u64);
        match entry {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let id = *entry.insert(hashes.len() as u32 + 1).get();
                hashes.push(hash);
                for arg in set.counted() {
                    rows.push(row(id, arg, types, texts), |rows| table.push_all(rows));
                }
                id
            }
        }
    }
}

fn row(arg_set_id: u32, arg: &Arg, types: &Types, texts: &Texts) -> ArgsRow {
    let key = texts.in_tables(arg.key);
    let flat_key = if arg.flat_key == arg.key { key } else { texts.in_tables(arg.flat_key) };
    let row = ArgsRow { arg_set_id, flat_key, key, ..ArgsRow::default() };
    let text = |text| texts.in_tables(text);
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
        ArgValue::String(value) => {
            ArgsRow { string_value: text(value), value_type: types.string, ..row }
        }
        ArgValue::Json(value) => {
            ArgsRow { string_value: text(value), value_type: types.json, ..row }
        }
        ArgValue::Null => ArgsRow { value_type: types.null, ..row },
    }
}

fn hash(set: &ArgSet) -> u128 {
    let mut print = Fingerprint::default();
    let mut count = 0;
    for arg in set.values() {
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
        let keys = u64::from(arg.key.0) << 32;
        // Most values have one key: then its place takes the tag, beside which no id is as great.
        match arg.flat_key == arg.key {
            true => print.mix(keys | u64::from(StringId::FOREIGN) | tag),
            false => {
                print.mix(keys | u64::from(arg.flat_key.0));
                print.mix(tag);
            }
        }
        print.mix(value);
        count += 1;
    }
    print.mix(count);
    print.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(strings: &mut StringPool) -> SetIndex {
        SetIndex::new(Types::new(strings))
    }

    #[test]
    fn equal_sets_are_written_once() {
        let mut strings = StringPool::default();
        let (mut index, texts) = (index(&mut strings), Texts::of_tables());
        let key = strings.intern("key");
        let mut set = ArgSet::default();
        assert_eq!(index.intern(&set, &texts), 0);
        set.add(key, ArgValue::Int(7));
        let id = index.intern(&set, &texts);
        assert_eq!(index.intern(&set, &texts), id);
        let mut other = ArgSet::default();
        other.add(key, ArgValue::Uint(7));
        assert_ne!(index.intern(&other, &texts), id);
        assert_eq!(index.finish().len(), 2);
    }

    #[test]
    fn of_several_values_under_one_key_the_last_counts() {
        for others in [0, 16] {
            let mut strings = StringPool::default();
            let (mut index, texts) = (index(&mut strings), Texts::of_tables());
            let key = strings.intern("key");
            let mut set = ArgSet::default();
            for value in [1, 2, 3] {
                set.add(key, ArgValue::Int(value));
            }
            for index in 0..others {
                set.add(strings.intern(&index.to_string()), ArgValue::Null);
            }
            index.intern(&set, &texts);
            let table = index.finish();
            assert_eq!(table.len() as usize, 1 + others);
            assert_eq!(table.int_value.get(0), Some(3));
        }
    }
}
