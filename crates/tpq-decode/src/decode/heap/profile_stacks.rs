//! Stacks that heap profiles list themselves, as old recorders wrote them. Newer ones use the
//! interned data of the sequence.

use rustc_hash::FxHashMap;
use tpq_proto::fields::{callstack, frame, interned_string, mapping, profile_packet};
use tpq_proto::wire::{Fields, LastFields, repeated};
use tpq_tables::table::StackProfileMappingRow;
use tpq_tables::{Stat, Stats, StringId, Tables};

use tpq_trackers::stacks::{NewFrame, SourceLine, Stacks, build_id_text};

/// The length at which paths end. Those of systems are shorter; a message of few bytes could
/// describe a path of any length.
const MAX_PATH: usize = 1 << 16;

/// The stacks that the packets of a profile listed so far, by their ids. The first description of
/// an id counts.
#[derive(Debug, Default)]
pub(super) struct ProfileStacks {
    strings: FxHashMap<u64, Box<[u8]>>,
    mappings: FxHashMap<u64, u32>,
    frames: FxHashMap<u64, u32>,
    callstacks: FxHashMap<u64, u32>,
}

impl ProfileStacks {
    /// The callsite of a stack.
    pub(super) fn callsite(&self, callstack: u64) -> Option<u32> {
        self.callstacks.get(&callstack).copied()
    }

    /// Adds what a packet lists. Entries that refer to others that were not sent are counted and
    /// skipped.
    pub(super) fn add(
        &mut self,
        packet: &[u8],
        stacks: &mut Stacks,
        tables: &mut Tables,
        stats: &mut Stats,
    ) {
        for string in messages(packet, profile_packet::STRINGS) {
            let string = LastFields::<3>::new(string);
            let text = string.bytes(interned_string::STR);
            self.strings.entry(string.uint(interned_string::IID)).or_insert_with(|| text.into());
        }
        for message in messages(packet, profile_packet::MAPPINGS) {
            let found = self.mapping(message, tables, stats);
            let Some(row) = found else { continue };
            let Tables { stack_profile_mapping, strings, .. } = &mut *tables;
            let row = stacks.mappings.described(None, row, stack_profile_mapping, strings, stats);
            self.mappings.entry(LastFields::<2>::new(message).uint(mapping::IID)).or_insert(row);
        }
        for message in messages(packet, profile_packet::FRAMES) {
            let Some(frame) = self.frame(message, tables, stats) else { continue };
            let row = stacks.frames.get(frame, tables);
            self.frames.entry(LastFields::<2>::new(message).uint(frame::IID)).or_insert(row);
        }
        for message in messages(packet, profile_packet::CALLSTACKS) {
            let Some(callsite) = self.callstack(message, stacks, tables, stats) else { continue };
            let iid = LastFields::<2>::new(message).uint(callstack::IID);
            self.callstacks.entry(iid).or_insert(callsite);
        }
    }

    /// A string; 0 is the empty one.
    fn string(&self, iid: u64, stats: &mut Stats) -> Option<&[u8]> {
        let string = self.strings.get(&iid).map(|string| &**string);
        let string = string.or((iid == 0).then_some(&[][..]));
        if string.is_none() {
            stats.increment(Stat::StackprofileInvalidStringId);
        }
        string
    }

    fn mapping(
        &self,
        message: &[u8],
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Option<StackProfileMappingRow> {
        let fields = LastFields::<9>::new(message);
        let build_id = build_id_text(self.string(fields.uint(mapping::BUILD_ID), stats)?);
        let mut path = String::new();
        let parts = Fields::new(message).filter(|field| field.number == mapping::PATH_STRING_IDS);
        for iid in parts.flat_map(|field| repeated(&field)) {
            // Old recorders left parts out, so that the path ends here.
            let Some(part) = self.string(iid, stats) else { break };
            path.push('/');
            path.push_str(&String::from_utf8_lossy(part));
            if path.len() > MAX_PATH {
                break;
            }
        }
        let number = |number: u32| fields.uint(number) as i64;
        Some(StackProfileMappingRow {
            build_id: tables.strings.intern(&build_id),
            exact_offset: number(mapping::EXACT_OFFSET),
            start_offset: number(mapping::START_OFFSET),
            start: number(mapping::START),
            end: number(mapping::END),
            load_bias: number(mapping::LOAD_BIAS),
            name: tables.strings.intern(&path),
        })
    }

    fn frame(&self, message: &[u8], tables: &mut Tables, stats: &mut Stats) -> Option<NewFrame> {
        let fields = LastFields::<9>::new(message);
        let Some(&mapping) = self.mappings.get(&fields.uint(frame::MAPPING_ID)) else {
            stats.increment(Stat::StackprofileInvalidMappingId);
            return None;
        };
        let name = self.string(fields.uint(frame::FUNCTION_NAME_ID), stats)?;
        let name = tables.strings.intern_bytes(name);
        let source = SourceLine { file: StringId::NULL, line: None };
        Some(NewFrame { mapping, rel_pc: fields.uint(frame::REL_PC), name, source })
    }

    fn callstack(
        &self,
        message: &[u8],
        stacks: &mut Stacks,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Option<u32> {
        let mut callsite = None;
        let frames = Fields::new(message).filter(|field| field.number == callstack::FRAME_IDS);
        for (depth, iid) in (0..).zip(frames.flat_map(|field| repeated(&field))) {
            let Some(&frame) = self.frames.get(&iid) else {
                stats.increment(Stat::StackprofileInvalidFrameId);
                return None;
            };
            callsite = Some(stacks.callsites.get(callsite, frame, depth, tables));
        }
        if callsite.is_none() {
            stats.increment(Stat::StackprofileEmptyCallstack);
        }
        callsite
    }
}

/// The messages of a field.
fn messages(packet: &[u8], number: u32) -> impl Iterator<Item = &[u8]> {
    Fields::new(packet).filter(move |field| field.number == number).map(|field| field.as_bytes())
}
