//! Options of an import.

use std::path::PathBuf;
use std::sync::Arc;

use tpq_clock::Interpolation;

use crate::{CancelToken, ImportError, MetaTrace, Span, SqlPackage, TableCache};

/// Receives the progress of an import. Called often, from the importing threads; must return at
/// once.
pub trait Progress: Send + Sync {
    /// `done` of `total` input bytes have passed the stage that reads them.
    fn advance(&self, done: u64, total: u64);
    /// The import entered a new stage, with a readable name: "reading", "sorting"…
    fn stage(&self, name: &'static str);
}

/// Receives a warning of one line.
pub type OnWarning = Arc<dyn Fn(&str) + Send + Sync>;

/// How to import.
#[derive(Clone)]
pub struct ImportOptions {
    /// Sort all events before decoding any, instead of in windows that flushes of the recorder
    /// close. This keeps events that arrive too late for their window, but all events wait until
    /// the last one is read.
    pub full_sort: bool,
    /// Approximate memory limit in bytes of the import, and of sorting, grouping and joining in
    /// queries; at least [`Self::LEAST_MEMORY`]. Half of it is for events that wait to be sorted,
    /// and an eighth for finished rows. Data beyond the limit goes to temporary files, so a limit
    /// never changes results. Without a limit, 1 GiB of events wait in memory.
    pub memory_limit: Option<u64>,
    /// The number of threads; all cores if `None`.
    pub threads: Option<usize>,
    /// How to convert a timestamp between two snapshots of its clock.
    pub clock_interpolation: Interpolation,
    /// Whether every kernel event gets a row in `ftrace_event` with its arguments, in addition to
    /// the tables made from kernel events.
    pub ftrace_raw: bool,
    /// Whether to drop track events before the range of interest that a recording names.
    pub crop: bool,
    /// Files and folders of binaries, for the functions of frames without symbols. Binaries are
    /// found by their build ids.
    pub symbols: Vec<PathBuf>,
    /// Fail when anything was lost or not understood.
    pub strict: bool,
    /// Packages of SQL modules, in addition to tpq's own. They override tpq's modules of the same
    /// name.
    pub sql_packages: Vec<SqlPackage>,
    /// Whether statements may read other files than the trace, with the permissions of the process.
    pub allow_files: bool,
    /// Where finished tables are kept, so that the same traces need not be imported again. A
    /// summary from the cache has no clocks. Not used if `strict` is set.
    pub cache: Option<TableCache>,
    /// The statements to be run, if they are known: groups of tables that they do not name are left
    /// out, of the cache entry as well. They are imported, with all others, when one is read after
    /// all, so other statements have the same answers. `None` imports everything.
    pub statements: Option<Arc<str>>,
    /// Whether traces that the cache stores are imported with all tables, whatever `statements`
    /// says: of many traces, other statements would have all imported again.
    pub store_whole: bool,
    /// Cancels the import, which then fails with [`ImportError::Cancelled`] and leaves nothing
    /// behind. The import threads check the token every few milliseconds while events are read.
    /// Unpacking an archive and the prescan of a file cannot be cancelled.
    pub cancel: CancelToken,
    /// Receives the progress of the import.
    pub progress: Option<Arc<dyn Progress>>,
    /// Receives one-line warnings about problems that do not cause a failure, such as a damaged
    /// cache file. Called on any thread, also during queries.
    pub on_warning: Option<OnWarning>,
    /// Returns freed memory to the system, by the means of the process's allocator, which may keep
    /// memory where nothing is allocated again. Called on the importing thread after much memory
    /// was freed.
    pub give_back: Option<fn()>,
    /// Records what the import, and queries after it, do and when.
    pub metatrace: Option<Arc<MetaTrace>>,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self {
            full_sort: false,
            memory_limit: None,
            threads: None,
            clock_interpolation: Interpolation::default(),
            ftrace_raw: true,
            crop: false,
            symbols: Vec::new(),
            strict: false,
            sql_packages: Vec::new(),
            allow_files: false,
            cache: None,
            statements: None,
            store_whole: false,
            cancel: CancelToken::default(),
            progress: None,
            on_warning: None,
            give_back: None,
            metatrace: None,
        }
    }
}

impl ImportOptions {
    /// The lowest memory limit, in bytes. A lower limit has no room for the read buffers of the
    /// temporary file's stretches and for the data that the stages of an import exchange.
    pub const LEAST_MEMORY: u64 = 16 << 20;

    /// Rejects options that no import can satisfy.
    pub(crate) fn check(&self) -> Result<(), ImportError> {
        match self.memory_limit {
            Some(limit) if limit < Self::LEAST_MEMORY => Err(ImportError::MemoryLimit { limit }),
            _ => Ok(()),
        }
    }

    /// Begins a span of the metatrace, if there is one.
    pub(crate) fn span(&self, name: &'static str) -> Option<Span<'_>> {
        self.metatrace.as_ref().map(|metatrace| metatrace.span(name))
    }

    /// Runs `work` in a span of its own.
    pub(crate) fn timed<T>(&self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let _span = self.span(name);
        work()
    }

    /// Reports a warning.
    pub(crate) fn warn(&self, what: &str) {
        if let Some(on_warning) = &self.on_warning {
            on_warning(what);
        }
    }

    /// Returns freed memory to the system after an import of so many bytes.
    pub(crate) fn give_back(&self, trace_bytes: u64) {
        /// The first query reuses the memory of a smaller import, and would meet a page fault for
        /// each page of it.
        const WORTH: u64 = 4 << 20;
        if let Some(give_back) = self.give_back.filter(|_| trace_bytes >= WORTH) {
            self.timed("give back", give_back);
        }
    }

    /// Returns an error once the import was cancelled.
    pub(crate) fn not_cancelled(&self) -> Result<(), ImportError> {
        if self.cancel.is_cancelled() { Err(ImportError::Cancelled) } else { Ok(()) }
    }

    /// Reports the progress of the import.
    pub(crate) fn advance(&self, done: u64, total: u64) {
        if let Some(progress) = &self.progress {
            progress.advance(done, total);
        }
    }
}

/// The stages of an import. Each is reported as progress and is a span of the metatrace.
pub(crate) struct Stages<'a> {
    options: &'a ImportOptions,
    stage: Option<Span<'a>>,
}

impl<'a> Stages<'a> {
    /// The state before the first stage.
    pub(crate) fn new(options: &'a ImportOptions) -> Self {
        Self { options, stage: None }
    }

    /// Ends the current stage and begins the next.
    pub(crate) fn begin(&mut self, name: &'static str) {
        self.stage = None;
        if let Some(progress) = &self.options.progress {
            progress.stage(name);
        }
        self.stage = self.options.span(name);
    }
}
