//! The threads for asynchronous work.

use tokio::runtime::{Builder, Runtime};

/// The stack size of a thread in bytes, with room for deeply nested expressions. The system
/// allocates only the pages that are touched.
pub const STACK: usize = 64 << 20;

/// A runtime with `threads` threads, or one per core.
pub fn build(threads: Option<usize>) -> std::io::Result<Runtime> {
    let mut builder = Builder::new_multi_thread();
    if let Some(threads) = threads {
        builder.worker_threads(threads);
    }
    builder.thread_stack_size(STACK);
    builder.enable_all().build()
}
