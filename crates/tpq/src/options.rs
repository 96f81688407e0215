//! What a caller can choose about an import.

use std::sync::Arc;

/// Told how far an import is. Called often, from the importing threads; must return at once.
pub trait Progress: Send + Sync {
    /// `done` of `total` bytes of the input have passed the stage that reads them.
    fn advance(&self, done: u64, total: u64);
    /// The import entered a new stage, named for people: "reading", "sorting"…
    fn stage(&self, name: &'static str);
}

/// How to import.
#[derive(Clone, Default)]
pub struct ImportOptions {
    /// Sort all events before decoding any, instead of in windows closed by the recorder's
    /// flushes. Keeps events that arrive too late for their window, at the cost of memory.
    pub full_sort: bool,
    /// The most memory for sorting, grouping and joining in queries, and the most that a
    /// compressed trace may unpack to, in bytes. The tables themselves are not counted.
    pub memory_limit: Option<u64>,
    /// How many threads to use; all cores when not given.
    pub threads: Option<usize>,
    /// Fail when anything was lost or not understood.
    pub strict: bool,
    /// Who wants to know how far the import is.
    pub progress: Option<Arc<dyn Progress>>,
}
