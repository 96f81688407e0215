//! What an import says of files as a whole: what of them was not read, what is damaged, and how each
//! came onto the timeline.

use std::collections::HashMap;

use tpq_clock::Rule;
use tpq_decode::FileRemark;
use tpq_ingest::Timeline;
use tpq_source::{Entry, Format, Inputs};

use crate::summary::{FilePlacement, TextDamage};
use tpq_formats::Reader;

/// What a single input is called.
const SINGLE: &str = "the trace";

/// What tables and summaries call a file: by the names within archives and, of several inputs, the
/// path. They are kept for the same trace under another path, so that of a single input is no part.
fn kept_name(inputs: &Inputs, entry: usize) -> String {
    let entries = inputs.entries();
    let file = &entries[entry];
    let own = file.name().unwrap_or_default();
    let outer = file.parent().map(|parent| kept_name(inputs, parent));
    match outer.filter(|outer| outer != SINGLE) {
        Some(outer) if own.is_empty() => outer,
        Some(outer) => format!("{outer}/{own}"),
        None if own.is_empty() => SINGLE.to_owned(),
        None => own.to_owned(),
    }
}

/// What was found of a file when it was opened.
pub(crate) fn remarks(inputs: &Inputs, entry: usize) -> impl Iterator<Item = FileRemark> {
    let file = &inputs.entries()[entry];
    let name = kept_name(inputs, entry);
    let name = move || name.clone();
    let holds_files = matches!(
        file.format(),
        Format::Tar | Format::Zip | Format::Gzip | Format::Zstd | Format::Manifest
    );
    let found = match (file.cut(), file.unread()) {
        (Some(cut), _) if file.format().is_trace() || holds_files => {
            Some(FileRemark::Cut(name(), cut.to_string()))
        }
        (Some(cut), _) => Some(FileRemark::Unreadable(name(), cut.to_string())),
        (None, Some(why)) => Some(FileRemark::NotRead(name(), why.to_owned())),
        (None, None) => None,
    };
    let irregular = file.remarks().iter();
    let irregular = irregular.map(move |what| FileRemark::Irregular(name(), what.clone()));
    found.into_iter().chain(irregular)
}

/// What is wrong with files of text.
pub(crate) fn damage(inputs: &Inputs, readers: &[Reader<'_>]) -> Vec<TextDamage> {
    let files = inputs.traces().zip(readers);
    files.filter_map(|((_, file), reader)| TextDamage::of(file.shown(), reader.losses())).collect()
}

/// By which rule each file with events came onto the timeline.
pub(crate) fn placements(
    inputs: &Inputs,
    readers: &[Reader<'_>],
    timeline: &Timeline,
) -> Vec<FilePlacement> {
    let mut rules: HashMap<usize, Rule> = HashMap::new();
    for (clock, placement) in timeline.placements() {
        let Ok(placement) = placement else { continue };
        let rule = rules.entry(clock.source.file as usize).or_insert(placement.rule);
        *rule = placement.rule.max(*rule);
    }
    let of_file = |((entry, _), reader): ((usize, &Entry), &Reader<'_>)| {
        let rule = rules.get(&entry).copied().unwrap_or(Rule::Snapshots);
        FilePlacement::new(entry as u32, &kept_name(inputs, entry), rule, reader.losses())
    };
    inputs.traces().zip(readers).map(of_file).collect()
}
