//! Symbols of binaries: the functions at the addresses of frames.

use rustc_hash::{FxHashMap, FxHashSet};
use tpq_ingest::{Route, SourceId, Span, TraceBytes};
use tpq_proto::fields::{address_symbols, line, module_symbols, trace_packet};
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::{Stat, Stats, StringId, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::stacks::{SourceLine, Stacks, build_id_text, push_symbols};
use tpq_trackers::track::Trackers;

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::MODULE_SYMBOLS, route: Route::Immediate, decode };

/// Frames can come after their symbols, so packets are only noted.
fn decode(packet: &Packet<'_>, trackers: &mut Trackers, _: &mut Tables, _: &mut Stats) {
    trackers.source.symbols.module_symbols.push(packet.span);
}

/// Names the frames of all sources once all are known. The files of `shared` hold symbols alone,
/// which are of the frames of all files.
pub(crate) fn name_frames(
    bytes: &TraceBytes<'_>,
    shared: &[SourceId],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut [Stats],
) {
    for (source, stats) in (0..).zip(&mut *stats) {
        trackers.enter(source);
        if shared.contains(&source) {
            continue;
        }
        let packets = std::mem::take(&mut trackers.source.symbols.module_symbols);
        if !packets.is_empty() {
            let mut index = FrameIndex::default();
            index.add(&trackers.source.stacks);
            add_symbols(bytes, &packets, &index, tables, stats);
        }
    }
    if shared.is_empty() {
        return;
    }
    let mut index = FrameIndex::default();
    for source in 0..stats.len() as SourceId {
        trackers.enter(source);
        index.add(&trackers.source.stacks);
    }
    for &source in shared {
        trackers.enter(source);
        let packets = std::mem::take(&mut trackers.source.symbols.module_symbols);
        if let Some(stats) = stats.get_mut(source as usize) {
            add_symbols(bytes, &packets, &index, tables, stats);
        }
    }
}

/// Frames by their binaries and addresses. A binary is numbered: many processes map it.
#[derive(Default)]
struct FrameIndex {
    /// Binaries by path and build id.
    binaries: FxHashMap<(StringId, StringId), u32>,
    /// The binary, the address and the row of each frame.
    frames: Vec<((u32, u64), u32)>,
    /// The addresses of all frames.
    addresses: FxHashSet<(u32, u64)>,
}

impl FrameIndex {
    /// Adds the frames of a source.
    fn add(&mut self, stacks: &Stacks) {
        let mut of_mapping = FxHashMap::default();
        for (name, build_id, mapping) in stacks.mappings.all() {
            let next = self.binaries.len() as u32;
            of_mapping.insert(mapping, *self.binaries.entry((name, build_id)).or_insert(next));
        }
        let frames = stacks.frames.in_binaries().filter_map(|(mapping, rel_pc, row)| {
            of_mapping.get(&mapping).map(|&binary| ((binary, rel_pc), row))
        });
        let first = self.frames.len();
        self.frames.extend(frames);
        self.addresses.extend(self.frames[first..].iter().map(|&(address, _)| address));
    }
}

fn add_symbols(
    bytes: &TraceBytes<'_>,
    packets: &[Span],
    index: &FrameIndex,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    // Of several symbols of an address the last ones count.
    let mut sets = FxHashMap::default();
    for &span in packets {
        let packet = bytes.get(span);
        let module = LastFields::<3>::new(packet);
        let path = tables.strings.intern_bytes(module.bytes(module_symbols::PATH));
        let build_id = build_id_text(module.bytes(module_symbols::BUILD_ID));
        let build_id = tables.strings.intern(&build_id);
        let Some(&binary) = index.binaries.get(&(path, build_id)) else {
            stats.increment(Stat::StackprofileInvalidMappingId);
            continue;
        };
        let symbols = Fields::new(packet);
        for field in symbols.filter(|field| field.number == module_symbols::ADDRESS_SYMBOLS) {
            let message = field.as_bytes();
            let address = LastFields::<2>::new(message).uint(address_symbols::ADDRESS);
            let lines = Fields::new(message).filter(|it| it.number == address_symbols::LINES);
            // The innermost function first, then those it is inlined into.
            let symbols: Vec<_> = lines.map(|line| symbol(line.as_bytes(), tables)).collect();
            if symbols.is_empty() {
                continue;
            }
            match index.addresses.contains(&(binary, address)) {
                true => {
                    sets.insert((binary, address), push_symbols(symbols, tables));
                }
                false => stats.increment(Stat::StackprofileInvalidFrameId),
            }
        }
    }
    for (address, frame) in &index.frames {
        if let Some(&set) = sets.get(address) {
            tables.stack_profile_frame.symbol_set_id.set(*frame, Some(set));
        }
    }
}

fn symbol(message: &[u8], tables: &mut Tables) -> (StringId, SourceLine, Option<bool>) {
    let fields = LastFields::<4>::new(message);
    let name = tables.strings.intern_bytes(fields.bytes(line::FUNCTION_NAME));
    let file = fields.bytes(line::SOURCE_FILE_NAME);
    if file.is_empty() {
        // A line says nothing without its file.
        return (name, SourceLine::default(), None);
    }
    let file = tables.strings.intern_bytes(file);
    let line = fields.get(line::LINE_NUMBER).map(|line| line.as_u32());
    (name, SourceLine { file, line }, None)
}
