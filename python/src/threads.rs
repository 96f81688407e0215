//! The threads that run the imports and statements of one trace.

use std::future::Future;

use pyo3::PyResult;
use pyo3::exceptions::PyOSError;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinHandle;

/// The stack size of a thread in bytes, with room for deeply nested expressions. The system
/// allocates only the pages that are touched.
const STACK: usize = 64 << 20;

/// A runtime of its own for each trace, so that a process can fork before it opens a trace.
pub struct Threads {
    handle: Handle,
    /// `None` only while it is dropped.
    runtime: Option<Runtime>,
}

impl Threads {
    /// Starts `count` threads, or one per core.
    pub fn start(count: Option<usize>) -> PyResult<Self> {
        let mut builder = Builder::new_multi_thread();
        if let Some(count) = count {
            builder.worker_threads(count);
        }
        let runtime = builder.thread_stack_size(STACK).enable_all().build();
        let runtime = runtime
            .map_err(|error| PyOSError::new_err(format!("cannot start threads: {error}")))?;
        Ok(Self { handle: runtime.handle().clone(), runtime: Some(runtime) })
    }

    /// Runs work on these threads.
    pub fn spawn<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        self.handle.spawn(work)
    }
}

impl Drop for Threads {
    /// Work that cannot be stopped ends in the background.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
