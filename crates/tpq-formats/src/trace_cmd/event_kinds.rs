//! The message that each event becomes: that of a kind of kernel event with its name, or else one
//! that is described by the format of the event.

use rustc_hash::FxHashMap;
use tpq_proto::fields::ftrace_event_bundle::generic_event_descriptor;
use tpq_proto::ftrace::{DescribedKind, EVENTS, EventKind, ValueKind};
use tpq_trackers::deferred::FUNCTIONS;

use super::event_format::{EventFormat, FormatField, Place};
use super::message::Message;
use super::numbers::ByteOrder;
use super::symbols::Symbols;

/// Numbers of described kinds begin here.
const FIRST_DESCRIBED: u32 = 1 << 16;
/// A described kind has at most this many fields.
const MOST_FIELDS: usize = 31;
/// The fields that all events have.
const COMMON: &[u8] = b"common_";

/// A kind of event.
#[derive(Clone, Debug)]
pub(super) struct Kind {
    /// The field of its message.
    pub(super) number: u32,
    pid: Option<Value>,
    flags: Option<Value>,
    fields: Vec<Field>,
}

/// A field of the message.
#[derive(Clone, Copy, Debug)]
struct Field {
    number: u32,
    kind: ValueKind,
    /// Whether it is the address of a function, which is known by a number.
    is_function: bool,
    value: Value,
}

/// The place of a value in an event.
#[derive(Clone, Copy, Debug)]
struct Value {
    offset: usize,
    /// Bytes of all elements; 0 up to the end of the event.
    size: usize,
    element: usize,
    is_signed: bool,
    place: Place,
}

impl Value {
    fn of(field: &FormatField<'_>) -> Self {
        let element = match field.elements {
            0 | 1 => field.size,
            elements => field.size / elements,
        };
        let element = if field.place == Place::Here { element } else { element_of(field.c_type) };
        let FormatField { offset, size, is_signed, place, .. } = *field;
        Self { offset, size, element: element.clamp(1, 8), is_signed, place }
    }

    /// The bytes of the value.
    fn bytes<'a>(&self, event: &'a [u8], order: ByteOrder) -> Option<&'a [u8]> {
        let end = self.offset.checked_add(self.size)?;
        if self.place == Place::Here {
            return match self.size {
                0 => event.get(self.offset..),
                _ => event.get(self.offset..end),
            };
        }
        let location = order.number(event.get(self.offset..end)?);
        let (offset, len) = ((location & 0xffff) as usize, (location >> 16 & 0xffff) as usize);
        let start = if self.place == Place::Relative { end.checked_add(offset)? } else { offset };
        event.get(start..start.checked_add(len)?)
    }

    fn number(&self, bytes: &[u8], kind: ValueKind, order: ByteOrder) -> u64 {
        let number = order.number(bytes);
        let unused = 64_u32.saturating_sub(8 * bytes.len() as u32);
        match self.is_signed && kind == ValueKind::Int && unused < 64 {
            true => ((number << unused).cast_signed() >> unused).cast_unsigned(),
            false => number,
        }
    }
}

/// Bytes of an element of an array with a type in C.
fn element_of(c_type: &[u8]) -> usize {
    let has = |word: &[u8]| memchr::memmem::find(c_type, word).is_some();
    if has(b"char") || has(b"u8") || has(b"s8") || has(b"bool") {
        1
    } else if has(b"short") || has(b"16") {
        2
    } else if has(b"long") || has(b"64") {
        8
    } else {
        4
    }
}

/// A text: up to the first zero byte.
fn text_of(bytes: &[u8]) -> &[u8] {
    let end = memchr::memchr(0, bytes).unwrap_or(bytes.len());
    bytes.get(..end).unwrap_or_default()
}

impl Kind {
    /// Writes the message of an event. `on_function` is called with each function that it names.
    pub(super) fn encode(
        &self,
        event: &[u8],
        order: ByteOrder,
        symbols: &Symbols<'_>,
        message: &mut Message,
        mut on_function: impl FnMut(u64, &[u8]),
    ) {
        for field in &self.fields {
            let Some(bytes) = field.value.bytes(event, order) else { continue };
            if field.kind == ValueKind::Text {
                message.bytes(field.number, text_of(bytes));
                continue;
            }
            for element in bytes.chunks_exact(field.value.element) {
                let mut number = field.value.number(element, field.kind, order);
                if field.is_function
                    && let Some((function, name)) = symbols.at(number)
                {
                    on_function(function, name);
                    number = function;
                }
                message.uint(field.number, number);
            }
        }
    }

    /// The thread that was running, and flags of the event.
    pub(super) fn context(&self, event: &[u8], order: ByteOrder) -> (i32, Option<u32>) {
        let read = |value: Option<Value>| Some(order.number(value?.bytes(event, order)?) as u32);
        (read(self.pid).unwrap_or_default().cast_signed(), read(self.flags))
    }
}

/// Kinds of events by the numbers of their formats.
#[derive(Debug, Default)]
pub(super) struct Kinds {
    kinds: FxHashMap<u16, Kind>,
    /// Descriptions of kinds, as messages in a bundle.
    pub(super) descriptions: Vec<Message>,
}

impl Kinds {
    /// Reads formats. Returns the number of those that cannot be read as well.
    pub(super) fn read(formats: &[Vec<u8>]) -> (Self, u64) {
        let known = EVENTS.iter().map(|kind| (kind.name.as_bytes(), kind)).collect();
        Self::read_with(formats, &known)
    }

    /// Reads formats as of events that no other table is made from.
    pub(super) fn read_described(formats: &[Vec<u8>]) -> (Self, u64) {
        Self::read_with(formats, &FxHashMap::default())
    }

    fn read_with(formats: &[Vec<u8>], known: &FxHashMap<&[u8], &EventKind>) -> (Self, u64) {
        let (mut kinds, mut damaged) = (Self::default(), 0);
        for format in formats {
            match EventFormat::read(format) {
                Some(format) => kinds.add(&format, known),
                None => damaged += 1,
            }
        }
        (kinds, damaged)
    }

    /// The kind of an event.
    pub(super) fn get(&self, id: u16) -> Option<&Kind> {
        self.kinds.get(&id)
    }

    fn add(&mut self, format: &EventFormat<'_>, known: &FxHashMap<&[u8], &EventKind>) {
        if self.kinds.contains_key(&format.id) {
            return;
        }
        let value = |name: &[u8]| format.field(name).map(Value::of);
        let is_own = |field: &&FormatField<'_>| !field.name.starts_with(COMMON);
        let has_fields = format.fields.iter().any(|field| is_own(&field));
        let known = known.get(format.name).map(|kind| (kind.number, known_fields(format, kind)));
        // An event may have the name of another kernel's.
        let known = known.filter(|(_, fields)| !fields.is_empty() || !has_fields);
        let (number, fields) = known.unwrap_or_else(|| {
            let number = FIRST_DESCRIBED + self.descriptions.len() as u32;
            let own = format.fields.iter().filter(is_own);
            (number, self.describe(number, format.name, own))
        });
        let (pid, flags) = (value(b"common_pid"), value(b"common_flags"));
        self.kinds.insert(format.id, Kind { number, pid, flags, fields });
    }

    /// Describes a kind of event; returns its fields.
    fn describe<'a>(
        &mut self,
        number: u32,
        name: &[u8],
        fields: impl Iterator<Item = &'a FormatField<'a>>,
    ) -> Vec<Field> {
        let mut description = DescribedKind { name: name.to_vec(), fields: Vec::new() };
        let mut described = Vec::new();
        for field in fields.filter(|field| !field.is_text_elsewhere()).take(MOST_FIELDS) {
            let kind = match (field.is_text(), field.is_signed) {
                (true, _) => ValueKind::Text,
                (false, true) => ValueKind::Int,
                (false, false) => ValueKind::Uint,
            };
            let number = described.len() as u32 + 1;
            description.fields.push((number, field.name.to_vec(), kind));
            described.push(Field { number, kind, is_function: false, value: Value::of(field) });
        }
        let mut entry = Message::default();
        entry.uint(generic_event_descriptor::FIELD_ID, u64::from(number));
        entry.bytes(generic_event_descriptor::EVENT_DESCRIPTOR, &description.to_descriptor());
        self.descriptions.push(entry);
        described
    }
}

/// The fields of a known kind that a format has.
fn known_fields(format: &EventFormat<'_>, known: &EventKind) -> Vec<Field> {
    let fields = known.fields.iter().filter_map(|field| {
        let found = format.field(field.name.as_bytes())?;
        let is_text = found.is_text() || found.elements != 1 && found.size == found.elements;
        let fits = match field.kind {
            ValueKind::Text => is_text,
            ValueKind::Int | ValueKind::Uint => !found.is_text(),
            ValueKind::Real => false,
        };
        fits.then(|| Field {
            number: field.number,
            kind: field.kind,
            is_function: FUNCTIONS.contains(&(known.number, field.number)),
            value: Value::of(found),
        })
    });
    fields.collect()
}
