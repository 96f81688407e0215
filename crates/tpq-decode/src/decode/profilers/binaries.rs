//! Symbols of frames from files of their binaries.

use std::collections::BTreeMap;

use tpq_ingest::SourceId;
use tpq_tables::{StringId, Tables};

use crate::symbolizer::{
    MappedAddress, MappedBinary, NoSymbols, SymbolLine, Symbolizer, Symbols, UnknownBinary,
};
use tpq_trackers::stacks::{SourceLine, push_symbols};
use tpq_trackers::track::Trackers;

/// A binary by path and build id, with the numbers that decide what an address of it means.
type Binary = ((StringId, StringId), [u64; 3], bool);

/// Frames by address.
type FramesAt = BTreeMap<u64, Vec<u32>>;

/// Frames by binary and address.
type Frames = BTreeMap<Binary, FramesAt>;

/// Gives symbols to the frames of all sources that have none and lie in a binary with a build id.
/// Returns the binaries with frames that the symbolizer gives none.
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
    let frames: Vec<(Binary, FramesAt)> = frames.into_iter().collect();
    let mut unknown: BTreeMap<(StringId, StringId, NoSymbols), u64> = BTreeMap::new();
    // The file of a binary is read once for all of its mappings.
    for mappings in frames.chunk_by(|(a, _), (b, _)| a.0 == b.0) {
        let Some((((path, build_id), ..), _)) = mappings.first() else { continue };
        let rows: Vec<&[u32]> =
            mappings.iter().flat_map(|(_, frames)| frames.values().map(Vec::as_slice)).collect();
        let Some(Symbols { lines, left_out }) = symbols_of(mappings, symbolizer, tables) else {
            let frames: usize = rows.iter().map(|rows| rows.len()).sum();
            unknown.insert((*path, *build_id, NoSymbols::NoFile), frames as u64);
            continue;
        };
        let left_out = left_out.iter().filter_map(|&at| rows.get(at));
        let frames: usize = left_out.map(|rows| rows.len()).sum();
        if frames > 0 {
            unknown.insert((*path, *build_id, NoSymbols::TooMuchText), frames as u64);
        }
        for (rows, lines) in rows.into_iter().zip(lines) {
            add_symbols(rows, &lines, tables);
        }
    }
    let text = |id| tables.strings.get(id).to_owned();
    let unknown = unknown.into_iter().map(|((path, build_id, reason), frames)| UnknownBinary {
        path: text(path),
        build_id: text(build_id),
        reason,
        frames,
    });
    unknown.collect()
}

/// The functions at the addresses of a binary, in the order of its mappings.
fn symbols_of(
    mappings: &[(Binary, FramesAt)],
    symbolizer: &dyn Symbolizer,
    tables: &Tables,
) -> Option<Symbols> {
    let mut addresses = Vec::new();
    for (((path, build_id), numbers, has_range), frames) in mappings {
        let [exact_offset, start_offset, load_bias] = *numbers;
        let binary = MappedBinary {
            path: tables.strings.get(*path),
            build_id: tables.strings.get(*build_id),
            exact_offset,
            start_offset,
            load_bias,
            has_range: *has_range,
        };
        addresses.extend(frames.keys().map(|&address| MappedAddress { binary, address }));
    }
    symbolizer.symbolize(&addresses)
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
