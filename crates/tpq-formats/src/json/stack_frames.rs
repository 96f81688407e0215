//! The field `stackFrames` of the outermost object: frames by id, each with that of its caller.

use rustc_hash::FxHashMap;
use sonic_rs::to_object_iter;
use tpq_tables::{Stat, Stats, StringId, Tables};

use super::text::unescaped;
use tpq_decode::RunEvent;
use tpq_trackers::stacks::{SourceLine, Stacks};
use tpq_trackers::track::Trackers;

/// Frames of a file, by their ids.
#[derive(Default)]
pub(super) struct StackFrames {
    by_id: FxHashMap<String, usize>,
    frames: Vec<StackFrame>,
}

/// A frame as the dictionary states it.
struct StackFrame {
    name: StringId,
    /// The binary or the kind of code.
    category: StringId,
    source: SourceLine,
    /// Id of the caller.
    parent: Option<String>,
    stack: Stack,
}

/// The call stack that ends in a frame.
#[derive(Clone, Copy)]
enum Stack {
    /// Nothing has referred to it yet.
    Unknown,
    /// Row of the callsite and the number of its callers.
    Callsite(u32, u32),
    /// A caller is missing, or calls itself.
    Broken,
}

impl StackFrame {
    /// Reads the members of a frame; `None` if it is no object.
    fn read(json: &str, tables: &mut Tables) -> Option<Self> {
        let mut frame = Self {
            name: tables.strings.intern(""),
            category: tables.strings.intern(""),
            source: SourceLine::default(),
            parent: None,
            stack: Stack::Unknown,
        };
        let mut text = |raw: &str| {
            let text = inside_quotes(raw).unwrap_or_default();
            tables.strings.intern(&unescaped(text.as_bytes()))
        };
        for member in to_object_iter(json) {
            let (key, value) = member.ok()?;
            let raw = value.as_raw_str();
            match &*key {
                "name" => frame.name = text(raw),
                "category" => frame.category = text(raw),
                "parent" => frame.parent = frame_id(raw),
                "resolvedUrl" if raw.len() > 2 => frame.source.file = text(raw),
                "sourceLine" => frame.source.line = raw.parse().ok(),
                _ => {}
            }
        }
        Some(frame)
    }
}

/// The id of a frame, as a text or a number; `None` for any other value, and for an empty text.
pub(super) fn frame_id(raw: &str) -> Option<String> {
    match inside_quotes(raw) {
        Some("") => None,
        Some(text) => Some(unescaped(text.as_bytes())),
        None => raw
            .starts_with(|first: char| first == '-' || first.is_ascii_digit())
            .then(|| raw.into()),
    }
}

/// The text between the quotes of a string.
fn inside_quotes(raw: &str) -> Option<&str> {
    raw.strip_prefix('"')?.strip_suffix('"')
}

/// Decodes the dictionary. It comes before all events of the file.
pub(crate) fn decode_frames(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let json = String::from_utf8_lossy(event.message());
    let mut frames = StackFrames::default();
    for member in to_object_iter(&*json) {
        let Ok((id, value)) = member else {
            stats.increment(Stat::JsonParserFailure);
            break;
        };
        match StackFrame::read(value.as_raw_str(), tables) {
            Some(frame) => {
                frames.by_id.insert(id.to_string(), frames.frames.len());
                frames.frames.push(frame);
            }
            None => stats.increment(Stat::JsonParserFailure),
        }
    }
    *trackers.file.states.get() = frames;
}

impl StackFrames {
    /// The callsite of a frame with all its callers; `None` if one of them is unknown, or calls
    /// itself.
    pub(super) fn callsite(
        &mut self,
        id: &str,
        stacks: &mut Stacks,
        tables: &mut Tables,
    ) -> Option<u32> {
        let mut callees = Vec::new();
        let mut next = Some(*self.by_id.get(id)?);
        let mut found = Some(None);
        while let Some(index) = next {
            let frame = &self.frames[index];
            match frame.stack {
                Stack::Callsite(callsite, depth) => found = Some(Some((callsite, depth))),
                Stack::Broken => found = None,
                Stack::Unknown => {
                    callees.push(index);
                    let parent = frame.parent.as_ref().map(|id| self.by_id.get(id).copied());
                    next = parent.flatten();
                    if parent == Some(None) || callees.len() > self.frames.len() {
                        found = None;
                        break;
                    }
                    continue;
                }
            }
            break;
        }
        for index in callees.into_iter().rev() {
            let frame = &mut self.frames[index];
            let Some(caller) = found else {
                frame.stack = Stack::Broken;
                continue;
            };
            let mapping = stacks.mappings.placeholder(frame.category, tables);
            let row = stacks.frames.named(mapping, frame.name, frame.source, tables);
            let depth = caller.map_or(0, |(_, depth)| depth + 1);
            let parent = caller.map(|(callsite, _)| callsite);
            let callsite = stacks.callsites.get(parent, row, depth, tables);
            frame.stack = Stack::Callsite(callsite, depth);
            found = Some(Some((callsite, depth)));
        }
        found.flatten().map(|(callsite, _)| callsite)
    }
}
