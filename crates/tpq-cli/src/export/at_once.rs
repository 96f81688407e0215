//! Work on several items at the same time.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{io, panic, thread};

use anyhow::Context;
use tokio::runtime::Handle;

use crate::runtime::STACK;

/// Does the work of all items, of which `threads` are in progress at most. The largest begin first,
/// so that none of them is alone at the end. `report` gets the results in the order of the items.
/// Blocks this thread; must be called inside the runtime.
///
/// # Errors
/// When the work of an item fails. What is in progress then ends, and no more begins.
pub fn each_at_once<T: Sync, R: Send>(
    threads: usize,
    items: &[T],
    size: impl Fn(&T) -> usize,
    work: impl AsyncFn(&T) -> anyhow::Result<R> + Sync,
    report: impl Fn(&T, R) + Sync,
) -> anyhow::Result<()> {
    let mut numbered: Vec<(usize, &T)> = items.iter().enumerate().collect();
    numbered.sort_by_key(|(_, item)| Reverse(size(item)));
    let left = Mutex::new(numbered.into_iter());
    let done = Mutex::new(Done { next: 0, waiting: BTreeMap::new() });
    let runtime = Handle::current();
    let next = || locked(&left).next();
    let work_off = || -> anyhow::Result<()> {
        while let Some((at, item)) = next() {
            match runtime.block_on(work(item)) {
                Ok(result) => locked(&done).add(at, item, result, &report),
                Err(error) => {
                    locked(&left).by_ref().for_each(drop);
                    return Err(error);
                }
            }
        }
        Ok(())
    };
    let outcome = thread::scope(|scope| {
        let start = |_| {
            let thread = thread::Builder::new().name("export".into()).stack_size(STACK);
            thread.spawn_scoped(scope, work_off)
        };
        let started: io::Result<Vec<_>> = (0..threads.min(items.len())).map(start).collect();
        // Those that have started begin no more items.
        let started = started.inspect_err(|_| locked(&left).by_ref().for_each(drop));
        let started = started.context("cannot start a thread")?;
        // All of them are awaited, whichever fails.
        let ends: Vec<anyhow::Result<()>> = started
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|cause| panic::resume_unwind(cause)))
            .collect();
        ends.into_iter().collect()
    });
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.waiting.into_values().for_each(|(item, result)| report(item, result));
    outcome
}

/// Results that are not reported yet.
struct Done<'a, T, R> {
    /// The number of the next item to report.
    next: usize,
    /// Results of items behind it.
    waiting: BTreeMap<usize, (&'a T, R)>,
}

impl<'a, T, R> Done<'a, T, R> {
    fn add(&mut self, at: usize, item: &'a T, result: R, report: impl Fn(&T, R)) {
        self.waiting.insert(at, (item, result));
        while let Some((item, result)) = self.waiting.remove(&self.next) {
            report(item, result);
            self.next += 1;
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime;

    /// The outcome of work that fails for one item, and what was begun and reported.
    fn outcome(
        threads: usize,
        failing: Option<usize>,
    ) -> (anyhow::Result<()>, Vec<usize>, Vec<usize>) {
        let (begun, reported) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
        let items: Vec<usize> = (0..20).collect();
        let work = async |item: &usize| {
            locked(&begun).push(*item);
            tokio::task::yield_now().await;
            anyhow::ensure!(failing != Some(*item), "no");
            Ok(item * 10)
        };
        let report = |item: &usize, result: usize| locked(&reported).push(result + item);
        let outcome = runtime::build(Some(2))
            .unwrap()
            .block_on(async { each_at_once(threads, &items, |item| item % 5, work, report) });
        (outcome, begun.into_inner().unwrap(), reported.into_inner().unwrap())
    }

    #[test]
    fn the_largest_begin_first_and_reports_keep_the_order() {
        for threads in [1, 2, 50] {
            let (outcome, begun, reported) = outcome(threads, None);
            outcome.unwrap();
            assert_eq!(reported, (0..20).map(|item| item * 11).collect::<Vec<_>>());
            if threads == 1 {
                assert_eq!(begun[..5], [4, 9, 14, 19, 3]);
            }
        }
    }

    #[test]
    fn an_error_ends_the_work_and_reports_what_is_done() {
        let (outcome, begun, reported) = outcome(1, Some(14));
        assert_eq!(outcome.unwrap_err().to_string(), "no");
        assert_eq!((begun, reported), (vec![4, 9, 14], vec![44, 99]));
    }
}
