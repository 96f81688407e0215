//! The state of the decoder and the readers before the first event.

use std::collections::BTreeSet;

use tpq_decode::{Decoder, Fact, FileInfo, Setup};
use tpq_formats::{DefaultClock, OpenFile, OpenedFile, Report, TraceFormat, trace_format};
use tpq_ingest::{FileContext, Timeline, TraceBytes};
use tpq_source::{Attribute, Entry, Format, Inputs};
use tpq_tables::{Stat, TableGroups};

use crate::arrange::Arrangement;
use crate::file_findings::remarks;
use crate::options::ImportOptions;

pub(super) fn setup(
    inputs: &Inputs,
    arrangement: &mut Arrangement,
    left_out: TableGroups,
    options: &ImportOptions,
) -> Setup {
    Setup {
        machines: std::mem::take(&mut arrangement.machines),
        kernels: kernels(inputs, arrangement),
        sources: arrangement.sources.clone(),
        clocks: arrangement.clock_names(),
        files: inputs.entries().len(),
        late_args: inputs
            .traces()
            .any(|(_, file)| is_format(file, |format| format.has_deferred_args)),
        ftrace_raw: options.ftrace_raw,
        left_out,
        crop: options.crop,
    }
}

/// The machines in packets and in kernel traces: those with a thread 0 that is the kernel's.
pub(super) fn kernels(inputs: &Inputs, arrangement: &Arrangement) -> BTreeSet<u32> {
    let files = inputs.traces().zip(&arrangement.contexts);
    let of_kernels = files.filter(|((_, file), _)| is_format(file, |format| format.has_kernel));
    let sources = of_kernels.flat_map(|(_, file)| file.machines.values().chain([&file.base]));
    sources.map(|(source, _)| arrangement.sources.get(*source).machine).collect()
}

/// Of each file, whether it is sorted in windows, as its format states.
pub(super) fn windowed(inputs: &Inputs, options: &ImportOptions) -> Vec<bool> {
    let windowed =
        |file: &Entry| !options.full_sort && is_format(file, |format| format.is_windowed);
    inputs.traces().map(|(_, file)| windowed(file)).collect()
}

/// Writes the facts that are known before any event is read.
pub(super) fn describe(inputs: &Inputs, arrangement: &Arrangement, decoder: &mut Decoder<'_>) {
    for file in inputs.entries() {
        decoder.add_file(FileInfo {
            parent: file.parent().map(|parent| parent as u32),
            name: file.name(),
            size: file.size(),
            format: file.format().name(),
            processing_order: file.processing_order(),
        });
    }
    let has_times =
        |file: &Entry| is_format(file, |format| format.default_clock != DefaultClock::None);
    if inputs.traces().next().is_none() || inputs.traces().any(|(_, file)| has_times(file)) {
        let clock = arrangement.trace_clock;
        decoder.add_fact("trace_time_clock_id", Fact::Int(i64::from(clock.id)));
    }
    for (key, value) in inputs.manifest().iter().flat_map(|manifest| &manifest.attributes) {
        let value = match value {
            Attribute::Int(value) => Fact::Int(*value),
            Attribute::Text(text) => Fact::Text(text),
        };
        decoder.add_fact(&format!("manifest_attribute.{key}"), value);
    }
    let base = |context: &FileContext| context.base.0;
    for ((_, file), context) in inputs.traces().zip(&arrangement.contexts) {
        decoder.describe_file(base(context), file.bytes().len() as u64, file.format().name());
        decoder.identify_file(base(context), file.bytes());
        if file.format().names_code() {
            decoder.share_symbols(base(context), package_of(file));
        }
    }
    for entry in 0..inputs.entries().len() {
        for remark in remarks(inputs, entry) {
            decoder.remark_on_file(entry as u32, remark);
        }
    }
    for &entry in &arrangement.doubtful {
        let what = "wall time at boot is not that of the file the timeline is of";
        decoder.count_file(entry, Stat::ClockSyncDoubtfulSameBoot, what);
    }
    let is_manifest = |file: &Entry| file.format() == Format::Manifest;
    let manifest = inputs.entries().iter().position(is_manifest).unwrap_or_default();
    for path in inputs.unmatched_manifest_paths() {
        decoder.count_file(manifest as u32, Stat::ManifestFilesMissing, path);
    }
}

/// The Android package that a file with names of code is of, if its folder or its own name is one:
/// `com.app/mapping.txt`, or `com.app.txt`.
fn package_of(file: &Entry) -> Option<&str> {
    let mut parts = file.name()?.rsplit('/');
    let name = parts.next().unwrap_or_default();
    let folder = parts.next().unwrap_or_default();
    let name = name.strip_suffix(".txt").unwrap_or_default();
    let is_package = |text: &&str| {
        let is_part = |part: &str| {
            part.starts_with(|it: char| it.is_ascii_alphabetic())
                && part.chars().all(|it| it.is_ascii_alphanumeric() || it == '_')
        };
        text.contains('.') && text.split('.').all(is_part)
    };
    [name, folder].into_iter().find(is_package)
}

/// Opens a reader of each file with events. Only for a single file, a second thread may help:
/// several files are read on several threads anyway.
pub(super) fn open_files<'a>(
    inputs: &Inputs,
    arrangement: &mut Arrangement,
    bytes: &'a TraceBytes<'a>,
    timeline: &Timeline,
    left_out: TableGroups,
    may_split: bool,
) -> Vec<OpenedFile<'a>> {
    let contexts = std::mem::take(&mut arrangement.contexts);
    let may_split = may_split && contexts.len() == 1;
    let reports = reports(inputs, &contexts);
    let open = |((entry, file), report): ((&Entry, FileContext), Option<Report>)| {
        let (timeline, len) = (timeline.clone(), entry.bytes().len());
        let format = trace_format(entry.format())?;
        Some((format.open)(OpenFile { bytes, file, timeline, len, may_split, report, left_out }))
    };
    let files = inputs.traces().map(|(_, entry)| entry).zip(contexts);
    files.zip(reports).filter_map(open).collect()
}

/// The bug report that each file with events is part of.
fn reports(inputs: &Inputs, contexts: &[FileContext]) -> Vec<Option<Report>> {
    let files = || inputs.traces().map(|(_, entry)| entry).zip(contexts);
    let logs_of = |report: &Entry| {
        let logs = files().filter(|(entry, _)| {
            entry.format() == Format::Logcat && entry.parent() == report.parent()
        });
        logs.filter_map(|(_, file)| file.segments.first().copied()).collect::<Vec<_>>()
    };
    let report = |(entry, _): (&Entry, &FileContext)| {
        let stored_logs = match entry.format() {
            Format::Dumpstate => logs_of(entry),
            _ => Vec::new(),
        };
        Some(Report { date: entry.report()?, stored_logs })
    };
    files().map(report).collect()
}

/// Whether the format of a file has a property.
pub(super) fn is_format(file: &Entry, property: impl FnOnce(&TraceFormat) -> bool) -> bool {
    trace_format(file.format()).is_some_and(property)
}
