//! States: the state of a thing of a program from one moment to another.

use rustc_hash::FxHashMap;
use tpq_tables::table::StateRow;
use tpq_tables::{ArgSetNumber, StringId, Tables};

/// The duration of a state that has not ended.
const PENDING: i64 = -1;

/// A state to be.
#[derive(Clone, Copy, Debug, Default)]
pub struct NewState {
    /// Start, ns of trace time.
    pub ts: i64,
    /// Row of the track.
    pub track: u32,
    /// Categories, separated by commas; NULL for none.
    pub category: StringId,
    /// The state; NULL where it only ends what was.
    pub value: StringId,
    /// Number of the arg set.
    pub arg_set_id: Option<ArgSetNumber>,
}

/// Writes `state`.
#[derive(Debug, Default)]
pub struct States {
    /// The state that each track is in.
    current: FxHashMap<u32, u32>,
}

impl States {
    /// A track is in another state from now on, or in none.
    pub fn change(&mut self, state: NewState, tables: &mut Tables) -> Option<u32> {
        let NewState { ts, track, category, value, arg_set_id } = state;
        if let Some(last) = self.current.remove(&track) {
            let began = tables.state.ts.get(last);
            tables.state.dur.set(last, ts.saturating_sub(began));
        }
        if value.is_null() {
            return None;
        }
        let row = StateRow { ts, dur: PENDING, track_id: track, category, value, arg_set_id };
        let id = tables.state.push(row);
        self.current.insert(track, id);
        Some(id)
    }
}
