//! Events on tracks.

use crate::{Annotation, Message, field};
use field::TrackEvent as event;

message_type! {
    /// An event on a track.
    TrackEvent
}

impl TrackEvent {
    const BEGIN: u64 = 1;
    const END: u64 = 2;
    const INSTANT: u64 = 3;
    const COUNTER: u64 = 4;

    /// A slice begins.
    pub fn begin(track: u64) -> Self {
        Self::with_type(Self::BEGIN).track(track)
    }

    /// The slice that began last ends.
    pub fn end(track: u64) -> Self {
        Self::with_type(Self::END).track(track)
    }

    /// An instant.
    pub fn instant(track: u64) -> Self {
        Self::with_type(Self::INSTANT).track(track)
    }

    /// A counter gets a value.
    pub fn counter(track: u64, value: i64) -> Self {
        let event = Self::with_type(Self::COUNTER).track(track);
        Self(event.0.int(event::counter_value, value))
    }

    /// A counter gets a floating-point value.
    pub fn double_counter(track: u64, value: f64) -> Self {
        let event = Self::with_type(Self::COUNTER).track(track);
        Self(event.0.double(event::double_counter_value, value))
    }

    /// A slice begins on the default track of the sequence.
    pub fn begin_here() -> Self {
        Self::with_type(Self::BEGIN)
    }

    /// The slice that began last on the default track of the sequence ends.
    pub fn end_here() -> Self {
        Self::with_type(Self::END)
    }

    /// An instant on the default track of the sequence.
    pub fn instant_here() -> Self {
        Self::with_type(Self::INSTANT)
    }

    /// Sets the name.
    pub fn name(self, name: &str) -> Self {
        Self(self.0.bytes(event::name, name))
    }

    /// Sets the interned name.
    pub fn name_iid(self, iid: u64) -> Self {
        Self(self.0.uint(event::name_iid, iid))
    }

    /// Adds a category.
    pub fn category(self, name: &str) -> Self {
        Self(self.0.bytes(event::categories, name))
    }

    /// Adds an interned category.
    pub fn category_iid(self, iid: u64) -> Self {
        Self(self.0.uint(event::category_iids, iid))
    }

    /// Adds an argument.
    pub fn annotation(self, annotation: Annotation) -> Self {
        Self(self.0.message(event::debug_annotations, annotation))
    }

    /// Adds a flow that passes through the event.
    pub fn flow(self, id: u64) -> Self {
        Self(self.0.fixed64(event::flow_ids, id))
    }

    /// Adds a flow that ends at the event.
    pub fn ends_flow(self, id: u64) -> Self {
        Self(self.0.fixed64(event::terminating_flow_ids, id))
    }

    /// Adds the value of another counter at that moment.
    pub fn extra_counter(self, track: u64, value: i64) -> Self {
        Self(
            self.0
                .uint(event::extra_counter_track_uuids, track)
                .int(event::extra_counter_values, value),
        )
    }

    fn with_type(kind: u64) -> Self {
        Self(Message::new().uint(event::r#type, kind))
    }

    fn track(self, uuid: u64) -> Self {
        Self(self.0.uint(event::track_uuid, uuid))
    }
}
