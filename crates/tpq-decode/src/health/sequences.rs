//! Writer sequences: packets lost on the way, and packets that could not be understood because what
//! they refer to was lost.

use tpq_ingest::SequenceLoss;
use tpq_tables::Stat;

use super::amounts::{count, many, time};
use super::{FileHealth, Finding};
use tpq_trackers::track::FillPolicy;

/// Losses of each writer sequence.
pub(super) fn find(file: &FileHealth<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for &(machine, sequence) in &file.sequences {
        let lost = [lost_packets(file, sequence), lost_state(file, sequence)];
        let located = |finding: Finding| Finding {
            sequence: Some(i64::from(sequence.sequence)),
            pid: sequence.pid.map(i64::from),
            buffer: file.writers.buffer(sequence.sequence),
            machine: Some(machine),
            ..finding
        };
        findings.extend(lost.into_iter().flatten().map(located));
    }
    findings
}

fn writer(sequence: &SequenceLoss) -> String {
    match sequence.pid {
        Some(pid) => format!("Writer {} of process {pid}", sequence.sequence),
        None => format!("Writer {}", sequence.sequence),
    }
}

/// Packets are missing between others of the sequence.
fn lost_packets(file: &FileHealth<'_>, sequence: &SequenceLoss) -> Option<Finding> {
    if sequence.dropped == 0 {
        return None;
    }
    let known = file.writers.buffer(sequence.sequence).is_some();
    let stat = if known { Stat::TracedBufSequencePacketLoss } else { Stat::SequencePacketLoss };
    Some(Finding {
        kind: "packets_lost",
        what: format!(
            "{} lost packets in {}; their number is unknown.",
            writer(sequence),
            many(sequence.dropped as i64, "place", "places"),
        ),
        remedy: match buffer_lost(file, sequence) {
            Some(buffer) => format!("See the advice for buffer {buffer}."),
            None => "Set shmem_size_kb of its producer to more, or have the data source wait \
                     instead of dropping (BufferExhaustedPolicy kStall)."
                .to_owned(),
        },
        between: around(&sequence.gaps),
        amount: Some((sequence.dropped as i64, "places")),
        stat: Some(stat),
        ..Finding::default()
    })
}

/// The buffer of a sequence, where it lost data or packets on the way to it.
fn buffer_lost(file: &FileHealth<'_>, sequence: &SequenceLoss) -> Option<usize> {
    let number = usize::try_from(file.writers.buffer(sequence.sequence)?).ok()?;
    let counts = file.recording.buffers.get(number)?;
    let lost = [counts.packet_loss, counts.chunks_overwritten, counts.chunks_discarded];
    lost.iter().any(|&lost| lost > 0).then_some(number)
}

/// Packets refer to what was interned in packets that are gone.
fn lost_state(file: &FileHealth<'_>, sequence: &SequenceLoss) -> Option<Finding> {
    if sequence.skipped == 0 {
        return None;
    }
    Some(Finding {
        kind: "incremental_state_lost",
        what: format!(
            "{}: {} of {} cannot be understood, as the names they refer to were lost.",
            writer(sequence),
            count(sequence.skipped as i64),
            many(sequence.written.0 as i64, "packet", "packets"),
        ),
        remedy: state_remedy(file, sequence),
        between: within(file, around(&sequence.skips)),
        amount: Some((sequence.skipped as i64, "packets")),
        stat: Some(Stat::PacketSkippedSeqNeedsIncrementalStateInvalid),
        ..Finding::default()
    })
}

/// State must be sent anew well within the time that the buffer holds.
fn state_remedy(file: &FileHealth<'_>, sequence: &SequenceLoss) -> String {
    const SHORTEST_MS: f64 = 20.0;
    const USUAL_MS: f64 = 5000.0;
    let asked = file.recording.requested.as_ref().and_then(|it| it.clear_period_ms);
    let period = |ms: f64| match asked {
        Some(asked) if f64::from(asked) <= ms => {
            format!("clear_period_ms of incremental_state_config to less than the {asked} it was")
        }
        Some(asked) => {
            format!("clear_period_ms of incremental_state_config to {ms:.0} instead of {asked}")
        }
        None => format!("clear_period_ms of incremental_state_config to {ms:.0}"),
    };
    match held(file, sequence) {
        Some(held) if held / 1e7 >= SHORTEST_MS => format!(
            "Set {}: the buffer held the last {}, and names must come again well within that.",
            period((held / 1e7).min(USUAL_MS)),
            time(held),
        ),
        Some(held) => format!(
            "Make the buffer larger, as said for it: it held only the last {}, less than any \
             clear_period_ms can make up for.",
            time(held),
        ),
        None => format!("Set {}, so that names come again after a loss.", period(USUAL_MS)),
    }
}

/// For how long the ring that a sequence wrote to holds data, in ns. A writer of which nothing is
/// said will have written to the ring that wrapped, if there is but one.
fn held(file: &FileHealth<'_>, sequence: &SequenceLoss) -> Option<f64> {
    let recording = file.recording;
    let policy = |buffer: usize| recording.requested.as_ref()?.buffers.get(buffer).copied();
    let wrapped = |buffer: &usize| recording.buffers[*buffer].chunks_overwritten > 0;
    let mut rings = (0..recording.buffers.len()).filter(wrapped);
    let buffer = match (file.writers.buffer(sequence.sequence), rings.next(), rings.next()) {
        (Some(buffer), ..) => usize::try_from(buffer).ok()?,
        (None, Some(only), None) => only,
        _ => return None,
    };
    let counts =
        recording.buffers.get(buffer).filter(|_| policy(buffer) == Some(FillPolicy::Ring))?;
    // Its observed contents; else its contents under an even write rate.
    if let Some((from, to)) = file.span(buffer) {
        return Some(to.saturating_sub(from) as f64);
    }
    let share = counts.size as f64 / counts.bytes_written.max(1) as f64;
    Some(recording.length()? as f64 * share.min(1.0))
}

/// The same, from the start or to the end of the recording where nothing was before or after.
fn within(
    file: &FileHealth<'_>,
    (from, to): (Option<i64>, Option<i64>),
) -> (Option<i64>, Option<i64>) {
    (from.or(file.recording.started), to.or(file.recording.stopped))
}

/// From the earliest to the latest moment of several stretches.
fn around(stretches: &[(Option<i64>, Option<i64>)]) -> (Option<i64>, Option<i64>) {
    let from = stretches.iter().map(|stretch| stretch.0).min().flatten();
    let to = stretches.iter().map(|stretch| stretch.1);
    // Without a packet after it, a loss lasts to the end.
    let to = if to.clone().any(|to| to.is_none()) { None } else { to.flatten().max() };
    (from, to)
}
