//! The thread and the runtime of work that can be abandoned, kept for the next work.
//!
//! Starting three threads and unmapping their stacks takes longer than many statements, and new
//! threads have no memory in the allocator yet. So a script uses the same threads as long as its
//! statements end by themselves. Threads without work for a second end.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context;
use tokio::runtime::{Handle, Runtime};
use tokio::sync::oneshot;

use crate::runtime;

/// The runtime of the last work.
pub static KEPT: KeptRuntime = KeptRuntime::new(KEEP);

/// How long a runtime waits for work before its threads end and release their memory.
const KEEP: Duration = Duration::from_secs(1);
/// The stack of the thread on which statements are planned. Planning maps a stack of this size for
/// each statement where it has less than three quarters of it.
const PLANNING_STACK: usize = 256 << 20;
/// Longer than any step takes, and short enough not to overflow a clock.
const NO_TIMEOUT: Duration = Duration::from_secs(365 * 24 * 3600);

type Work = Box<dyn FnOnce(&Runtime) + Send>;

/// A thread with a runtime, which runs one work after the other.
pub struct DetachedRuntime {
    work: Sender<Work>,
    /// Closes when all threads have ended.
    ended: oneshot::Receiver<()>,
    handle: Handle,
}

impl DetachedRuntime {
    /// Starts the threads, as many as the current runtime has. `kept` is where this runtime may be
    /// kept.
    fn start(kept: &'static KeptRuntime) -> anyhow::Result<Self> {
        let runtime = runtime::build(Some(Handle::current().metrics().num_workers()))
            .context("cannot start the threads of a query")?;
        let handle = runtime.handle().clone();
        let (work, next) = channel();
        let (running, ended) = oneshot::channel::<()>();
        let thread = std::thread::Builder::new().name("query".into()).stack_size(PLANNING_STACK);
        let run = move || {
            run_all(&next, &runtime, kept);
            // Tasks that do not yield end in their own time, and this thread with them.
            runtime.shutdown_timeout(NO_TIMEOUT);
            drop(running);
        };
        thread.spawn(run).context("cannot start the thread of a query")?;
        Ok(Self { work, ended, handle })
    }

    /// Runs work after all that was given before.
    pub fn run(&self, work: impl FnOnce(&Runtime) + Send + 'static) {
        // The thread ends only when this is dropped, or when work panics. The caller sees that, as
        // the work is dropped.
        let _ = self.work.send(Box::new(work));
    }

    /// Ends the threads after their work. The receiver closes when they have ended.
    pub fn end(self) -> oneshot::Receiver<()> {
        self.ended
    }

    /// Whether nothing runs, not even steps of earlier work that do not yield.
    fn is_idle(&self) -> bool {
        self.handle.metrics().num_alive_tasks() == 0
    }
}

/// Runs work until no more can come.
fn run_all(next: &Receiver<Work>, runtime: &Runtime, kept: &KeptRuntime) {
    loop {
        match next.recv_timeout(kept.keep) {
            Ok(work) => work(runtime),
            // Unless work is about to come, this drops the sender.
            Err(RecvTimeoutError::Timeout) => kept.release(),
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// A place for a runtime that waits for work.
pub struct KeptRuntime {
    runtime: Mutex<Option<DetachedRuntime>>,
    keep: Duration,
}

impl KeptRuntime {
    const fn new(keep: Duration) -> Self {
        Self { runtime: Mutex::new(None), keep }
    }

    /// The kept runtime, or a new one if none is kept or it still runs something.
    ///
    /// # Errors
    /// When the system cannot start threads.
    pub fn take(&'static self) -> anyhow::Result<DetachedRuntime> {
        match self.swap(None).filter(DetachedRuntime::is_idle) {
            Some(runtime) => Ok(runtime),
            None => DetachedRuntime::start(self),
        }
    }

    /// Keeps a runtime after its work has ended.
    pub fn put(&self, runtime: DetachedRuntime) {
        drop(self.swap(Some(runtime)));
    }

    /// Lets the threads of the kept runtime end.
    fn release(&self) {
        drop(self.swap(None));
    }

    fn swap(&self, runtime: Option<DetachedRuntime>) -> Option<DetachedRuntime> {
        let mut kept = self.runtime.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *kept, runtime)
    }
}

#[cfg(test)]
mod tests {
    use std::thread::{ThreadId, current};

    use super::*;

    /// The thread of a runtime, once it runs what this gives it.
    fn thread_of(runtime: &DetachedRuntime) -> ThreadId {
        let (sender, receiver) = channel();
        runtime.run(move |_| sender.send(current().id()).unwrap());
        receiver.recv().unwrap()
    }

    #[tokio::test]
    async fn work_runs_on_the_threads_of_the_work_before() {
        static KEPT: KeptRuntime = KeptRuntime::new(NO_TIMEOUT);
        let first = KEPT.take().unwrap();
        let thread = thread_of(&first);
        KEPT.put(first);
        let second = KEPT.take().unwrap();
        assert_eq!(thread_of(&second), thread);
        let third = KEPT.take().unwrap();
        assert_ne!(thread_of(&third), thread);
    }

    #[tokio::test]
    async fn a_runtime_with_tasks_is_not_used_again() {
        static KEPT: KeptRuntime = KeptRuntime::new(NO_TIMEOUT);
        let first = KEPT.take().unwrap();
        let thread = thread_of(&first);
        let _task = first.handle.spawn(std::future::pending::<()>());
        KEPT.put(first);
        let second = KEPT.take().unwrap();
        assert_ne!(thread_of(&second), thread);
    }

    #[tokio::test]
    async fn a_runtime_without_work_ends() {
        static KEPT: KeptRuntime = KeptRuntime::new(Duration::from_millis(1));
        let mut runtime = KEPT.take().unwrap();
        let (_, other) = oneshot::channel();
        let ended = std::mem::replace(&mut runtime.ended, other);
        KEPT.put(runtime);
        assert!(ended.await.is_err());
        // The work of a runtime that is in use may take longer.
        let runtime = KEPT.take().unwrap();
        std::thread::sleep(Duration::from_millis(20));
        thread_of(&runtime);
    }

    #[tokio::test]
    async fn the_threads_of_a_runtime_that_is_dropped_end() {
        static KEPT: KeptRuntime = KeptRuntime::new(NO_TIMEOUT);
        assert!(KEPT.take().unwrap().end().await.is_err());
    }
}
