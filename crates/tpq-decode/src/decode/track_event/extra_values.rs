//! Counter values that a track event carries in addition to its own.

/// Values of other counters that an event may carry.
pub(super) const MAX_EXTRA: usize = 8;

/// A count of the thread as an event gives it: as a difference or as it is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GivenCount {
    pub(super) delta: Option<i64>,
    pub(super) absolute: Option<i64>,
}

/// Values of other counters in an event.
#[derive(Clone, Debug, Default)]
pub(super) struct ExtraValues {
    values: [f64; MAX_EXTRA],
    /// How many there are, also of those beyond what is kept.
    pub(super) count: usize,
    /// The tracks that the event itself names for them.
    pub(super) tracks: Vec<u64>,
}

impl ExtraValues {
    pub(super) fn add(&mut self, value: f64) {
        if let Some(free) = self.values.get_mut(self.count) {
            *free = value;
        }
        self.count += 1;
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Option<f64>> {
        (0..self.count).map(|index| self.values.get(index).copied())
    }
}
