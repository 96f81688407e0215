//! The spine: one import from bytes to tables, the stages called in the order data flows.

mod error;
mod left_out;
mod pipeline;
mod prescan;
mod received;
mod setup;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::Scope;

use tpq_decode::{Decoder, EventsAhead, Finished, NoSymbols, Outcome, UnknownBinary};
use tpq_formats::{OpenedFile, Reader, SymbolFiles};
use tpq_ingest::{
    EventOrder, LossBook, Losses, PrescanStart, SequenceLoss, SourceId, Step, Timeline, TraceBytes,
};
use tpq_source::{Inputs, Scratch, UNPACK_LIMIT};
use tpq_tables::{Packer, Spill, TableGroup, TableGroups, TraceTables};

pub use self::error::ImportError;
use self::error::{refuse_illegible, refuse_losses, refuse_too_many};
use self::pipeline::{FilesProgress, LookAhead, decode_all, start};
use self::prescan::{PrescanFindings, prescan_all, prescan_losses};
pub(crate) use self::received::Received;
use self::setup::{describe, open_files, setup, windowed};
use crate::arrange::{Arrangement, arrange};
use crate::clocks::Clocks;
use crate::file_findings::{damage, placements};
use crate::options::{ImportOptions, Stages};
use crate::page_release::{DecoderPageRelease, TraceMemory};
use crate::sort_file::sort_memory;
use crate::summary::{ImportSummary, summarise};

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
    let imported = import_without(paths, TableGroups::NONE, options)?;
    Ok((imported.tables, imported.summary))
}

/// The result of an import.
pub(crate) struct Imported {
    pub(crate) tables: TraceTables,
    pub(crate) summary: ImportSummary,
    /// The groups of tables that have no rows, although the trace may have some for them.
    pub(crate) left_out: TableGroups,
}

/// The same without the tables of the groups `unwanted`, as far as that takes less time and loses
/// no count.
///
/// # Errors
/// See [`import`].
pub(crate) fn import_without(
    paths: &[PathBuf],
    unwanted: TableGroups,
    options: &ImportOptions,
) -> Result<Imported, ImportError> {
    options.check()?;
    let mut stages = Stages::new(options);
    stages.begin("reading");
    let inputs = Inputs::open(paths, UNPACK_LIMIT, |read| options.advance(read, 0))?;
    let outcome = import_inputs(paths, &inputs, None, unwanted, &mut stages, options);
    // A result from missing bytes is invalid.
    if !matches!(outcome, Err(ImportError::Cancelled)) {
        inputs.check_intact()?;
    }
    outcome
}

fn import_inputs(
    paths: &[PathBuf],
    inputs: &Inputs,
    prescan_start: Option<PrescanStart>,
    unwanted: TableGroups,
    stages: &mut Stages<'_>,
    options: &ImportOptions,
) -> Result<Imported, ImportError> {
    if let Some(imported) = try_import(paths, inputs, prescan_start, unwanted, stages, options)? {
        return Ok(imported);
    }
    let all = try_import(paths, inputs, None, TableGroups::NONE, stages, options)?;
    all.map_or_else(|| unreachable!("nothing is left out"), Ok)
}

/// Imports without the tables of the groups `unwanted`. `None` if an event that was left out may
/// have changed the other tables.
fn try_import(
    paths: &[PathBuf],
    inputs: &Inputs,
    prescan_start: Option<PrescanStart>,
    unwanted: TableGroups,
    stages: &mut Stages<'_>,
    options: &ImportOptions,
) -> Result<Option<Imported>, ImportError> {
    refuse_too_many(inputs.traces().count(), options)?;
    let scratch = Scratch::default();
    let spill = spill(options)?;
    let symbols = symbol_files(options)?;
    options.not_cancelled()?;

    stages.begin("prescanning");
    let mut scans = prescan_all(inputs, &scratch, prescan_start, options)?;
    let arrangement =
        options.timed("arrange", || arrange(inputs, &mut scans, options.clock_interpolation))?;
    let summary = summarise(inputs, &scans);
    let left_out = left_out::groups(unwanted, inputs, &scans, options);
    let prescans = prescan_losses(&scans, &arrangement);
    let findings = PrescanFindings::all(&mut scans, &arrangement);
    let addresses = scans.iter().map(|scan| {
        let bytes = &scan.prescan.bytes;
        bytes.base()..bytes.end()
    });
    let memory = TraceMemory::new(inputs, &scratch, addresses);
    let bytes = TraceBytes::new(scans.into_iter().map(|scan| scan.prescan.bytes));

    stages.begin("importing");
    let prescanned = Prescanned {
        inputs,
        arrangement,
        summary,
        prescans,
        findings,
        symbols,
        left_out,
        memory: &memory,
    };
    let (finished, summary) =
        std::thread::scope(|scope| prescanned.decode(&bytes, &spill, stages, options, scope))?;
    if finished.is_doubtful {
        return Ok(None);
    }
    warn_of_unknown_binaries(&finished.unsymbolized, options);
    if options.strict {
        refuse_losses(paths, &finished.stats)?;
    }
    options.not_cancelled()?;
    let tables = finished.tables.finish();
    drop(bytes);
    options.give_back(summary.trace_bytes);
    match spill.as_ref().and_then(|spill| spill.failure()) {
        Some(error) => Err(ImportError::Spill(io::Error::new(error.kind(), error.to_string()))),
        None => Ok(Some(Imported { tables, summary, left_out })),
    }
}

/// Facts about the files with events before these are decoded.
struct Prescanned<'a> {
    inputs: &'a Inputs,
    arrangement: Arrangement,
    summary: ImportSummary,
    prescans: Vec<(SourceId, Losses)>,
    /// Of each file, what the decoder has to know first.
    findings: Vec<PrescanFindings>,
    /// Files of binaries, if any are named.
    symbols: Option<SymbolFiles>,
    /// Tables that get no rows.
    left_out: TableGroups,
    memory: &'a TraceMemory<'a>,
}

impl Prescanned<'_> {
    /// Decodes all files. Work that does not decide the order of events is done on threads of
    /// `scope`, unless the options allow one thread only.
    fn decode<'scope>(
        mut self,
        bytes: &'scope TraceBytes<'scope>,
        spill: &Option<Arc<Spill>>,
        stages: &mut Stages<'_>,
        options: &ImportOptions,
        scope: &'scope Scope<'scope, '_>,
    ) -> Result<(Finished, ImportSummary), ImportError> {
        let graph = std::mem::take(&mut self.arrangement.graph).into();
        let timeline = Timeline::new(graph, self.arrangement.trace_clock);
        let mut decoder = self.decoder(bytes, &timeline, spill, options, scope)?;
        let mut readers = self.readers(bytes, &timeline, options, scope)?;
        let mut order = EventOrder::new(&windowed(self.inputs, options), sort_memory(options));
        let total = self.summary.trace_bytes;
        let progress = FilesProgress::new(self.inputs, self.memory, total, options);
        let mut page_release = DecoderPageRelease::new(self.memory);
        let decode = |step: Step, ahead: &EventsAhead| {
            let reads = |span| page_release.enter(span);
            options.timed("decode", || decoder.decode_read(step, ahead, reads));
        };
        let look_ahead = self.reads_ahead().then(|| LookAhead::new(bytes, self.memory));
        decode_all(&mut readers, &mut order, look_ahead, decode, progress, options)?;
        options.not_cancelled()?;
        self.summarise_reading(&readers, &order)?;
        stages.begin("finishing");
        self.finish(decoder, &readers, &order, timeline, options)
    }

    /// Whether fields of events are read ahead. Where args are written, the deferred writer reads the
    /// bytes of events once more, and has no time to spare; it also needs their pages to stay.
    fn reads_ahead(&self) -> bool {
        let needed = [TableGroup::KernelEvents, TableGroup::Counts];
        needed.into_iter().all(|group| self.left_out.contains(group))
    }

    /// A decoder that knows the files, with the deferred writer on its own thread.
    fn decoder<'scope>(
        &mut self,
        bytes: &'scope TraceBytes<'scope>,
        timeline: &Timeline,
        spill: &Option<Arc<Spill>>,
        options: &ImportOptions,
        scope: &'scope Scope<'scope, '_>,
    ) -> Result<Decoder<'scope>, ImportError> {
        let setup = setup(self.inputs, &mut self.arrangement, self.left_out, options);
        let mut decoder = Decoder::new(bytes, setup, timeline, tpq_formats::DECODERS);
        decoder.pack_by(&packer(spill, options)?);
        if options.threads != Some(1) {
            decoder.defer_to(|work| start(scope, "deferred".into(), work))?;
        }
        describe(self.inputs, &self.arrangement, &mut decoder);
        if let Some(symbols) = self.symbols.take() {
            decoder.symbolize_by(Box::new(symbols));
        }
        for findings in std::mem::take(&mut self.findings) {
            findings.tell(&mut decoder);
        }
        Ok(decoder)
    }

    /// A reader of each file with events.
    fn readers<'scope>(
        &mut self,
        bytes: &'scope TraceBytes<'scope>,
        timeline: &Timeline,
        options: &ImportOptions,
        scope: &'scope Scope<'scope, '_>,
    ) -> Result<Vec<Reader<'scope>>, ImportError> {
        let may_split = options.threads != Some(1);
        let arrangement = &mut self.arrangement;
        let opened =
            open_files(self.inputs, arrangement, bytes, timeline, self.left_out, may_split);
        let reader = |OpenedFile { reader, work }| {
            work.map(|work| start(scope, "events".into(), work)).transpose()?;
            Ok(reader)
        };
        opened.into_iter().map(reader).collect()
    }

    /// Notes how much was read and what was damaged.
    ///
    /// # Errors
    /// When a text is damaged before its first event.
    fn summarise_reading(
        &mut self,
        readers: &[Reader<'_>],
        order: &EventOrder,
    ) -> Result<(), ImportError> {
        let summary = &mut self.summary;
        summary.packets = readers.iter().map(|reader| reader.event_count()).sum();
        summary.sequences = readers.iter().map(|reader| reader.sequence_count()).sum();
        summary.damage = damage(self.inputs, readers);
        summary.sort_peak = order.peak();
        refuse_illegible(summary)
    }

    /// Finishes the tables, once all events are decoded.
    fn finish(
        self,
        decoder: Decoder<'_>,
        readers: &[Reader<'_>],
        order: &EventOrder,
        mut timeline: Timeline,
        options: &ImportOptions,
    ) -> Result<(Finished, ImportSummary), ImportError> {
        let Self { inputs, arrangement, mut summary, prescans, memory, .. } = self;
        let sequences: Vec<_> = readers.iter().flat_map(sequence_losses).collect();
        for reader in readers {
            timeline.merge(reader.timeline());
        }
        summary.placements = placements(inputs, readers, &timeline);
        let graph = Arc::clone(timeline.graph());
        let own = timeline.trace_clock();
        let used = timeline.placements().map(|(clock, _)| clock).chain([own]).collect();
        let books: Vec<&LossBook> =
            readers.iter().map(|reader| reader.losses()).chain([&arrangement.losses]).collect();
        let outcome = Outcome {
            books: &books,
            order,
            prescans: &prescans,
            sequences: &sequences,
            ties: &arrangement.ties,
            timeline,
        };
        let finished = decoder.finish(outcome, || memory.release());
        options.give_back(summary.trace_bytes);
        summary.clocks = Clocks::new(graph, arrangement.trace_clock, &arrangement.ties, used);
        Ok((finished, summary))
    }
}

/// The temporary file for tables above their share of the memory limit, an eighth: most of them are
/// not read again before the import ends.
fn spill(options: &ImportOptions) -> Result<Option<Arc<Spill>>, ImportError> {
    let spill = |limit| Ok(Arc::new(Spill::new(tempfile::tempfile()?, limit / 8)));
    options.memory_limit.map(spill).transpose().map_err(ImportError::Spill)
}

/// The packer of full chunks of rows.
fn packer(spill: &Option<Arc<Spill>>, options: &ImportOptions) -> Result<Arc<Packer>, ImportError> {
    let packer = match options.threads {
        Some(1) => Packer::new(spill.clone()),
        _ => Packer::on_thread(spill.clone()).map_err(ImportError::Thread)?,
    };
    Ok(Arc::new(packer))
}

/// The binaries that the options name, before the import, so that a mistyped path is reported at
/// once.
fn symbol_files(options: &ImportOptions) -> Result<Option<SymbolFiles>, ImportError> {
    if options.symbols.is_empty() {
        return Ok(None);
    }
    let files = options.timed("symbol files", || SymbolFiles::open(&options.symbols))?;
    if files.is_empty() {
        options.warn("no file of --symbols is a binary with a build id");
    }
    Ok(Some(files))
}

/// Warns of binaries with frames without symbols.
fn warn_of_unknown_binaries(unknown: &[UnknownBinary], options: &ImportOptions) {
    for reason in [NoSymbols::NoFile, NoSymbols::TooMuchText] {
        let of_reason = unknown.iter().filter(|binary| binary.reason == reason);
        if let Some(warning) = warning_of(&of_reason.collect::<Vec<_>>(), reason) {
            options.warn(&warning);
        }
    }
}

/// The warning of binaries with frames that have no symbols for this reason.
fn warning_of(unknown: &[&UnknownBinary], reason: NoSymbols) -> Option<String> {
    let UnknownBinary { path, build_id, .. } = unknown.iter().max_by_key(|it| it.frames)?;
    let frames: u64 = unknown.iter().map(|binary| binary.frames).sum();
    let what = match (reason, unknown.len()) {
        (NoSymbols::NoFile, 1) => {
            format!("{frames} frames have no symbols: no file has the build id of {path}")
        }
        (NoSymbols::NoFile, binaries) => format!(
            "{frames} frames of {binaries} binaries have no symbols: no file has their build ids, \
             such as that of {path}"
        ),
        (NoSymbols::TooMuchText, 1) => format!(
            "{frames} frames have no symbols: the names in the file of {path} take more than 1 GiB"
        ),
        (NoSymbols::TooMuchText, binaries) => format!(
            "{frames} frames of {binaries} binaries have no symbols: the names in each of their \
             files take more than 1 GiB, such as in that of {path}"
        ),
    };
    Some(format!("{what} ({build_id})"))
}

fn sequence_losses<'a>(reader: &Reader<'a>) -> Vec<(SourceId, SequenceLoss)> {
    let losses = reader.sequence_losses();
    losses.into_iter().map(|loss| (reader.source(loss.machine), loss)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_without_symbols_are_warned_of() {
        let binary = |path: &str, frames| UnknownBinary {
            path: path.to_owned(),
            build_id: "ab".to_owned(),
            reason: NoSymbols::TooMuchText,
            frames,
        };
        let (few, many) = (binary("few.so", 2), binary("many.so", 40));
        let warning = |unknown: &[&UnknownBinary]| warning_of(unknown, NoSymbols::TooMuchText);
        assert_eq!(warning(&[]), None);
        let of_one =
            "2 frames have no symbols: the names in the file of few.so take more than 1 GiB";
        assert_eq!(warning(&[&few]), Some(format!("{of_one} (ab)")));
        let of_two = "42 frames of 2 binaries have no symbols: the names in each of their files \
            take more than 1 GiB, such as in that of many.so";
        assert_eq!(warning(&[&few, &many]), Some(format!("{of_two} (ab)")));
    }
}
