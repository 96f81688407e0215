//! Losses that nothing more is known of than their count.

use tpq_tables::{Severity, Stat, Stats};

use super::amounts::{count, many};
use super::{FileHealth, Finding};

/// Stats that other findings explain, or that follow from what these explain.
const EXPLAINED: &[Stat] = &[
    Stat::ConfigWriteIntoFileDiscard,
    Stat::FtraceCpuHasDataLoss,
    Stat::FtraceCpuOverrunEnd,
    Stat::LongTraceModeBytesOverwritten,
    Stat::PacketSkippedSeqNeedsIncrementalStateInvalid,
    Stat::InternedDataSkippedIncrementalStateInvalid,
    Stat::SequencePacketLoss,
    Stat::SorterPushEventOutOfOrder,
    Stat::TracedBufAbiViolations,
    Stat::TracedBufChunksOverwritten,
    Stat::TracedBufDataLossChunkCorrupted,
    Stat::TracedBufDataLossOrphanContinuation,
    Stat::TracedBufDataLossOverwrite,
    Stat::TracedBufDataLossReadGap,
    Stat::TracedBufDataLossReassemblyBrokenChain,
    Stat::TracedBufDataLossReassemblyGap,
    Stat::TracedBufDataLossSmbFull,
    Stat::TracedBufDataLossWriterAbort,
    Stat::TracedBufIncrementalSequencesDropped,
    Stat::TracedBufPatchesFailed,
    Stat::TracedBufSequencePacketLoss,
    Stat::TracedBufTraceWriterPacketLoss,
    Stat::TracedFinalFlushFailed,
    Stat::TracedFlushesFailed,
    Stat::TraceTruncatedBytes,
];

/// Stats of events that are not in the tables, though the stats are called errors.
const LEFT_OUT: &[Stat] = &[
    Stat::JsonParserFailure,
    Stat::JsonTokenizerFailure,
    Stat::SliceDropOverlappingCompleteEvent,
    Stat::SystraceParseFailure,
];

/// The file ends in the middle of a packet.
fn cut_short(file: &FileHealth<'_>) -> Option<Finding> {
    // Findings about the file as a whole have other texts.
    let bytes = file.count(Stat::TraceTruncatedBytes).saturating_sub(file.cuts);
    let last = file.sequences.iter().filter_map(|(_, it)| it.span).map(|span| span.1).max();
    let into = many(bytes, "byte", "bytes");
    let what = match file.count(Stat::JsonTokenizerFailure) {
        0 => format!(
            "The file ends in the middle of a packet, {into} into it. What came later is missing, \
             and the recorder's own statistics with it."
        ),
        _ => format!(
            "The file ends in the middle of an event, {into} into it. What came later is missing."
        ),
    };
    (bytes > 0).then(|| Finding {
        kind: "trace_cut_short",
        what,
        remedy: "Copy the file again, or see what ended the recording early.".to_owned(),
        between: (last, None),
        amount: Some((bytes, "bytes")),
        stat: Some(Stat::TraceTruncatedBytes),
        machine: file.host(),
        ..Finding::default()
    })
}

/// The recorder counts what its buffers lose, and writes the counts last.
fn no_statistics(file: &FileHealth<'_>) -> Option<Finding> {
    let recorded = file.recording.requested.is_some() && file.recording.buffers.is_empty();
    recorded.then(|| Finding {
        kind: "no_recorder_statistics",
        only_notice: true,
        what: "The recorder's statistics are not in the trace: what its buffers lost is not known."
            .to_owned(),
        remedy: "They are written when a recording ends: let it end by itself, and copy the whole \
                 file."
            .to_owned(),
        machine: file.host(),
        ..Finding::default()
    })
}

/// The losses of a file that no other finding explains.
pub(super) fn find(file: &FileHealth<'_>) -> Vec<Finding> {
    let cut = [cut_short(file), no_statistics(file)];
    let found = file.stats.iter().flat_map(|&(machine, stats)| {
        of_import(stats)
            .into_iter()
            .map(move |finding| Finding { machine: Some(machine), ..finding })
    });
    cut.into_iter().flatten().chain(found).collect()
}

/// The losses among some counts that no other finding explains.
pub(super) fn of_import(stats: &Stats) -> Vec<Finding> {
    let lost = Stat::ALL.iter().copied().filter(|stat| {
        let is_loss = stat.severity() == Severity::DataLoss || LEFT_OUT.contains(stat);
        is_loss && stats.get(*stat) != 0 && !EXPLAINED.contains(stat)
    });
    let finding = |stat: Stat| Finding {
        kind: stat.name(),
        what: format!("{} × {}: {}", count(stats.get(stat)), stat.name(), stat.description()),
        amount: Some((stats.get(stat), "")),
        stat: Some(stat),
        ..Finding::default()
    };
    lost.map(finding).collect()
}
