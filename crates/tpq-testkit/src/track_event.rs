//! What happened on a track.

use crate::{Annotation, Message, field};
use field::TrackEvent as event;

message_type! {
    /// Something that happened on a track.
    TrackEvent
}

impl TrackEvent {
    const BEGIN: u64 = 1;
    const END: u64 = 2;
    const INSTANT: u64 = 3;
    const COUNTER: u64 = 4;

    /// A slice begins.
    pub fn begin(track: u64) -> Self {
        Self::of(Self::BEGIN).track(track)
    }

    /// The slice that began last ends.
    pub fn end(track: u64) -> Self {
        Self::of(Self::END).track(track)
    }

    /// Something without duration.
    pub fn instant(track: u64) -> Self {
        Self::of(Self::INSTANT).track(track)
    }

    /// A counter takes a value.
    pub fn counter(track: u64, value: i64) -> Self {
        let event = Self::of(Self::COUNTER).track(track);
        Self(event.0.int(event::counter_value, value))
    }

    /// A counter takes a value that is no integer.
    pub fn double_counter(track: u64, value: f64) -> Self {
        let event = Self::of(Self::COUNTER).track(track);
        Self(event.0.double(event::double_counter_value, value))
    }

    /// A slice begins on the sequence's default track.
    pub fn begin_here() -> Self {
        Self::of(Self::BEGIN)
    }

    /// The slice that began last on the sequence's default track ends.
    pub fn end_here() -> Self {
        Self::of(Self::END)
    }

    /// Something without duration on the sequence's default track.
    pub fn instant_here() -> Self {
        Self::of(Self::INSTANT)
    }

    /// Its name.
    pub fn name(self, name: &str) -> Self {
        Self(self.0.bytes(event::name, name))
    }

    /// Its name, interned.
    pub fn name_iid(self, iid: u64) -> Self {
        Self(self.0.uint(event::name_iid, iid))
    }

    /// A category.
    pub fn category(self, name: &str) -> Self {
        Self(self.0.bytes(event::categories, name))
    }

    /// A category, interned.
    pub fn category_iid(self, iid: u64) -> Self {
        Self(self.0.uint(event::category_iids, iid))
    }

    /// An argument.
    pub fn annotation(self, annotation: Annotation) -> Self {
        Self(self.0.message(event::debug_annotations, annotation))
    }

    /// The flow `id` passes through it.
    pub fn flow(self, id: u64) -> Self {
        Self(self.0.fixed64(event::flow_ids, id))
    }

    /// The flow `id` ends in it.
    pub fn ends_flow(self, id: u64) -> Self {
        Self(self.0.fixed64(event::terminating_flow_ids, id))
    }

    /// The value of another counter at that moment.
    pub fn extra_counter(self, track: u64, value: i64) -> Self {
        Self(
            self.0
                .uint(event::extra_counter_track_uuids, track)
                .int(event::extra_counter_values, value),
        )
    }

    fn of(kind: u64) -> Self {
        Self(Message::new().uint(event::r#type, kind))
    }

    fn track(self, uuid: u64) -> Self {
        Self(self.0.uint(event::track_uuid, uuid))
    }
}
