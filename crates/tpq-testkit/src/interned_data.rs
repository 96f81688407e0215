//! Strings that are sent once and referred to by id.

use crate::{Message, field};
use field::InternedData as data;

message_type! {
    /// Strings with their ids, valid on one sequence until its state is cleared.
    InternedData
}

impl InternedData {
    /// Returns interned data without strings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a category of track events.
    pub fn category(self, iid: u64, name: &str) -> Self {
        self.entry(data::event_categories, iid, name)
    }

    /// Adds a name of track events.
    pub fn event_name(self, iid: u64, name: &str) -> Self {
        self.entry(data::event_names, iid, name)
    }

    /// Adds a name of debug annotations.
    pub fn annotation_name(self, iid: u64, name: &str) -> Self {
        self.entry(data::debug_annotation_names, iid, name)
    }

    /// Adds a text value of debug annotations.
    pub fn annotation_string(self, iid: u64, value: &str) -> Self {
        self.entry(data::debug_annotation_string_values, iid, value)
    }

    /// All four kinds of entry have an id, then text.
    fn entry(self, kind: u32, iid: u64, text: &str) -> Self {
        let entry = Message::new()
            .uint(field::InternedString::iid, iid)
            .bytes(field::InternedString::str, text);
        Self(self.0.message(kind, entry))
    }
}
