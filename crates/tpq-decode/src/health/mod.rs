//! Losses of each recording, with advice, and the state of its buffers.
//!
//! The counts are known only when all is read, so this runs last. One file for each stage where
//! things get lost; what none of them explains is passed on as its stat describes it.

mod amounts;
mod central_buffers;
mod counts;
mod diagnostics;
mod files;
mod flushes;
mod kernel_buffers;
mod requests;
mod sequences;

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use tpq_ingest::SequenceLoss;
use tpq_tables::table::DataLossRow;
use tpq_tables::{Severity, Stat, Stats, StringId, Tables};

pub use files::FileRemark;

use tpq_trackers::track::{Recording, Writers};

/// Everything that is known of how one file was recorded.
pub(crate) struct FileHealth<'a> {
    /// The row of the file.
    pub(crate) file: u32,
    pub(crate) recording: &'a Recording,
    pub(crate) writers: &'a Writers,
    /// Losses of its writer sequences, each with the row of its machine.
    pub(crate) sequences: Vec<(u32, &'a SequenceLoss)>,
    /// Counts by machine.
    pub(crate) stats: Vec<(u32, &'a Stats)>,
    /// From when on all CPUs of all machines have kernel events.
    pub(crate) all_cpus_from: Option<i64>,
    /// The first and last event that came too late to be sorted in.
    pub(crate) late: Option<(i64, i64)>,
    /// The moments that the sequences of each central buffer span.
    pub(crate) spans: FxHashMap<i64, (i64, i64)>,
    /// How often the file as a whole was found to end early.
    pub(crate) cuts: i64,
    /// Start of the recording, ns since the boot of its machine.
    pub(crate) started_at_boottime: Option<i64>,
    /// The names of the kernel events that it has.
    pub(crate) kernel_events: BTreeSet<String>,
}

impl FileHealth<'_> {
    /// The machine that the recorder ran on.
    fn host(&self) -> Option<u32> {
        self.stats.first().map(|&(machine, _)| machine)
    }

    /// The value of a stat over all machines.
    fn count(&self, stat: Stat) -> i64 {
        self.stats.iter().fold(0, |sum: i64, (_, stats)| sum.saturating_add(stats.get(stat)))
    }

    /// The moments that the sequences of a central buffer span.
    fn span(&self, buffer: usize) -> Option<(i64, i64)> {
        self.spans.get(&(buffer as i64)).copied()
    }

    /// Notes which moments the sequences of each central buffer span.
    fn note_spans(&mut self) {
        for (_, sequence) in &self.sequences {
            let buffer = self.writers.buffer(sequence.sequence);
            let (Some(buffer), Some(span)) = (buffer, sequence.span) else { continue };
            let whole = self.spans.entry(buffer).or_insert(span);
            *whole = (whole.0.min(span.0), whole.1.max(span.1));
        }
    }
}

/// A row of `data_loss` to be.
#[derive(Clone, Debug, Default)]
struct Finding {
    kind: &'static str,
    /// Nothing was lost yet.
    only_notice: bool,
    what: String,
    remedy: String,
    between: (Option<i64>, Option<i64>),
    amount: Option<(i64, &'static str)>,
    stat: Option<Stat>,
    buffer: Option<i64>,
    cpu: Option<i64>,
    sequence: Option<i64>,
    pid: Option<i64>,
    machine: Option<u32>,
    file: Option<u32>,
}

impl Finding {
    fn write(self, tables: &mut Tables) {
        // The contents of a buffer may reach a little beyond the moment at which recording stopped.
        let ts_end = self.between.1.map(|end| self.between.0.map_or(end, |from| end.max(from)));
        let severity = if self.only_notice { Severity::Notice } else { Severity::DataLoss };
        let mut text = |text: &str| match text {
            "" => StringId::NULL,
            text => tables.strings.intern(text),
        };
        let row = DataLossRow {
            kind: text(self.kind),
            severity: text(severity.as_str()),
            what: text(&self.what),
            remedy: text(&self.remedy),
            ts: self.between.0,
            ts_end,
            amount: self.amount.map(|(amount, _)| amount),
            unit: text(self.amount.map_or("", |(_, unit)| unit)),
            stat: text(self.stat.map_or("", Stat::name)),
            buffer: self.buffer,
            cpu: self.cpu,
            sequence_id: self.sequence,
            pid: self.pid,
            machine_id: self.machine,
            trace_id: self.file,
        };
        tables.data_loss.push(row);
    }
}

/// Writes `data_loss`, `trace_buffer` and what the configuration says; `import` has what was counted of no file, and `remarks`
/// what was found of files before their events were read.
pub(crate) fn write_rows<'a>(
    files: impl Iterator<Item = FileHealth<'a>>,
    remarks: Vec<(u32, FileRemark)>,
    import: &Stats,
    tables: &mut Tables,
) {
    for mut file in files {
        file.note_spans();
        let file = &file;
        central_buffers::write_table(file, tables);
        diagnostics::write(file, tables);
        requests::write(file, &file.kernel_events, tables);
        let findings = central_buffers::find(file)
            .into_iter()
            .chain(kernel_buffers::find(file))
            .chain(sequences::find(file))
            .chain(flushes::find(file))
            .chain(counts::find(file));
        let mut findings: Vec<Finding> = findings.collect();
        findings.sort_by_key(|finding| finding.only_notice);
        for finding in findings {
            Finding { file: Some(file.file), ..finding }.write(tables);
        }
    }
    for (file, remark) in remarks {
        remark.finding(file).write(tables);
    }
    for finding in counts::of_import(import) {
        finding.write(tables);
    }
}
