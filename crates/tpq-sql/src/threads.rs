//! Work of a function that several threads share.

use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::cancel;

/// The number of threads that can run at a time. Plans of a cluster have more parts.
static CORES: LazyLock<usize> =
    LazyLock::new(|| thread::available_parallelism().map_or(1, usize::from));

/// Does something with each item, here and on up to `threads - 1` other threads, under the token
/// of the statement that this thread works on. Returns the results in the order of the items. Where
/// the system has no thread to give, this one does more.
pub(crate) fn on_threads<T: Send, R: Send>(
    threads: usize,
    items: Vec<T>,
    each: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let others = threads.min(*CORES).min(items.len()).saturating_sub(1);
    if others == 0 {
        return items.into_iter().map(each).collect();
    }
    let done = Mutex::new(Vec::with_capacity(items.len()));
    let left = Mutex::new(items.into_iter().enumerate());
    let next = || locked(&left).next();
    let work = || {
        while let Some((place, item)) = next() {
            let result = each(item);
            locked(&done).push((place, result));
        }
    };
    let token = cancel::current().unwrap_or_default();
    thread::scope(|scope| {
        for _ in 0..others {
            let builder = thread::Builder::new().name("query part".into());
            let _ = builder.spawn_scoped(scope, || cancel::under(token.clone(), work));
        }
        work();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cancel::CancelToken;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for threads in [0, 1, 2, 7] {
            let doubled = on_threads(threads, (0..1000).collect(), |number: u32| number * 2);
            assert!(doubled.into_iter().eq((0..2000).step_by(2)));
        }
        assert!(on_threads(2, Vec::new(), |number: u32| number).is_empty());
    }

    #[test]
    fn other_threads_work_for_the_same_statement() {
        let token = CancelToken::default();
        token.cancel();
        let checked =
            cancel::under(token, || on_threads(4, vec![(); 100], |()| cancel::check().is_err()));
        assert_eq!(checked, [true; 100]);
    }
}
