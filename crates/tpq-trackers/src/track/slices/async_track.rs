//! Tracks of slices that ids of their program distinguish, as Chrome's older events
//! are.

use tpq_tables::{StringId, Tables};

use crate::args::{ArgSet, ArgValue};
use crate::track::{Dimensions, Sharing, TrackKind, Trackers, Upid};

const OF_PROCESS: TrackKind = TrackKind::slices("legacy_async_process_slice");
const OF_ALL: TrackKind = TrackKind::slices("legacy_async_global_slice");

/// The key of the slices of one id.
#[derive(Clone, Copy, Debug)]
pub struct AsyncId {
    /// The name of the event.
    pub name: StringId,
    /// The process of the event.
    pub upid: Option<Upid>,
    /// The id that the program gave.
    pub source_id: i64,
    /// Whether the id means something in its process only.
    pub process_scoped: bool,
    /// Ids of different scopes have nothing to do with each other.
    pub scope: StringId,
}

/// An event of an async track.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AsyncPhase {
    /// A slice begins.
    Begin,
    /// A slice ends.
    End,
    /// An instant.
    Instant,
}

impl Trackers {
    /// The track on which something happens to slices of an id. Ids of one scope and of one name
    /// share tracks as far as their slices do not overlap; the name is that of the first event of
    /// the id.
    pub fn legacy_async_track(
        &mut self,
        id: AsyncId,
        phase: AsyncPhase,
        tables: &mut Tables,
    ) -> u32 {
        let AsyncId { name, upid, source_id, process_scoped, scope } = id;
        let upid_or_none = process_scoped.then(|| upid.unwrap_or_default());
        let first = *self.source.async_names.entry((upid_or_none, source_id)).or_insert(name);
        let machine = self.sources.get(self.current).machine;
        let (kind, owner) = match upid_or_none {
            Some(upid) => (OF_PROCESS, Dimensions::process(upid)),
            None => (OF_ALL, Dimensions::machine(machine)),
        };
        let dimensions = owner.text("scope", scope).text("name", first);
        let sharing = Sharing { kind, dimensions, name };
        let before = tables.track.len();
        let track = match phase {
            AsyncPhase::Begin => self.begin_shared(sharing, source_id, tables),
            AsyncPhase::End => self.end_shared(sharing, source_id, tables),
            AsyncPhase::Instant => {
                self.begin_shared(sharing, source_id, tables);
                self.end_shared(sharing, source_id, tables)
            }
        };
        if track >= before {
            let source = source(id, tables);
            let set = self.deferred.intern(&source);
            tables.track.source_arg_set_id.set(track, set);
        }
        track
    }
}

fn source(id: AsyncId, tables: &mut Tables) -> ArgSet {
    let chrome = tables.strings.intern("chrome");
    let source = [
        ("source", ArgValue::String(chrome)),
        ("trace_id_is_process_scoped", ArgValue::Bool(id.process_scoped)),
        ("upid", ArgValue::Uint(u64::from(id.upid.unwrap_or_default()))),
        ("source_scope", ArgValue::String(id.scope)),
    ];
    ArgSet::of(source, &mut tables.strings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::Setup;

    #[test]
    fn ids_share_tracks_within_their_scope_unless_they_overlap() {
        let mut tables = Tables::default();
        let mut trackers = Trackers::new(&Setup::default(), &mut tables);
        let [load, cat, dog] = ["load", "cat", "dog"].map(|text| tables.strings.intern(text));
        let mut track = |source_id, scope, phase| {
            let id = AsyncId { name: load, upid: None, source_id, process_scoped: false, scope };
            trackers.legacy_async_track(id, phase, &mut tables)
        };
        use AsyncPhase::{Begin, End, Instant};
        let tracks = [
            track(1, cat, Begin),
            track(2, cat, Begin),
            track(1, cat, Instant),
            track(1, cat, End),
            track(3, cat, Begin),
            track(1, dog, Begin),
        ];
        assert_eq!(tracks, [0, 1, 0, 0, 0, 2]);
        let kinds = tables.track.track_type.get(2);
        assert_eq!(tables.strings.get(kinds), "legacy_async_global_slice");
        trackers.write_deferred(&mut tables);
        // Scope, name and index among the tracks; source, whether of a process, upid and scope.
        assert_eq!(tables.args.len(), 3 * 3 + 2 * 4);
    }
}
