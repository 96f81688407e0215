//! What a caller can choose about an import.

use std::sync::Arc;

use tpq_clock::Interpolation;

use crate::{MetaTrace, Span, SqlPackage, TableCache};

/// Told how far an import is. Called often, from the importing threads; must return at once.
pub trait Progress: Send + Sync {
    /// `done` of `total` bytes of the input have passed the stage that reads them.
    fn advance(&self, done: u64, total: u64);
    /// The import entered a new stage, named for people: "reading", "sorting"…
    fn stage(&self, name: &'static str);
}

/// How to import.
#[derive(Clone)]
pub struct ImportOptions {
    /// Sort all events before decoding any, instead of in windows closed by the recorder's
    /// flushes. Keeps events that arrive too late for their window, at the cost of memory.
    pub full_sort: bool,
    /// About the most memory that an import takes, in bytes, and that sorting, grouping and joining
    /// take in queries. Half of it is for events that wait to be put in order, of which some come too
    /// late where that is not enough; an eighth is for finished rows, of which more go to a
    /// temporary file. What queries have no room for does as well.
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
    /// Who wants to know how far the import is.
    pub progress: Option<Arc<dyn Progress>>,
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
            progress: None,
            give_back: None,
            metatrace: None,
        }
    }
}

impl ImportOptions {
    /// Begins a span of the metatrace, if there is one.
    pub(crate) fn span(&self, name: &'static str) -> Option<Span<'_>> {
        self.metatrace.as_ref().map(|metatrace| metatrace.span(name))
    }

    /// Does some work in a span of its own.
    pub(crate) fn timed<T>(&self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let _span = self.span(name);
        work()
    }

    /// Gives back what was freed.
    pub(crate) fn give_back(&self) {
        if let Some(give_back) = self.give_back {
            self.timed("give back", give_back);
        }
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
