//! Moments of track events that do not lie in their packets: older writers gave them as
//! differences from the event before.

use tpq_clock::MONOTONIC;
use tpq_proto::fields::{
    streaming_profile_packet, thread_descriptor, trace_packet, track_descriptor, track_event,
};
use tpq_proto::wire::{Field, Fields, repeated};

use crate::Loss;

/// The clock of such moments.
pub(crate) const CLOCK: u32 = MONOTONIC;

/// The base of the next difference of a sequence, ns of [`CLOCK`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EventTime(Option<i64>);

impl EventTime {
    /// From here on differences mean nothing, until a thread is described.
    pub(crate) fn forget(&mut self) {
        self.0 = None;
    }

    /// Takes note of a packet that describes the writer's thread: differences count from the time
    /// it gives.
    pub(crate) fn note(&mut self, kind: u32, payload: &[u8]) {
        match kind {
            trace_packet::THREAD_DESCRIPTOR => self.0 = Some(reference(payload)),
            trace_packet::TRACK_DESCRIPTOR => {
                if let Some(thread) = find(payload, track_descriptor::THREAD) {
                    self.0 = Some(reference(thread.as_bytes()));
                }
            }
            _ => {}
        }
    }

    /// The time that the samples of a streamed profile count from, ns of [`CLOCK`]. Later
    /// differences of the sequence count from the last of the samples.
    pub(crate) fn of_profile(&mut self, profile: &[u8]) -> Result<i64, Loss> {
        let last = self.0.as_mut().ok_or(Loss::UndatedProfile)?;
        let first = *last;
        let number = streaming_profile_packet::TIMESTAMP_DELTA_US;
        let deltas = Fields::new(profile).filter(|field| field.number == number);
        for delta in deltas.flat_map(|field| repeated(&field)) {
            *last = last.saturating_add((delta as i64).saturating_mul(1000));
        }
        Ok(first)
    }

    /// The time of an event, ns of [`CLOCK`]; `None` if it has none.
    pub(crate) fn of(&mut self, event: &[u8]) -> Result<Option<i64>, Loss> {
        if let Some(delta) = find(event, track_event::TIMESTAMP_DELTA_US) {
            let last = self.0.as_mut().ok_or(Loss::DifferenceWithoutReference)?;
            *last = last.saturating_add(in_ns(&delta));
            return Ok(Some(*last));
        }
        let absolute = find(event, track_event::TIMESTAMP_ABSOLUTE_US).map(|us| in_ns(&us));
        Ok(absolute.filter(|&ns| ns != 0))
    }
}

fn reference(thread: &[u8]) -> i64 {
    find(thread, thread_descriptor::REFERENCE_TIMESTAMP_US).map_or(0, |us| in_ns(&us))
}

fn find<'a>(message: &'a [u8], number: u32) -> Option<Field<'a>> {
    Fields::new(message).find(|field| field.number == number)
}

fn in_ns(us: &Field<'_>) -> i64 {
    us.as_i64().saturating_mul(1000)
}
