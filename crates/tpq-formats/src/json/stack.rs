//! Call stacks of events: the id of a frame of `stackFrames`, or an array of names, the outermost
//! first.

use rustc_hash::FxHashMap;
use sonic_rs::to_array_iter;
use tpq_ingest::Span;
use tpq_tables::Stat;
use tpq_tables::table::TrackEventCallstackRow;

use super::context::Context;
use super::stack_frames::{StackFrames, frame_id};
use super::text::unescaped;
use tpq_trackers::stacks::SourceLine;

/// Rows of slices that have a stack at their begin and have not ended.
#[derive(Default)]
struct Begun(FxHashMap<u32, u32>);

impl Context<'_> {
    /// The callsite of a stack. One that cannot be found is counted.
    pub(super) fn callsite(&mut self, stack: Span) -> Option<u32> {
        if stack.len == 0 {
            return None;
        }
        let bytes = self.bytes;
        let json = String::from_utf8_lossy(bytes.get(stack));
        let callsite = match json.starts_with('[') {
            true => self.named_stack(&json),
            false => frame_id(&json).and_then(|id| {
                let frames: &mut StackFrames = self.trackers.file.states.get();
                frames.callsite(&id, &mut self.trackers.source.stacks, self.tables)
            }),
        };
        if callsite.is_none() {
            self.fail(Stat::JsonParserFailure);
        }
        callsite
    }

    fn named_stack(&mut self, names: &str) -> Option<u32> {
        let tables = &mut *self.tables;
        let mut frames = Vec::new();
        for name in to_array_iter(names) {
            let name = name.ok()?;
            let raw = name.as_raw_str();
            let inside = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"'));
            let name = match inside {
                Some(text) => tables.strings.intern(&unescaped(text.as_bytes())),
                None => tables.strings.intern(raw),
            };
            frames.push((name, SourceLine::default()));
        }
        self.trackers.source.stacks.named_stack("", frames, tables)
    }

    /// Adds the stack of an event that begins a slice.
    pub(super) fn begin_stack(&mut self, slice_id: u32, track_id: u32) {
        if let Some(row) = self.whole_stack(slice_id, track_id) {
            self.trackers.file.states.get::<Begun>().0.insert(slice_id, row);
        }
    }

    /// Adds the stack of an event that ends a slice.
    pub(super) fn end_stack(&mut self, slice_id: u32, track_id: u32) {
        let stack = match self.event.end_stack.len {
            0 => self.event.stack,
            _ => self.event.end_stack,
        };
        let begun = self.trackers.file.states.get::<Begun>().0.remove(&slice_id);
        let Some(callsite) = self.callsite(stack) else { return };
        let table = &mut self.tables.track_event_callstacks;
        match begun {
            Some(row) => table.end_callsite_id.set(row, Some(callsite)),
            None => {
                table.push(TrackEventCallstackRow {
                    slice_id,
                    track_id,
                    end_callsite_id: Some(callsite),
                    ..TrackEventCallstackRow::default()
                });
            }
        }
    }

    /// Adds the stacks of an event that is a whole slice; returns their row, if it has any.
    pub(super) fn whole_stack(&mut self, slice_id: u32, track_id: u32) -> Option<u32> {
        let callsite_id = self.callsite(self.event.stack);
        let end_callsite_id = self.callsite(self.event.end_stack);
        callsite_id.or(end_callsite_id)?;
        let row = TrackEventCallstackRow {
            slice_id,
            track_id,
            callsite_id,
            end_callsite_id,
            weight: None,
        };
        Some(self.tables.track_event_callstacks.push(row))
    }
}
