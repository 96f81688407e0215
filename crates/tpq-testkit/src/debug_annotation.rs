//! Arguments of track events: values, dictionaries and lists, which can be nested.

use crate::{Message, field};
use field::DebugAnnotation as annotation;

message_type! {
    /// A named value, or without a name an element of a list.
    Annotation
}

impl Annotation {
    /// Returns a value with this name.
    pub fn named(name: &str) -> Self {
        Self(Message::new().bytes(annotation::name, name))
    }

    /// Returns a value with an interned name.
    pub fn named_iid(iid: u64) -> Self {
        Self(Message::new().uint(annotation::name_iid, iid))
    }

    /// Returns an element of a list.
    pub fn element() -> Self {
        Self::default()
    }

    /// Sets a boolean.
    pub fn bool(self, value: bool) -> Self {
        Self(self.0.bool(annotation::bool_value, value))
    }

    /// Sets an unsigned integer.
    pub fn uint(self, value: u64) -> Self {
        Self(self.0.uint(annotation::uint_value, value))
    }

    /// Sets a signed integer.
    pub fn int(self, value: i64) -> Self {
        Self(self.0.int(annotation::int_value, value))
    }

    /// Sets a floating-point number.
    pub fn double(self, value: f64) -> Self {
        Self(self.0.double(annotation::double_value, value))
    }

    /// Sets an address.
    pub fn pointer(self, value: u64) -> Self {
        Self(self.0.uint(annotation::pointer_value, value))
    }

    /// Sets text.
    pub fn string(self, value: &str) -> Self {
        Self(self.0.bytes(annotation::string_value, value))
    }

    /// Sets interned text.
    pub fn string_iid(self, iid: u64) -> Self {
        Self(self.0.uint(annotation::string_value_iid, iid))
    }

    /// Sets JSON text.
    pub fn json(self, value: &str) -> Self {
        Self(self.0.bytes(annotation::legacy_json_value, value))
    }

    /// Sets a dictionary of named values.
    pub fn dict(self, entries: impl IntoIterator<Item = Annotation>) -> Self {
        self.nest(annotation::dict_entries, entries)
    }

    /// Sets a list.
    pub fn array(self, elements: impl IntoIterator<Item = Annotation>) -> Self {
        self.nest(annotation::array_values, elements)
    }

    fn nest(self, field: u32, values: impl IntoIterator<Item = Annotation>) -> Self {
        Self(values.into_iter().fold(self.0, |message, value| message.message(field, value)))
    }
}
