//! The threads that asynchronous work runs on.

use tokio::runtime::{Builder, Runtime};

/// Bytes of a thread's stack: room for expressions that nest deeply. The system gives only what is
/// touched.
pub const STACK: usize = 64 << 20;

/// A runtime with this many threads, or one for each core.
pub fn build(threads: Option<usize>) -> std::io::Result<Runtime> {
    let mut builder = Builder::new_multi_thread();
    if let Some(threads) = threads {
        builder.worker_threads(threads);
    }
    builder.thread_stack_size(STACK);
    builder.enable_all().build()
}
