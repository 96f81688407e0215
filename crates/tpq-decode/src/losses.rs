//! The stats under which the losses of the earlier stages appear.

use tpq_ingest::{Loss, Losses};
use tpq_tables::{Stat, Stats};

pub(crate) fn count_losses(losses: &Losses, stats: &mut Stats) {
    for (loss, count) in losses.iter() {
        stats.add(stat_of(loss), i64::try_from(count).unwrap_or(i64::MAX));
    }
}

fn stat_of(loss: Loss) -> Stat {
    match loss {
        Loss::TruncatedBytes => Stat::TraceTruncatedBytes,
        Loss::InflateFailed => Stat::CompressedPacketsFailed,
        Loss::SkippedWithoutState => Stat::PacketSkippedSeqNeedsIncrementalStateInvalid,
        Loss::InternedWithoutState => Stat::InternedDataSkippedIncrementalStateInvalid,
        Loss::InternedWithoutSequence => Stat::InternedDataMissingSequenceId,
        Loss::DefaultsWithoutSequence => Stat::TracePacketDefaultsMissingSequenceId,
        Loss::DroppedWithoutSequence => Stat::PreviousPacketDroppedMissingSequenceId,
        Loss::InvalidSnapshot => Stat::InvalidClockSnapshots,
        Loss::UnknownSourceClock => Stat::ClockSyncFailureUnknownSourceClock,
        Loss::UnknownTargetClock => Stat::ClockSyncFailureUnknownTargetClock,
        Loss::NoClockPath => Stat::ClockSyncFailureNoPath,
        Loss::NegativeTimestamp => Stat::TraceSorterNegativeTimestampDropped,
        Loss::OutOfOrder => Stat::SorterPushEventOutOfOrder,
        Loss::MalformedPacket => Stat::MalformedPackets,
        Loss::MalformedCompactSched => Stat::CompactSchedHasParseErrors,
        Loss::MalformedBundle => Stat::FtraceBundleTokenizerErrors,
    }
}
