//! What kinds of kernel events there are, and what their fields are called: a table made from
//! `protos/ftrace/`, and what a trace itself says of kinds that are not in there.

use std::sync::LazyLock;

use crate::wire::Fields;

/// How a value is to be read and shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueKind {
    /// A signed number; enums and booleans as well.
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
    /// Its number on the wire.
    pub number: u32,
    /// Its name.
    pub name: &'static str,
    /// How its values are to be read.
    pub kind: ValueKind,
}

/// A kind of kernel event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventKind {
    /// The number of the field of `FtraceEvent` it lies in.
    pub number: u32,
    /// The name of the kernel's tracepoint.
    pub name: &'static str,
    /// Its fields, by number.
    pub fields: &'static [EventField],
}

/// Every known kind, by number.
pub static EVENTS: &[EventKind] = include!(concat!(env!("OUT_DIR"), "/ftrace_events.rs"));

/// The kind that lies in a field of `FtraceEvent`.
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
    /// The field of that number, and its place among the fields.
    pub fn field(&self, number: u32) -> Option<(usize, &'static EventField)> {
        // Almost always numbered from 1 without a gap.
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
    /// Number, name and kind of each field, by number.
    pub fields: Vec<(u32, Vec<u8>, ValueKind)>,
}

impl DescribedKind {
    /// Fields of an event have numbers below this.
    const MAX_FIELDS: u32 = 32;

    /// Reads a protobuf `DescriptorProto`; messages within are left out, they are no values.
    /// `None` when it has more fields than an event can, or fields of no type there is.
    pub fn read(descriptor: &[u8]) -> Option<Self> {
        let mut kind = Self::default();
        for field in Fields::new(descriptor) {
            match field.number {
                1 => kind.name = field.as_bytes().to_vec(),
                2 => kind.fields.extend(read_field(field.as_bytes())?),
                _ => {}
            }
        }
        // Of two of one number the first counts.
        kind.fields.sort_by_key(|&(number, ..)| number);
        kind.fields.dedup_by_key(|&mut (number, ..)| number);
        Some(kind)
    }

    /// Name and kind of the field of that number.
    pub fn field(&self, number: u32) -> Option<(&[u8], ValueKind)> {
        let index = self.fields.binary_search_by_key(&number, |&(number, ..)| number).ok()?;
        let (_, name, kind) = self.fields.get(index)?;
        Some((name, *kind))
    }
}

/// The last of protobuf's own types.
const LAST_TYPE: u32 = 18;

/// A field that is a value, with its number and name.
type DescribedField = (u32, Vec<u8>, ValueKind);

/// Reads a `FieldDescriptorProto`: a field, if it is one, or nothing when it can be none.
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
    // The numbers of protobuf's own types.
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
        // A message with gaps in its numbers.
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
    fn a_description_that_cannot_be() {
        // field { name: "x" number: 32 type: TYPE_UINT64 }
        assert_eq!(DescribedKind::read(b"\x12\x07\x0a\x01x\x18\x20\x28\x04"), None);
        // field { name: "x" number: 3 type: 19 }
        assert_eq!(DescribedKind::read(b"\x12\x07\x0a\x01x\x18\x03\x28\x13"), None);
        // The last of the numbers and types: field { name: "x" number: 31 type: TYPE_SINT64 }
        assert!(DescribedKind::read(b"\x12\x07\x0a\x01x\x18\x1f\x28\x12").is_some());
    }
}
