//! Symbols of frames from files of their binaries.

use std::collections::BTreeMap;

use tpq_ingest::SourceId;
use tpq_tables::{StringId, Tables};

use crate::symbolizer::{MappedBinary, SymbolLine, Symbolizer, UnknownBinary};
use tpq_trackers::stacks::{SourceLine, push_symbols};
use tpq_trackers::track::Trackers;

/// A binary by path and build id, with the numbers that decide what an address of it means.
type Binary = ((StringId, StringId), [u64; 3], bool);

/// Frames by binary and address.
type Frames = BTreeMap<Binary, BTreeMap<u64, Vec<u32>>>;

/// Gives symbols to the frames of all sources that have none and lie in a binary with a build id.
/// Returns the binaries that the symbolizer does not know.
pub(crate) fn name_frames(
    symbolizer: &dyn Symbolizer,
    trackers: &mut Trackers,
    tables: &mut Tables,
    sources: usize,
) -> Vec<UnknownBinary> {
    let mut frames = Frames::new();
    for source in 0..sources as SourceId {
        trackers.enter(source);
        collect(trackers, tables, &mut frames);
    }
    let mut unknown: BTreeMap<(StringId, StringId), u64> = BTreeMap::new();
    for (((path, build_id), numbers, has_range), frames) in frames {
        let [exact_offset, start_offset, load_bias] = numbers;
        let binary = MappedBinary {
            path: tables.strings.get(path),
            build_id: tables.strings.get(build_id),
            exact_offset,
            start_offset,
            load_bias,
            has_range,
        };
        let addresses: Vec<u64> = frames.keys().copied().collect();
        let Some(symbols) = symbolizer.symbolize(&binary, &addresses) else {
            let frames: u64 = frames.values().map(|rows| rows.len() as u64).sum();
            *unknown.entry((path, build_id)).or_default() += frames;
            continue;
        };
        for (rows, lines) in frames.values().zip(symbols) {
            add_symbols(rows, &lines, tables);
        }
    }
    let text = |id| tables.strings.get(id).to_owned();
    let unknown = unknown.into_iter().map(|((path, build_id), frames)| UnknownBinary {
        path: text(path),
        build_id: text(build_id),
        frames,
    });
    unknown.collect()
}

/// Adds the frames of a source that have no symbols.
fn collect(trackers: &Trackers, tables: &Tables, frames: &mut Frames) {
    let mappings = &tables.stack_profile_mapping;
    for (mapping, address, row) in trackers.source.stacks.frames.in_binaries() {
        let build_id = mappings.build_id.get(mapping);
        let is_known = tables.stack_profile_frame.symbol_set_id.get(row).is_some();
        if is_known || tables.strings.get(build_id).is_empty() {
            continue;
        }
        let path = mappings.name.get(mapping);
        let numbers = [
            mappings.exact_offset.get(mapping),
            mappings.start_offset.get(mapping),
            mappings.load_bias.get(mapping),
        ];
        let has_range = mappings.start.get(mapping) != mappings.end.get(mapping);
        let address = match trackers.source.stacks.mappings.counts_from_start(mapping) {
            true => address.wrapping_add(mappings.exact_offset.get(mapping).cast_unsigned()),
            false => address,
        };
        let binary = ((path, build_id), numbers.map(i64::cast_unsigned), has_range);
        frames.entry(binary).or_default().entry(address).or_default().push(row);
    }
}

/// Gives frames the symbols of their address.
fn add_symbols(rows: &[u32], lines: &[SymbolLine], tables: &mut Tables) {
    if lines.is_empty() {
        return;
    }
    let symbols: Vec<(StringId, SourceLine, Option<bool>)> = lines
        .iter()
        .map(|SymbolLine { function, file, line }| {
            let name = tables.strings.intern(function);
            let source = match file {
                // A line says nothing without its file.
                None => SourceLine::default(),
                Some(file) => SourceLine { file: tables.strings.intern(file), line: *line },
            };
            (name, source, None)
        })
        .collect();
    let set = push_symbols(symbols, tables);
    for &row in rows {
        tables.stack_profile_frame.symbol_set_id.set(row, Some(set));
    }
}
