//! Call stacks that are written out in full, with names of functions in place of addresses.

use tpq_proto::fields::inline_callstack::{self, frame};
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::Tables;
use tpq_trackers::stacks::SourceLine;
use tpq_trackers::track::Trackers;

/// The callsite of an `InlineCallstack`; `None` if it has no frames. `mapping` names what stands in
/// for a binary.
pub(in crate::decode) fn inline_stack(
    stack: &[u8],
    mapping: &str,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> Option<u32> {
    let frames = Fields::new(stack).filter(|field| field.number == inline_callstack::FRAMES);
    let frames = frames.map(|field| {
        let frame = LastFields::<4>::new(field.as_bytes());
        let function = tables.strings.intern_bytes(frame.bytes(frame::FUNCTION_NAME));
        let file = crate::decode::text(&frame, frame::SOURCE_FILE, tables);
        let line = frame.get(frame::LINE_NUMBER).map(|line| line.as_u32());
        (function, SourceLine { file, line })
    });
    let frames: Vec<_> = frames.collect();
    trackers.source.stacks.named_stack(mapping, frames, tables)
}
