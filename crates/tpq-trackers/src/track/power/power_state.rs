//! Names of the parts of a device with measured or estimated power.

use rustc_hash::FxHashMap;
use tpq_tables::StringId;

/// Something that takes energy.
#[derive(Clone, Copy, Debug)]
pub struct Consumer {
    /// Name of the consumer.
    pub name: StringId,
    /// Type of the consumer.
    pub kind: StringId,
    /// Which of those of its kind.
    pub ordinal: i64,
}

/// A power state of a part of the device.
#[derive(Clone, Copy, Debug)]
pub struct EntityState {
    /// Name of the entity.
    pub entity: StringId,
    /// Name of the state.
    pub state: StringId,
    /// The name of the counter of how long it was in it.
    pub counter: StringId,
}

/// Remembers what was described.
#[derive(Default)]
pub struct Power {
    /// Tracks of rails, by session and index.
    rails: FxHashMap<(u64, u32), u32>,
    consumers: FxHashMap<i32, Consumer>,
    states: FxHashMap<(i32, i32), EntityState>,
}

impl Power {
    /// A rail has a track. A later description of the same rail replaces an earlier one.
    pub fn add_rail(&mut self, session: u64, index: u32, track: u32) {
        self.rails.insert((session, index), track);
    }

    /// The track of a rail.
    pub fn rail(&self, session: u64, index: u32) -> Option<u32> {
        self.rails.get(&(session, index)).copied()
    }

    /// Describes a consumer; the first description counts.
    pub fn add_consumer(&mut self, id: i32, consumer: Consumer) {
        self.consumers.entry(id).or_insert(consumer);
    }

    /// Returns a consumer by its id.
    pub fn consumer(&self, id: i32) -> Option<Consumer> {
        self.consumers.get(&id).copied()
    }

    /// Describes a state of an entity, each by its number; the first description counts.
    pub fn add_state(&mut self, key: (i32, i32), state: EntityState) {
        self.states.entry(key).or_insert(state);
    }

    /// Returns a state by the indices of its entity and of itself.
    pub fn state(&self, key: (i32, i32)) -> Option<EntityState> {
        self.states.get(&key).copied()
    }
}
