//! Reads batches of many files ahead of the thread that sorts the events, on a few threads.
//!
//! A call for the next batch of a file takes a batch that was read ahead, waits for the thread that
//! is reading it, or reads it itself. So waiting batches can never keep the requested batch from
//! being read. The number of threads and of waiting batches does not depend on the number of files.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use tpq_ingest::{Batch, EventReader};

/// Batches of all files that may wait or be read at a time, without a memory limit.
const MAX_WAITING: usize = 32;
/// The approximate size of a batch in bytes.
const BATCH_BYTES: u64 = 4 << 20;
/// Batches of one file that may wait.
const MAX_WAITING_PER_FILE: usize = 4;
/// The number of threads that is useful: sorting the events is slower than this many readers
/// together.
const MAX_THREADS: usize = 16;

/// The files to read, and their batches that wait.
pub(crate) struct ReadAhead<'r, R: ?Sized> {
    state: Mutex<State<'r, R>>,
    /// Signals that a batch was read, or that one may be read.
    changed: Condvar,
}

struct State<'r, R: ?Sized> {
    files: Vec<File<'r, R>>,
    /// The number of files that may have more batches.
    unfinished: usize,
    /// The files to read ahead next, each once.
    queue: VecDeque<usize>,
    /// Batches that wait or are being read ahead.
    ahead: usize,
    /// The limit of `ahead`.
    max_ahead: usize,
    /// No more batches are wanted.
    closed: bool,
}

struct File<'r, R: ?Sized> {
    /// `None` while a thread reads the file.
    reader: Option<&'r mut R>,
    waiting: VecDeque<Batch>,
    queued: bool,
    ended: bool,
}

impl<'r, R: EventReader + ?Sized> ReadAhead<'r, R> {
    /// Under a memory limit, in bytes, waiting batches take about a quarter of it.
    pub(crate) fn new(readers: impl Iterator<Item = &'r mut R>, limit: Option<u64>) -> Self {
        let max_ahead = limit.map_or(MAX_WAITING, |limit| (limit / 4 / BATCH_BYTES) as usize);
        let file = |reader| File {
            reader: Some(reader),
            waiting: VecDeque::new(),
            queued: true,
            ended: false,
        };
        let files: Vec<_> = readers.map(file).collect();
        let queue = (0..files.len()).collect();
        let state = Mutex::new(State {
            unfinished: files.len(),
            files,
            queue,
            ahead: 0,
            max_ahead: max_ahead.clamp(1, MAX_WAITING),
            closed: false,
        });
        Self { state, changed: Condvar::new() }
    }

    /// The number of useful threads, at most `threads`.
    pub(crate) fn threads(&self, threads: usize) -> usize {
        self.lock().files.len().min(threads).min(MAX_THREADS)
    }

    /// Reads ahead until all files are read or no more batches are wanted; `read` reads the next
    /// batch of a file.
    ///
    /// The thread is to end then: the allocator cannot reuse the memory of batches, which other
    /// threads free, for as long as the thread that allocated them lives and allocates no more.
    pub(crate) fn work(&self, read: impl Fn(&mut R) -> Option<Batch>) {
        let _closes = self.close_on_drop();
        let mut state = self.lock();
        while !state.closed && state.unfinished > 0 {
            let next = if state.ahead < state.max_ahead { state.queue.pop_front() } else { None };
            let Some(number) = next else {
                state = self.wait(state);
                continue;
            };
            let file = &mut state.files[number];
            file.queued = false;
            // The consumer may have read a file that was queued to its end.
            if file.ended {
                continue;
            }
            let Some(reader) = file.reader.take() else { continue };
            state.ahead += 1;
            drop(state);
            let batch = read(reader);
            state = self.lock();
            let file = &mut state.files[number];
            file.reader = Some(reader);
            match batch {
                Some(batch) => file.waiting.push_back(batch),
                None => {
                    state.end(number);
                    state.ahead -= 1;
                }
            }
            state.enqueue(number);
            self.changed.notify_all();
        }
    }

    /// Returns the next batch of a file, or `None` after the last.
    pub(crate) fn next(
        &self,
        number: usize,
        read: impl Fn(&mut R) -> Option<Batch>,
    ) -> Option<Batch> {
        let mut state = self.lock();
        loop {
            let file = &mut state.files[number];
            if let Some(batch) = file.waiting.pop_front() {
                state.ahead -= 1;
                state.enqueue(number);
                self.changed.notify_all();
                return Some(batch);
            }
            if file.ended {
                return None;
            }
            let Some(reader) = file.reader.take() else {
                if state.closed {
                    return None;
                }
                state = self.wait(state);
                continue;
            };
            drop(state);
            let batch = read(reader);
            state = self.lock();
            let file = &mut state.files[number];
            file.reader = Some(reader);
            if batch.is_none() {
                state.end(number);
            }
            state.enqueue(number);
            self.changed.notify_all();
            return batch;
        }
    }

    /// Ends all work.
    fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Ends all work when dropped, so that no thread waits for one that failed or panicked.
    pub(crate) fn close_on_drop(&self) -> CloseOnDrop<'_, 'r, R> {
        CloseOnDrop(self)
    }

    fn lock(&self) -> MutexGuard<'_, State<'r, R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'g>(&self, state: MutexGuard<'g, State<'r, R>>) -> MutexGuard<'g, State<'r, R>> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R: ?Sized> State<'_, R> {
    /// Notes that a file has no more batches, by the thread that has its reader.
    fn end(&mut self, number: usize) {
        let file = &mut self.files[number];
        if !file.ended {
            file.ended = true;
            self.unfinished -= 1;
        }
    }

    /// Queues a file behind all others to be read ahead, unless enough of its batches wait.
    fn enqueue(&mut self, number: usize) {
        let file = &mut self.files[number];
        if !file.queued && !file.ended && file.waiting.len() < MAX_WAITING_PER_FILE {
            file.queued = true;
            self.queue.push_back(number);
        }
    }
}

/// Closes the [`ReadAhead`] when dropped.
pub(crate) struct CloseOnDrop<'a, 'r, R: EventReader + ?Sized>(&'a ReadAhead<'r, R>);

impl<R: EventReader + ?Sized> Drop for CloseOnDrop<'_, '_, R> {
    fn drop(&mut self) {
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tpq_clock::{BOOTTIME, Clock, Source};
    use tpq_ingest::{LossBook, SourceId, Timeline};

    use super::*;

    /// A file with a given number of batches.
    struct Counting {
        file: u32,
        left: u64,
        done: u64,
        losses: LossBook,
        timeline: Timeline,
    }

    impl EventReader for Counting {
        fn next_batch(&mut self) -> Option<Batch> {
            self.left = self.left.checked_sub(1)?;
            self.done += 1;
            Some(Batch { file: self.file, done: self.done, ..Batch::default() })
        }

        fn event_count(&self) -> u64 {
            self.done
        }

        fn losses(&self) -> &LossBook {
            &self.losses
        }

        fn timeline(&self) -> &Timeline {
            &self.timeline
        }

        fn source(&self, _: u32) -> SourceId {
            0
        }
    }

    fn files(count: u32, batches: u64) -> Vec<Counting> {
        let trace_clock = Clock::of_source(Source::default(), BOOTTIME);
        let timeline = Timeline::new(Arc::default(), trace_clock);
        let file = |file| Counting {
            file,
            left: batches,
            done: 0,
            losses: LossBook::default(),
            timeline: timeline.clone(),
        };
        (0..count).map(file).collect()
    }

    /// The batches of each file come in order, whichever file is requested, and few wait at any
    /// time.
    #[test]
    fn many_files_on_few_threads() {
        for limit in [None, Some(64 << 20), Some(0)] {
            read_many(limit, limit.map_or(MAX_WAITING, |limit| if limit == 0 { 1 } else { 4 }));
        }
    }

    fn read_many(limit: Option<u64>, max_ahead: usize) {
        let mut readers = files(3000, 5);
        let ahead = ReadAhead::new(readers.iter_mut(), limit);
        assert_eq!(ahead.threads(64), MAX_THREADS);
        let read = |reader: &mut Counting| reader.next_batch();
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| ahead.work(read));
            }
            for round in 1..=6 {
                // The last file first, which is far back in the queue.
                for file in (0..3000).rev() {
                    let batch = ahead.next(file, read);
                    let expected = (round <= 5).then_some((file as u32, round));
                    assert_eq!(batch.map(|batch| (batch.file, batch.done)), expected);
                    assert!(ahead.lock().ahead <= max_ahead);
                }
            }
            ahead.close();
        });
        assert!(readers.iter().all(|reader| reader.done == 5));
    }

    /// Although batches wait, and the consumer may want more.
    #[test]
    fn readers_end_with_the_last_file() {
        let mut readers = files(3, 1);
        let ahead = ReadAhead::new(readers.iter_mut(), None);
        let read = |reader: &mut Counting| reader.next_batch();
        ahead.work(read);
        for file in 0..3 {
            assert_eq!(ahead.next(file, read).map(|batch| batch.file), Some(file as u32));
            assert!(ahead.next(file, read).is_none());
            assert!(ahead.next(file, read).is_none());
        }
    }

    /// As where it asks for the last file first: no thread reads that again, or takes its end for
    /// that of another file.
    #[test]
    fn a_file_that_the_consumer_has_read_ends_once() {
        let mut readers = files(2, 2);
        let ahead = ReadAhead::new(readers.iter_mut(), None);
        let read = |reader: &mut Counting| reader.next_batch();
        while ahead.next(1, read).is_some() {}
        ahead.work(|reader| {
            assert_eq!(reader.file, 0);
            read(reader)
        });
        assert_eq!(ahead.lock().unfinished, 0);
        let rest: Vec<u64> = std::iter::from_fn(|| ahead.next(0, read)).map(|it| it.done).collect();
        assert_eq!(rest, [1, 2]);
        assert!(ahead.next(1, read).is_none());
    }

    /// Like a thread that cannot be started, or a panic of the thread that sorts events.
    #[test]
    fn readers_end_when_the_consumer_of_batches_panics() {
        let mut readers = files(1, 5);
        let ahead = ReadAhead::new(readers.iter_mut(), None);
        let read = |reader: &mut Counting| reader.next_batch();
        let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            std::thread::scope(|scope| {
                let _closes = ahead.close_on_drop();
                scope.spawn(|| ahead.work(read));
                panic!("expected by the test")
            });
        }));
        assert!(failed.is_err());
    }

    #[test]
    fn a_panicked_reader_blocks_no_consumer() {
        let mut readers = files(1, 5);
        let ahead = ReadAhead::new(readers.iter_mut(), None);
        let reads = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| {
                ahead.work(|_| {
                    reads.fetch_add(1, Ordering::Relaxed);
                    panic!("expected by the test")
                });
            });
            assert!(worker.join().is_err());
            assert_eq!(reads.load(Ordering::Relaxed), 1);
            assert!(ahead.next(0, |reader| reader.next_batch()).is_none());
        });
    }
}
