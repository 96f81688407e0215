//! Stacks that packets refer to by number: callstacks, frames, mappings and their strings in the
//! interned data of a sequence.

use tpq_ingest::GenerationId;
use tpq_proto::fields::{callstack, frame, interned_data};
use tpq_proto::wire::{Fields, LastFields, repeated};
use tpq_tables::{Stat, Stats, StringId, Tables};

use super::{EntryKey, NewFrame, SourceLine, Stacks, read_mapping};
use crate::ids::Upid;
use crate::interned::Interned;

/// Reads stacks of the interned data of a sequence.
///
/// An entry that was never sent is counted, and so is each of `stackprofile_*` for the entry that
/// refers to it.
#[derive(Clone, Copy)]
pub struct InternedStacks<'a> {
    /// Interned data of the file.
    pub interned: &'a Interned<'a>,
    /// The generation of the packet's sequence.
    pub generation: GenerationId,
    /// The process of the stack, if it is known.
    pub upid: Option<Upid>,
}

/// A frame that was found.
struct Frame {
    row: u32,
    /// Whether its code was compiled at run time.
    is_jit: bool,
}

/// Kinds of frames, by number; 0 is an unknown kind.
const KINDS: [&str; 7] = ["", "native", "kernel", "interpreted", "jit", "gc", "runtime"];

impl<'a> InternedStacks<'a> {
    /// The callsite of an interned callstack.
    pub fn callstack(
        &self,
        iid: u64,
        stacks: &mut Stacks,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Option<u32> {
        let key = self.key(iid);
        if let Some(&callsite) = stacks.resolved.callsites.get(&key) {
            return Some(callsite);
        }
        if !stacks.effort.begin(stacks.callsites.len()) {
            stats.increment(Stat::StackprofileParserError);
            return None;
        }
        let kind = interned_data::CALLSTACKS;
        let stack = self.message(kind, iid, Stat::StackprofileInvalidCallstackId, stats)?;
        let frames = Fields::new(stack).filter(|field| field.number == callstack::FRAME_IDS);
        let (mut callsite, mut is_fixed) = (None, true);
        for (depth, iid) in (0..).zip(frames.flat_map(|field| repeated(&field))) {
            stacks.effort.frames += 1;
            let Frame { row: frame, is_jit } = self.frame(iid, stacks, tables, stats)?;
            is_fixed &= !is_jit;
            callsite = Some(stacks.callsites.get(callsite, frame, depth, tables));
        }
        match callsite {
            // Other code may lie at the same addresses later.
            Some(_) if !is_fixed => {}
            Some(callsite) => {
                stacks.resolved.callsites.insert(key, callsite);
            }
            None => stats.increment(Stat::StackprofileEmptyCallstack),
        }
        callsite
    }

    fn frame(
        &self,
        iid: u64,
        stacks: &mut Stacks,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Option<Frame> {
        let key = self.key(iid);
        if let Some(&row) = stacks.resolved.frames.get(&key) {
            return Some(Frame { row, is_jit: false });
        }
        let kind = interned_data::FRAMES;
        let message = self.message(kind, iid, Stat::StackprofileInvalidFrameId, stats)?;
        let fields = LastFields::<9>::new(message);
        let name = match fields.uint(frame::FUNCTION_NAME_ID) {
            0 => tables.strings.intern(""),
            iid => self.text(interned_data::FUNCTION_NAMES, iid, tables, stats)?,
        };
        let file = match fields.uint(frame::SOURCE_PATH_IID) {
            0 => StringId::NULL,
            iid => self.text(interned_data::SOURCE_PATHS, iid, tables, stats)?,
        };
        let line = fields.get(frame::LINE_NUMBER).map(|line| line.as_u32());
        let source = SourceLine { file, line };
        let mut is_jit = false;
        let row = match fields.uint(frame::MAPPING_ID) {
            0 => {
                let none = tables.strings.intern("");
                let mapping = stacks.mappings.placeholder(none, tables);
                stacks.frames.named(mapping, name, source, tables)
            }
            iid => {
                let mapping = self.mapping(iid, stacks, tables, stats)?;
                let rel_pc = fields.uint(frame::REL_PC);
                let compiled = self.upid.and_then(|upid| {
                    stacks.jit.frame(upid, (mapping, rel_pc), name, tables, stats)
                });
                is_jit = compiled.is_some();
                compiled.unwrap_or_else(|| {
                    stacks.frames.get(NewFrame { mapping, rel_pc, name, source }, tables)
                })
            }
        };
        let kind = kind_name(&fields, tables);
        if !kind.is_null() {
            tables.stack_profile_frame.kind.set(row, kind);
        }
        if !is_jit {
            stacks.resolved.frames.insert(key, row);
        }
        Some(Frame { row, is_jit })
    }

    /// The row of an interned mapping.
    pub fn mapping(
        &self,
        iid: u64,
        stacks: &mut Stacks,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Option<u32> {
        let key = self.key(iid);
        if let Some(&mapping) = stacks.resolved.mappings.get(&key) {
            return Some(mapping);
        }
        let strings = &mut tables.strings;
        let row = read_mapping(self.interned, self.generation, iid, strings, stats)?;
        let table = &mut tables.stack_profile_mapping;
        let mapping = stacks.mappings.described(self.upid, row, table, &tables.strings, stats);
        stacks.resolved.mappings.insert(key, mapping);
        Some(mapping)
    }

    fn key(&self, iid: u64) -> EntryKey {
        let generation = self.interned.generation(self.generation);
        let scope = generation.map_or(u32::MAX, |generation| generation.interned);
        (scope, self.upid, iid)
    }

    fn message(&self, kind: u32, iid: u64, missing: Stat, stats: &mut Stats) -> Option<&'a [u8]> {
        let message = self.interned.message(self.generation, kind, iid);
        if message.is_none() {
            stats.increment(Stat::InternedDataTokenizerErrors);
            stats.increment(missing);
        }
        message
    }

    /// An interned string; one that was never sent is counted.
    fn text(
        &self,
        kind: u32,
        iid: u64,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Option<StringId> {
        let text = self.interned.text(self.generation, kind, iid, &mut tables.strings, stats);
        if text.is_none() {
            stats.increment(Stat::StackprofileInvalidStringId);
        }
        text
    }
}

/// The name of a frame's kind; NULL if it is not known.
fn kind_name(fields: &LastFields<'_, 9>, tables: &mut Tables) -> StringId {
    if let Some(kind) = fields.get(frame::KIND) {
        return match KINDS.get(kind.as_u32() as usize) {
            None | Some(&"") => StringId::NULL,
            Some(name) => tables.strings.intern(name),
        };
    }
    match fields.get(frame::KIND_STR) {
        Some(kind) => tables.strings.intern_bytes(kind.as_bytes()),
        None => StringId::NULL,
    }
}
