//! The spine: one import from bytes to tables, the stages called in the order data flows.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use tpq_decode::{Decoder, PacketRouter};
use tpq_ingest::{Batcher, Survey, SurveyError, Timeline, survey};
use tpq_source::{Input, SourceError};
use tpq_tables::{Severity, Stats, TraceTables};

use crate::ImportOptions;
use crate::packet_names::packet_name;

/// What a compressed trace may unpack to when no memory limit is set.
const UNPACK_LIMIT: u64 = 64 << 30;
/// Batches that may wait between the thread that reads and the one that decodes.
const BATCHES_AHEAD: usize = 4;

/// Why a trace could not be imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// There are no bytes to import.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The bytes are no trace.
    #[error("{path}: {source}; it may be damaged at its very start, or not be a Perfetto trace")]
    Survey {
        /// The file.
        path: String,
        /// What was found.
        source: SurveyError,
    },
    /// Something was lost or not understood, and the caller wants to hear of it.
    #[error("{path}: the import is not clean: {what}")]
    NotClean {
        /// The file.
        path: String,
        /// The stats that are not 0.
        what: String,
    },
}

/// Packets of one kind, for `tpq info`.
#[derive(Clone, Debug)]
pub struct PacketKindCount {
    /// The name of the packet's payload field, as `track_event`.
    pub kind: String,
    /// How many packets there are.
    pub packets: u64,
    /// How many bytes they take.
    pub bytes: u64,
}

/// What an import saw, beyond the tables.
#[derive(Clone, Debug, Default)]
pub struct ImportSummary {
    /// The format, as `perfetto` or `perfetto (gzip)`.
    pub format: String,
    /// Bytes on disk.
    pub file_bytes: u64,
    /// Bytes once decompressed.
    pub trace_bytes: u64,
    /// The number of packets.
    pub packets: u64,
    /// The number of writer sequences.
    pub sequences: u64,
    /// Packets by kind, the most bytes first.
    pub packet_kinds: Vec<PacketKindCount>,
}

/// Imports one trace.
///
/// # Errors
/// When the input cannot be read or is no trace at all; what is merely damaged is counted in the
/// `stats` table instead, unless the options ask for an error.
pub fn import(
    path: &Path,
    options: &ImportOptions,
) -> Result<(TraceTables, ImportSummary), ImportError> {
    let name = path.display().to_string();
    options.stage("reading");
    let limit = options.memory_limit.unwrap_or(UNPACK_LIMIT);
    let input = Input::open(path, limit, |read| options.advance(read, 0))?;

    options.stage("surveying");
    let total = input.bytes().len() as u64;
    let survey = survey(input.bytes(), &mut |done| options.advance(done, total))
        .map_err(|source| ImportError::Survey { path: name.clone(), source })?;
    let mut summary = summarise(&input, &survey);

    options.stage("importing");
    let Survey { bytes, clocks, snapshots, trace_clock, losses, .. } = survey;
    let mut timeline = Timeline::new(clocks, trace_clock);
    let mut decoder = Decoder::new(&bytes, !options.full_sort);
    decoder.add_file(input.file_bytes(), input.compression().name(), total, input.format().name());
    decoder.add_snapshots(&snapshots, &mut timeline);
    let snapshots = Arc::from(snapshots);
    let router = Box::new(PacketRouter);
    let mut batcher = Batcher::new(&bytes, snapshots, timeline, router);
    let total = bytes.total();
    std::thread::scope(|scope| {
        let (send, receive) = sync_channel(BATCHES_AHEAD);
        let batcher = &mut batcher;
        scope.spawn(move || {
            while let Some(batch) = batcher.next_batch() {
                if send.send(batch).is_err() {
                    break;
                }
            }
        });
        for batch in receive {
            options.advance(batch.done, total);
            decoder.take(batch);
        }
    });
    summary.sequences = batcher.sequence_count();

    options.stage("finishing");
    let losses = [&losses, batcher.losses()];
    let mut finished = decoder.finish(&losses, batcher.sequence_losses());
    if input.cut().is_some() {
        finished.stats.add(tpq_tables::Stat::TraceTruncatedBytes, 1);
    }
    finished.stats.write(&mut finished.tables, 0, 0);
    if options.strict {
        refuse_losses(&name, &finished.stats)?;
    }
    Ok((finished.tables.finish(), summary))
}

fn summarise(input: &Input, survey: &Survey<'_>) -> ImportSummary {
    let mut packet_kinds: Vec<PacketKindCount> = survey
        .kinds
        .iter()
        .map(|(&field, &(packets, bytes))| PacketKindCount {
            kind: packet_name(field),
            packets,
            bytes,
        })
        .collect();
    packet_kinds.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.kind.cmp(&b.kind)));
    let format = match input.compression().name() {
        Some(compression) => format!("perfetto ({compression})"),
        None => "perfetto".to_owned(),
    };
    ImportSummary {
        format,
        file_bytes: input.file_bytes(),
        trace_bytes: input.bytes().len() as u64,
        packets: survey.packets,
        sequences: 0,
        packet_kinds,
    }
}

fn refuse_losses(path: &str, stats: &Stats) -> Result<(), ImportError> {
    let grave: Vec<String> = tpq_tables::Stat::ALL
        .iter()
        .filter(|stat| matches!(stat.severity(), Severity::DataLoss | Severity::Error))
        .filter(|&&stat| stats.get(stat) != 0)
        .map(|&stat| format!("{} = {}", stat.name(), stats.get(stat)))
        .collect();
    match grave.is_empty() {
        true => Ok(()),
        false => Err(ImportError::NotClean { path: path.to_owned(), what: grave.join(", ") }),
    }
}

impl ImportOptions {
    fn stage(&self, name: &'static str) {
        if let Some(progress) = &self.progress {
            progress.stage(name);
        }
    }

    fn advance(&self, done: u64, total: u64) {
        if let Some(progress) = &self.progress {
            progress.advance(done, total);
        }
    }
}
