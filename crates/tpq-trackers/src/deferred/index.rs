//! The ids of sets: each distinct set is written once.
//!
//! Most sets are new, and each lookup misses the CPU cache. So sets wait until a
//! batch has been read, and the processor prefetches the entries.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use tpq_tables::table::{ArgsRow, ArgsTable};
use tpq_tables::{Packer, StringId, StringPool};

use super::known_sets::KnownSets;
use super::rows::Rows;
use super::texts::Texts;
use crate::args::Arg;
use crate::args::{ArgSet, ArgValue};
use crate::fingerprint::hash_128;

/// Writes `args`.
pub(super) struct SetIndex {
    known: KnownSets,
    waiting: Vec<Waiting>,
    /// The values of the sets that wait, one set after another.
    args: Vec<PlainArg>,
    /// Scratch memory for hashing a set.
    bytes: Vec<u8>,
    /// The ids of those that waited last.
    found: Vec<u32>,
    types: Types,
    rows: Rows<ArgsRow>,
    table: ArgsTable,
}

/// A set without an id so far.
struct Waiting {
    hash: u128,
    /// Where its values end.
    end: usize,
}

/// A value in two numbers: what it is, and its bits.
///
/// Values are taken down here a moment after they were read, when the processor still has their
/// parts on the way to memory: what is copied part by part need not wait until all have arrived.
#[derive(Clone, Copy)]
struct PlainArg {
    flat_key: StringId,
    key: StringId,
    tag: u32,
    bits: u64,
}

/// A set's position among those that wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ticket(pub(super) u32);

/// Values that wait at most, except those of one set.
const MOST_WAITING: usize = 1 << 14;

/// Distance of the prefetch, in sets.
const PREFETCH_DISTANCE: usize = 12;

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
            known: KnownSets::default(),
            waiting: Vec::new(),
            args: Vec::new(),
            bytes: Vec::new(),
            found: Vec::new(),
            types,
            rows: Rows::default(),
            table: ArgsTable::default(),
        }
    }

    /// Has full chunks of rows packed by `packer` from now on.
    pub(super) fn pack_by(&mut self, packer: &Arc<Packer>) {
        self.table.pack_by(packer);
    }

    /// The table, complete.
    pub(super) fn finish(mut self) -> ArgsTable {
        self.rows.flush(|rows| self.table.push_all(rows));
        self.table
    }

    /// Has a set of values wait; `None` for an empty one, which has no id.
    pub(super) fn intern(&mut self, set: &ArgSet) -> Option<Ticket> {
        if set.is_empty() {
            return None;
        }
        let begin = self.args.len();
        self.args.extend(set.values().map(PlainArg::of));
        self.waiting.push(Waiting {
            hash: hash(&self.args[begin..], &mut self.bytes),
            end: self.args.len(),
        });
        Some(Ticket(self.waiting.len() as u32 - 1))
    }

    /// Whether enough values wait to look up their ids.
    pub(super) fn is_full(&self) -> bool {
        self.args.len() >= MOST_WAITING
    }

    /// The ids of all sets that wait, by their tickets. Those that are new are written.
    pub(super) fn find(&mut self, texts: &Texts) -> &[u32] {
        let Self { known, waiting, args, found, types, rows, table, .. } = self;
        found.clear();
        let mut begin = 0;
        for (at, set) in waiting.iter().enumerate() {
            if let Some(later) = waiting.get(at + PREFETCH_DISTANCE) {
                known.fetch(later.hash);
            }
            let (id, is_new) = known.id(set.hash);
            if is_new {
                for arg in counted(&args[begin..set.end]) {
                    rows.push(row(id, arg, types, texts), |rows| table.push_all(rows));
                }
            }
            begin = set.end;
            found.push(id);
        }
        waiting.clear();
        args.clear();
        // A set may have had any number of values.
        args.shrink_to(2 * MOST_WAITING);
        self.bytes.shrink_to(2 * MOST_WAITING * size_of::<PlainArg>());
        found
    }
}

/// The type in the tag of a value.
mod tag {
    pub(super) const INT: u32 = 1;
    pub(super) const UINT: u32 = 2;
    pub(super) const POINTER: u32 = 3;
    pub(super) const BOOL: u32 = 4;
    pub(super) const REAL: u32 = 5;
    pub(super) const STRING: u32 = 6;
    pub(super) const JSON: u32 = 7;
    pub(super) const NULL: u32 = 8;
}

impl PlainArg {
    #[inline]
    fn of(arg: &Arg) -> Self {
        let (tag, bits) = match arg.value {
            ArgValue::Int(value) => (tag::INT, value as u64),
            ArgValue::Uint(value) => (tag::UINT, value),
            ArgValue::Pointer(value) => (tag::POINTER, value),
            ArgValue::Bool(value) => (tag::BOOL, u64::from(value)),
            ArgValue::Real(value) => (tag::REAL, value.to_bits()),
            ArgValue::String(value) => (tag::STRING, u64::from(value.0)),
            ArgValue::Json(value) => (tag::JSON, u64::from(value.0)),
            ArgValue::Null => (tag::NULL, 0),
        };
        Self { flat_key: arg.flat_key, key: arg.key, tag, bits }
    }
}

/// Up to this many values, a linear search is the fastest way to find a key.
const FEW: usize = 16;

/// The values of a set that count: of several under one key the last.
fn counted(args: &[PlainArg]) -> impl Iterator<Item = &PlainArg> {
    let last: Option<FxHashMap<StringId, usize>> = (args.len() > FEW)
        .then(|| args.iter().enumerate().map(|(index, arg)| (arg.key, index)).collect());
    args.iter().enumerate().filter_map(move |(index, arg)| {
        let counts = match &last {
            Some(last) => last.get(&arg.key) == Some(&index),
            None => args[index + 1..].iter().all(|later| later.key != arg.key),
        };
        counts.then_some(arg)
    })
}

fn row(arg_set_id: u32, arg: &PlainArg, types: &Types, texts: &Texts) -> ArgsRow {
    let key = texts.in_tables(arg.key);
    let flat_key = if arg.flat_key == arg.key { key } else { texts.in_tables(arg.flat_key) };
    let row = ArgsRow { arg_set_id, flat_key, key, ..ArgsRow::default() };
    let int = |value_type| ArgsRow { int_value: Some(arg.bits as i64), value_type, ..row };
    let text = |value_type| {
        let string_value = texts.in_tables(StringId(arg.bits as u32));
        ArgsRow { string_value, value_type, ..row }
    };
    match arg.tag {
        tag::INT => int(types.int),
        tag::UINT => int(types.uint),
        tag::POINTER => int(types.pointer),
        tag::BOOL => int(types.bool),
        tag::STRING => text(types.string),
        tag::JSON => text(types.json),
        tag::REAL => {
            let real_value = Some(f64::from_bits(arg.bits));
            ArgsRow { real_value, value_type: types.real, ..row }
        }
        _ => ArgsRow { value_type: types.null, ..row },
    }
}

/// The hash of a set's values; `bytes` is scratch memory.
fn hash(set: &[PlainArg], bytes: &mut Vec<u8>) -> u128 {
    bytes.clear();
    for arg in set {
        let keys = u64::from(arg.key.0) << 32 | u64::from(arg.flat_key.0);
        let words = [keys, arg.bits, u64::from(arg.tag)];
        bytes.extend_from_slice(words.map(u64::to_le_bytes).as_flattened());
    }
    hash_128(bytes)
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
        assert_eq!(index.intern(&set), None);
        set.add(key, ArgValue::Int(7));
        let mut other = ArgSet::default();
        other.add(key, ArgValue::Uint(7));
        let tickets = [&set, &other, &set].map(|set| index.intern(set));
        assert_eq!(tickets, [0, 1, 2].map(|at| Some(Ticket(at))));
        assert_eq!(index.find(&texts), [1, 2, 1]);
        index.intern(&other);
        assert_eq!(index.find(&texts), [2]);
        assert_eq!(index.finish().len(), 2);
    }

    /// One event can have annotations of any number of values.
    #[test]
    fn waiting_sets_are_bounded() {
        let mut strings = StringPool::default();
        let (mut index, texts) = (index(&mut strings), Texts::of_tables());
        let mut set = ArgSet::default();
        for value in 0..10 * MOST_WAITING as i64 {
            set.add(strings.intern(&value.to_string()), ArgValue::Int(value));
        }
        assert!(!index.is_full());
        index.intern(&set);
        assert!(index.is_full());
        index.find(&texts);
        assert!(!index.is_full() && index.args.capacity() <= 2 * MOST_WAITING);
        assert_eq!(index.finish().len() as usize, 10 * MOST_WAITING);
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
            index.intern(&set);
            index.find(&texts);
            let table = index.finish();
            assert_eq!(table.len() as usize, 1 + others);
            assert_eq!(table.int_value.get(0), Some(3));
        }
    }
}
