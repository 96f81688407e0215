//! A message that is changed in place. Parts that no instruction enters stay bytes.

use std::collections::{BTreeMap, BTreeSet};

use tpq_proto::wire::{Field, Fields, Value};

use super::{Stop, Work};

/// A part of a state.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) enum Node {
    /// It was made and has no value yet.
    #[default]
    Empty,
    Scalar(Scalar),
    /// A message that was not entered, or a text.
    Bytes(Vec<u8>),
    /// By field.
    Message(BTreeMap<u32, Node>),
    /// Values of a repeated field by index.
    Indexed(BTreeMap<u64, Node>),
    /// Values of a repeated field by the key that each holds.
    Mapped(BTreeMap<u64, Node>),
}

/// A number as it is written.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Scalar {
    Varint(u64),
    Fixed64(u64),
    Fixed32(u32),
}

/// A step from a message to a value of one of its fields.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Step {
    Field(u32),
    Element(u32, u64),
    Keyed(u32, u64),
}

impl Scalar {
    pub(super) fn number(self) -> u64 {
        match self {
            Self::Varint(value) | Self::Fixed64(value) => value,
            Self::Fixed32(value) => u64::from(value),
        }
    }

    /// The number of a field; `None` if the field is none.
    pub(super) fn of(field: &Field<'_>) -> Option<Self> {
        match field.value {
            Value::Varint(value) => Some(Self::Varint(value)),
            Value::Fixed64(value) => Some(Self::Fixed64(value)),
            Value::Fixed32(value) => Some(Self::Fixed32(value)),
            Value::Bytes(_) => None,
        }
    }
}

impl Node {
    fn of(field: &Field<'_>) -> Self {
        match Scalar::of(field) {
            Some(scalar) => Self::Scalar(scalar),
            None => Self::Bytes(field.as_bytes().to_vec()),
        }
    }

    /// The part at the end of a path.
    pub(super) fn at(&mut self, path: &[Step]) -> Result<&mut Self, Stop> {
        path.iter().try_fold(self, |node, step| node.step(*step).ok_or(Stop::Abort))
    }

    fn step(&mut self, step: Step) -> Option<&mut Self> {
        let Self::Message(fields) = self else { return None };
        match step {
            Step::Field(field) => fields.get_mut(&field),
            Step::Element(field, index) => match fields.get_mut(&field)? {
                Self::Indexed(values) => values.get_mut(&index),
                _ => None,
            },
            Step::Keyed(field, key) => match fields.get_mut(&field)? {
                Self::Mapped(values) => values.get_mut(&key),
                _ => None,
            },
        }
    }

    /// The fields of a message; bytes become one.
    pub(super) fn fields(&mut self, work: &mut Work) -> Result<&mut BTreeMap<u32, Self>, Stop> {
        match self {
            Self::Empty => *self = Self::Message(BTreeMap::new()),
            Self::Bytes(bytes) => {
                work.spend(bytes.len())?;
                let mut fields: BTreeMap<u32, Self> = BTreeMap::new();
                for field in Fields::new(bytes) {
                    let value = Self::of(&field);
                    match fields.get_mut(&field.number) {
                        None => {
                            fields.insert(field.number, value);
                        }
                        Some(known) => {
                            let values = known.elements()?;
                            values.insert(values.len() as u64, value);
                        }
                    }
                }
                *self = Self::Message(fields);
            }
            _ => {}
        }
        match self {
            Self::Message(fields) => Ok(fields),
            _ => Err(Stop::Abort),
        }
    }

    /// The values of a repeated field by index; a single value becomes the first.
    pub(super) fn elements(&mut self) -> Result<&mut BTreeMap<u64, Self>, Stop> {
        match self {
            Self::Mapped(_) => return Err(Stop::Abort),
            Self::Indexed(_) => {}
            Self::Empty => *self = Self::Indexed(BTreeMap::new()),
            _ => *self = Self::Indexed(BTreeMap::from([(0, std::mem::take(self))])),
        }
        match self {
            Self::Indexed(values) => Ok(values),
            _ => Err(Stop::Abort),
        }
    }

    /// The values of a repeated field by their keys.
    pub(super) fn keyed(
        &mut self,
        key_field: u32,
        work: &mut Work,
    ) -> Result<&mut BTreeMap<u64, Self>, Stop> {
        match self {
            Self::Scalar(_) => return Err(Stop::Abort),
            Self::Mapped(_) => {}
            Self::Empty => *self = Self::Mapped(BTreeMap::new()),
            Self::Bytes(_) | Self::Message(_) => {
                let key = self.key(key_field, work)?;
                *self = Self::Mapped(BTreeMap::from([(key, std::mem::take(self))]));
            }
            Self::Indexed(values) => {
                let mut keyed = BTreeMap::new();
                for value in std::mem::take(values).into_values() {
                    // Of several values of one key the first counts.
                    keyed.entry(value.key(key_field, work)?).or_insert(value);
                }
                *self = Self::Mapped(keyed);
            }
        }
        match self {
            Self::Mapped(values) => Ok(values),
            _ => Err(Stop::Abort),
        }
    }

    /// The number in a field of a message.
    fn key(&self, key_field: u32, work: &mut Work) -> Result<u64, Stop> {
        let scalar = match self {
            Self::Bytes(bytes) => {
                work.spend(bytes.len())?;
                let field = Fields::new(bytes).find(|field| field.number == key_field);
                field.as_ref().and_then(Scalar::of)
            }
            Self::Message(fields) => match fields.get(&key_field) {
                Some(Self::Scalar(scalar)) => Some(*scalar),
                _ => None,
            },
            _ => None,
        };
        scalar.map(Scalar::number).ok_or(Stop::Abort)
    }

    pub(super) fn set_scalar(&mut self, scalar: Scalar) -> Result<(), Stop> {
        match self {
            Self::Empty | Self::Scalar(_) => {
                *self = Self::Scalar(scalar);
                Ok(())
            }
            _ => Err(Stop::Abort),
        }
    }

    pub(super) fn set_bytes(&mut self, bytes: &[u8], work: &mut Work) -> Result<(), Stop> {
        work.spend(bytes.len())?;
        match self {
            Self::Empty | Self::Bytes(_) | Self::Message(_) => {
                *self = Self::Bytes(bytes.to_vec());
                Ok(())
            }
            _ => Err(Stop::Abort),
        }
    }

    /// Takes over the fields of a message: of those that are there, single values are replaced, and
    /// all values of a repeated field.
    pub(super) fn merge(
        &mut self,
        bytes: &[u8],
        skips_messages: bool,
        deletes_empty: bool,
        work: &mut Work,
    ) -> Result<(), Stop> {
        if !matches!(self, Self::Empty | Self::Message(_) | Self::Bytes(_)) {
            return Err(Stop::Abort);
        }
        if bytes.is_empty() {
            return Ok(());
        }
        work.spend(bytes.len())?;
        let fields = self.fields(work)?;
        let mut replaced = BTreeSet::new();
        for field in Fields::new(bytes) {
            let Some(known) = fields.get_mut(&field.number) else {
                fields.insert(field.number, Self::of(&field));
                continue;
            };
            if skips_messages && matches!(known, Self::Message(_)) {
                continue;
            }
            let is_empty = matches!(field.value, Value::Bytes([]));
            if deletes_empty && is_empty {
                fields.remove(&field.number);
                continue;
            }
            match known {
                Self::Mapped(_) => return Err(Stop::Abort),
                Self::Indexed(values) => {
                    if replaced.insert(field.number) {
                        values.clear();
                    }
                    values.insert(values.len() as u64, Self::of(&field));
                }
                _ => *known = Self::of(&field),
            }
        }
        Ok(())
    }

    /// Removes the part at the end of a path.
    pub(super) fn delete(&mut self, path: &[Step]) -> Result<(), Stop> {
        let Some((last, above)) = path.split_last() else {
            *self = Self::Empty;
            return Ok(());
        };
        let Self::Message(fields) = self.at(above)? else { return Err(Stop::Abort) };
        let removed = match *last {
            Step::Field(field) => fields.remove(&field),
            Step::Element(field, at) | Step::Keyed(field, at) => match fields.get_mut(&field) {
                Some(Self::Indexed(values) | Self::Mapped(values)) => values.remove(&at),
                _ => None,
            },
        };
        removed.map(drop).ok_or(Stop::Abort)
    }

    /// Writes a message.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Bytes(bytes) => out.extend_from_slice(bytes),
            Self::Message(fields) => fields.iter().for_each(|(&number, it)| it.put(number, out)),
            Self::Empty | Self::Scalar(_) | Self::Indexed(_) | Self::Mapped(_) => {}
        }
    }

    /// Writes the value of a field.
    fn put(&self, number: u32, out: &mut Vec<u8>) {
        let tag = |wire_type: u64| u64::from(number) << 3 | wire_type;
        match self {
            Self::Empty => {}
            Self::Scalar(Scalar::Varint(value)) => {
                put_varint(tag(0), out);
                put_varint(*value, out);
            }
            Self::Scalar(Scalar::Fixed64(value)) => {
                put_varint(tag(1), out);
                out.extend(value.to_le_bytes());
            }
            Self::Scalar(Scalar::Fixed32(value)) => {
                put_varint(tag(5), out);
                out.extend(value.to_le_bytes());
            }
            Self::Bytes(bytes) => {
                put_varint(tag(2), out);
                put_varint(bytes.len() as u64, out);
                out.extend_from_slice(bytes);
            }
            Self::Message(_) => {
                let mut message = Vec::new();
                self.write(&mut message);
                put_varint(tag(2), out);
                put_varint(message.len() as u64, out);
                out.append(&mut message);
            }
            Self::Indexed(values) | Self::Mapped(values) => {
                values.values().for_each(|value| value.put(number, out));
            }
        }
    }
}

pub(super) fn put_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
