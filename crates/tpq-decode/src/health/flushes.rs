//! Late and missing data: packets outside their window, producers that did not flush.

use tpq_tables::Stat;

use super::amounts::{many, signed};
use super::{FileHealth, Finding};

/// Flushes that would do for most recordings, in ms.
const USUAL_PERIOD_MS: u32 = 5000;

/// Late packets, and producers that did not answer.
pub(super) fn find(file: &FileHealth<'_>) -> Vec<Finding> {
    let found = [late(file), final_flush(file), failed_flushes(file), no_flushes(file)];
    let mut findings: Vec<Finding> = found.into_iter().flatten().collect();
    for (producer, source) in &file.recording.unflushed {
        findings.push(Finding {
            kind: "source_not_flushed",
            what: format!("{source} of {producer} did not answer the last flush."),
            remedy: "What it had not handed over by then is missing. Raise flush_timeout_ms or \
                     data_source_stop_timeout_ms."
                .to_owned(),
            stat: Some(Stat::TracedFlushesFailed),
            ..Finding::default()
        });
    }
    for finding in &mut findings {
        finding.machine = file.host();
    }
    findings
}

/// Events that are older than what had been sorted already.
fn late(file: &FileHealth<'_>) -> Option<Finding> {
    let lost = file.count(Stat::SorterPushEventOutOfOrder);
    let requested = file.recording.requested.as_ref();
    let asked = requested.and_then(|requested| requested.flush_period_ms);
    let better = asked.map_or(USUAL_PERIOD_MS, |asked| (asked / 2).clamp(1000, USUAL_PERIOD_MS));
    (lost > 0).then(|| Finding {
        kind: "late_packets",
        what: format!(
            "{} came too late to be put in order: what held them was handed over when later ones had \
             been read already.",
            many(lost, "event", "events"),
        ),
        remedy: format!(
            "Open the trace with --full-sort to have them. For the next recording, set \
             flush_period_ms to {better}{}.",
            asked.map_or(String::new(), |asked| format!(" instead of {asked}")),
        ),
        between: (file.late.map(|late| late.0), file.late.map(|late| late.1)),
        amount: Some((lost, "events")),
        stat: Some(Stat::SorterPushEventOutOfOrder),
        ..Finding::default()
    })
}

fn final_flush(file: &FileHealth<'_>) -> Option<Finding> {
    file.recording.final_flush_failed.then(|| Finding {
        kind: "final_flush_failed",
        what: "Not all producers handed over what they had when the recording ended.".to_owned(),
        remedy: "Raise flush_timeout_ms, and see that producers still run at the end.".to_owned(),
        between: (None, file.recording.stopped),
        stat: Some(Stat::TracedFinalFlushFailed),
        ..Finding::default()
    })
}

fn failed_flushes(file: &FileHealth<'_>) -> Option<Finding> {
    let failed = signed(file.recording.flushes_failed);
    (failed > 0).then(|| Finding {
        kind: "flushes_failed",
        what: format!(
            "{} not answered by all producers in time.",
            many(failed, "flush was", "flushes were"),
        ),
        remedy: "Raise flush_timeout_ms.".to_owned(),
        stat: Some(Stat::TracedFlushesFailed),
        ..Finding::default()
    })
}

/// A recording that streams without flushes may keep stale pages for minutes.
fn no_flushes(file: &FileHealth<'_>) -> Option<Finding> {
    let requested = file.recording.requested.as_ref()?;
    requested.file_write_period_ms?;
    (requested.flush_period_ms.is_none()).then(|| Finding {
        kind: "no_periodic_flush",
        only_notice: true,
        what: "The recording streams into a file without periodic flushes: a source that writes \
               little may hand over events minutes after they happened."
            .to_owned(),
        remedy: format!(
            "Set flush_period_ms to {USUAL_PERIOD_MS}. Open this trace with --full-sort if events \
             were dropped as too late.",
        ),
        ..Finding::default()
    })
}
