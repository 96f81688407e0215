//! Debug annotations: named values of any shape, flattened into args.

use tpq_ingest::GenerationId;
use tpq_proto::wire::{Field, Fields, Value};
use tpq_tables::{Stat, Stats, StringId, StringPool};

use crate::decode::json_args::add_json;
use crate::interned::{Interned, field};
use crate::track::{ArgSet, ArgValue};

/// Annotations nested deeper than this are left out and counted: no program means to write them.
const MAX_DEPTH: usize = 32;

/// Turns annotations into args under `debug.`.
pub(super) struct Annotations<'a> {
    pub(super) interned: &'a Interned<'a>,
    pub(super) generation: GenerationId,
    pub(super) strings: &'a mut StringPool,
    pub(super) stats: &'a mut Stats,
    pub(super) args: &'a mut ArgSet,
}

/// Where a value goes: its key without and with array positions.
#[derive(Clone, Debug)]
struct Key {
    flat: String,
    full: String,
}

impl Annotations<'_> {
    /// Adds one annotation of an event.
    pub(super) fn add(&mut self, annotation: &[u8]) {
        let Some(name) = self.name(annotation) else { return };
        let key = format!("debug.{}", sanitize(&name));
        self.value(annotation, &Key { flat: key.clone(), full: key }, MAX_DEPTH);
    }

    fn name(&mut self, annotation: &[u8]) -> Option<String> {
        let name = Fields::new(annotation).find(|field| matches!(field.number, 1 | 10))?;
        if name.number == 10 {
            return Some(String::from_utf8_lossy(name.as_bytes()).into_owned());
        }
        let id = self.text(field::DEBUG_ANNOTATION_NAMES, name.as_u64())?;
        Some(self.strings.get(id).to_owned())
    }

    fn text(&mut self, kind: u32, iid: u64) -> Option<StringId> {
        self.interned.text(self.generation, kind, iid, self.strings, self.stats)
    }

    fn value(&mut self, annotation: &[u8], key: &Key, depth: usize) {
        if depth == 0 {
            self.stats.increment(Stat::MalformedPackets);
            return;
        }
        let mut index = 0;
        for field in Fields::new(annotation) {
            match (field.number, field.value) {
                (11, Value::Bytes(entry)) => self.entry(entry, key, depth),
                (12, Value::Bytes(element)) => {
                    let full = format!("{}[{index}]", key.full);
                    self.value(element, &Key { flat: key.flat.clone(), full }, depth - 1);
                    index += 1;
                }
                (8, Value::Bytes(nested)) => self.nested(nested, key, depth - 1),
                (9, Value::Bytes(text)) => {
                    let Self { strings, args, .. } = self;
                    if add_json(text, &key.flat, &key.full, strings, args).is_err() {
                        self.stats.increment(Stat::MalformedPackets);
                    }
                }
                _ => {
                    if let Some(value) = self.scalar(&field) {
                        self.push(key, value);
                    }
                }
            }
        }
    }

    fn entry(&mut self, entry: &[u8], key: &Key, depth: usize) {
        let Some(name) = self.name(entry) else { return };
        let name = sanitize(&name);
        let [flat, full] = [&key.flat, &key.full].map(|key| format!("{key}.{name}"));
        self.value(entry, &Key { flat, full }, depth - 1);
    }

    fn scalar(&mut self, field: &Field<'_>) -> Option<ArgValue> {
        Some(match field.number {
            2 => ArgValue::Bool(field.as_bool()),
            3 => ArgValue::Uint(field.as_u64()),
            4 => ArgValue::Int(field.as_i64()),
            5 => ArgValue::Real(field.as_f64()),
            6 => ArgValue::String(self.strings.intern_bytes(field.as_bytes())),
            7 => ArgValue::Pointer(field.as_u64()),
            17 => {
                ArgValue::String(self.text(field::DEBUG_ANNOTATION_STRING_VALUES, field.as_u64())?)
            }
            _ => return None,
        })
    }

    /// The older form of nested values: keys and values in two lists side by side.
    fn nested(&mut self, nested: &[u8], key: &Key, depth: usize) {
        if depth == 0 {
            self.stats.increment(Stat::MalformedPackets);
            return;
        }
        let names = Fields::new(nested).filter(|field| field.number == 2);
        let values = Fields::new(nested).filter(|field| field.number == 3);
        for (name, value) in names.zip(values) {
            let name = sanitize(&String::from_utf8_lossy(name.as_bytes()));
            let [flat, full] = [&key.flat, &key.full].map(|key| format!("{key}.{name}"));
            self.nested(value.as_bytes(), &Key { flat, full }, depth - 1);
        }
        for (index, element) in Fields::new(nested).filter(|field| field.number == 4).enumerate() {
            let full = format!("{}[{index}]", key.full);
            self.nested(element.as_bytes(), &Key { flat: key.flat.clone(), full }, depth - 1);
        }
        for field in Fields::new(nested) {
            let value = match field.number {
                5 => ArgValue::Int(field.as_i64()),
                6 => ArgValue::Real(field.as_f64()),
                7 => ArgValue::Bool(field.as_bool()),
                8 => ArgValue::String(self.strings.intern_bytes(field.as_bytes())),
                _ => continue,
            };
            self.push(key, value);
        }
    }

    fn push(&mut self, key: &Key, value: ArgValue) {
        let [flat, full] = [&key.flat, &key.full].map(|key| self.strings.intern(key));
        self.args.add_keyed(flat, full, value);
    }
}

/// A name as it can stand in a key, where dots and brackets mean nesting.
fn sanitize(name: &str) -> String {
    name.replace(['.', '[', ']'], "_")
}
