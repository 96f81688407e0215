//! The state that decoding a track event reads and writes.

use tpq_tables::{Stat, Stats, StringId, Tables};
use tpq_trackers::args::ArgSet;
use tpq_trackers::track::Trackers;

use crate::decode::Packet;

/// Everything an event is decoded into, and the packet it came in.
pub(super) struct DecodeContext<'a, 'p> {
    pub(super) packet: &'a Packet<'p>,
    pub(super) trackers: &'a mut Trackers,
    pub(super) tables: &'a mut Tables,
    pub(super) stats: &'a mut Stats,
}

impl DecodeContext<'_, '_> {
    /// Counts an event that is skipped for `stat`, and enters it with what is known of it.
    pub(super) fn refuse(&mut self, stat: Stat, details: &ArgSet) {
        self.stats.increment(stat);
        self.trackers.log(stat, None, details, self.tables);
    }

    /// Counts an event, or a part of one, that makes no sense.
    pub(super) fn count_error(&mut self) {
        self.stats.increment(Stat::TrackEventParserErrors);
    }

    pub(super) fn intern(&mut self, text: &str) -> StringId {
        self.tables.strings.intern(text)
    }
}
