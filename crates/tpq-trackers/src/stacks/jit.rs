//! Code that programs compile at run time, by process and address. Later code replaces what lay at
//! its addresses.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use tpq_tables::table::{JitCodeRow, JitFrameRow, StackProfileFrameRow};
use tpq_tables::{Stat, Stats, StringId, Tables};

use super::SourceLine;
use super::symbols::push_symbol;
use crate::ids::{Upid, Utid};

/// Compiled code of all processes.
#[derive(Debug, Default)]
pub struct JitCode {
    processes: FxHashMap<Upid, ProcessCode>,
    /// Frames by code, mapping and address in the mapping; `None` stands for unknown code.
    frames: FxHashMap<(Option<u32>, u32, u64), u32>,
}

/// Compiled code of a process.
#[derive(Debug, Default)]
struct ProcessCode {
    /// Memory for code: the end of each range by its start. No two of them overlap.
    ranges: BTreeMap<u64, u64>,
    /// The code in force, by its start. No two of them overlap.
    blocks: BTreeMap<u64, Block>,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    end: u64,
    /// Row of `__intrinsic_jit_code`.
    code: u32,
    symbol_set_id: Option<u32>,
}

/// A block of code to be.
#[derive(Clone, Copy, Debug)]
pub struct NewCode {
    /// Time when it was compiled, ns of trace time.
    pub ts: i64,
    /// Thread that compiled it.
    pub utid: Utid,
    /// Process of the thread.
    pub upid: Upid,
    /// First address.
    pub start: u64,
    /// Size in bytes, at least 1.
    pub size: u64,
    /// Name of the function.
    pub name: StringId,
    /// The source, which becomes a symbol.
    pub source: Option<SourceLine>,
    /// Machine code in base64; NULL if it was not recorded.
    pub native_code: StringId,
}

impl ProcessCode {
    /// The code at an address.
    fn block(&self, address: u64) -> Option<&Block> {
        let (_, block) = self.blocks.range(..=address).next_back()?;
        (address < block.end).then_some(block)
    }

    fn covers(&self, address: u64) -> bool {
        self.range_end(address).is_some()
    }

    /// The end of the memory for code that an address lies in.
    fn range_end(&self, address: u64) -> Option<u64> {
        let (_, &end) = self.ranges.range(..=address).next_back()?;
        (address < end).then_some(end)
    }

    /// Adds memory for code, with the ranges that it overlaps as one.
    fn add_range(&mut self, (mut start, mut end): (u64, u64)) {
        while let Some((&other, &other_end)) = self.ranges.range(..end).next_back()
            && other_end > start
        {
            self.ranges.remove(&other);
            (start, end) = (start.min(other), end.max(other_end));
        }
        self.ranges.insert(start, end);
    }

    /// Puts code in force at `start`, in place of what overlaps it.
    fn put(&mut self, ts: i64, start: u64, block: Block, tables: &mut Tables) {
        let overlaps = self.blocks.range(..block.end).rev();
        let overlaps = overlaps.take_while(|(_, other)| other.end > start);
        let starts: Vec<u64> = overlaps.map(|(&start, _)| start).collect();
        for start in starts {
            if let Some(replaced) = self.blocks.remove(&start) {
                tables.jit_code.estimated_delete_ts.set(replaced.code, Some(ts));
            }
        }
        self.blocks.insert(start, block);
    }
}

impl JitCode {
    /// Notes memory that a process keeps compiled code in.
    pub fn add_range(&mut self, upid: Upid, start: u64, size: u64) {
        if let Some(end) = start.checked_add(size).filter(|_| size > 0) {
            self.processes.entry(upid).or_default().add_range((start, end));
        }
    }

    /// Whether `size` bytes from `start` on lie in memory that a process keeps compiled code in.
    pub fn is_in_range(&self, upid: Upid, (start, size): (u64, u64)) -> bool {
        let range_end = self.processes.get(&upid).and_then(|code| code.range_end(start));
        let end = start.checked_add(size);
        range_end.zip(end).is_some_and(|(range_end, end)| end <= range_end)
    }

    /// Adds code; returns its row. `None` if it does not lie in memory for code.
    pub fn add(&mut self, code: NewCode, tables: &mut Tables) -> Option<u32> {
        if code.size == 0 || !self.is_in_range(code.upid, (code.start, code.size)) {
            return None;
        }
        let end = code.start.saturating_add(code.size);
        let symbol_set_id = code.source.map(|source| push_symbol(code.name, source, tables));
        let row = tables.jit_code.push(JitCodeRow {
            create_ts: code.ts,
            estimated_delete_ts: None,
            utid: code.utid,
            start_address: code.start as i64,
            size: code.size as i64,
            function_name: code.name,
            native_code_base64: code.native_code,
            jit_code_id: tables.jit_code.len(),
        });
        let process = self.processes.entry(code.upid).or_default();
        process.put(code.ts, code.start, Block { end, code: row, symbol_set_id }, tables);
        Some(row)
    }

    /// Moves the code at an address; returns whether there is any.
    pub fn move_code(
        &mut self,
        ts: i64,
        upid: Upid,
        (from, to): (u64, u64),
        tables: &mut Tables,
    ) -> bool {
        let Some(process) = self.processes.get_mut(&upid) else { return false };
        let found = process.blocks.range(..=from).next_back();
        let Some((&start, &block)) = found.filter(|(_, block)| from < block.end) else {
            return false;
        };
        process.blocks.remove(&start);
        if let Some(end) = to.checked_add(block.end - start) {
            process.put(ts, to, Block { end, ..block }, tables);
        }
        true
    }

    /// The frame of a process at an address, if the code there is compiled at run time. `name` is
    /// what the profiler calls it.
    pub(super) fn frame(
        &mut self,
        upid: Upid,
        (mapping, rel_pc): (u32, u64),
        name: StringId,
        tables: &mut Tables,
        stats: &mut Stats,
    ) -> Option<u32> {
        let process = self.processes.get(&upid)?;
        let address = address(mapping, rel_pc, tables);
        let block = process.block(address).copied();
        if block.is_none() && !process.covers(address) {
            return None;
        }
        let key = (block.map(|block| block.code), mapping, rel_pc);
        if let Some(&frame) = self.frames.get(&key) {
            return Some(frame);
        }
        let name = match block {
            Some(block) => tables.jit_code.function_name.get(block.code),
            None => {
                stats.increment(Stat::JitUnknownFrame);
                match tables.strings.get(name) {
                    "" => tables.strings.intern(&format!("[+{rel_pc:#x}]")),
                    _ => name,
                }
            }
        };
        let frame = tables.stack_profile_frame.push(StackProfileFrameRow {
            name,
            mapping,
            rel_pc: rel_pc as i64,
            symbol_set_id: block.and_then(|block| block.symbol_set_id),
            ..StackProfileFrameRow::default()
        });
        if let Some(block) = block {
            tables.jit_frame.push(JitFrameRow { jit_code_id: block.code, frame_id: frame });
        }
        self.frames.insert(key, frame);
        Some(frame)
    }
}

/// The address in memory of an address in a mapped binary.
fn address(mapping: u32, rel_pc: u64, tables: &Tables) -> u64 {
    let mappings = &tables.stack_profile_mapping;
    let [start, offset, load_bias] = [&mappings.start, &mappings.exact_offset, &mappings.load_bias]
        .map(|column| column.get(mapping) as u64);
    rel_pc.wrapping_add(start).wrapping_sub(offset).wrapping_sub(load_bias)
}
