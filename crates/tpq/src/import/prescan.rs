//! The prescan of all files.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use tpq_formats::trace_format;
use tpq_ingest::{Losses, Prescan, PrescanMemory, SourceId, prescan};
use tpq_source::{Inputs, ManifestError, Scratch, UNPACK_LIMIT};

use super::ImportError;
use super::setup::is_format;
use crate::arrange::{Arrangement, PrescannedFile};
use crate::options::ImportOptions;
use crate::trailing_manifest::manifest_follows;

/// Prescans every file with events.
pub(super) fn prescan_all<'a>(
    inputs: &'a Inputs,
    scratch: &'a Scratch,
    options: &ImportOptions,
) -> Result<Vec<PrescannedFile<'a>>, ImportError> {
    let total: u64 = inputs.traces().map(|(_, file)| file.bytes().len() as u64).sum();
    let scanned = AtomicU64::new(0);
    let (mut before, mut base, mut budget) = (0, 0, UNPACK_LIMIT);
    // Inflated bytes of all files so far.
    let mut inflated = 0;
    let mut scans = Vec::new();
    for (entry, file) in inputs.traces() {
        options.not_cancelled()?;
        let _span = options.span("prescan").map(|span| span.with("trace_id", entry as u64));
        let on_scanned = |range: Range<usize>| {
            let len = range.len() as u64;
            let done = scanned.fetch_add(len, Ordering::Relaxed) + len;
            // Bytes that were scanned twice count once.
            options.advance(done.min(before + file.bytes().len() as u64), total);
            file.release(range);
        };
        let room = PrescanMemory {
            budget,
            keep: &|before, bytes| scratch.keep(inflated + before, bytes),
            keep_large: &|before, first, rest| scratch.keep_large(inflated + before, &first, rest),
        };
        let has_packets = is_format(file, |format| format.has_packets);
        let prescan = match has_packets {
            false => match trace_format(file.format()).and_then(|format| format.prescan) {
                Some(scan) => scan(file.bytes(), base, room),
                None => Prescan::of_text(file.bytes(), base, budget),
            },
            true => prescan(file.bytes(), base, room, &on_scanned, options.threads != Some(1))
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

/// Losses of the prescans, at the sources of their files.
pub(super) fn prescan_losses(
    scans: &[PrescannedFile<'_>],
    arrangement: &Arrangement,
) -> Vec<(SourceId, Losses)> {
    let bases = arrangement.contexts.iter().map(|context| context.base.0);
    bases.zip(scans.iter().map(|scan| scan.prescan.losses.clone())).collect()
}
