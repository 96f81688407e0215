//! Entries of the decoders, in order.

use std::sync::Arc;

use tpq_ingest::{Generation, GenerationId, SourceId, Span};
use tpq_proto::ftrace::{DescribedKind, event_kind};
use tpq_tables::{ArgSetNumber, StringId, StringPool, TableGroup, TableGroups, Tables};

use super::index::Types;
use super::kernel_event::KernelEvent;
use super::texts::SentTexts;
use super::thread_state::{AwakeStates, StateEvent};
use crate::args::{Annotated, Arg, JsonOrigin, SetPart};
use crate::args::{ArgSet, ArgValue};
use crate::ids::IDLE;

/// Entries of a batch: enough that handing one over costs nothing, few enough to stay in the cache.
const BATCH_ENTRIES: usize = 1 << 11;
/// Pieces of sets in a batch, unless one set has more.
const BATCH_PARTS: usize = 1 << 12;
/// Texts that go along with a batch.
const BATCH_TEXTS: usize = 1 << 12;

/// The number of a set that is not written: that of no set.
const LEFT_OUT: ArgSetNumber = ArgSetNumber(0);

/// An entry. It owns no memory, since the thread that takes a batch back would have to
/// look at each for it: another core has them.
#[derive(Clone, Copy)]
pub(super) enum Entry {
    /// The following entries are of another source.
    Source(SourceId),
    /// The number of parts of a set.
    Set(u32),
    /// Annotations of a set that is not written. Damaged ones are counted.
    Check(Annotated),
    /// JSON of a set that is not written, and its event. JSON that cannot be read is counted.
    CheckJson(Span, JsonOrigin),
    /// A kernel event, which is written with its args.
    Event(KernelEvent),
    /// An event of a thread.
    State(StateEvent),
    /// A new state of a sequence of a file.
    Generation(u32, Generation),
    /// Interned data of a sequence of a file.
    Interned(u32, GenerationId, Span),
    /// Messages that the source's file describes itself, in a packet.
    Messages(Span),
    /// The next kind of kernel event that the source's trace describes itself, by its number.
    Kind(u32),
}

// An entry fills a line of the processor's cache at most.
const _: () = assert!(size_of::<Entry>() <= 64);

/// A batch of entries.
#[derive(Default)]
pub(super) struct Batch {
    /// Data that was interned since the batch before.
    pub(super) texts: SentTexts,
    pub(super) entries: Vec<Entry>,
    /// The parts of the sets among the entries, one set after another.
    pub(super) parts: Vec<SetPart>,
    /// The kinds among the entries.
    pub(super) kinds: Vec<Arc<DescribedKind>>,
}

impl Batch {
    /// Whether it takes much more memory than batches do, as one event may have any number of args.
    pub(super) fn is_large(&self) -> bool {
        const MUCH: usize = 8;
        self.entries.capacity() > MUCH * BATCH_ENTRIES
            || self.parts.capacity() > MUCH * BATCH_PARTS
            || self.texts.is_large()
    }

    pub(super) fn clear(&mut self) {
        self.texts.clear();
        self.entries.clear();
        self.parts.clear();
        self.kinds.clear();
    }
}

/// Buffers entries for the deferred writer.
pub struct DeferredWrites {
    batch: Batch,
    /// How many sets were numbered.
    sets: u32,
    pub(super) types: Types,
    pub(super) awake: AwakeStates,
    /// Whether texts are sent, and the first string that was not.
    sends_texts: bool,
    next_text: u32,
    /// The kinds of kernel events with interned names, by number.
    named: Vec<bool>,
    /// Whether sets are not written. Their annotations and JSON are checked, and what is damaged
    /// is counted.
    leaves_out_sets: bool,
    /// Whether these are not checked either, as nothing that is counted is wanted.
    leaves_out_checks: bool,
    /// Whether states of threads are not written.
    leaves_out_states: bool,
    /// When the first and the last switch was that is not written.
    switches: Option<(i64, i64)>,
}

impl DeferredWrites {
    /// With `late_args` the writer reads args from the trace, and batches include new texts. What
    /// only the tables of `left_out` have is not written; decoders leave out kernel events.
    pub fn new(late_args: bool, left_out: TableGroups, strings: &mut StringPool) -> Self {
        Self {
            batch: Batch::default(),
            sets: 0,
            types: Types::new(strings),
            awake: AwakeStates::new(strings),
            sends_texts: late_args,
            next_text: 1,
            named: Vec::new(),
            leaves_out_sets: left_out.contains(TableGroup::KernelEvents),
            leaves_out_checks: left_out.contains(TableGroup::KernelEvents)
                && left_out.contains(TableGroup::Counts),
            leaves_out_states: left_out.contains(TableGroup::ThreadStates),
            switches: None,
        }
    }

    /// The number of a set, `None` for an empty one. Tables keep it in place of the set's id until
    /// all sets are written.
    pub fn intern(&mut self, set: &ArgSet) -> Option<ArgSetNumber> {
        if set.is_empty() {
            return None;
        }
        if self.leaves_out_sets {
            if !self.leaves_out_checks {
                self.check(set);
            }
            return Some(LEFT_OUT);
        }
        self.batch.parts.extend_from_slice(set.parts());
        self.batch.entries.push(Entry::Set(set.parts().len() as u32));
        self.sets += 1;
        Some(ArgSetNumber(self.sets))
    }

    /// Whether sets are not written, so that values which count nothing need not be added to them.
    #[inline]
    pub fn leaves_out_sets(&self) -> bool {
        self.leaves_out_sets
    }

    /// Whether sets have no effect at all, so that nothing need be added to them.
    #[inline]
    pub fn leaves_out_checks(&self) -> bool {
        self.leaves_out_checks
    }

    /// Adds the parts of a set that may count something when they are read.
    fn check(&mut self, set: &ArgSet) {
        let mut parts = set.parts().iter();
        while let Some(part) = parts.next() {
            match (part, parts.as_slice()) {
                (SetPart::Annotations(annotated), _) => {
                    self.batch.entries.push(Entry::Check(*annotated));
                }
                (SetPart::Json(json), [SetPart::Origin(event), ..]) => {
                    self.batch.entries.push(Entry::CheckJson(*json, *event));
                }
                _ => {}
            }
        }
    }

    /// The number of the set of a system call that is over: its arguments, and what it gave back,
    /// under the key of that.
    pub fn intern_call(&mut self, event: Span, ret: Option<(StringId, i64)>) -> ArgSetNumber {
        if self.leaves_out_sets {
            return LEFT_OUT;
        }
        let parts = &mut self.batch.parts;
        parts.push(SetPart::Call(event));
        let ret = ret.map(|(key, ret)| Arg { flat_key: key, key, value: ArgValue::Int(ret) });
        parts.extend(ret.map(SetPart::Value));
        self.batch.entries.push(Entry::Set(1 + u32::from(ret.is_some())));
        self.sets += 1;
        ArgSetNumber(self.sets)
    }

    /// Switches to another source.
    pub fn enter(&mut self, source: SourceId) {
        self.batch.entries.push(Entry::Source(source));
    }

    /// The sources of the buffered entries, in order.
    #[cfg(test)]
    pub(crate) fn sources(&self) -> Vec<SourceId> {
        let source = |entry: &Entry| match entry {
            Entry::Source(source) => Some(*source),
            _ => None,
        };
        self.batch.entries.iter().filter_map(source).collect()
    }

    /// Adds a kernel event.
    #[inline(always)]
    pub fn push_event(&mut self, event: KernelEvent) {
        self.batch.entries.push(Entry::Event(event));
    }

    /// Adds an event that changes states of threads.
    #[inline(always)]
    pub fn push_state(&mut self, event: StateEvent) {
        if self.leaves_out_states {
            return self.note_switch(&event);
        }
        self.batch.entries.push(Entry::State(event));
    }

    /// Notes when the states begin that a switch would have had written. Other kernel events that
    /// begin states are noted where they are decoded.
    fn note_switch(&mut self, event: &StateEvent) {
        if let StateEvent::Switch { ts, previous, next, .. } = *event
            && (previous != IDLE || next != IDLE)
        {
            let (first, last) = self.switches.unwrap_or((ts, ts));
            self.switches = Some((first.min(ts), last.max(ts)));
        }
    }

    /// When the first and the last switch was, if their states are not written.
    pub fn bounds_left_out(&self) -> impl IntoIterator<Item = i64> + use<> {
        self.switches.into_iter().flat_map(|(first, last)| [first, last])
    }

    /// Interns the names of a kind and of its fields, so that the tables of names are the same
    /// wherever they are read.
    pub fn name_kind(&mut self, number: u32, strings: &mut StringPool) {
        let index = number as usize;
        if self.named.get(index).copied().unwrap_or_default() {
            return;
        }
        // Kinds that no table has can have any number.
        let Some(kind) = event_kind(number) else { return };
        if index >= self.named.len() {
            self.named.resize(index + 1, false);
        }
        self.named[index] = true;
        strings.intern(kind.name);
        for field in kind.fields {
            strings.intern(field.name);
        }
    }

    /// Adds a generation of a file; entries refer to it by its index.
    pub fn add_generation(&mut self, file: u32, generation: Generation) {
        self.batch.entries.push(Entry::Generation(file, generation));
    }

    /// Adds the interned data of a packet to its generation.
    pub fn add_interned(&mut self, file: u32, generation: GenerationId, data: Span) {
        self.batch.entries.push(Entry::Interned(file, generation, data));
    }

    /// Adds the message descriptors of an extension packet.
    pub fn describe_messages(&mut self, packet: Span) {
        self.batch.entries.push(Entry::Messages(packet));
    }

    /// Adds the description of a kernel event's kind, by the number the trace gives it.
    pub fn describe_kind(&mut self, number: u32, kind: &Arc<DescribedKind>) {
        self.batch.kinds.push(Arc::clone(kind));
        self.batch.entries.push(Entry::Kind(number));
    }

    /// Whether the buffer is full enough to flush.
    #[inline]
    pub fn is_full(&self, tables: &Tables) -> bool {
        self.batch.entries.len() >= BATCH_ENTRIES
            || self.batch.parts.len() >= BATCH_PARTS
            || self.sends_texts && tables.strings.len() >= self.next_text as usize + BATCH_TEXTS
    }

    /// Whether the writer may have to read args, and texts are sent.
    pub(super) fn sends_texts(&self) -> bool {
        self.sends_texts
    }

    /// Uses the memory of a batch that was written.
    pub(super) fn reuse(&mut self, mut batch: Batch) {
        batch.clear();
        self.batch = batch;
    }

    /// Takes out the buffered entries; later entries use the memory of `spare`.
    pub(super) fn take(&mut self, tables: &Tables, mut spare: Batch) -> Batch {
        if self.sends_texts {
            let texts = &mut self.batch.texts;
            tables.strings.since(self.next_text).for_each(|text| texts.push(text));
            self.next_text = tables.strings.len() as u32 + 1;
        }
        spare.clear();
        std::mem::replace(&mut self.batch, spare)
    }
}
