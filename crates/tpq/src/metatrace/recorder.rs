//! Records spans and clock snapshots.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tpq_clock::tsc::{Snapshot, Ticks, TscClock};

use super::packets;

/// Clock snapshots per second, while there are events.
const SNAPSHOTS_PER_SECOND: u64 = 10;

/// A recording of this process. Spans may begin and end on any thread.
#[derive(Debug)]
pub struct MetaTrace {
    clock: &'static TscClock,
    recorded: Mutex<Recorded>,
    /// The tick after which the next snapshot is due.
    snapshot_due: AtomicU64,
}

/// Everything recorded so far.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    pub(super) snapshots: Vec<Snapshot>,
    pub(super) spans: Vec<Record>,
}

/// A span that has ended.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) name: &'static str,
    /// The thread on which the span began.
    pub(super) thread: Arc<ThreadIdentity>,
    pub(super) begin: Ticks,
    pub(super) end: Ticks,
    pub(super) args: Vec<(&'static str, u64)>,
}

/// The id and the name of a thread.
#[derive(Debug)]
pub(super) struct ThreadIdentity {
    pub(super) tid: u64,
    pub(super) name: Option<String>,
}

impl MetaTrace {
    /// Starts a recording. The first one of a process takes about 5 ms, to measure the clock.
    pub fn start() -> Arc<Self> {
        let clock = TscClock::global();
        let snapshot_due = AtomicU64::new(0);
        let trace = Self { clock, recorded: Mutex::default(), snapshot_due };
        trace.moment();
        Arc::new(trace)
    }

    /// Begins a span, which ends when it is dropped. Costs two reads of the clock, and a short lock
    /// at the end. The span is shown on the thread on which it began.
    pub fn span(&self, name: &'static str) -> Span<'_> {
        let thread = ThreadIdentity::current();
        Span { trace: self, name, thread, args: Vec::new(), begin: self.moment() }
    }

    /// The trace of all spans that have ended, in Perfetto's format. The recording continues.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.take_snapshot();
        packets::encode(std::process::id(), self.clock.rate(), &self.lock())
    }

    /// Returns the current time. Takes a snapshot first if one is due, because the snapshot that
    /// applies to a moment is the latest one before it.
    fn moment(&self) -> Ticks {
        let now = self.clock.now();
        let due = self.snapshot_due.load(Ordering::Relaxed);
        if now.0 <= due {
            return now;
        }
        let next = now.0.saturating_add(self.clock.ticks_per_second() / SNAPSHOTS_PER_SECOND);
        // Only one of several threads takes the snapshot.
        let is_first =
            self.snapshot_due.compare_exchange(due, next, Ordering::Relaxed, Ordering::Relaxed);
        if is_first.is_ok() {
            self.take_snapshot();
        }
        self.clock.now()
    }

    fn take_snapshot(&self) {
        // Under the lock, so that snapshots are stored in the order they were taken.
        let mut recorded = self.lock();
        recorded.snapshots.push(self.clock.snapshot());
    }

    fn lock(&self) -> MutexGuard<'_, Recorded> {
        // A panic in another thread can have lost one record at most.
        self.recorded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A span in progress. It ends when dropped.
#[derive(Debug)]
#[must_use = "a span ends when it is dropped"]
pub struct Span<'a> {
    trace: &'a MetaTrace,
    name: &'static str,
    thread: Arc<ThreadIdentity>,
    args: Vec<(&'static str, u64)>,
    begin: Ticks,
}

impl Span<'_> {
    /// Returns the span with an argument, such as the number of a batch.
    pub fn with(mut self, name: &'static str, value: u64) -> Self {
        self.add(name, value);
        self
    }

    /// Adds an argument that was not known at the start of the span, such as a number of bytes.
    pub fn add(&mut self, name: &'static str, value: u64) {
        self.args.push((name, value));
    }
}

impl Drop for Span<'_> {
    fn drop(&mut self) {
        let record = Record {
            name: self.name,
            thread: Arc::clone(&self.thread),
            begin: self.begin,
            end: self.trace.moment(),
            args: std::mem::take(&mut self.args),
        };
        self.trace.lock().spans.push(record);
    }
}

impl ThreadIdentity {
    /// The current thread, cached per thread.
    fn current() -> Arc<Self> {
        thread_local! {
            static CURRENT: Arc<ThreadIdentity> = Arc::new(ThreadIdentity {
                tid: os_tid().unwrap_or_else(numbered_tid),
                name: std::thread::current().name().map(str::to_owned),
            });
        }
        CURRENT.with(Arc::clone)
    }
}

/// The id of this thread in the kernel, if available: on Linux, `/proc/thread-self` links to
/// `PID/task/TID`.
fn os_tid() -> Option<u64> {
    let link = fs::read_link("/proc/thread-self").ok()?;
    link.file_name()?.to_str()?.parse().ok()
}

/// A unique id for this thread. Ids start with the process id, as in the kernel.
fn numbered_tid() -> u64 {
    static THREADS: AtomicU64 = AtomicU64::new(0);
    u64::from(std::process::id()) + THREADS.fetch_add(1, Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_recorded_when_it_ends() {
        let trace = MetaTrace::start();
        let mut outer = trace.span("outer").with("batch", 3);
        drop(trace.span("inner"));
        outer.add("bytes", 4096);
        assert_eq!(trace.lock().spans.len(), 1, "the outer one goes on");
        drop(outer);
        let recorded = trace.lock();
        let [inner, outer] = &recorded.spans[..] else { panic!("{recorded:?}") };
        assert_eq!((inner.name, outer.name), ("inner", "outer"));
        assert_eq!(outer.args, [("batch", 3), ("bytes", 4096)]);
        assert!(outer.begin <= inner.begin && inner.end <= outer.end);
        assert!(recorded.snapshots[0].ticks <= outer.begin);
    }

    #[test]
    fn a_snapshot_comes_before_an_event_after_a_pause() {
        let trace = MetaTrace::start();
        let span = trace.span("long");
        std::thread::sleep(std::time::Duration::from_millis(150));
        drop(span);
        let recorded = trace.lock();
        // There are more if the thread had to wait before the span began.
        let [first, .., last] = &recorded.snapshots[..] else { panic!("{recorded:?}") };
        let span = &recorded.spans[0];
        assert!(first.ticks <= span.begin && span.begin < last.ticks);
        assert!(last.ticks <= span.end);
    }

    #[test]
    fn threads_are_distinguished() {
        let trace = MetaTrace::start();
        std::thread::scope(|scope| {
            for name in ["one", "two"] {
                let work = || drop(trace.span("work"));
                std::thread::Builder::new()
                    .name(name.to_owned())
                    .spawn_scoped(scope, work)
                    .unwrap();
            }
        });
        let recorded = trace.lock();
        let [one, two] = &recorded.spans[..] else { panic!("{recorded:?}") };
        assert_ne!(one.thread.tid, two.thread.tid);
        let mut names = [&one.thread.name, &two.thread.name].map(Option::as_deref);
        names.sort_unstable();
        assert_eq!(names, [Some("one"), Some("two")]);
    }

    #[test]
    fn a_span_may_end_on_another_thread() {
        let trace = MetaTrace::start();
        let span = trace.span("moved");
        let begun_on = span.thread.tid;
        std::thread::scope(|scope| {
            scope.spawn(move || drop(span));
        });
        assert_eq!(trace.lock().spans[0].thread.tid, begun_on);
    }
}
