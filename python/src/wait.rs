//! Waiting for work on the threads of a trace, until it ends or Ctrl-C stops it.

use std::future::Future;
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::ThreadId;
use std::time::Duration;

use pyo3::prelude::*;
use tokio::task::AbortHandle;
use tpq::CancelToken;

use crate::errors;
use crate::threads::Threads;

/// The interval between two looks for signals.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);
/// How long stopped work may take to end before the caller continues without it.
const STOP_TIMEOUT: Duration = Duration::from_millis(700);

/// Work that was started, and its future result.
struct Started<T> {
    result: Receiver<T>,
    task: AbortHandle,
    cancel: CancelToken,
}

/// What a wait of one interval found.
enum Waited<T> {
    Done(T),
    NotYet,
    /// The work ended without a result, by a panic.
    Lost,
}

impl<T: Send + 'static> Started<T> {
    fn new(
        threads: &Threads,
        cancel: &CancelToken,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Self {
        let (done, result) = sync_channel(1);
        let task = threads.spawn(async move {
            // Without a receiver, the result is no longer wanted.
            let _ = done.send(work.await);
        });
        Self { result, task: task.abort_handle(), cancel: cancel.clone() }
    }

    fn wait(&self, time: Duration) -> Waited<T> {
        match self.result.recv_timeout(time) {
            Ok(done) => Waited::Done(done),
            Err(RecvTimeoutError::Timeout) => Waited::NotYet,
            Err(RecvTimeoutError::Disconnected) => Waited::Lost,
        }
    }

    /// Stops the work, and waits a moment for its end.
    fn stop(self) {
        self.cancel.cancel();
        self.task.abort();
        let _ = self.wait(STOP_TIMEOUT);
    }
}

/// Runs `work` and returns its result. Meanwhile other threads of Python run, `tick` is called now
/// and then, and an exception of `tick` or of a signal handler cancels `cancel`.
///
/// # Errors
/// The exception, such as `KeyboardInterrupt`.
pub fn wait<T: Send + 'static>(
    py: Python<'_>,
    threads: &Threads,
    cancel: &CancelToken,
    work: impl Future<Output = T> + Send + 'static,
    mut tick: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    let mut started = Started::new(threads, cancel, work);
    loop {
        let waited;
        (waited, started) = py.detach(move || (started.wait(SIGNAL_INTERVAL), started));
        match waited {
            Waited::Done(done) => return Ok(done),
            Waited::Lost => return Err(errors::lost(py)),
            Waited::NotYet => {}
        }
        if let Err(exception) = py.check_signals().and_then(|()| tick(py)) {
            py.detach(move || started.stop());
            return Err(exception);
        }
    }
}

/// The end of a wait without a result.
#[derive(Debug, thiserror::Error)]
pub enum WaitError {
    /// Ctrl-C was pressed.
    #[error("interrupted")]
    Interrupted,
    /// The work ended by a panic.
    #[error("the statement stopped unexpectedly, which is a bug in tpq")]
    Lost,
}

/// Like [`wait`], for consumers of Arrow's C stream interface: they may hold Python's lock or not,
/// on any thread. So only the main thread, where Python handles signals, looks for Ctrl-C.
///
/// # Errors
/// When Ctrl-C was pressed; Python then raises `KeyboardInterrupt` as soon as it runs again.
pub fn wait_anywhere<T: Send + 'static>(
    threads: &Threads,
    cancel: &CancelToken,
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, WaitError> {
    let started = Started::new(threads, cancel, work);
    loop {
        match started.wait(SIGNAL_INTERVAL) {
            Waited::Done(done) => return Ok(done),
            Waited::Lost => return Err(WaitError::Lost),
            Waited::NotYet if is_interrupted() => {
                started.stop();
                return Err(WaitError::Interrupted);
            }
            Waited::NotYet => {}
        }
    }
}

/// The thread on which Python runs signal handlers.
static MAIN_THREAD: OnceLock<ThreadId> = OnceLock::new();

/// Notes the main thread, if this is it.
///
/// # Errors
/// When Python's module `threading` is broken.
pub fn remember_main_thread(py: Python<'_>) -> PyResult<()> {
    let threading = py.import("threading")?;
    let main = threading.call_method0("main_thread")?;
    if threading.call_method0("current_thread")?.is(&main) {
        MAIN_THREAD.get_or_init(|| std::thread::current().id());
    }
    Ok(())
}

/// Whether a signal handler raised an exception on this thread. Python's own exception cannot pass
/// through a consumer, so the interrupt is repeated for Python to see once the consumer returns.
fn is_interrupted() -> bool {
    if MAIN_THREAD.get() != Some(&std::thread::current().id()) {
        return false;
    }
    Python::attach(|py| {
        let interrupted = py.check_signals().is_err();
        if interrupted {
            // If this fails, the error of the stream still reaches the caller.
            let _ = py.import("_thread").and_then(|it| it.call_method0("interrupt_main"));
        }
        interrupted
    })
}
