//! A loop over items that two threads share.

use std::sync::{Mutex, PoisonError};

/// Does something with each value, here and on another thread, whichever is free for the next. On
/// this one alone where the system has no thread to give.
pub(crate) fn on_two_threads<T: Send>(values: &mut [T], each: impl Fn(&mut T) + Sync) {
    let left = Mutex::new(values.iter_mut());
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        while let Some(value) = next() {
            each(value);
        }
    };
    std::thread::scope(|scope| {
        let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        work();
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_done_once() {
        let mut values: Vec<u32> = (0..10_000).collect();
        on_two_threads(&mut values, |value| *value += 1);
        assert!(values.into_iter().eq(1..10_001));
    }
}
