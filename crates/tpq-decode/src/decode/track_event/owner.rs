//! Which track, thread and process an event belongs to.
//!
//! Newer events name a track. Older ones belong to the thread that writes their sequence, or to the
//! thread with the ids that they give, and their slices can be on tracks that other ids
//! distinguish.

use tpq_tables::{StringId, Tables};

use super::context::DecodeContext;
use super::event::TrackEvent;
use super::legacy::{InstantScope, Legacy};
use tpq_trackers::track::{
    AsyncId, AsyncPhase, Dimensions, FirstEvent, GLOBAL_INSTANTS, Owner, PROCESS_INSTANTS,
    SequenceThread, Tid, TrackRows, Trackers, Upid, Usage, Utid, unique_tid,
};

/// Ids from here on are made of a process's and a thread's.
const FIRST_MADE_ID: i64 = 1 << 32;

/// The owner of an event.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EventOwner {
    /// The track that the event names; 0 for none.
    pub(super) uuid: u64,
    /// Whether it belongs to a thread by ids rather than to a track.
    by_ids: bool,
    pub(super) utid: Option<Utid>,
    pub(super) upid: Option<Upid>,
    /// The thread that wrote an event which is not of a thread.
    pub(super) passthrough: Option<Utid>,
    /// The id by which the event's track was found.
    pub(super) source_id: Option<i64>,
}

impl EventOwner {
    /// Finds what an event belongs to; `None` if it cannot be determined.
    pub(super) fn find(
        event: &TrackEvent<'_>,
        default_track: Option<u64>,
        context: &mut DecodeContext<'_, '_>,
    ) -> Option<Self> {
        let uuid = event.track.or(default_track).unwrap_or_default();
        let mut owner = match uuid {
            0 => Self::by_ids(event, context)?,
            uuid => Self::by_track(uuid, context)?,
        };
        if event.phase().is_some_and(|phase| phase.is_async()) {
            owner.passthrough = owner.utid;
        }
        match event.legacy.as_ref().filter(|legacy| legacy.is_instant()) {
            Some(legacy) => owner.of_instant(legacy),
            None => Some(owner),
        }
    }

    fn by_track(uuid: u64, context: &mut DecodeContext<'_, '_>) -> Option<Self> {
        let mut owner = Self { uuid, ..Self::default() };
        let identified = context.trackers.source.uuids.identified(uuid);
        match identified.or_else(|| identify(uuid, context))? {
            Owner::Thread(utid) => {
                owner.utid = Some(utid);
                owner.upid = context.tables.thread.upid.get(utid);
            }
            Owner::Process(upid) => {
                owner.upid = Some(upid);
                let writer = written_by(writer(context), context);
                let is_of_it = |utid: &Utid| context.tables.thread.upid.get(*utid) == Some(upid);
                owner.passthrough = writer.filter(is_of_it);
            }
            Owner::Machine(_) => owner.passthrough = written_by(writer(context), context),
        }
        Some(owner)
    }

    /// An event that names no track is of the thread that wrote it, if it is of the older form, or
    /// of the thread with the ids that it gives.
    fn by_ids(event: &TrackEvent<'_>, context: &mut DecodeContext<'_, '_>) -> Option<Self> {
        let writer = writer(context);
        let legacy = event.legacy.as_ref();
        let [pid, tid] = [legacy.and_then(|it| it.pid), legacy.and_then(|it| it.tid)];
        let fits = (event.track.is_none() || event.event_type.is_none() || tid.is_some())
            && writer.is_some();
        if !fits && pid.is_none() {
            return Some(Self::default());
        }
        let SequenceThread { pid: own_pid, tid: own_tid } =
            writer.unwrap_or(SequenceThread { pid: 0, tid: 0 });
        let mut ids = match pid {
            Some(pid) => (pid, unique_tid(-1, pid, true)),
            None => (own_pid, own_tid),
        };
        if let Some(tid) = tid {
            ids.1 = unique_tid(tid, ids.0, own_tid >= FIRST_MADE_ID);
        }
        if ids.0 == 0 || ids.1 == 0 {
            return None;
        }
        let [pid, tid] = [ids.0, ids.1].map(|id| Tid { machine: context.packet.machine, id });
        let utid = context.trackers.processes.thread_of_process(tid, pid, context.tables);
        let upid = context.tables.thread.upid.get(utid);
        Some(Self { by_ids: true, utid: Some(utid), upid, ..Self::default() })
    }

    /// Instants of the older form may be of a process or of everything.
    fn of_instant(mut self, legacy: &Legacy<'_>) -> Option<Self> {
        match legacy.scope {
            InstantScope::Thread => {
                self.utid?;
            }
            InstantScope::Process => {
                self.upid?;
                self.passthrough = self.utid.take();
            }
            InstantScope::Global => self.passthrough = self.utid.take(),
        }
        Some(self)
    }

    /// The track of a slice or an instant.
    pub(super) fn track(
        &mut self,
        event: &TrackEvent<'_>,
        usage: Usage,
        context: &mut DecodeContext<'_, '_>,
    ) -> Option<u32> {
        let described = (!self.by_ids).then(|| {
            let by = self.first_event(event.name, context);
            let (uuids, processes, mut rows) = split(context.trackers, context.tables);
            uuids.track(self.uuid, usage, by, processes, &mut rows)
        });
        match self.track_by_phase(event, context)? {
            Some(track) => Some(track),
            None => self.execution(context).or(described),
        }
    }

    /// The track of what cannot share one with others.
    pub(super) fn own_track(
        &mut self,
        event: &TrackEvent<'_>,
        context: &mut DecodeContext<'_, '_>,
    ) -> Option<u32> {
        match self.execution(context) {
            Some(track) => Some(track),
            None => {
                let by = self.first_event(event.name, context);
                let (uuids, processes, mut rows) = split(context.trackers, context.tables);
                uuids.own_track(self.uuid, by, processes, &mut rows)
            }
        }
    }

    fn execution(&self, context: &mut DecodeContext<'_, '_>) -> Option<u32> {
        let utid = self.utid.filter(|_| self.by_ids)?;
        let (tracks, deferred) =
            (&mut context.trackers.source.tracks, &mut context.trackers.deferred);
        Some(tracks.execution(utid, deferred, context.tables))
    }

    /// Facts that an event adds to tracks on their first use.
    pub(super) fn first_event(
        &self,
        name: StringId,
        context: &DecodeContext<'_, '_>,
    ) -> FirstEvent {
        let generation = context.packet.interned.generation(context.packet.generation);
        FirstEvent { name, whole: self.uuid != 0 && generation.is_some_and(|it| it.whole) }
    }

    /// The track that a phase of the older form implies, if it does; `None` where the event lacks
    /// what says which.
    fn track_by_phase(
        &mut self,
        event: &TrackEvent<'_>,
        context: &mut DecodeContext<'_, '_>,
    ) -> Option<Option<u32>> {
        let Some(legacy) = &event.legacy else { return Some(None) };
        if let Some(phase) = legacy.phase.and_then(|phase| phase.of_async()) {
            return self.async_track(event, legacy, phase, context).map(Some);
        }
        if !legacy.is_instant() {
            return Some(None);
        }
        Some(match (legacy.scope, self.upid) {
            (InstantScope::Process, Some(upid)) => {
                let process = Dimensions::process(upid);
                Some(context.trackers.chrome_instants(PROCESS_INSTANTS, process, context.tables))
            }
            (InstantScope::Global, _) => {
                let machine = Dimensions::machine(context.packet.machine);
                Some(context.trackers.chrome_instants(GLOBAL_INSTANTS, machine, context.tables))
            }
            _ => None,
        })
    }

    fn async_track(
        &mut self,
        event: &TrackEvent<'_>,
        legacy: &Legacy<'_>,
        phase: AsyncPhase,
        context: &mut DecodeContext<'_, '_>,
    ) -> Option<u32> {
        let (source_id, process_scoped) = match (legacy.unscoped_id, legacy.global_id) {
            (Some(id), _) | (None, Some(id)) => (id as i64, false),
            (None, None) => (legacy.local_id? as i64, true),
        };
        if process_scoped {
            self.upid?;
        }
        self.source_id = Some(source_id);
        // Events that nest go by their categories, the oldest ones by their names.
        let nests = legacy.phase.is_some_and(|phase| phase.nests());
        let scope = match legacy.id_scope {
            Some(scope) => {
                let category = context.tables.strings.get(event.category).to_owned();
                let scope = format!("{category}:{}", String::from_utf8_lossy(scope));
                context.intern(&scope)
            }
            None if nests => event.category,
            None => event.name,
        };
        let id = AsyncId { name: event.name, upid: self.upid, source_id, process_scoped, scope };
        Some(context.trackers.legacy_async_track(id, phase, context.tables))
    }
}

/// The owner of a track that was not named before; `None` if it cannot be created.
fn identify(uuid: u64, context: &mut DecodeContext<'_, '_>) -> Option<Owner> {
    if !context.trackers.check_track(uuid, context.tables, context.stats) {
        return None;
    }
    let (uuids, processes) = (&mut context.trackers.source.uuids, &mut context.trackers.processes);
    Some(uuids.identify(uuid, processes, context.tables))
}

/// The thread that writes the event's sequence, where that was described.
fn writer(context: &DecodeContext<'_, '_>) -> Option<SequenceThread> {
    let id = context.packet.generation;
    context.trackers.source.sequence_threads.get(id, context.packet.interned.generation(id)?)
}

/// The row of a thread that writes a sequence. Ids that were made of two are cut to what the thread
/// calls itself.
fn written_by(writer: Option<SequenceThread>, context: &mut DecodeContext<'_, '_>) -> Option<Utid> {
    let SequenceThread { pid, tid } = writer?;
    let machine = context.packet.machine;
    let [tid, pid] = [i64::from(tid as u32), pid].map(|id| Tid { machine, id });
    Some(context.trackers.processes.thread_of_process(tid, pid, context.tables))
}

/// The state that described tracks are found in and written into.
pub(super) fn split<'a>(
    trackers: &'a mut Trackers,
    tables: &'a mut Tables,
) -> (&'a mut tpq_trackers::track::TrackUuids, &'a mut tpq_trackers::track::Processes, TrackRows<'a>)
{
    let (uuids, processes, tracks, deferred) = (
        &mut trackers.source.uuids,
        &mut trackers.processes,
        &mut trackers.source.tracks,
        &mut trackers.deferred,
    );
    (uuids, processes, TrackRows { tracks, deferred, tables })
}
