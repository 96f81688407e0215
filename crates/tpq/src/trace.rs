//! An imported trace, ready for queries.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use tokio::sync::oneshot;
use tpq_lake::LakeError;
use tpq_sql::{CancelOnDrop, Engine, Session, SessionOptions, SqlError, groups_named};
use tpq_tables::{TableGroups, Tables, TraceTables};

use crate::cache::{CachedTables, EntryWrites, Key, KeySuffix};
use crate::import::{Imported, Received};
use crate::left_out::ImportAgain;
use crate::traces::{Stamps, Traces};
use crate::{
    CancelToken, ImportError, ImportOptions, ImportSummary, MetaTrace, Span, SqlPackage,
    SqlPackageError, TableCache,
};

/// An error on opening a trace.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The import failed.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The import ended without a result: a bug in tpq.
    #[error("the import stopped unexpectedly, which is a bug in tpq: {0}")]
    Stopped(#[from] tokio::task::JoinError),
    /// A session could not be started: a bug in tpq.
    #[error(transparent)]
    Session(#[from] SqlError),
    /// A package of SQL modules could not be read.
    #[error(transparent)]
    Package(#[from] SqlPackageError),
    /// A lake could not be read.
    #[error(transparent)]
    Lake(#[from] LakeError),
    /// No trace was given.
    #[error("expected a trace, got none")]
    None,
}

/// An imported trace.
pub struct Trace {
    paths: Vec<PathBuf>,
    tables: Arc<TraceTables>,
    summary: ImportSummary,
    session: Session,
    metatrace: Option<Arc<MetaTrace>>,
    origin: Origin,
    /// Tables may still be on their way to the cache.
    writes: EntryWrites,
}

/// Where the tables came from.
enum Origin {
    /// An import, or a lake.
    Import,
    /// The cache, with the traces and options to import them again.
    Cache(Traces, Box<ImportOptions>),
}

/// Tables that were imported or found in the cache.
struct LoadedTables {
    tables: Arc<TraceTables>,
    summary: ImportSummary,
    origin: Origin,
    writes: EntryWrites,
}

impl Trace {
    /// Imports the traces at `paths` onto one timeline, without blocking the async runtime.
    /// Dropping the future cancels the import.
    ///
    /// # Errors
    /// See [`import`](crate::import()).
    pub async fn open(
        paths: &[impl Into<PathBuf> + Clone],
        options: ImportOptions,
    ) -> Result<Self, OpenError> {
        if paths.is_empty() {
            return Err(OpenError::None);
        }
        let paths: Vec<PathBuf> = paths.iter().cloned().map(Into::into).collect();
        Self::open_traces(paths.clone(), Traces::Files(paths), options).await
    }

    async fn open_traces(
        paths: Vec<PathBuf>,
        traces: Traces,
        options: ImportOptions,
    ) -> Result<Self, OpenError> {
        options.check()?;
        // Before the import, which may take long: a mistyped folder should be reported at once.
        let session_options = session_options(&options)?;
        let metatrace = options.metatrace.clone();
        let unwanted = unwanted(&options, &session_options);
        let stop = CancelOnDrop(options.cancel.child());
        let options = ImportOptions { cancel: stop.0.clone(), ..options };
        let (quick, is_quick) = oneshot::channel();
        let loaded =
            tokio::task::spawn_blocking(move || find_or_import(traces, unwanted, options, quick));
        // An engine loads much of the program. The peak of memory of a long import is without it.
        let engine = match is_quick.await {
            Ok(()) => Some(Engine::new(&session_options)?),
            Err(_) => None,
        };
        Self::with_session(paths, session_options, engine, metatrace, loaded.await??)
    }

    /// Imports the trace that `input` gives, on this thread, or finds its tables in the cache.
    /// `name` is that of its file.
    ///
    /// # Errors
    /// See [`import`](crate::import()); and when `input` fails.
    pub fn read(name: &Path, input: impl Read, options: &ImportOptions) -> Result<Self, OpenError> {
        let session_options = session_options(options)?;
        let traces = Traces::Received(Arc::new(Received::read(name, input, options)?));
        let unwanted = unwanted(options, &session_options);
        let (quick, _) = oneshot::channel();
        let loaded = find_or_import(traces, unwanted, options.clone(), quick)?;
        let metatrace = options.metatrace.clone();
        Self::with_session(vec![name.to_owned()], session_options, None, metatrace, loaded)
    }

    /// A trace without events: every table exists and is empty, except those that describe the
    /// trace itself.
    ///
    /// # Errors
    /// When a package of SQL modules cannot be read.
    pub fn without_events(options: &ImportOptions) -> Result<Self, OpenError> {
        let session_options = session_options(options)?;
        let loaded = LoadedTables {
            tables: Arc::new(Tables::default().finish()),
            summary: ImportSummary::default(),
            origin: Origin::Import,
            writes: EntryWrites::default(),
        };
        let metatrace = options.metatrace.clone();
        Self::with_session(Vec::new(), session_options, None, metatrace, loaded)
    }

    /// A trace with a session on its tables, and on an engine if there is one already.
    fn with_session(
        paths: Vec<PathBuf>,
        mut session_options: SessionOptions,
        engine: Option<Engine>,
        metatrace: Option<Arc<MetaTrace>>,
        loaded: LoadedTables,
    ) -> Result<Self, OpenError> {
        let LoadedTables { tables, summary, origin, writes } = loaded;
        let kinds = summary.packet_kinds.iter();
        session_options.packets = kinds.map(|packets| packets.kind.clone()).collect();
        let engine = engine.map_or_else(|| Engine::new(&session_options), Ok)?;
        let session = Session::on_engine(engine, Arc::clone(&tables), &session_options)?;
        Ok(Self { paths, tables, summary, session, metatrace, origin, writes })
    }

    /// A trace with tables that are stored elsewhere, and a session on them.
    pub(crate) fn of_session(
        paths: Vec<PathBuf>,
        tables: Arc<TraceTables>,
        session: Session,
        metatrace: Option<Arc<MetaTrace>>,
    ) -> Self {
        Self {
            paths,
            tables,
            summary: ImportSummary::default(),
            session,
            metatrace,
            origin: Origin::Import,
            writes: EntryWrites::default(),
        }
    }

    /// Imports the traces again if these tables came from the cache, which does not keep everything
    /// an import knows about clocks. Returns `None` if the tables came from an import.
    ///
    /// # Errors
    /// See [`import`](crate::import()).
    pub async fn import_again(&self) -> Result<Option<Self>, OpenError> {
        let Origin::Cache(traces, options) = &self.origin else { return Ok(None) };
        // The token of the first import was cancelled when that import ended.
        let cancel = CancelToken::default();
        let options = ImportOptions { cache: None, cancel, ..(**options).clone() };
        let again = Self::open_traces(self.paths.clone(), traces.clone(), options);
        Box::pin(again).await.map(Some)
    }

    /// Runs the one statement in `sql` and returns all its rows. For results too large for memory,
    /// and for scripts, see [`Trace::session`].
    ///
    /// # Errors
    /// When the statement is wrong or fails.
    pub async fn sql(&self, sql: &str) -> Result<Vec<RecordBatch>, SqlError> {
        let planning = self.span("plan");
        let result = self.session.query(sql).await?;
        drop(planning);
        let _executing = self.span("execute");
        result.collect().await
    }

    /// Begins a span of the metatrace, if the import was started with one.
    pub fn span(&self, name: &'static str) -> Option<Span<'_>> {
        self.metatrace.as_ref().map(|metatrace| metatrace.span(name))
    }

    /// The opened files, as the caller named them.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// The session that runs statements.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The finished tables.
    pub fn tables(&self) -> &Arc<TraceTables> {
        &self.tables
    }

    /// Whether the tables came from the cache.
    pub fn is_from_cache(&self) -> bool {
        matches!(self.origin, Origin::Cache(..))
    }

    /// Waits until the cache has the tables, if they are to be cached. Dropping the trace waits as
    /// well, but another thread may hold the trace until the process ends.
    pub fn wait_until_cached(&self) {
        self.writes.wait();
    }

    /// The findings of the import that are not in the tables.
    pub fn summary(&self) -> &ImportSummary {
        &self.summary
    }
}

/// The options of a session, with the modules of all packages.
pub(crate) fn session_options(options: &ImportOptions) -> Result<SessionOptions, SqlPackageError> {
    let modules = options.sql_packages.iter().map(SqlPackage::read);
    let modules = modules.collect::<Result<Vec<_>, _>>()?;
    Ok(SessionOptions {
        memory_limit: options.memory_limit,
        threads: options.threads,
        modules: modules.into_iter().flatten().collect(),
        packets: Vec::new(),
        allow_files: options.allow_files,
    })
}

/// The groups of tables that are not wanted: the statements to be run do not name them.
fn unwanted(options: &ImportOptions, session: &SessionOptions) -> TableGroups {
    match &options.statements {
        Some(statements) => groups_named(statements, &session.modules).others(),
        None => TableGroups::NONE,
    }
}

/// Finds the tables of the traces in the cache; otherwise imports the traces and starts to write
/// the cache entry. Sends to `quick` if the tables are there after a few milliseconds: those of a
/// small trace, and those that the cache has.
fn find_or_import(
    traces: Traces,
    unwanted: TableGroups,
    options: ImportOptions,
    quick: oneshot::Sender<()>,
) -> Result<LoadedTables, ImportError> {
    let unwanted = if traces.can_be_read_again() { unwanted } else { TableGroups::NONE };
    let stamps = Stamps::of(&traces);
    let are_small = stamps.as_ref().is_some_and(|stamps| traces.are_small(stamps));
    let are_tiny = are_small && stamps.as_ref().is_some_and(|stamps| traces.are_tiny(stamps));
    let cache = usable_cache(&traces, stamps.as_ref(), &options);
    let unwanted = match &cache {
        Some(_) if options.store_whole => TableGroups::NONE,
        _ => unwanted,
    };
    let find_span = cache.as_ref().and_then(|_| options.span("find"));
    let suffix = cache.and_then(|cache| Some((KeySuffix::new(&traces, &options)?, cache)));
    // A digest takes a part of the time of an import, so it is not waited for without need.
    let is_new = |(suffix, cache): &(KeySuffix, TableCache)| {
        options.threads != Some(1) && !cache.may_have(suffix)
    };
    let (new, suffix) = match suffix {
        Some(suffix) if is_new(&suffix) => (Some(suffix), None),
        suffix => (None, suffix),
    };
    if options.threads != Some(1) && (suffix.is_some() || are_small) {
        // A caller that is gone wants no tables.
        let _ = quick.send(());
    }
    let found = suffix.and_then(|(suffix, cache)| {
        let (key, found) = cache.find_by_digest(suffix, &traces, &options)?;
        Some(((cache, key), found))
    });
    let (entry, cached) = found.unzip();
    drop(find_span);
    let writes = EntryWrites::default();
    let weak = writes.downgrade();
    let again = |entry| Arc::new(ImportAgain::new(&traces, stamps, &options, entry, weak));
    let unwanted = match cached.flatten() {
        Some(CachedTables { tables, summary, left_out }) if left_out.is_subset_of(unwanted) => {
            let tables = Arc::new(tables.leaving_out(left_out, again(entry)));
            let origin = Origin::Cache(traces, Box::new(options));
            return Ok(LoadedTables { tables, summary, origin, writes });
        }
        // Everything is imported now, so that no other statement has it imported a third time.
        Some(_) => TableGroups::NONE,
        None => unwanted,
    };
    let (imported, entry) = match new {
        Some((suffix, cache)) => {
            let (imported, key) = import_with_key(suffix, &traces, unwanted, &options)?;
            (imported, key.map(|key| (cache, key)))
        }
        None if are_tiny => {
            let options = ImportOptions { threads: Some(1), ..options.clone() };
            (traces.import_without(unwanted, &options)?, entry)
        }
        None => (traces.import_without(unwanted, &options)?, entry),
    };
    let Imported { tables, summary, left_out } = imported;
    let tables = Arc::new(match left_out.is_empty() {
        true => tables,
        false => tables.leaving_out(left_out, again(entry.clone())),
    });
    if let Some((cache, key)) = &entry {
        cache.store(key, &traces, Arc::clone(&tables), &summary, &writes);
    }
    Ok(LoadedTables { tables, summary, origin: Origin::Import, writes })
}

/// The cache that tables of these traces may be in.
fn usable_cache(
    traces: &Traces,
    stamps: Option<&Stamps>,
    options: &ImportOptions,
) -> Option<TableCache> {
    let cache = options.cache.clone().filter(|_| !options.strict)?;
    let leaves_out = stamps.is_some_and(|stamps| cache.leaves_out(traces, stamps));
    (!leaves_out).then_some(cache)
}

/// Imports traces, and computes their digest meanwhile, on a thread of its own. There is no key if
/// they cannot be read twice.
fn import_with_key(
    suffix: KeySuffix,
    traces: &Traces,
    unwanted: TableGroups,
    options: &ImportOptions,
) -> Result<(Imported, Option<Key>), ImportError> {
    let read = traces.clone();
    let key = move || suffix.complete(&read, Some(1));
    let digest = std::thread::Builder::new().name("digest".into()).spawn(key);
    // An import that fails or is cancelled does not wait for the digest.
    let imported = traces.import_without(unwanted, options)?;
    // Without a thread, or with one that panicked, the tables are not stored.
    let key = digest.ok().and_then(|digest| digest.join().ok()).flatten();
    Ok((imported, key))
}
