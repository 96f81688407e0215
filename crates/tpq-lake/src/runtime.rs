//! The threads for storage, which live as long as the process: connections to an object store stay
//! open whatever runtime a caller has, and code that cannot wait asynchronously can wait for them.

use std::sync::mpsc::channel;
use std::sync::{Arc, OnceLock};

use delta_kernel_default_engine::executor::tokio::TokioMultiThreadExecutor;
use tokio::runtime::{Builder, Handle, Runtime};

use crate::LakeError;

/// Storage waits more than it computes.
const THREADS: usize = 2;

static RUNTIME: OnceLock<Option<Runtime>> = OnceLock::new();

fn handle() -> Result<&'static Handle, LakeError> {
    let start = || {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(THREADS).thread_name("storage").enable_all().build().ok()
    };
    let runtime = RUNTIME.get_or_init(start).as_ref();
    let none = || LakeError::Threads("they cannot be started".to_owned());
    runtime.map(Runtime::handle).ok_or_else(none)
}

/// The executor of the Delta engine.
pub(crate) fn executor() -> Result<Arc<TokioMultiThreadExecutor>, LakeError> {
    Ok(Arc::new(TokioMultiThreadExecutor::new(handle()?.clone())))
}

/// Runs code that blocks, such as work on a Delta log, on a thread of its own.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, LakeError> + Send + 'static,
) -> Result<T, LakeError> {
    let done = handle()?.spawn_blocking(work).await;
    done.map_err(|stopped| LakeError::Threads(stopped.to_string()))?
}

/// Runs asynchronous work of storage beside the caller.
pub(crate) fn spawn<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Result<tokio::task::JoinHandle<T>, LakeError> {
    Ok(handle()?.spawn(work))
}

/// Waits for asynchronous work of storage on a thread that cannot wait otherwise.
pub(crate) fn wait<T: Send + 'static>(
    work: impl Future<Output = Result<T, LakeError>> + Send + 'static,
) -> Result<T, LakeError> {
    let (sender, receiver) = channel();
    handle()?.spawn(async move {
        // The receiver waits until there is a result.
        let _ = sender.send(work.await);
    });
    receiver.recv().map_err(|_| LakeError::Threads("they ended early".to_owned()))?
}
