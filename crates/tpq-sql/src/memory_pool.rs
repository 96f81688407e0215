//! Memory that the operators of a session share under a limit.
//!
//! DataFusion's fair pool lets operators that spill fill all of the limit. A sort that is full
//! then finds no room for the merge that empties it, or loses that room to a sort on another
//! thread, and the statement fails by chance. Here operators that spill fill a third of what the
//! others leave, in equal parts. A merge holds the rows a second time, and their keys: one and a
//! half times what the sort had reserved for them was seen.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use datafusion::common::human_readable_size;
use datafusion::common::{Result, resources_datafusion_err};
use datafusion::execution::memory_pool::{
    MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation,
};

/// The part of the limit that operators that spill may fill in any case: with less than a batch of
/// rows there is nothing that they could spill.
const LEAST: usize = 8;

/// A pool of `limit` bytes.
#[derive(Debug)]
pub(crate) struct SharedPool {
    limit: usize,
    used: Mutex<Used>,
}

/// The reservation, in bytes.
#[derive(Debug, Default)]
struct Used {
    /// How many operators there are that spill.
    spilling: usize,
    /// By those that spill.
    spillable: usize,
    /// By those that do not.
    fixed: usize,
}

impl Used {
    /// The reservation of one kind of operator.
    fn of(&mut self, reservation: &MemoryReservation) -> &mut usize {
        if reservation.consumer().can_spill() { &mut self.spillable } else { &mut self.fixed }
    }
}

impl SharedPool {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, used: Mutex::default() }
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many bytes a reservation may grow by.
    fn room(&self, used: &Used, reservation: &MemoryReservation) -> usize {
        let without_fixed = self.limit.saturating_sub(used.fixed);
        let free = without_fixed.saturating_sub(used.spillable);
        if !reservation.consumer().can_spill() {
            return free;
        }
        let part = (without_fixed / 3).max(self.limit / LEAST) / used.spilling.max(1);
        part.saturating_sub(reservation.size()).min(free)
    }
}

impl MemoryPool for SharedPool {
    fn name(&self) -> &str {
        "shared"
    }

    fn register(&self, consumer: &MemoryConsumer) {
        self.used().spilling += usize::from(consumer.can_spill());
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        let mut used = self.used();
        used.spilling = used.spilling.saturating_sub(usize::from(consumer.can_spill()));
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        *self.used().of(reservation) += additional;
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        let mut used = self.used();
        let used = used.of(reservation);
        *used = used.saturating_sub(shrink);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        let mut used = self.used();
        let room = self.room(&used, reservation);
        if additional <= room {
            *used.of(reservation) += additional;
            return Ok(());
        }
        let size = human_readable_size;
        // In DataFusion's words, which the errors of a session are made of.
        Err(resources_datafusion_err!(
            "Failed to allocate additional {} for {}: {} of {} are left",
            size(additional),
            reservation.consumer().name(),
            size(room),
            size(self.limit)
        ))
    }

    fn reserved(&self) -> usize {
        let used = self.used();
        used.spillable + used.fixed
    }

    fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit::Finite(self.limit)
    }
}

impl fmt::Display for SharedPool {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "a pool of {}", human_readable_size(self.limit))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn sorts_leave_room_for_their_merges() {
        let pool: Arc<dyn MemoryPool> = Arc::new(SharedPool::new(1200));
        let sort = |name: &str| MemoryConsumer::new(name).with_can_spill(true).register(&pool);
        let merge = |name: &str| MemoryConsumer::new(name).register(&pool);
        let (first, second) = (sort("first"), sort("second"));
        assert!(first.try_grow(201).is_err());
        assert!(first.try_grow(200).is_ok() && second.try_grow(200).is_ok());
        let (a, b) = (merge("a"), merge("b"));
        assert!(a.try_grow(500).is_ok() && b.try_grow(300).is_ok());
        let error = b.try_grow(1).expect_err("nothing is left").to_string();
        assert!(error.contains("additional 1.0 B for b: 0.0 B of 1200.0 B are left"), "{error}");
        drop(second);
        assert!(b.try_grow(100).is_ok());
        // A third of what the merges leave, which is less than it has, or an eighth of all.
        assert!(first.try_grow(1).is_err());
        drop(a);
        assert!(first.try_grow(67).is_err() && first.try_grow(66).is_ok());
        assert_eq!(pool.reserved(), 266 + 400);
        drop((first, b));
        assert_eq!(pool.reserved(), 0);
    }
}
