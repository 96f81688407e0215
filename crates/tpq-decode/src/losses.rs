//! The stats under which the losses of the earlier stages appear, and where the first of each lie.

use rustc_hash::FxHashMap;
use tpq_clock::{Clock, Source};
use tpq_ingest::{Loss, LossBook, LossEntry, Losses, Sources, TextLocation, Timeline, TraceBytes};
use tpq_tables::table::ImportLogRow;
use tpq_tables::{Stat, StatKind, Stats, Tables};

use tpq_trackers::args::{ArgSet, ArgValue};

use tpq_trackers::deferred::DeferredWrites;
use tpq_trackers::track::{Recording, log_row};

pub(crate) fn count_losses(losses: &Losses, stats: &mut Stats) {
    for (loss, count) in losses.iter() {
        let (stat, count) = (stat_of(loss), i64::try_from(count).unwrap_or(i64::MAX));
        match stat.kind() {
            StatKind::Single => stats.add(stat, count),
            StatKind::Indexed => stats.add_indexed(stat, ONLY_KIND, count),
        }
    }
}

/// The kind of parts that are not read, in formats with one such kind.
const ONLY_KIND: i64 = 0;

/// From this period of writing on, a recording that writes into a file is meant to be a ring
/// buffer, in ms: a day.
const RING_BUFFER_PERIOD_MS: u32 = 24 * 60 * 60 * 1000;
/// From this version on, the service flushes before each write.
const FLUSHES_BEFORE_WRITES: u32 = 54;

/// Counts what a recording that streams into a file loses by its settings.
pub(crate) fn count_streaming(recording: &Recording, stats: &mut Stats) {
    let Some(requested) = &recording.requested else { return };
    let Some(period_ms) = requested.file_write_period_ms else { return };
    if period_ms < RING_BUFFER_PERIOD_MS {
        for buffer in 0..requested.buffers.len() as i64 {
            let overwritten = stats.get_indexed(Stat::TracedBufBytesOverwritten, buffer);
            if let Some(bytes) = overwritten.filter(|&bytes| bytes > 0) {
                stats.set_indexed(Stat::LongTraceModeBytesOverwritten, buffer, bytes);
            }
        }
    }
    let flushes = recording.service_version.is_some_and(|it| it >= FLUSHES_BEFORE_WRITES);
    if requested.flush_period_ms.is_none() && !flushes {
        stats.set(Stat::ConfigWriteIntoFileNoFlush, 1);
    }
}

/// Adds a book's counts to the stats of their sources and its entries to `trace_import_logs`.
pub(crate) fn write_book(
    book: &LossBook,
    bytes: &TraceBytes<'_>,
    sources: &Sources,
    stats: &mut [Stats],
    deferred: &mut DeferredWrites,
    tables: &mut Tables,
) {
    for (source, losses) in book.by_source() {
        if let Some(stats) = stats.get_mut(source as usize) {
            count_losses(losses, stats);
        }
    }
    for entry in book.entries() {
        let stat = stat_of(entry.loss);
        let details = details(entry, tables);
        let file = sources.get(entry.source).file;
        let row = ImportLogRow {
            byte_offset: bytes.offset_in_file(entry.addr).map(|offset| offset as i64),
            arg_set_id: deferred.intern(&details),
            ..log_row(file, stat, &mut tables.strings)
        };
        tables.trace_import_logs.push(row);
    }
}

/// Enters what happened to a file as a whole.
pub(crate) fn log_file(
    file: u32,
    stat: Stat,
    what: &str,
    deferred: &mut DeferredWrites,
    tables: &mut Tables,
) {
    let mut details = ArgSet::default();
    let text = ArgValue::String(tables.strings.intern(what));
    details.add(tables.strings.intern("what"), text);
    let arg_set_id = deferred.intern(&details);
    let row = ImportLogRow { arg_set_id, ..log_row(file, stat, &mut tables.strings) };
    tables.trace_import_logs.push(row);
}

fn details(entry: &LossEntry, tables: &mut Tables) -> ArgSet {
    let mut details = ArgSet::default();
    // The loss of a writer is alike for all of its packets.
    if let Some(sequence) = entry.sequence {
        let key = tables.strings.intern("packet_sequence_id");
        details.add(key, ArgValue::Uint(u64::from(sequence)));
        return details;
    }
    let mut add = |name: &str, value: i64| {
        details.add(tables.strings.intern(name), ArgValue::Int(value));
    };
    add("packet", i64::from(entry.position));
    if let Some(Clock { id, .. }) = entry.clock {
        add("clock_id", i64::from(id));
    }
    if let Some(TextLocation { line: line @ 1.., column, .. }) = entry.text {
        add("line", line as i64);
        add("column", column as i64);
    }
    if let Some(timestamp) = entry.timestamp {
        add("timestamp", timestamp);
    }
    if let Some(TextLocation { what, .. }) = entry.text {
        let what = ArgValue::String(tables.strings.intern(what));
        details.add(tables.strings.intern("what"), what);
    }
    details
}

/// Counts the clocks that share no domain with the timeline.
pub(crate) fn count_unrelatable(timeline: &Timeline, sources: &Sources, stats: &mut [Stats]) {
    let numbers: FxHashMap<Source, usize> = sources.iter().zip(0..).collect();
    for (clock, placement) in timeline.placements() {
        if !matches!(placement, Err(tpq_clock::PlaceError::Unrelatable(..))) {
            continue;
        }
        let source = numbers.get(&clock.source);
        if let Some(stats) = source.and_then(|&source| stats.get_mut(source)) {
            stats.increment(stat_of(Loss::UnrelatableClock));
        }
    }
}

fn stat_of(loss: Loss) -> Stat {
    match loss {
        Loss::TruncatedBytes => Stat::TraceTruncatedBytes,
        Loss::InflateFailed => Stat::CompressedPacketsFailed,
        Loss::PatchAborted => Stat::ProtovmAbort,
        Loss::PatchesWithoutWriter => Stat::ProtovmRegistrationError,
        Loss::SkippedWithoutState => Stat::PacketSkippedSeqNeedsIncrementalStateInvalid,
        Loss::InternedWithoutState => Stat::InternedDataSkippedIncrementalStateInvalid,
        Loss::InternedWithoutSequence => Stat::InternedDataMissingSequenceId,
        Loss::DefaultsWithoutSequence => Stat::TracePacketDefaultsMissingSequenceId,
        Loss::ClearedWithoutSequence => Stat::IncrementalStateClearedMissingSequenceId,
        Loss::DroppedWithoutSequence => Stat::PreviousPacketDroppedMissingSequenceId,
        Loss::InvalidSnapshot => Stat::InvalidClockSnapshots,
        Loss::UnknownSourceClock => Stat::ClockSyncFailureUnknownSourceClock,
        Loss::UnknownTargetClock => Stat::ClockSyncFailureUnknownTargetClock,
        Loss::NoClockPath => Stat::ClockSyncFailureNoPath,
        Loss::UnrelatableClock => Stat::ClockSyncUnrelatableClockDomains,
        Loss::DifferenceWithoutReference => Stat::TrackEventSkippedTimestampDeltaWithoutValidState,
        Loss::UndatedEvent => Stat::TrackEventMissingTimestamp,
        Loss::UndatedCounters => Stat::GpuCountersMissingTimestamp,
        Loss::EventWithoutSequence => Stat::TrackEventMissingSequenceId,
        Loss::ThreadWithoutSequence => Stat::ThreadDescriptorMissingSequenceId,
        Loss::ThreadWithoutState => Stat::ThreadDescriptorSkippedIncrementalStateInvalid,
        Loss::NegativeEventTime => Stat::TrackEventInvalidTimestamp,
        Loss::NegativeTimestamp => Stat::TraceSorterNegativeTimestampDropped,
        Loss::OutOfOrder => Stat::SorterPushEventOutOfOrder,
        Loss::UndatedProfile => Stat::StreamingProfileInvalidTimestamp,
        Loss::ProfileWithoutTimes => Stat::StackprofileParserError,
        Loss::MalformedPacket => Stat::MalformedPackets,
        Loss::MalformedCompactSched => Stat::CompactSchedHasParseErrors,
        Loss::MalformedBundle => Stat::FtraceBundleTokenizerErrors,
        Loss::MalformedText => Stat::JsonTokenizerFailure,
        Loss::MalformedLine => Stat::SystraceParseFailure,
        Loss::MalformedNinjaLine => Stat::NinjaParseErrors,
        Loss::MalformedLogLine => Stat::AndroidLogNumFailed,
        Loss::MalformedReport => Stat::AndroidBrParseErrors,
        Loss::MalformedStraceLine => Stat::StraceParseFailure,
        Loss::StraceWithoutTime => Stat::StraceUnsupportedTimestampFormat,
        Loss::StraceWithoutThread => Stat::StraceMissingPid,
        Loss::StraceStack => Stat::FormatRecordsNotRead,
        Loss::SampleWithoutStack => Stat::PerfTextImporterSampleNoFrames,
        Loss::MalformedRecord => Stat::FormatParseErrors,
        Loss::DisplayTimeUnit => Stat::JsonDisplayTimeUnit,
    }
}
