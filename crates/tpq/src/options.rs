//! What a caller can choose about an import.

use std::sync::Arc;

use tpq_clock::Interpolation;

use crate::{CancelToken, ImportError, MetaTrace, Span, SqlPackage, TableCache};

/// Told how far an import is. Called often, from the importing threads; must return at once.
pub trait Progress: Send + Sync {
    /// `done` of `total` bytes of the input have passed the stage that reads them.
    fn advance(&self, done: u64, total: u64);
    /// The import entered a new stage, named for people: "reading", "sorting"…
    fn stage(&self, name: &'static str);
}

/// Takes a remark of one line.
pub type OnWarning = Arc<dyn Fn(&str) + Send + Sync>;

/// How to import.
#[derive(Clone)]
pub struct ImportOptions {
    /// Sort all events before decoding any, instead of in windows closed by the recorder's
    /// flushes. Keeps events that arrive too late for their window; all events wait until the last
    /// is read.
    pub full_sort: bool,
    /// About the most memory that an import takes, in bytes, and that sorting, grouping and joining
    /// take in queries; [`Self::LEAST_MEMORY`] or more. Half of it is for events that wait to be put
    /// in order, and an eighth for finished rows. What is more goes to temporary files, so that a
    /// limit changes no answer. Without a limit, 1 GiB of events wait in memory.
    pub memory_limit: Option<u64>,
    /// How many threads to use; all cores when not given.
    pub threads: Option<usize>,
    /// How timestamps between two snapshots of their clock are converted.
    pub clock_interpolation: Interpolation,
    /// Whether every kernel event gets a row in `ftrace_event`, with its arguments, besides the
    /// tables made from it.
    pub ftrace_raw: bool,
    /// Whether track events are dropped that lie before the range of interest which a recording
    /// names.
    pub crop: bool,
    /// Fail when anything was lost or not understood.
    pub strict: bool,
    /// Packages of SQL modules, beside tpq's own; of two modules of one name, theirs win.
    pub sql_packages: Vec<SqlPackage>,
    /// Where finished tables are kept, so that the same traces need not be imported again. What
    /// was found there comes without the clocks and placements of a summary. Not used when the
    /// import is to be strict.
    pub cache: Option<TableCache>,
    /// Stops the import, which then fails with [`ImportError::Cancelled`] and leaves nothing
    /// behind. Threads of the import look at it every few milliseconds while events are read; an
    /// archive is unpacked, and a file skimmed, to its end.
    pub cancel: CancelToken,
    /// Who wants to know how far the import is.
    pub progress: Option<Arc<dyn Progress>>,
    /// Takes remarks of one line on what went wrong without making anything fail, as a damaged file
    /// in the cache. Called on any thread, during queries as well.
    pub on_warning: Option<OnWarning>,
    /// Gives memory back to the system that was freed, by the means of the process's allocator,
    /// which may keep it where nothing is allocated again. Called on the thread that imports, when
    /// much was freed.
    pub give_back: Option<fn()>,
    /// Where to record what the import, and queries after it, do and when.
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
            strict: false,
            sql_packages: Vec::new(),
            cache: None,
            cancel: CancelToken::default(),
            progress: None,
            on_warning: None,
            give_back: None,
            metatrace: None,
        }
    }
}

impl ImportOptions {
    /// The lowest memory limit, in bytes: less would not hold what is read of each stretch of the
    /// temporary file at a time, and what the stages of an import hand each other.
    pub const LEAST_MEMORY: u64 = 16 << 20;

    /// Refuses what no import can do.
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

    /// Does some work in a span of its own.
    pub(crate) fn timed<T>(&self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let _span = self.span(name);
        work()
    }

    /// Passes on a remark.
    pub(crate) fn warn(&self, what: &str) {
        if let Some(on_warning) = &self.on_warning {
            on_warning(what);
        }
    }

    /// Gives back what was freed.
    pub(crate) fn give_back(&self) {
        if let Some(give_back) = self.give_back {
            self.timed("give back", give_back);
        }
    }

    /// An error once the import was cancelled.
    pub(crate) fn not_cancelled(&self) -> Result<(), ImportError> {
        if self.cancel.is_cancelled() { Err(ImportError::Cancelled) } else { Ok(()) }
    }

    /// Says how far the import is.
    pub(crate) fn advance(&self, done: u64, total: u64) {
        if let Some(progress) = &self.progress {
            progress.advance(done, total);
        }
    }
}

/// The stages of an import, each told to whoever wants to know, and a span of the metatrace.
pub(crate) struct Stages<'a> {
    options: &'a ImportOptions,
    stage: Option<Span<'a>>,
}

impl<'a> Stages<'a> {
    /// Before the first stage.
    pub(crate) fn new(options: &'a ImportOptions) -> Self {
        Self { options, stage: None }
    }

    /// Ends the stage under way and begins the next.
    pub(crate) fn begin(&mut self, name: &'static str) {
        self.stage = None;
        if let Some(progress) = &self.options.progress {
            progress.stage(name);
        }
        self.stage = self.options.span(name);
    }
}
