//! Call chains become callsites.

use tpq_tables::Stat;
use tpq_trackers::stacks::{NewFrame, SourceLine};
use tpq_trackers::track::Upid;

use super::records::Context;
use super::sample::CpuMode;
use super::symbols::Binary;

/// An address in a call chain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) mode: CpuMode,
    pub(super) address: u64,
}

/// The callsite of a call chain, the innermost frame first; `None` if it is empty.
pub(super) fn callsite_of(chain: &[Frame], upid: Upid, context: &mut Context<'_>) -> Option<u32> {
    let mut callsite = None;
    for (depth, (index, frame)) in (0..).zip(chain.iter().enumerate().rev()) {
        // A caller's address is where the call returns to. The call itself lies before, in the
        // instruction that ends there. Simpleperf corrects addresses itself.
        let is_return = index > 0 && frame.address != 0 && !context.session.is_simpleperf;
        let address = frame.address - u64::from(is_return);
        let row = frame_at(address, frame.mode, upid, context);
        let callsites = &mut context.trackers.source.stacks.callsites;
        callsite = Some(callsites.get(callsite, row, depth, context.tables));
    }
    callsite
}

/// The row of the frame at an address.
fn frame_at(address: u64, mode: CpuMode, upid: Upid, context: &mut Context<'_>) -> u32 {
    let Context { session, trackers, tables, stats, .. } = context;
    let memory = match mode.is_kernel() {
        true => Some(&session.kernel),
        false => session.memory(upid),
    };
    let mapped = memory.and_then(|memory| memory.at(address));
    let function = mapped.and_then(|mapped| {
        let binary = mapped.binary.and_then(|binary| session.binaries.get(binary));
        let at = |it: &'_ Binary| mapped.rel_pc(address).wrapping_add(it.load_bias);
        let of_binary = binary.and_then(|binary| binary.symbols.at(at(binary)));
        of_binary.or_else(|| session.kernel_symbols.at(address).filter(|_| mode.is_kernel()))
    });
    let name = tables.strings.intern(function.unwrap_or_default());
    let (mapping, rel_pc) = match mapped {
        Some(mapped) => (mapped.row, mapped.rel_pc(address)),
        None => {
            stats.increment(Stat::PerfDummyMappingUsed);
            (trackers.source.stacks.mappings.placeholder(name, tables), address)
        }
    };
    let frame = NewFrame { mapping, rel_pc, name, source: SourceLine::default() };
    trackers.source.stacks.frames.get(frame, tables)
}
