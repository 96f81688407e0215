//! Trackers of what means nothing beyond one file, or one machine in one file.

use std::ops::{Deref, DerefMut};

/// One tracker for each scope; stands for that of the scope whose event is being decoded.
pub struct Scoped<T> {
    all: Vec<T>,
    current: usize,
}

impl<T> Scoped<T> {
    pub fn new(count: usize, make: impl FnMut(usize) -> T) -> Self {
        Self { all: (0..count.max(1)).map(make).collect(), current: 0 }
    }

    /// Makes another scope the current one.
    pub fn enter(&mut self, scope: u32) {
        debug_assert!((scope as usize) < self.all.len());
        self.current = (scope as usize).min(self.all.len() - 1);
    }

    /// The trackers of all scopes.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.all.iter()
    }
}

impl<T> Deref for Scoped<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.all[self.current]
    }
}

impl<T> DerefMut for Scoped<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.all[self.current]
    }
}
