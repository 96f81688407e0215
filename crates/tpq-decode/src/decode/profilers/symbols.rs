//! Symbols of binaries: the functions at the addresses of frames.

use rustc_hash::{FxHashMap, FxHashSet};
use tpq_ingest::{Route, Span, TraceBytes};
use tpq_proto::fields::{address_symbols, line, module_symbols, trace_packet};
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::{Stat, Stats, StringId, Tables};

use super::deobfuscation;
use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::stacks::{SourceLine, Stacks, build_id_text, push_symbols};
use tpq_trackers::track::Trackers;

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::MODULE_SYMBOLS, route: Route::Immediate, decode };

/// Frames can come after their symbols, so packets are only noted.
fn decode(packet: &Packet<'_>, trackers: &mut Trackers, _: &mut Tables, _: &mut Stats) {
    trackers.source.symbols.module_symbols.push(packet.span);
}

/// Names the frames of a source once all are known.
pub(crate) fn name_frames(
    bytes: &TraceBytes<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let packets = std::mem::take(&mut trackers.source.symbols.module_symbols);
    if !packets.is_empty() {
        add_symbols(bytes, &packets, &trackers.source.stacks, tables, stats);
    }
    deobfuscation::name_frames(bytes, trackers, tables, stats);
}

/// The frames of a source by their binaries and addresses. A binary is numbered: many processes
/// map it.
struct FrameIndex {
    /// Binaries by path and build id.
    binaries: FxHashMap<(StringId, StringId), u32>,
    /// The binary, the address and the row of each frame.
    frames: Vec<((u32, u64), u32)>,
    /// The addresses of all frames.
    addresses: FxHashSet<(u32, u64)>,
}

impl FrameIndex {
    fn new(stacks: &Stacks) -> Self {
        let (mut binaries, mut of_mapping) = (FxHashMap::default(), FxHashMap::default());
        for (name, build_id, mapping) in stacks.mappings.all() {
            let next = binaries.len() as u32;
            of_mapping.insert(mapping, *binaries.entry((name, build_id)).or_insert(next));
        }
        let frames = stacks.frames.in_binaries().filter_map(|(mapping, rel_pc, row)| {
            of_mapping.get(&mapping).map(|&binary| ((binary, rel_pc), row))
        });
        let frames: Vec<_> = frames.collect();
        let addresses = frames.iter().map(|&(address, _)| address).collect();
        Self { binaries, frames, addresses }
    }
}

fn add_symbols(
    bytes: &TraceBytes<'_>,
    packets: &[Span],
    stacks: &Stacks,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let index = FrameIndex::new(stacks);
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
