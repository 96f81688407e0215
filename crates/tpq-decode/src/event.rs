//! The event that decoders of bundles and of other formats read.

use tpq_clock::Converter;
use tpq_ingest::{Payload, Run, Span, TraceBytes};
use tpq_trackers::interned::Interned;

/// An event of a run that a bundle was split into.
pub struct RunEvent<'a> {
    /// Timestamp, ns in trace time.
    pub ts: i64,
    /// The run it lies in.
    pub run: &'a Run,
    /// Its index in the run.
    pub index: usize,
    /// The machine's row.
    pub machine: u32,
    /// The CPU that recorded it.
    pub cpu: u32,
    /// The bytes of the trace.
    pub bytes: &'a TraceBytes<'a>,
    /// Interned data of sequences.
    pub interned: &'a Interned<'a>,
    /// Converts times of the file in the clock that it is in to trace time; `None` if no path leads
    /// there.
    pub default_clock: Option<&'a Converter>,
}

impl<'a> RunEvent<'a> {
    /// The event's message, where events are messages.
    pub fn message(&self) -> &'a [u8] {
        let message = self.run.payload.message_of(self.index);
        message.map_or(&[], |message| self.bytes.get(message))
    }

    /// The event's numbers and the strings they may refer to, where events are numbers.
    pub fn words(&self) -> (&'a [u32], &'a [Span]) {
        match &self.run.payload {
            Payload::Words { width, words, strings, .. } => {
                let at = self.index * width;
                (words.get(at..at + width).unwrap_or_default(), strings)
            }
            _ => (&[], &[]),
        }
    }
}
