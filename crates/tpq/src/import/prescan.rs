//! The prescan of all files.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use tpq_decode::Decoder;
use tpq_formats::trace_format;
use tpq_ingest::{Losses, Prescan, PrescanMemory, PrescanStart, SourceId, Span, prescan};
use tpq_source::{Inputs, ManifestError, Scratch, UNPACK_LIMIT};

use super::ImportError;
use super::setup::is_format;
use crate::arrange::{Arrangement, PrescannedFile};
use crate::options::ImportOptions;
use crate::trailing_manifest::manifest_follows;

/// Prescans every file with events. `start` is what was found in a single file while it arrived.
pub(super) fn prescan_all<'a>(
    inputs: &'a Inputs,
    scratch: &'a Scratch,
    mut start: Option<PrescanStart>,
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
            true => {
                let (bytes, two) = (file.bytes(), options.threads != Some(1));
                prescan(bytes, base, room, &on_scanned, two, start.take()).map_err(|source| {
                    ImportError::Prescan { path: file.shown().to_owned(), source }
                })?
            }
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

/// What the prescan of a file tells the decoder.
pub(super) struct PrescanFindings {
    /// The source of the file's base machine.
    source: SourceId,
    /// The payload fields of its packets.
    kinds: Vec<u32>,
    /// Payloads of packets that say what other packets mean, by kind.
    translations: Vec<(u32, Span)>,
}

impl PrescanFindings {
    /// What the prescans of all files found.
    pub(super) fn all(scans: &mut [PrescannedFile<'_>], arrangement: &Arrangement) -> Vec<Self> {
        let bases = arrangement.contexts.iter().map(|context| context.base.0);
        let found = |(source, scan): (SourceId, &mut PrescannedFile<'_>)| Self {
            source,
            kinds: scan.prescan.kinds.keys().copied().collect(),
            translations: std::mem::take(&mut scan.prescan.translations),
        };
        bases.zip(scans).map(found).collect()
    }

    pub(super) fn tell(self, decoder: &mut Decoder<'_>) {
        let Self { source, kinds, translations } = self;
        decoder.note_packet_kinds(source, kinds);
        for (kind, payload) in translations {
            decoder.translate(source, kind, payload);
        }
    }
}

/// Losses of the prescans, at the sources of their files.
pub(super) fn prescan_losses(
    scans: &[PrescannedFile<'_>],
    arrangement: &Arrangement,
) -> Vec<(SourceId, Losses)> {
    let bases = arrangement.contexts.iter().map(|context| context.base.0);
    bases.zip(scans.iter().map(|scan| scan.prescan.losses.clone())).collect()
}
