//! Tracks of instants that the older formats of Chrome attribute to no thread.

use tpq_tables::{StringId, Tables};

use crate::args::{ArgSet, ArgValue};
use crate::track::{Dimensions, TrackKind, Trackers};

/// Tracks of instants of the whole machine.
pub const GLOBAL_INSTANTS: TrackKind = TrackKind::slices("legacy_chrome_global_instants");
/// Tracks of instants of a process.
pub const PROCESS_INSTANTS: TrackKind = TrackKind::slices("chrome_process_instant");

impl Trackers {
    /// The track of instants of a kind.
    pub fn chrome_instants(
        &mut self,
        kind: TrackKind,
        dimensions: Dimensions,
        tables: &mut Tables,
    ) -> u32 {
        let before = tables.track.len();
        let (tracks, deferred) = (&mut self.source.tracks, &mut self.deferred);
        let track = tracks.get(kind, dimensions, StringId::NULL, deferred, tables);
        if track >= before {
            let chrome = ArgValue::String(tables.strings.intern("chrome"));
            let source = ArgSet::of([("source", chrome)], &mut tables.strings);
            let set = deferred.intern(&source);
            tables.track.source_arg_set_id.set(track, set);
        }
        track
    }
}
