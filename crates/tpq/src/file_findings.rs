//! Findings about files as a whole: what was not read, what is damaged, and how each file was
//! placed on the timeline.

use std::collections::HashMap;

use tpq_clock::Rule;
use tpq_decode::FileRemark;
use tpq_ingest::Timeline;
use tpq_source::{Entry, Inputs};

use crate::summary::{FilePlacement, TextDamage};
use tpq_formats::Reader;

/// The name of a single input.
const SINGLE: &str = "the trace";

/// The name of a file in tables and summaries: the names within archives and, if there are several
/// inputs, the path. Cached tables are also used for the same trace under another path, so the path
/// of a single input is left out.
fn stored_name(inputs: &Inputs, entry: usize) -> String {
    let entries = inputs.entries();
    let file = &entries[entry];
    let own = file.name().unwrap_or_default();
    let outer = file.parent().map(|parent| stored_name(inputs, parent));
    match outer.filter(|outer| outer != SINGLE) {
        Some(outer) if own.is_empty() => outer,
        Some(outer) => format!("{outer}/{own}"),
        None if own.is_empty() => SINGLE.to_owned(),
        None => own.to_owned(),
    }
}

/// The findings about a file from when it was opened.
pub(crate) fn remarks(inputs: &Inputs, entry: usize) -> impl Iterator<Item = FileRemark> {
    let file = &inputs.entries()[entry];
    let name = stored_name(inputs, entry);
    let name = move || name.clone();
    let found = match (file.cut(), file.unread()) {
        (Some(cut), _) if file.format().is_read() => Some(FileRemark::Cut(name(), cut.to_string())),
        (Some(cut), _) => Some(FileRemark::Unreadable(name(), cut.to_string())),
        (None, Some(why)) => Some(FileRemark::NotRead(name(), why.to_owned())),
        (None, None) => None,
    };
    let irregular = file.remarks().iter();
    let irregular = irregular.map(move |what| FileRemark::Irregular(name(), what.clone()));
    found.into_iter().chain(irregular)
}

/// The damage of text files.
pub(crate) fn damage(inputs: &Inputs, readers: &[Reader<'_>]) -> Vec<TextDamage> {
    let files = inputs.traces().zip(readers);
    files.filter_map(|((_, file), reader)| TextDamage::of(file.shown(), reader.losses())).collect()
}

/// The rule by which each file with events was placed on the timeline.
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
        FilePlacement::new(entry as u32, &stored_name(inputs, entry), rule, reader.losses())
    };
    inputs.traces().zip(readers).map(of_file).collect()
}
