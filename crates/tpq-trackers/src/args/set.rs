//! Sets of args under construction.

use rustc_hash::FxHashMap;
use tpq_ingest::{GenerationId, SourceId, Span};
use tpq_tables::{StringId, StringPool, Tables};

/// One value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArgValue {
    /// A signed integer.
    Int(i64),
    /// An unsigned integer.
    Uint(u64),
    /// An address, shown in hexadecimal.
    Pointer(u64),
    /// A truth value.
    Bool(bool),
    /// A floating-point number.
    Real(f64),
    /// A text.
    String(StringId),
    /// A text that is JSON.
    Json(StringId),
    /// That a message is there, which holds nothing.
    Null,
}

/// A key without and with array positions, and a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arg {
    pub(crate) flat_key: StringId,
    pub(crate) key: StringId,
    pub(crate) value: ArgValue,
}

/// A track event with annotations that are not read yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Annotated {
    /// The event.
    pub event: Span,
    /// The state of its sequence.
    pub generation: GenerationId,
    /// Where it was recorded.
    pub source: SourceId,
}

/// An event of a JSON trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JsonOrigin {
    /// Where it was recorded.
    pub source: SourceId,
    /// Timestamp, ns in trace time.
    pub ts: i64,
    /// Its name.
    pub name: StringId,
    /// The first character of its phase.
    pub phase: u8,
}

impl JsonOrigin {
    /// Name and phase of the event, for an entry of the import log.
    pub fn details(&self, tables: &mut Tables) -> ArgSet {
        let phase = tables.strings.intern(&char::from(self.phase).to_string());
        let event =
            [("event_name", ArgValue::String(self.name)), ("event_phase", ArgValue::String(phase))];
        ArgSet::of(event, &mut tables.strings)
    }
}

/// The parts of a set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SetPart {
    /// One arg.
    Value(Arg),
    /// The debug annotations of a track event; read when the set is written.
    Annotations(Annotated),
    /// The arguments of a system call, in the message of the event that began it.
    Call(Span),
    /// JSON with the args of an event. The next part is its [`JsonOrigin`]: one part with both
    /// would enlarge every part.
    Json(Span),
    /// The event, for the report if its JSON cannot be read.
    Origin(JsonOrigin),
    /// An earlier value is ignored if a later one has its key.
    Later,
}

impl SetPart {
    fn value(&self) -> Option<&Arg> {
        match self {
            Self::Value(arg) => Some(arg),
            _ => None,
        }
    }
}

/// Few sets have more pieces.
const USUAL: usize = 6;

/// A set under construction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArgSet {
    parts: Vec<SetPart>,
    /// How many elements arrays have, by key, where it is known.
    elements: FxHashMap<StringId, usize>,
}

impl ArgSet {
    /// Adds a value under a key without array positions.
    pub fn add(&mut self, key: StringId, value: ArgValue) {
        self.add_keyed(key, key, value);
    }

    /// Adds a value under a key with array positions; `flat_key` is the key without them.
    pub fn add_keyed(&mut self, flat_key: StringId, key: StringId, value: ArgValue) {
        if self.parts.capacity() == 0 {
            self.parts.reserve(USUAL);
        }
        self.parts.push(SetPart::Value(Arg { flat_key, key, value }));
    }

    /// The arguments of a system call, which are read when the set is written.
    pub fn of_call(event: Span) -> Self {
        Self { parts: vec![SetPart::Call(event)], ..Self::default() }
    }

    /// The args of an event of a JSON trace, which are read when the set is written.
    pub fn of_json(json: Span, event: JsonOrigin) -> Self {
        Self { parts: vec![SetPart::Json(json), SetPart::Origin(event)], ..Self::default() }
    }

    /// Adds what the annotations of an event say, which are read when the set is written.
    pub fn add_annotations(&mut self, annotated: Annotated) {
        self.parts.push(SetPart::Annotations(annotated));
    }

    /// Adds a value; of two under one key the later one counts.
    pub fn put(&mut self, key: StringId, value: ArgValue) {
        self.put_keyed(key, key, value);
    }

    /// Adds a value unless there is one under the key.
    pub fn add_new(&mut self, key: StringId, value: ArgValue) {
        if !self.has(key) {
            self.add(key, value);
        }
    }

    /// Whether there is a value under the key. Messages that are read later are not looked at.
    pub fn has(&self, key: StringId) -> bool {
        self.values().any(|arg| arg.key == key)
    }

    /// As [`Self::put`], under a key with array positions.
    pub fn put_keyed(&mut self, flat_key: StringId, key: StringId, value: ArgValue) {
        let under_key = |part: &&mut SetPart| matches!(part, SetPart::Value(arg) if arg.key == key);
        match self.parts.iter_mut().find(under_key) {
            Some(SetPart::Value(arg)) => arg.value = value,
            _ => self.add_keyed(flat_key, key, value),
        }
    }

    /// The number of parts that it has memory for.
    pub(crate) fn capacity(&self) -> usize {
        self.parts.capacity()
    }

    pub(crate) fn clear(&mut self) {
        self.parts.clear();
        self.elements.clear();
    }

    /// How many elements the array under a key has so far: an array of the same key goes on there.
    pub fn elements(&self, array: StringId) -> usize {
        self.elements.get(&array).copied().unwrap_or_default()
    }

    /// Notes how many elements the array under a key has.
    pub fn set_elements(&mut self, array: StringId, count: usize) {
        if count != 0 {
            self.elements.insert(array, count);
        }
    }

    /// Values under keys that hold no array positions.
    pub fn of<'a>(
        values: impl IntoIterator<Item = (&'a str, ArgValue)>,
        strings: &mut StringPool,
    ) -> Self {
        let mut set = Self::default();
        for (key, value) in values {
            set.add(strings.intern(key), value);
        }
        set
    }

    /// Number of parts of the set: args, and messages that are read later.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether the set has no args.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Adds another set's values; of two values of one key the later one counts.
    pub fn append(&mut self, other: &Self) {
        if other.is_empty() {
            return;
        }
        if self.is_read() && other.is_read() {
            return self.replace(other);
        }
        if !self.is_empty() {
            self.parts.push(SetPart::Later);
        }
        self.parts.extend_from_slice(&other.parts);
    }

    /// Whether nothing of it is still to be read.
    fn is_read(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, SetPart::Value(_)))
    }

    /// Its parts.
    pub(crate) fn parts(&self) -> &[SetPart] {
        &self.parts
    }

    /// Its values.
    pub(crate) fn values(&self) -> impl Iterator<Item = &Arg> {
        self.parts.iter().filter_map(SetPart::value)
    }

    /// Its values, to be changed.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut Arg> {
        self.parts.iter_mut().filter_map(|part| match part {
            SetPart::Value(arg) => Some(arg),
            _ => None,
        })
    }

    /// Removes the values under keys.
    pub(crate) fn remove(&mut self, keys: &[StringId]) {
        self.parts.retain(|part| part.value().is_none_or(|arg| !keys.contains(&arg.key)));
    }

    /// Removes the values with keys that another set has, too, and adds that set's.
    pub(crate) fn replace(&mut self, later: &Self) {
        let is_later = |key: StringId| later.values().any(|later| later.key == key);
        self.parts.retain(|part| part.value().is_none_or(|arg| !is_later(arg.key)));
        self.parts.extend_from_slice(&later.parts);
    }
}

#[cfg(test)]
impl ArgSet {
    /// A line for each value: its longer key, the value, and the shorter key where it is another.
    pub fn lines(&self, strings: &StringPool) -> Vec<String> {
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
        self.values().map(line).collect()
    }
}
