//! Call stacks: mappings of binaries, frames, symbols and callsites, each once.
//!
//! A callsite is a frame with the callsite of its caller, so that stacks share the rows of their
//! common callers. A stack is the callsite of its innermost frame. [`Stacks`] is the tracker of a
//! source; [`InternedStacks`] reads the stacks that packets refer to by number.

mod callsites;
mod frames;
mod interned;
mod jit;
mod mappings;
mod symbols;

use rustc_hash::FxHashMap;
use tpq_tables::{StringId, Tables};

pub use callsites::Callsites;
pub use frames::{Frames, NewFrame, SourceLine};
pub use interned::InternedStacks;
pub use jit::{JitCode, NewCode};
pub(crate) use mappings::read_mapping;
pub use mappings::{Mappings, build_id_text};
pub use symbols::{push_symbol, push_symbols};

use crate::ids::Upid;

/// Stacks of a source.
#[derive(Debug, Default)]
pub struct Stacks {
    /// Rows of `stack_profile_mapping`.
    pub mappings: Mappings,
    /// Rows of `stack_profile_frame`.
    pub frames: Frames,
    /// Rows of `stack_profile_callsite`.
    pub callsites: Callsites,
    /// Code that was compiled at run time.
    pub jit: JitCode,
    /// What interned stacks, frames and mappings became.
    resolved: Resolved,
    /// How much work interned stacks have made so far.
    effort: Effort,
}

/// Rows of interned entries, by scope of the interned data, process and id.
#[derive(Debug, Default)]
struct Resolved {
    callsites: FxHashMap<EntryKey, u32>,
    frames: FxHashMap<EntryKey, u32>,
    mappings: FxHashMap<EntryKey, u32>,
}

/// An interned entry. Processes map their memory differently, so each has rows of its own.
type EntryKey = (u32, Option<Upid>, u64);

/// Bounds the work that stacks make. A hostile trace can name one long stack in many processes.
#[derive(Debug, Default)]
struct Effort {
    stacks: u64,
    frames: u64,
}

impl Effort {
    /// The number of frames that any trace may have resolved.
    const FREE_FRAMES: u64 = 1 << 28;
    /// The number of frames that each stack adds to it: more than most stacks have.
    const FRAMES_PER_STACK: u64 = 1 << 10;
    /// The number of callsites that any trace may have.
    const FREE_CALLSITES: u64 = 1 << 22;
    /// The number of callsites that each stack adds to it: stacks share most of their callers.
    const CALLSITES_PER_STACK: u64 = 16;

    /// Begins a stack; returns whether there may be one.
    fn begin(&mut self, callsites: usize) -> bool {
        self.stacks += 1;
        self.frames < Self::FREE_FRAMES.saturating_add(self.stacks * Self::FRAMES_PER_STACK)
            && (callsites as u64)
                < Self::FREE_CALLSITES.saturating_add(self.stacks * Self::CALLSITES_PER_STACK)
    }
}

impl Stacks {
    /// The callsite of a stack of named functions, the outermost first; `None` if there are none.
    /// `mapping` states where they come from: such frames lie in no binary.
    pub fn named_stack(
        &mut self,
        mapping: &str,
        frames: impl IntoIterator<Item = (StringId, SourceLine)>,
        tables: &mut Tables,
    ) -> Option<u32> {
        let name = tables.strings.intern(mapping);
        let mut callsite = None;
        for (depth, (function, source)) in (0..).zip(frames) {
            let mapping = self.mappings.placeholder(name, tables);
            let frame = self.frames.named(mapping, function, source, tables);
            callsite = Some(self.callsites.get(callsite, frame, depth, tables));
        }
        callsite
    }
}
