//! Descriptors of the messages of `protos/`, for code that handles any message.
//!
//! The build writes them as arrays that contain no addresses: no part is read, or relocated when a
//! process starts, until a message is looked up.

use prost::Name;

/// A message: its index among all messages in the order of their names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Message(u16);

/// An enum: its index among all enums in the order of their names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Enum(u16);

/// The kind of the values of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Double,
    Float,
    Int32,
    Int64,
    Uint32,
    Uint64,
    Sint32,
    Sint64,
    Fixed32,
    Fixed64,
    Sfixed32,
    Sfixed64,
    Bool,
    String,
    Bytes,
    Enum(Enum),
    Message(Message),
}

/// A field of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) number: u32,
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// Whether it can have several values.
    pub(crate) repeated: bool,
    /// The oneof that it belongs to, counted from 1; 0 for none.
    pub(crate) oneof: u8,
}

/// The position of a name: offset and length.
type NameAt = (u32, u16);

struct MessageRow {
    name: NameAt,
    /// The index of its first field. Fields are ordered by number.
    fields: u32,
}

struct FieldRow {
    number: u32,
    name: NameAt,
    kind: Kind,
    repeated: bool,
    oneof: u8,
}

impl FieldRow {
    fn field(&self) -> Field {
        let Self { number, kind, repeated, oneof, .. } = *self;
        Field { number, name: name(self.name), kind, repeated, oneof }
    }
}

struct ValueRow {
    number: i32,
    name: NameAt,
}

include!(concat!(env!("OUT_DIR"), "/descriptors.rs"));

fn name((offset, len): NameAt) -> &'static str {
    NAMES.get(offset as usize..offset as usize + usize::from(len)).unwrap_or_default()
}

impl Message {
    /// Returns the message of a Rust type.
    pub(crate) fn of<M: Name>() -> Option<Self> {
        let wanted = M::full_name();
        let index = MESSAGES.binary_search_by(|row| name(row.name).cmp(&wanted)).ok()?;
        u16::try_from(index).ok().map(Self)
    }

    /// Returns the name without the package and the messages around it.
    pub(crate) fn name(self) -> &'static str {
        let full = MESSAGES.get(usize::from(self.0)).map_or("", |row| name(row.name));
        full.rsplit('.').next().unwrap_or(full)
    }

    /// The fields, ordered by number.
    fn rows(self) -> &'static [FieldRow] {
        let index = usize::from(self.0);
        let first = MESSAGES.get(index).map_or(FIELDS.len(), |row| row.fields as usize);
        let end = MESSAGES.get(index + 1).map_or(FIELDS.len(), |next| next.fields as usize);
        FIELDS.get(first..end).unwrap_or_default()
    }

    /// Returns the field with this number.
    pub(crate) fn field(self, number: u32) -> Option<Field> {
        let rows = self.rows();
        let index = rows.binary_search_by_key(&number, |row| row.number).ok()?;
        Some(rows[index].field())
    }

    /// Returns the field with this name.
    pub(crate) fn field_named(self, wanted: &str) -> Option<Field> {
        self.rows().iter().find(|row| name(row.name) == wanted).map(FieldRow::field)
    }
}

impl Enum {
    /// The values, ordered by number.
    fn rows(self) -> &'static [ValueRow] {
        let index = usize::from(self.0);
        let first = ENUMS.get(index).map_or(VALUES.len(), |&first| first as usize);
        let end = ENUMS.get(index + 1).map_or(VALUES.len(), |&next| next as usize);
        VALUES.get(first..end).unwrap_or_default()
    }

    /// Returns the name of a value.
    pub(crate) fn value_name(self, value: i32) -> Option<&'static str> {
        let rows = self.rows();
        let index = rows.binary_search_by_key(&value, |row| row.number).ok()?;
        Some(name(rows[index].name))
    }

    /// Returns the value of this name.
    pub(crate) fn value_named(self, wanted: &str) -> Option<i32> {
        self.rows().iter().find(|row| name(row.name) == wanted).map(|row| row.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{InternedData, TraceConfig};

    #[test]
    fn messages_are_found_by_their_types_and_fields_by_their_numbers() {
        let config = Message::of::<TraceConfig>().expect("it is in protos/tpq");
        assert!(MESSAGES.is_sorted_by(|one, other| name(one.name) < name(other.name)));
        assert_eq!(
            config.field(3).map(|it| (it.name, it.kind)),
            Some(("duration_ms", Kind::Uint32))
        );
        assert_eq!(config.field(99_999).map(|it| it.name), None);
        let buffers = config.field(1).map(|it| it.kind);
        let Some(Kind::Message(buffer)) = buffers else { panic!("{buffers:?}") };
        let policy = buffer.field(4).map(|it| it.kind);
        let Some(Kind::Enum(policy)) = policy else { panic!("{policy:?}") };
        assert_eq!(policy.value_name(2), Some("DISCARD"));
        assert_eq!(policy.value_name(-1), None);
        assert_eq!(policy.value_named("DISCARD"), Some(2));
        assert_eq!(policy.value_named("discard"), None);
        assert_eq!(config.name(), "TraceConfig");
        let buffers = config.field_named("buffers").map(|it| (it.number, it.repeated, it.oneof));
        assert_eq!(buffers, Some((1, true, 0)));
        assert_eq!(config.field_named("duration_ms").map(|it| it.repeated), Some(false));
        assert!(Message::of::<InternedData>().is_some());
    }

    /// A field's type can come before or after it in the order of names.
    #[test]
    fn every_type_of_every_field_is_there() {
        for row in &FIELDS {
            assert!(!name(row.name).is_empty());
            match row.kind {
                Kind::Message(Message(index)) => assert!(usize::from(index) < MESSAGES.len()),
                Kind::Enum(Enum(index)) => assert!(usize::from(index) < ENUMS.len()),
                _ => {}
            }
        }
    }
}
