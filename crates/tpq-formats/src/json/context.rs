//! State of the decoding of one event.

use tpq_clock::Converter;
use tpq_ingest::TraceBytes;
use tpq_tables::{Stats, StringId, Tables};

use super::reader::JsonEvent;
use tpq_decode::RunEvent;
use tpq_trackers::track::Trackers;

/// The event that is being decoded, and everything that it may change.
pub(super) struct Context<'a> {
    pub(super) event: JsonEvent,
    pub(super) ts: i64,
    pub(super) machine: u32,
    pub(super) name: StringId,
    pub(super) category: StringId,
    pub(super) bytes: &'a TraceBytes<'a>,
    /// Converts times of the file to trace time.
    pub(super) default_clock: Option<&'a Converter>,
    pub(super) trackers: &'a mut Trackers,
    pub(super) tables: &'a mut Tables,
    pub(super) stats: &'a mut Stats,
}

impl<'a> Context<'a> {
    /// The state before an event is decoded, with its name and category read.
    // Inlined, since moving the result takes longer than most of the rest.
    #[inline(always)]
    pub(super) fn new<'b: 'a>(
        event: &RunEvent<'b>,
        json: JsonEvent,
        trackers: &'a mut Trackers,
        tables: &'a mut Tables,
        stats: &'a mut Stats,
    ) -> Self {
        let mut context = Self {
            event: json,
            ts: event.ts,
            machine: event.machine,
            name: StringId::NULL,
            category: StringId::NULL,
            bytes: event.bytes,
            default_clock: event.default_clock,
            trackers,
            tables,
            stats,
        };
        context.name = context.string(json.name);
        context.category = context.string(json.category);
        context
    }
}
