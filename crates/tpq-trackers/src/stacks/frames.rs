//! Places in code that stacks pass through, each once.

use rustc_hash::FxHashMap;
use tpq_tables::table::StackProfileFrameRow;
use tpq_tables::{StringId, Tables};

use super::symbols::push_symbol;

/// Writes `stack_profile_frame`.
#[derive(Debug, Default)]
pub struct Frames {
    /// By mapping, address in the binary and name.
    rows: FxHashMap<(u32, u64, StringId), u32>,
    /// Frames of functions without addresses.
    named: FxHashMap<(u32, StringId, SourceLine), u32>,
}

/// A place in source code, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct SourceLine {
    /// Path of the file; NULL if unknown.
    pub file: StringId,
    /// Line number, from 1.
    pub line: Option<u32>,
}

impl SourceLine {
    /// Whether anything is known.
    fn is_known(self) -> bool {
        !self.file.is_null() || self.line.is_some()
    }
}

/// A frame in a binary.
#[derive(Clone, Copy, Debug)]
pub struct NewFrame {
    /// Row of the mapping.
    pub mapping: u32,
    /// Address in the binary.
    pub rel_pc: u64,
    /// Name of the function; the empty string if unknown.
    pub name: StringId,
    /// Its source, which becomes a symbol.
    pub source: SourceLine,
}

impl Frames {
    /// The row of a frame in a binary.
    pub fn get(&mut self, frame: NewFrame, tables: &mut Tables) -> u32 {
        let NewFrame { mapping, rel_pc, name, source } = frame;
        *self.rows.entry((mapping, rel_pc, name)).or_insert_with(|| {
            let symbol_set_id = source.is_known().then(|| push_symbol(name, source, tables));
            tables.stack_profile_frame.push(StackProfileFrameRow {
                name,
                mapping,
                rel_pc: rel_pc as i64,
                symbol_set_id,
                ..StackProfileFrameRow::default()
            })
        })
    }

    /// All frames in binaries: mapping, address in the binary and row.
    pub fn in_binaries(&self) -> impl Iterator<Item = (u32, u64, u32)> {
        self.rows.iter().map(|(&(mapping, rel_pc, _), &row)| (mapping, rel_pc, row))
    }

    /// The rows of all frames.
    pub fn all(&self) -> impl Iterator<Item = u32> {
        self.rows.values().chain(self.named.values()).copied()
    }

    /// The row of a function without an address. Its name and source are a symbol as well.
    pub fn named(
        &mut self,
        mapping: u32,
        name: StringId,
        source: SourceLine,
        tables: &mut Tables,
    ) -> u32 {
        *self.named.entry((mapping, name, source)).or_insert_with(|| {
            let symbol_set_id = Some(push_symbol(name, source, tables));
            let row = StackProfileFrameRow { name, mapping, symbol_set_id, ..Default::default() };
            tables.stack_profile_frame.push(row)
        })
    }
}
