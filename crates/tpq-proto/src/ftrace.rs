//! The kinds of kernel events and the names of their fields: a table generated from
//! `protos/ftrace/`, and descriptions in a trace of kinds that are not in the table.

use std::sync::LazyLock;

use crate::wire::Fields;

/// The type of a value, which decides how it is read and shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueKind {
    /// A signed number; also enums and booleans.
    Int,
    /// An unsigned number.
    Uint,
    /// A floating-point number.
    Real,
    /// Text, or bytes.
    Text,
}

/// A field of a kind of event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventField {
    /// Its field number.
    pub number: u32,
    /// Its name.
    pub name: &'static str,
    /// The type of its values.
    pub kind: ValueKind,
}

/// A kind of kernel event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventKind {
    /// The number of its field in `FtraceEvent`.
    pub number: u32,
    /// The name of the kernel's tracepoint.
    pub name: &'static str,
    /// Its fields, ordered by number.
    pub fields: &'static [EventField],
}

/// All known kinds, ordered by number.
pub static EVENTS: &[EventKind] = include!(concat!(env!("OUT_DIR"), "/ftrace_events.rs"));

/// Returns the kind of event in the field of `FtraceEvent` with this number.
pub fn event_kind(number: u32) -> Option<&'static EventKind> {
    static BY_NUMBER: LazyLock<Vec<Option<&EventKind>>> = LazyLock::new(|| {
        let last = EVENTS.iter().map(|kind| kind.number).max().unwrap_or_default();
        let mut kinds = vec![None; last as usize + 1];
        for kind in EVENTS {
            kinds[kind.number as usize] = Some(kind);
        }
        kinds
    });
    BY_NUMBER.get(number as usize).copied().flatten()
}

impl EventKind {
    /// Returns the field with this number, and its index among the fields.
    pub fn field(&self, number: u32) -> Option<(usize, &'static EventField)> {
        // Fields are almost always numbered from 1 without a gap.
        let usual = number.wrapping_sub(1) as usize;
        match self.fields.get(usual) {
            Some(field) if field.number == number => Some((usual, field)),
            _ => self.fields.iter().enumerate().find(|(_, field)| field.number == number),
        }
    }
}

/// A kind of event that the trace itself describes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DescribedKind {
    /// The name of the kernel's tracepoint.
    pub name: Vec<u8>,
    /// Number, name and type of each field, ordered by number.
    pub fields: Vec<(u32, Vec<u8>, ValueKind)>,
}

impl DescribedKind {
    /// The limit of field numbers of an event.
    const MAX_FIELDS: u32 = 32;

    /// Reads a protobuf `DescriptorProto`. Fields that are messages are left out, because they are
    /// not values. Returns `None` if it has more fields than an event can have, or a field of an
    /// unknown type.
    pub fn read(descriptor: &[u8]) -> Option<Self> {
        let mut kind = Self::default();
        for field in Fields::new(descriptor) {
            match field.number {
                1 => kind.name = field.as_bytes().to_vec(),
                2 => kind.fields.extend(read_field(field.as_bytes())?),
                _ => {}
            }
        }
        // Of two fields with the same number the first one is used.
        kind.fields.sort_by_key(|&(number, ..)| number);
        kind.fields.dedup_by_key(|&mut (number, ..)| number);
        Some(kind)
    }

    /// Writes a protobuf `DescriptorProto`, which [`DescribedKind::read`] reads.
    pub fn to_descriptor(&self) -> Vec<u8> {
        let bytes = |tag: u8, value: &[u8], out: &mut Vec<u8>| {
            out.push(tag << 3 | 2);
            push_varint(value.len() as u64, out);
            out.extend_from_slice(value);
        };
        let mut descriptor = Vec::new();
        bytes(1, &self.name, &mut descriptor);
        for (number, name, kind) in &self.fields {
            let mut field = Vec::new();
            bytes(1, name, &mut field);
            field.push(3 << 3);
            push_varint(u64::from(*number), &mut field);
            // The type numbers of protobuf.
            let wire_type = match kind {
                ValueKind::Real => 1,
                ValueKind::Int => 3,
                ValueKind::Uint => 4,
                ValueKind::Text => 9,
            };
            field.extend([5 << 3, wire_type]);
            bytes(2, &field, &mut descriptor);
        }
        descriptor
    }

    /// Returns the name and type of the field with this number.
    pub fn field(&self, number: u32) -> Option<(&[u8], ValueKind)> {
        let index = self.fields.binary_search_by_key(&number, |&(number, ..)| number).ok()?;
        let (_, name, kind) = self.fields.get(index)?;
        Some((name, *kind))
    }
}

fn push_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// The largest type number of protobuf.
const LAST_TYPE: u32 = 18;

/// A field that is a value: number, name and type.
type DescribedField = (u32, Vec<u8>, ValueKind);

/// Reads a `FieldDescriptorProto`. Returns `None` if it is not valid for an event, and `Some(None)`
/// if the field is not a value.
fn read_field(descriptor: &[u8]) -> Option<Option<DescribedField>> {
    let (mut number, mut name, mut wire_type) = (0, Vec::new(), 0);
    for field in Fields::new(descriptor) {
        match field.number {
            1 => name = field.as_bytes().to_vec(),
            3 => number = field.as_u32(),
            5 => wire_type = field.as_u32(),
            _ => {}
        }
    }
    if number >= DescribedKind::MAX_FIELDS || wire_type > LAST_TYPE {
        return None;
    }
    // The type numbers of protobuf.
    let kind = match wire_type {
        1 | 2 => ValueKind::Real,
        4 | 6 | 7 | 13 => ValueKind::Uint,
        9 | 12 => ValueKind::Text,
        10 | 11 => return Some(None),
        _ => ValueKind::Int,
    };
    Some(Some((number, name, kind)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_found_by_number() {
        assert!(EVENTS.is_sorted_by_key(|kind| kind.number));
        let switch = event_kind(4).unwrap();
        assert_eq!(switch.name, "sched_switch");
        let (_, field) = switch.field(4).unwrap();
        assert_eq!((field.name, field.kind), ("prev_state", ValueKind::Int));
        assert_eq!(switch.field(0), None);
        assert_eq!(event_kind(1), None, "the timestamp is no kind of event");
        // This message has gaps in its field numbers.
        let irq = event_kind(36).unwrap();
        assert_eq!(irq.name, "irq_handler_entry");
    }

    #[test]
    fn a_description_from_the_trace() {
        // name: "probe", field { name: "x" number: 3 type: TYPE_UINT64 }
        let bytes = b"\x0a\x05probe\x12\x07\x0a\x01x\x18\x03\x28\x04";
        let kind = DescribedKind::read(bytes).unwrap();
        assert_eq!(kind.name, b"probe");
        assert_eq!(kind.field(3), Some((&b"x"[..], ValueKind::Uint)));
        assert_eq!(kind.field(2), None);
    }

    #[test]
    fn descriptions_are_read_back() {
        let fields = vec![
            (1, b"x".to_vec(), ValueKind::Int),
            (2, b"y".to_vec(), ValueKind::Text),
            (31, vec![b'z'; 200], ValueKind::Uint),
        ];
        let kind = DescribedKind { name: b"probe".to_vec(), fields };
        assert_eq!(DescribedKind::read(&kind.to_descriptor()), Some(kind));
    }

    #[test]
    fn an_invalid_description_is_refused() {
        // field { name: "x" number: 32 type: TYPE_UINT64 }
        assert_eq!(DescribedKind::read(b"\x12\x07\x0a\x01x\x18\x20\x28\x04"), None);
        // field { name: "x" number: 3 type: 19 }
        assert_eq!(DescribedKind::read(b"\x12\x07\x0a\x01x\x18\x03\x28\x13"), None);
        // The largest number and type: field { name: "x" number: 31 type: TYPE_SINT64 }
        assert!(DescribedKind::read(b"\x12\x07\x0a\x01x\x18\x1f\x28\x12").is_some());
    }
}
