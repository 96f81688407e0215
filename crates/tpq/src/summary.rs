//! Findings of an import that are not in the tables.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use tpq_clock::Rule;
use tpq_ingest::{Loss, LossBook, TextLocation};
use tpq_source::{Format, Inputs};

use crate::arrange::PrescannedFile;
use crate::clocks::Clocks;
use crate::packet_names::packet_name;

/// The packets of one kind, for `tpq info`.
#[derive(Clone, Debug)]
pub struct PacketKindCount {
    /// The name of the packet's payload field, such as `track_event`.
    pub kind: String,
    /// The number of packets.
    pub packets: u64,
    /// The size of the packets in bytes.
    pub bytes: u64,
}

/// How a file was placed on the timeline. An import that leaves out tables counts no events that
/// only these have.
#[derive(Clone, Debug)]
pub struct FilePlacement {
    /// The file's row in `trace_file`.
    pub trace_id: u32,
    /// The name of the file in messages.
    pub file: String,
    /// The weakest rule that placed any of its clocks.
    pub rule: Rule,
    /// The number of events that were dropped because nothing relates their clock to the timeline.
    pub unplaced: u64,
    /// The number of events that were dropped because they precede the start of the timeline.
    pub negative: u64,
}

impl FilePlacement {
    pub(crate) fn new(trace_id: u32, file: &str, rule: Rule, losses: &LossBook) -> Self {
        let clock_losses = [Loss::UnknownSourceClock, Loss::UnknownTargetClock, Loss::NoClockPath];
        Self {
            trace_id,
            file: file.to_owned(),
            rule,
            unplaced: clock_losses.iter().map(|&loss| losses.get(loss)).sum(),
            negative: losses.get(Loss::NegativeTimestamp) + losses.get(Loss::NegativeEventTime),
        }
    }
}

/// Damage in a file that is no Perfetto trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextDamage {
    /// The file.
    pub path: String,
    /// The line of the first damage, from 1; 0 in files that are no text.
    pub line: u64,
    /// The byte in that line, from 1; in files that are no text, the byte of the file, from 0.
    pub column: u64,
    /// The error there.
    pub what: &'static str,
    /// The number of damaged positions.
    pub places: u64,
}

impl TextDamage {
    /// The damage of a file, if it contains anything that its format does not allow.
    pub(crate) fn of(path: &str, losses: &LossBook) -> Option<Self> {
        let TextLocation { line, column, what } =
            losses.entries().iter().find_map(|entry| entry.text)?;
        let located = losses.entries().iter().filter(|entry| entry.text.is_some());
        let kinds: BTreeSet<Loss> = located.map(|entry| entry.loss).collect();
        let places = kinds.into_iter().map(|loss| losses.get(loss)).sum();
        Some(Self { path: path.to_owned(), line, column, what, places })
    }
}

impl fmt::Display for TextDamage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, column, what, .. } = self;
        match line {
            0 => write!(f, "{path}: byte {column}: {what}"),
            line => write!(f, "{path}: line {line}, column {column}: {what}"),
        }
    }
}

/// Findings of an import that are not in the tables.
#[derive(Clone, Debug, Default)]
pub struct ImportSummary {
    /// The format, such as `perfetto` or `perfetto (gzip)`; for several files, each format that
    /// occurs.
    pub format: String,
    /// Size on disk in bytes.
    pub file_bytes: u64,
    /// Size after decompression in bytes.
    pub trace_bytes: u64,
    /// The number of packets, or of events in formats without packets.
    pub packets: u64,
    /// The number of writer sequences.
    pub sequences: u64,
    /// The peak size, in bytes, of events that waited to be sorted.
    pub sort_peak: u64,
    /// Packets by kind, sorted by size, largest first.
    pub packet_kinds: Vec<PacketKindCount>,
    /// How each file with events was placed on the timeline, in the order of the import.
    pub placements: Vec<FilePlacement>,
    /// The damage of text files; one entry for each damaged file.
    pub damage: Vec<TextDamage>,
    /// The clocks, which were read together, and their conversions to trace time.
    pub clocks: Clocks,
}

pub(crate) fn summarise(inputs: &Inputs, scans: &[PrescannedFile<'_>]) -> ImportSummary {
    let mut kinds: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for (&field, &(packets, bytes)) in scans.iter().flat_map(|scan| &scan.prescan.kinds) {
        let kind = kinds.entry(field).or_default();
        kind.0 += packets;
        kind.1 += bytes;
    }
    let mut packet_kinds: Vec<PacketKindCount> = kinds
        .iter()
        .map(|(&field, &(packets, bytes))| PacketKindCount {
            kind: packet_name(field),
            packets,
            bytes,
        })
        .collect();
    packet_kinds.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.kind.cmp(&b.kind)));
    let top_level = inputs.entries().iter().filter(|entry| entry.parent().is_none());
    ImportSummary {
        format: format(inputs),
        file_bytes: top_level.map(|entry| entry.size()).sum(),
        trace_bytes: inputs.traces().map(|(_, entry)| entry.bytes().len() as u64).sum(),
        packets: scans.iter().map(|scan| scan.prescan.packets).sum(),
        sequences: 0,
        sort_peak: 0,
        packet_kinds,
        placements: Vec::new(),
        damage: Vec::new(),
        clocks: Clocks::default(),
    }
}

/// The format of one trace with its containers, or the formats of several traces with their
/// containers.
fn format(inputs: &Inputs) -> String {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for (_, entry) in inputs.traces() {
        let name =
            if entry.format() == Format::Perfetto { "perfetto" } else { entry.format().name() };
        match kinds.iter_mut().find(|(kind, _)| *kind == name) {
            Some((_, count)) => *count += 1,
            None => kinds.push((name, 1)),
        }
    }
    let count = |(kind, count): &(&str, usize)| match count {
        1 => format!("1 {kind} trace"),
        count => format!("{count} {kind} traces"),
    };
    let what = match kinds.as_slice() {
        [] => "no trace".to_owned(),
        [(kind, 1)] => (*kind).to_owned(),
        kinds => kinds.iter().map(count).collect::<Vec<_>>().join(", "),
    };
    let mut containers: Vec<&str> = inputs
        .entries()
        .iter()
        .filter(|entry| entry.format().holds_files())
        .map(|entry| entry.format().name())
        .collect();
    containers.dedup();
    match containers.is_empty() {
        true => what,
        false => format!("{what} ({})", containers.join(", ")),
    }
}
