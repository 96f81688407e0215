//! The spine: one import from bytes to tables, the stages called in the order data flows.

use std::collections::BTreeSet;
use std::io;
use std::num::NonZero;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread::Scope;

use tpq_decode::{Decoder, Fact, FileInfo, Finished, Outcome, Setup};
use tpq_formats::{OpenFile, OpenedFile, Reader, TraceFormat, trace_format};
use tpq_ingest::{
    Batch, EventOrder, EventReader, FileContext, LossBook, Losses, Prescan, PrescanError, Room,
    SequenceLoss, SourceId, Step, Timeline, TraceBytes, prescan,
};
use tpq_source::{
    Attribute, Entry, Format, Inputs, ManifestError, Scratch, SourceError, UNPACK_LIMIT,
};
use tpq_tables::{Packer, Severity, Spill, Stat, Stats, TraceTables};

use crate::arrange::{Arrangement, PrescannedFile, arrange};
use crate::behind::{BehindDecoder, BehindReaders, TraceMemory};
use crate::clocks::Clocks;
use crate::file_findings::{damage, placements, remarks};
use crate::options::{ImportOptions, Stages};
use crate::read_ahead::ReadAhead;
use crate::sort_file::sort_room;
use crate::summary::{ImportSummary, TextDamage, summarise};
use crate::trailing_manifest::manifest_follows;

/// Steps that may wait between the thread that sorts and the one that decodes. With few, the two
/// would wait for each other in turns.
const STEPS_AHEAD: usize = 16;
/// The same where memory has a limit, as what waits there is not counted.
const STEPS_AHEAD_LIMITED: usize = 4;

/// Why a trace could not be imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// There are no bytes to import.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A manifest and the files it speaks of contradict each other.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// The bytes are no trace.
    #[error("{path}: {source}; it may be damaged at its very start, or not be a Perfetto trace")]
    Prescan {
        /// The file.
        path: String,
        /// What was found.
        source: PrescanError,
    },
    /// A text is damaged before its first event.
    #[error("{0}; no event could be read before that")]
    Text(TextDamage),
    /// Something was lost or not understood, and the caller wants to hear of it.
    #[error("{path}: the import is not clean: {what}")]
    NotClean {
        /// The files.
        path: String,
        /// The stats that are not 0.
        what: String,
    },
    /// The temporary file failed that takes what memory has no room for.
    #[error(
        "the temporary file for what memory has no room for failed: {0}; free some disk space, or \
         set TMPDIR to a folder with more"
    )]
    Spill(io::Error),
    /// The memory limit is too low.
    #[error(
        "a memory limit of {limit} bytes is too low: an import needs {} MiB or more",
        ImportOptions::LEAST_MEMORY >> 20
    )]
    MemoryLimit {
        /// The limit, in bytes.
        limit: u64,
    },
    /// So many files need more memory than there may be.
    #[error(
        "{files} traces need about {} MiB of memory whatever is in them; give a larger \
         --memory-limit, or fewer traces at a time",
        needed >> 20
    )]
    TooManyFiles {
        /// How many files with events there are.
        files: usize,
        /// About how many bytes are needed.
        needed: u64,
    },
    /// The system has no thread to give.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
    /// The caller asked for it, by [`ImportOptions::cancel`].
    #[error("the import was cancelled")]
    Cancelled,
}

/// Imports traces onto one timeline.
///
/// # Errors
/// When an input cannot be read or is no trace at all, when a manifest is wrong, or when the import
/// is cancelled; what is merely damaged is counted in the `stats` table instead, unless the options
/// ask for an error.
pub fn import(
    paths: &[PathBuf],
    options: &ImportOptions,
) -> Result<(TraceTables, ImportSummary), ImportError> {
    options.check()?;
    let mut stages = Stages::new(options);
    stages.begin("reading");
    let inputs = Inputs::open(paths, UNPACK_LIMIT, |read| options.advance(read, 0))?;
    let outcome = import_inputs(paths, &inputs, &mut stages, options);
    // Any other outcome is of no use if bytes were missing that were read.
    if !matches!(outcome, Err(ImportError::Cancelled)) {
        inputs.check_intact()?;
    }
    outcome
}

fn import_inputs(
    paths: &[PathBuf],
    inputs: &Inputs,
    stages: &mut Stages<'_>,
    options: &ImportOptions,
) -> Result<(TraceTables, ImportSummary), ImportError> {
    refuse_too_many(inputs.traces().count(), options)?;
    let scratch = Scratch::default();
    let spill = spill(options)?;
    options.not_cancelled()?;

    stages.begin("prescanning");
    let mut scans = prescan_all(inputs, &scratch, options)?;
    let arrangement =
        options.timed("arrange", || arrange(inputs, &mut scans, options.clock_interpolation))?;
    let summary = summarise(inputs, &scans);
    let prescans = prescan_losses(&scans, &arrangement);
    let addresses = scans.iter().map(|scan| {
        let bytes = &scan.prescan.bytes;
        bytes.base()..bytes.end()
    });
    let memory = TraceMemory::new(inputs, &scratch, addresses);
    let bytes = TraceBytes::new(scans.into_iter().map(|scan| scan.prescan.bytes));

    stages.begin("importing");
    let surveyed = Prescanned { inputs, arrangement, summary, prescans, memory: &memory };
    let (finished, summary) =
        std::thread::scope(|scope| surveyed.decode(&bytes, &spill, stages, options, scope))?;
    if options.strict {
        refuse_losses(paths, &finished.stats)?;
    }
    options.not_cancelled()?;
    let tables = finished.tables.finish();
    drop(bytes);
    options.give_back();
    match spill.as_ref().and_then(|spill| spill.failure()) {
        Some(error) => Err(ImportError::Spill(io::Error::new(error.kind(), error.to_string()))),
        None => Ok((tables, summary)),
    }
}

/// Refuses so many files that what is remembered of each takes more memory than there may be.
fn refuse_too_many(files: usize, options: &ImportOptions) -> Result<(), ImportError> {
    /// Bytes for a file with few events of few kinds.
    const EACH: u64 = 16 << 10;
    /// What files may take beyond the limit, which is for events.
    const BEYOND: u64 = 64 << 20;
    let needed = files as u64 * EACH;
    match options.memory_limit.is_some_and(|limit| needed > limit.saturating_add(BEYOND)) {
        true => Err(ImportError::TooManyFiles { files, needed }),
        false => Ok(()),
    }
}

/// What is known of the files with events before these are decoded.
struct Prescanned<'a> {
    inputs: &'a Inputs,
    arrangement: Arrangement,
    summary: ImportSummary,
    prescans: Vec<(SourceId, Losses)>,
    memory: &'a TraceMemory<'a>,
}

impl Prescanned<'_> {
    /// Decodes all files. What does not decide in which order events come is done on threads of
    /// `scope`, unless there may be one thread only.
    fn decode<'scope>(
        self,
        bytes: &'scope TraceBytes<'scope>,
        spill: &Option<Arc<Spill>>,
        stages: &mut Stages<'_>,
        options: &ImportOptions,
        scope: &'scope Scope<'scope, '_>,
    ) -> Result<(Finished, ImportSummary), ImportError> {
        let Self { inputs, mut arrangement, mut summary, prescans, memory } = self;
        let graph = std::mem::take(&mut arrangement.graph).into();
        let mut timeline = Timeline::new(graph, arrangement.trace_clock);
        let mut decoder = Decoder::new(
            bytes,
            setup(inputs, &mut arrangement, options),
            &timeline,
            tpq_formats::DECODERS,
        );
        decoder.pack_by(&packer(spill, options)?);
        if options.threads != Some(1) {
            decoder.defer_to(|work| start(scope, "deferred".into(), work))?;
        }
        describe(inputs, &arrangement, &mut decoder);
        let helped = options.threads != Some(1);
        let mut readers = Vec::new();
        for OpenedFile { reader, work } in
            open_files(inputs, &mut arrangement, bytes, &timeline, helped)
        {
            readers.push(reader);
            work.map(|work| start(scope, "events".into(), work)).transpose()?;
        }
        let mut order = EventOrder::new(&windowed(inputs, options), sort_room(options));
        let progress = FilesProgress::new(inputs, memory, summary.trace_bytes, options);
        let mut behind = BehindDecoder::new(memory);
        let decode = |step: Step| {
            options.timed("decode", || decoder.decode(step, |span| behind.enter(span)));
        };
        decode_all(&mut readers, &mut order, decode, progress, options)?;
        options.not_cancelled()?;
        summary.packets = readers.iter().map(|reader| reader.event_count()).sum();
        summary.sequences = readers.iter().map(|reader| reader.sequence_count()).sum();
        summary.damage = damage(inputs, &readers);
        refuse_illegible(&summary)?;
        summary.sort_peak = order.peak();

        stages.begin("finishing");
        let sequences: Vec<_> = readers.iter().flat_map(sequence_losses).collect();
        for reader in &readers {
            timeline.merge(reader.timeline());
        }
        summary.placements = placements(inputs, &readers, &timeline);
        let graph = Arc::clone(timeline.graph());
        let own = timeline.trace_clock();
        let used = timeline.placements().map(|(clock, _)| clock).chain([own]).collect();
        let books: Vec<&LossBook> =
            readers.iter().map(|reader| reader.losses()).chain([&arrangement.losses]).collect();
        let outcome = Outcome {
            books: &books,
            order: &order,
            prescans: &prescans,
            sequences: &sequences,
            ties: &arrangement.ties,
            timeline,
        };
        let finished = decoder.finish(outcome, || memory.release());
        options.give_back();
        summary.clocks = Clocks::new(graph, arrangement.trace_clock, &arrangement.ties, used);
        Ok((finished, summary))
    }
}

/// Where tables go that the memory limit has no room for. They may take an eighth of it: most of
/// them are not read again before the import ends.
fn spill(options: &ImportOptions) -> Result<Option<Arc<Spill>>, ImportError> {
    let spill = |limit| Ok(Arc::new(Spill::new(tempfile::tempfile()?, limit / 8)));
    options.memory_limit.map(spill).transpose().map_err(ImportError::Spill)
}

/// Who packs full chunks of rows.
fn packer(spill: &Option<Arc<Spill>>, options: &ImportOptions) -> Result<Arc<Packer>, ImportError> {
    let packer = match options.threads {
        Some(1) => Packer::new(spill.clone()),
        _ => Packer::on_thread(spill.clone()).map_err(ImportError::Thread)?,
    };
    Ok(Arc::new(packer))
}

/// Opens a reader of each file with events. Only for a single file, a second thread may help:
/// several files are read on several threads anyway.
fn open_files<'a>(
    inputs: &Inputs,
    arrangement: &mut Arrangement,
    bytes: &'a TraceBytes<'a>,
    timeline: &Timeline,
    may_split: bool,
) -> Vec<OpenedFile<'a>> {
    let contexts = std::mem::take(&mut arrangement.contexts);
    let may_split = may_split && contexts.len() == 1;
    let open = |(entry, file): (&Entry, FileContext)| {
        let (timeline, len) = (timeline.clone(), entry.bytes().len());
        let format = trace_format(entry.format())?;
        Some((format.open)(OpenFile { bytes, file, timeline, len, may_split }))
    };
    inputs.traces().map(|(_, entry)| entry).zip(contexts).filter_map(open).collect()
}

/// Skims every file with events.
fn prescan_all<'a>(
    inputs: &'a Inputs,
    scratch: &'a Scratch,
    options: &ImportOptions,
) -> Result<Vec<PrescannedFile<'a>>, ImportError> {
    let total: u64 = inputs.traces().map(|(_, file)| file.bytes().len() as u64).sum();
    let scanned = AtomicU64::new(0);
    let (mut before, mut base, mut budget) = (0, 0, UNPACK_LIMIT);
    // What was inflated of all files so far.
    let mut inflated = 0;
    let mut scans = Vec::new();
    for (entry, file) in inputs.traces() {
        options.not_cancelled()?;
        let _span = options.span("prescan").map(|span| span.with("trace_id", entry as u64));
        let passed = |range: Range<usize>| {
            let len = range.len() as u64;
            let done = scanned.fetch_add(len, Ordering::Relaxed) + len;
            // What was skimmed twice counts once.
            options.advance(done.min(before + file.bytes().len() as u64), total);
            file.release(range);
        };
        let room = Room {
            budget,
            keep: &|before, bytes| scratch.keep(inflated + before, bytes),
            keep_large: &|before, first, rest| scratch.keep_large(inflated + before, &first, rest),
        };
        let has_packets = is_format(file, |format| format.has_packets);
        let prescan = match has_packets {
            false => Prescan::of_text(file.bytes(), base, budget),
            true => prescan(file.bytes(), base, room, &passed, options.threads != Some(1))
                .map_err(|source| ImportError::Prescan { path: file.shown().to_owned(), source })?,
        };
        if has_packets && manifest_follows(file.bytes(), prescan.end) {
            return Err(ManifestError::NotFirst { file: file.shown().to_owned() }.into());
        }
        inflated += prescan.bytes.inflated();
        base = prescan.bytes.end();
        budget = prescan.budget();
        file.release(0..file.bytes().len());
        before += file.bytes().len() as u64;
        scanned.store(before, Ordering::Relaxed);
        scans.push(PrescannedFile { entry, prescan });
    }
    Ok(scans)
}

/// Whether the format of a file has a property.
fn is_format(file: &Entry, property: impl FnOnce(&TraceFormat) -> bool) -> bool {
    trace_format(file.format()).is_some_and(property)
}

/// What the surveys lost, at the places their files are of.
fn prescan_losses(
    scans: &[PrescannedFile<'_>],
    arrangement: &Arrangement,
) -> Vec<(SourceId, Losses)> {
    let bases = arrangement.contexts.iter().map(|context| context.base.0);
    bases.zip(scans.iter().map(|scan| scan.prescan.losses.clone())).collect()
}

fn setup(inputs: &Inputs, arrangement: &mut Arrangement, options: &ImportOptions) -> Setup {
    Setup {
        machines: std::mem::take(&mut arrangement.machines),
        kernels: kernels(inputs, arrangement),
        sources: arrangement.sources.clone(),
        clocks: arrangement.clock_names(),
        files: inputs.entries().len(),
        late_args: inputs
            .traces()
            .any(|(_, file)| is_format(file, |format| format.has_deferred_args)),
        ftrace_raw: options.ftrace_raw,
        crop: options.crop,
    }
}

/// The machines that packets and the kernel's tracer speak of, whose thread 0 is the kernel's.
fn kernels(inputs: &Inputs, arrangement: &Arrangement) -> BTreeSet<u32> {
    let files = inputs.traces().zip(&arrangement.contexts);
    let of_kernels = files.filter(|((_, file), _)| is_format(file, |format| format.has_kernel));
    let sources = of_kernels.flat_map(|(_, file)| file.machines.values().chain([&file.base]));
    sources.map(|(source, _)| arrangement.sources.get(*source).machine).collect()
}

/// Which files are sorted by windows: only packets come in nearly the order of time.
fn windowed(inputs: &Inputs, options: &ImportOptions) -> Vec<bool> {
    let windowed =
        |file: &Entry| !options.full_sort && is_format(file, |format| format.is_windowed);
    inputs.traces().map(|(_, file)| windowed(file)).collect()
}

/// Writes down what is known before any event is read.
fn describe(inputs: &Inputs, arrangement: &Arrangement, decoder: &mut Decoder<'_>) {
    for file in inputs.entries() {
        decoder.add_file(FileInfo {
            parent: file.parent().map(|parent| parent as u32),
            name: file.name(),
            size: file.size(),
            format: file.format().name(),
            processing_order: file.processing_order(),
        });
    }
    let clock = arrangement.trace_clock;
    decoder.add_fact("trace_time_clock_id", Fact::Int(i64::from(clock.id)));
    for (key, value) in inputs.manifest().iter().flat_map(|manifest| &manifest.attributes) {
        let value = match value {
            Attribute::Int(value) => Fact::Int(*value),
            Attribute::Text(text) => Fact::Text(text),
        };
        decoder.add_fact(&format!("manifest_attribute.{key}"), value);
    }
    let base = |context: &FileContext| context.base.0;
    for ((_, file), context) in inputs.traces().zip(&arrangement.contexts) {
        decoder.describe_file(base(context), file.bytes().len() as u64, file.format().name());
        decoder.identify_file(base(context), file.bytes());
    }
    for entry in 0..inputs.entries().len() {
        for remark in remarks(inputs, entry) {
            decoder.remark_on_file(entry as u32, remark);
        }
    }
    for &entry in &arrangement.doubtful {
        let what = "wall time at boot is not that of the file the timeline is of";
        decoder.count_file(entry, Stat::ClockSyncDoubtfulSameBoot, what);
    }
    let is_manifest = |file: &Entry| file.format() == Format::Manifest;
    let manifest = inputs.entries().iter().position(is_manifest).unwrap_or_default();
    for path in inputs.unmatched_manifest_paths() {
        decoder.count_file(manifest as u32, Stat::ManifestFilesMissing, path);
    }
}

/// Decodes all events in the order of time.
fn decode_all(
    readers: &mut [Reader<'_>],
    order: &mut EventOrder,
    mut decode: impl FnMut(Step),
    mut progress: FilesProgress<'_>,
    options: &ImportOptions,
) -> Result<(), ImportError> {
    if options.threads == Some(1) {
        let read = |file: usize| options.timed("read batch", || readers[file].next_batch());
        let sorted = put_in_order(order, read, &mut progress, |step| {
            decode(step);
            !options.cancel.is_cancelled()
        });
        return sorted.map_err(ImportError::Spill);
    }
    let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
    let limit = options.memory_limit;
    let files = ReadAhead::new(readers.iter_mut().map(|reader| reader.as_mut()), limit);
    let read =
        |reader: &mut (dyn EventReader + '_)| options.timed("read batch", || reader.next_batch());
    std::thread::scope(|scope| {
        // Readers wait for room until then, also when a thread cannot be started.
        let _closes = files.close_on_drop();
        for number in 0..files.threads(options.threads.unwrap_or_else(cores)) {
            start(scope, format!("reader {number}"), || files.work(read))?;
        }
        let ahead = options.memory_limit.map_or(STEPS_AHEAD, |_| STEPS_AHEAD_LIMITED);
        let (send, steps) = sync_channel::<io::Result<Step>>(ahead);
        let files = &files;
        let work = move || {
            let _closes = files.close_on_drop();
            let receive = |file: usize| options.timed("wait", || files.next(file, read));
            let each = |step| send.send(Ok(step)).is_ok();
            if let Err(error) = put_in_order(order, receive, &mut progress, each) {
                // Without a receiver the import has ended.
                let _ = send.send(Err(error));
            }
        };
        start(scope, "sorter".into(), work)?;
        // Dropping the channel ends the other threads.
        let mut steps = steps.into_iter().take_while(|_| !options.cancel.is_cancelled());
        steps.try_for_each(|step| step.map(&mut decode)).map_err(ImportError::Spill)
    })
}

/// Starts a thread that ends by itself.
fn start<'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: String,
    work: impl FnOnce() + Send + 'scope,
) -> Result<(), ImportError> {
    let thread = std::thread::Builder::new().name(name);
    thread.spawn_scoped(scope, work).map(drop).map_err(ImportError::Thread)
}

/// Puts the events of all files into order: whichever file the next event may be of is read from.
/// `each` says whether there is anyone left to take steps.
fn put_in_order(
    order: &mut EventOrder,
    mut read: impl FnMut(usize) -> Option<Batch>,
    progress: &mut FilesProgress<'_>,
    mut each: impl FnMut(Step) -> bool,
) -> io::Result<()> {
    while let Some(file) = order.wants(&mut each)? {
        // A full sort has no steps before all is read.
        if progress.options.cancel.is_cancelled() {
            return Ok(());
        }
        match read(file) {
            Some(batch) => {
                progress.advance(file, batch.done);
                progress.options.timed("sort", || order.take(file, batch, &mut each))?;
            }
            None => order.end(file, &mut each)?,
        }
    }
    Ok(())
}

/// How far each file was read.
struct FilesProgress<'a> {
    done: Vec<u64>,
    /// All of these together.
    sum: u64,
    behind: BehindReaders<'a>,
    total: u64,
    options: &'a ImportOptions,
}

impl<'a> FilesProgress<'a> {
    fn new(
        inputs: &Inputs,
        memory: &TraceMemory<'a>,
        total: u64,
        options: &'a ImportOptions,
    ) -> Self {
        let behind = BehindReaders::new(memory);
        Self { done: vec![0; inputs.traces().count()], sum: 0, behind, total, options }
    }

    fn advance(&mut self, file: usize, done: u64) {
        let before = std::mem::replace(&mut self.done[file], done);
        self.sum = (self.sum + done).saturating_sub(before);
        self.behind.read(file, done);
        self.options.advance(self.sum, self.total);
    }
}

fn sequence_losses<'a>(reader: &Reader<'a>) -> Vec<(SourceId, SequenceLoss)> {
    let losses = reader.sequence_losses();
    losses.into_iter().map(|loss| (reader.source(loss.machine), loss)).collect()
}

/// Refuses a text that is damaged before its first event, and nothing else.
fn refuse_illegible(summary: &ImportSummary) -> Result<(), ImportError> {
    match summary.damage.as_slice() {
        [damage] if summary.packets == 0 => Err(ImportError::Text(damage.clone())),
        _ => Ok(()),
    }
}

fn refuse_losses(paths: &[PathBuf], stats: &Stats) -> Result<(), ImportError> {
    let grave: Vec<String> = Stat::ALL
        .iter()
        .filter(|stat| matches!(stat.severity(), Severity::DataLoss | Severity::Error))
        .filter(|&&stat| stats.get(stat) != 0)
        .map(|&stat| format!("{} = {}", stat.name(), stats.get(stat)))
        .collect();
    match grave.is_empty() {
        true => Ok(()),
        false => {
            let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
            Err(ImportError::NotClean { path: paths.join(", "), what: grave.join(", ") })
        }
    }
}
