//! Tracks that slices of one kind share, found again by their dimensions.

use rustc_hash::FxHashMap;
use tpq_tables::{StringId, Tables};

use crate::track::{Dimensions, SharedTracks, TrackKind, Trackers, Tracks};

/// Slices that may share tracks: those of one kind, of one owner and of equal values.
#[derive(Clone, Copy, Debug)]
pub struct Sharing {
    /// Kind of the tracks.
    pub kind: TrackKind,
    /// The common part of their tracks.
    pub dimensions: Dimensions,
    /// The name of each of their tracks.
    pub name: StringId,
}

/// Tracks of slices that may share them.
pub type SharedByKind = FxHashMap<(&'static str, Dimensions), SharedTracks>;

impl Trackers {
    /// The track on which a slice of a cookie begins.
    pub fn begin_shared(&mut self, sharing: Sharing, cookie: i64, tables: &mut Tables) -> u32 {
        self.shared(sharing, tables, |shared, make| shared.begin(cookie as u64, make))
    }

    /// The same where the slices of a cookie do not nest.
    pub fn begin_unnested_shared(
        &mut self,
        sharing: Sharing,
        cookie: i64,
        tables: &mut Tables,
    ) -> u32 {
        self.shared(sharing, tables, |shared, make| shared.begin_unnested(cookie as u64, make))
    }

    /// The track on which a slice of a cookie ends.
    pub fn end_shared(&mut self, sharing: Sharing, cookie: i64, tables: &mut Tables) -> u32 {
        self.shared(sharing, tables, |shared, make| shared.end(cookie as u64, make))
    }

    /// The track of a slice that has no cookie but a known duration, in ns.
    pub fn complete_shared(
        &mut self,
        sharing: Sharing,
        ts: i64,
        dur: i64,
        tables: &mut Tables,
    ) -> u32 {
        self.shared(sharing, tables, |shared, make| shared.complete(ts, dur, make))
    }

    fn shared(
        &mut self,
        sharing: Sharing,
        tables: &mut Tables,
        find: impl FnOnce(&mut SharedTracks, &mut dyn FnMut(u32) -> u32) -> u32,
    ) -> u32 {
        let Sharing { kind, dimensions, name } = sharing;
        let Self { source, deferred, .. } = self;
        let shared = source.shared_tracks.entry((kind.name, dimensions)).or_default();
        find(shared, &mut |index| {
            let dimensions = dimensions.number("track_compressor_idx", i64::from(index));
            Tracks::make(kind, dimensions, name, deferred, tables)
        })
    }
}
