//! Losses that nothing more is known of than their count.

use tpq_tables::{Severity, Stat, Stats};

use super::{FileHealth, Finding};

/// Stats that other findings explain, or that follow from what these explain.
const EXPLAINED: &[Stat] = &[
    Stat::ConfigWriteIntoFileDiscard,
    Stat::FtraceCpuHasDataLoss,
    Stat::FtraceCpuOverrunEnd,
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
];

/// The losses of a file that no other finding explains.
pub(super) fn find(file: &FileHealth<'_>) -> Vec<Finding> {
    let found = file.stats.iter().flat_map(|&(machine, stats)| {
        of_import(stats)
            .into_iter()
            .map(move |finding| Finding { machine: Some(machine), ..finding })
    });
    found.collect()
}

/// The losses among some counts that no other finding explains.
pub(super) fn of_import(stats: &Stats) -> Vec<Finding> {
    let lost = Stat::ALL.iter().copied().filter(|stat| {
        stat.severity() == Severity::DataLoss && stats.get(*stat) != 0 && !EXPLAINED.contains(stat)
    });
    let finding = |stat: Stat| Finding {
        kind: stat.name(),
        what: stat.description().to_owned(),
        amount: Some((stats.get(stat), "")),
        stat: Some(stat),
        ..Finding::default()
    };
    lost.map(finding).collect()
}
