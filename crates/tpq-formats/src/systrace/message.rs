//! The message that a packet would have held instead of an event's details.

use prost::encoding::{bytes, int64};
use tpq_proto::ftrace::{EventKind, ValueKind, event_kind};

use super::details::{Details, number};

/// A message under construction.
#[derive(Default, Debug)]
pub(super) struct Message(Vec<u8>);

impl Message {
    /// The message of an event with details in `key=value` form. A value that is not a number is
    /// left out of a numeric field; a value without a key is the field `name`.
    pub(super) fn of_pairs(kind: u32, details: Details<'_>) -> Self {
        let mut message = Self::default();
        let fields = event_kind(kind).map_or(&[][..], |kind: &EventKind| kind.fields);
        for field in fields {
            let unnamed = || Some(details.unnamed()).filter(|_| field.name == "name");
            let found = match field.kind {
                ValueKind::Text => details.text(field.name).or_else(unnamed),
                _ => details.word(field.name),
            };
            let Some(found) = found else { continue };
            match field.kind {
                ValueKind::Text => message.text(field.number, found),
                ValueKind::Int | ValueKind::Uint => {
                    if let Some(value) = number(found) {
                        message.int(field.number, value);
                    }
                }
                // No event of these has one.
                ValueKind::Real => {}
            }
        }
        message
    }

    /// Adds a number.
    pub(super) fn int(&mut self, number: u32, value: i64) {
        int64::encode(number, &value, &mut self.0);
    }

    /// Adds a text.
    pub(super) fn text(&mut self, number: u32, text: &[u8]) {
        bytes::encode(number, &text.to_vec(), &mut self.0);
    }

    /// The bytes of the message.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}
