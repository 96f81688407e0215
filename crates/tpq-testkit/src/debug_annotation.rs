//! Arguments of track events: values, dictionaries and lists in one another.

use crate::{Message, field};
use field::DebugAnnotation as annotation;

message_type! {
    /// A named value; without a name when it is an element of a list.
    Annotation
}

impl Annotation {
    /// A value that is given a name.
    pub fn named(name: &str) -> Self {
        Self(Message::new().bytes(annotation::name, name))
    }

    /// A value that is given an interned name.
    pub fn named_iid(iid: u64) -> Self {
        Self(Message::new().uint(annotation::name_iid, iid))
    }

    /// An element of a list.
    pub fn element() -> Self {
        Self::default()
    }

    /// It is true or false.
    pub fn bool(self, value: bool) -> Self {
        Self(self.0.bool(annotation::bool_value, value))
    }

    /// It is a number not below 0.
    pub fn uint(self, value: u64) -> Self {
        Self(self.0.uint(annotation::uint_value, value))
    }

    /// It is a number.
    pub fn int(self, value: i64) -> Self {
        Self(self.0.int(annotation::int_value, value))
    }

    /// It is a number with a fraction.
    pub fn double(self, value: f64) -> Self {
        Self(self.0.double(annotation::double_value, value))
    }

    /// It is an address.
    pub fn pointer(self, value: u64) -> Self {
        Self(self.0.uint(annotation::pointer_value, value))
    }

    /// It is text.
    pub fn string(self, value: &str) -> Self {
        Self(self.0.bytes(annotation::string_value, value))
    }

    /// It is interned text.
    pub fn string_iid(self, iid: u64) -> Self {
        Self(self.0.uint(annotation::string_value_iid, iid))
    }

    /// It is a piece of JSON.
    pub fn json(self, value: &str) -> Self {
        Self(self.0.bytes(annotation::legacy_json_value, value))
    }

    /// It is a dictionary of named values.
    pub fn dict(self, entries: impl IntoIterator<Item = Annotation>) -> Self {
        self.nest(annotation::dict_entries, entries)
    }

    /// It is a list.
    pub fn array(self, elements: impl IntoIterator<Item = Annotation>) -> Self {
        self.nest(annotation::array_values, elements)
    }

    fn nest(self, field: u32, values: impl IntoIterator<Item = Annotation>) -> Self {
        Self(values.into_iter().fold(self.0, |message, value| message.message(field, value)))
    }
}
