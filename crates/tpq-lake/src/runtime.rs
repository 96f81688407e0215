//! The threads for storage, which live as long as the process: connections to an object store stay
//! open whatever runtime a caller has, and code that cannot wait asynchronously can wait for them.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::mpsc::channel;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use delta_kernel_default_engine::executor::tokio::TokioMultiThreadExecutor;
use tokio::runtime::{Builder, Handle, Runtime, RuntimeFlavor};
use tokio::task::JoinHandle;

use crate::LakeError;

/// Storage waits more than it computes.
const THREADS: usize = 2;
/// Files of folders are read and written by threads that wait for the file system. A log with many
/// commits would start one for each of them.
const FILE_THREADS: usize = 8;
/// Logs wait for storage as well.
const LOG_THREADS: usize = 8;

/// The longest pause before the second try of a commit, and before later ones, in ms.
const FIRST_PAUSE: u64 = 20;
const LONGEST_PAUSE: u64 = 1000;

static STORAGE: Threads = Threads::new();
static LOGS: Threads = Threads::new();
static ENCODERS: Threads = Threads::new();

/// Threads that are started when they are first needed.
struct Threads(OnceLock<Option<Runtime>>);

impl Threads {
    const fn new() -> Self {
        Self(OnceLock::new())
    }

    fn handle(
        &self,
        build: impl FnOnce() -> std::io::Result<Runtime>,
    ) -> Result<&Handle, LakeError> {
        let runtime = self.0.get_or_init(|| build().ok()).as_ref();
        let none = || LakeError::Threads("they cannot be started".to_owned());
        runtime.map(Runtime::handle).ok_or_else(none)
    }
}

fn handle() -> Result<&'static Handle, LakeError> {
    STORAGE.handle(|| {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(THREADS).max_blocking_threads(FILE_THREADS);
        builder.thread_name("storage").enable_all().build()
    })
}

/// A number of threads for work that blocks. Tokio gives work to each of its idle threads in turn,
/// and the allocator keeps for each thread what its largest piece of work took, so there are few.
fn few(name: &str, threads: usize) -> std::io::Result<Runtime> {
    let mut builder = Builder::new_current_thread();
    builder.max_blocking_threads(threads).thread_name(name).build()
}

/// The executor of the Delta engine.
pub(crate) fn executor() -> Result<Arc<TokioMultiThreadExecutor>, LakeError> {
    Ok(Arc::new(TokioMultiThreadExecutor::new(handle()?.clone())))
}

/// Runs code that blocks, such as work on a Delta log, on a thread that may wait for storage. It
/// must not wait for other such work.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, LakeError> + Send + 'static,
) -> Result<T, LakeError> {
    let threads = LOGS.handle(|| few("lake log", LOG_THREADS))?;
    done(threads.spawn_blocking(work)).await
}

/// The same for code that encodes rows, for which there is a thread for each core.
pub(crate) async fn encoding<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, LakeError> + Send + 'static,
) -> Result<T, LakeError> {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = ENCODERS.handle(|| few("encoder", cores()))?;
    done(threads.spawn_blocking(work)).await
}

async fn done<T>(task: JoinHandle<Result<T, LakeError>>) -> Result<T, LakeError> {
    task.await.map_err(|stopped| LakeError::Threads(stopped.to_string()))?
}

/// Runs asynchronous work of storage beside the caller.
pub(crate) fn spawn<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Result<JoinHandle<T>, LakeError> {
    Ok(handle()?.spawn(work))
}

/// Waits before a commit is tried again because another process was faster. `attempt` counts from 0.
pub(crate) async fn pause(attempt: u32) -> Result<(), LakeError> {
    let time = random_pause(attempt);
    // The runtime of the caller may have no timer.
    let slept = spawn(async move { tokio::time::sleep(time).await })?.await;
    slept.map_err(|stopped| LakeError::Threads(stopped.to_string()))
}

/// A random time, as processes that wait equally long disturb each other again.
pub(crate) fn random_pause(attempt: u32) -> Duration {
    let most = (FIRST_PAUSE << attempt.min(6)).min(LONGEST_PAUSE);
    let random = RandomState::new().build_hasher().finish();
    Duration::from_millis(random % (most + 1))
}

/// Waits for asynchronous work of storage on a thread that cannot wait otherwise. Other tasks of a
/// runtime that the thread belongs to go on meanwhile.
pub(crate) fn wait<T: Send + 'static>(
    work: impl Future<Output = Result<T, LakeError>> + Send + 'static,
) -> Result<T, LakeError> {
    let (sender, receiver) = channel();
    handle()?.spawn(async move {
        // The receiver waits until there is a result.
        let _ = sender.send(work.await);
    });
    let received = match Handle::try_current().map(|current| current.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(|| receiver.recv()),
        _ => receiver.recv(),
    };
    received.map_err(|_| LakeError::Threads("they ended early".to_owned()))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_tasks_go_on_while_one_waits_for_storage() {
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).enable_all().build().unwrap();
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let waiting = runtime.spawn(async move {
            wait(async move {
                let beside = tokio::time::timeout(Duration::from_secs(10), receiver).await;
                Ok(beside.is_ok_and(|sent| sent.is_ok()))
            })
        });
        runtime.spawn(async move { sender.send(()) });
        assert!(runtime.block_on(waiting).unwrap().unwrap());
    }

    #[tokio::test]
    async fn work_waits_for_one_of_few_threads() {
        let name = || Ok(std::thread::current().name().unwrap_or_default().to_owned());
        let threads = || {
            std::thread::sleep(Duration::from_millis(1));
            Ok(std::thread::current().id())
        };
        let many = futures::future::try_join_all((0..50).map(|_| blocking(threads)));
        let ids: std::collections::HashSet<_> = many.await.unwrap().into_iter().collect();
        assert!(ids.len() <= LOG_THREADS, "{ids:?}");
        assert_eq!(blocking(name).await.unwrap(), "lake log");
        assert_eq!(encoding(name).await.unwrap(), "encoder");
        // It may wait for storage.
        let waited = blocking(|| wait(async { Ok(7) })).await;
        assert_eq!(waited.unwrap(), 7);
    }

    #[test]
    fn few_threads_read_files() {
        let ids = wait(async {
            let read = |_: u32| {
                tokio::task::spawn_blocking(|| {
                    std::thread::sleep(Duration::from_millis(1));
                    std::thread::current().id()
                })
            };
            let ids = futures::future::join_all((0..100).map(read)).await;
            Ok(ids.into_iter().collect::<Result<std::collections::HashSet<_>, _>>().unwrap())
        });
        let ids = ids.unwrap();
        assert!(ids.len() <= FILE_THREADS, "{ids:?}");
    }

    #[test]
    fn pauses_differ_and_are_short() {
        let pauses: std::collections::HashSet<_> = (0..50).map(|_| random_pause(40)).collect();
        assert!(pauses.len() > 10, "{pauses:?}");
        assert!(pauses.iter().all(|pause| *pause <= Duration::from_millis(LONGEST_PAUSE)));
        assert!(random_pause(0) <= Duration::from_millis(FIRST_PAUSE));
    }
}
