//! Interned data of each sequence, by generation.

use std::cell::{Cell, OnceCell};

use rustc_hash::FxHashMap;
use tpq_ingest::{Generation, GenerationId, Span, TraceBytes};
use tpq_proto::fields::{
    interned_data, interned_string, trace_packet_defaults, track_event_defaults,
};
use tpq_proto::wire::{Fields, repeated};
use tpq_tables::{Stat, Stats, StringId, StringPool};

/// The fields of interned data that decoders read.
const KINDS: &[u32] = &[
    interned_data::EVENT_CATEGORIES,
    interned_data::EVENT_NAMES,
    interned_data::DEBUG_ANNOTATION_NAMES,
    interned_data::SOURCE_LOCATIONS,
    interned_data::FUNCTION_NAMES,
    interned_data::FRAMES,
    interned_data::CALLSTACKS,
    interned_data::BUILD_IDS,
    interned_data::MAPPING_PATHS,
    interned_data::SOURCE_PATHS,
    interned_data::MAPPINGS,
    interned_data::LOG_MESSAGE_BODY,
    interned_data::VULKAN_MEMORY_KEYS,
    interned_data::GRAPHICS_CONTEXTS,
    interned_data::GPU_SPECIFICATIONS,
    interned_data::HISTOGRAM_NAMES,
    interned_data::KERNEL_SYMBOLS,
    interned_data::DEBUG_ANNOTATION_VALUE_TYPE_NAMES,
    interned_data::UNSYMBOLIZED_SOURCE_LOCATIONS,
    interned_data::DEBUG_ANNOTATION_STRING_VALUES,
    interned_data::GPU_COUNTER_DESCRIPTORS,
    interned_data::PACKET_CONTEXT,
    interned_data::APP_WAKELOCK_INFO,
    interned_data::V8_JS_FUNCTION_NAME,
    interned_data::V8_JS_FUNCTION,
    interned_data::V8_JS_SCRIPT,
    interned_data::V8_WASM_SCRIPT,
    interned_data::V8_ISOLATE,
    interned_data::CORRELATION_ID_STR,
    interned_data::STACK_SAMPLE_TASK_CONTEXTS,
    interned_data::STACK_SAMPLE_EXECUTION_CONTEXTS,
    interned_data::STACK_SAMPLE_COUNTER_DESCRIPTORS,
    interned_data::STACK_SAMPLE_ASYNC_CONTEXT_DESCRIPTORS,
    interned_data::COMPUTE_KERNELS,
    interned_data::COMPUTE_ARG_NAMES,
    interned_data::PROTOLOG_STRING_ARGS,
    interned_data::PROTOLOG_STACKTRACE,
    interned_data::VIEWCAPTURE_PACKAGE_NAME,
    interned_data::VIEWCAPTURE_WINDOW_NAME,
    interned_data::VIEWCAPTURE_VIEW_ID,
    interned_data::VIEWCAPTURE_CLASS_NAME,
    interned_data::VIEWCAPTURE_CONTENT_DESCRIPTION,
    interned_data::VIEWCAPTURE_TEXT,
];

struct Entry {
    message: Span,
    /// The entry's text, after the first request.
    text: Cell<Option<StringId>>,
}

/// The defaults a writer sets for its track events.
#[derive(Clone, Debug, Default)]
pub struct EventDefaults {
    /// Uuid of the track of events that name none.
    pub track: Option<u64>,
    /// Uuids of the tracks of extra counter values.
    pub counters: Vec<u64>,
    /// Uuids of the tracks of extra floating-point counter values.
    pub double_counters: Vec<u64>,
}

impl EventDefaults {
    /// Reads them from the defaults of packets.
    fn read(packets: &[u8]) -> Self {
        let mut defaults = Self::default();
        for field in Fields::new(packets) {
            if field.number != trace_packet_defaults::TRACK_EVENT_DEFAULTS {
                continue;
            }
            for field in Fields::new(field.as_bytes()) {
                match field.number {
                    track_event_defaults::TRACK_UUID => defaults.track = Some(field.as_u64()),
                    track_event_defaults::EXTRA_COUNTER_TRACK_UUIDS => {
                        defaults.counters.extend(repeated(&field));
                    }
                    track_event_defaults::EXTRA_DOUBLE_COUNTER_TRACK_UUIDS => {
                        defaults.double_counters.extend(repeated(&field));
                    }
                    _ => {}
                }
            }
        }
        defaults
    }
}

/// All generations of all sequences.
pub struct Interned<'a> {
    bytes: &'a TraceBytes<'a>,
    /// The kinds of entries that are kept.
    kinds: &'static [u32],
    generations: Vec<Generation>,
    /// The defaults of track events of each generation, once an event has asked for them.
    event_defaults: Vec<OnceCell<Box<EventDefaults>>>,
    /// What is interned, by scope: scopes are numbered one after another.
    scopes: Vec<Option<Box<Scope>>>,
}

/// Entries that generations share.
#[derive(Default)]
struct Scope {
    /// Names and categories of events, which nearly every event asks for.
    names: Entries,
    categories: Entries,
    /// Entries of other kinds.
    others: FxHashMap<u32, Entries>,
}

impl Scope {
    #[inline]
    fn of_kind(&self, kind: u32) -> Option<&Entries> {
        match kind {
            interned_data::EVENT_NAMES => Some(&self.names),
            interned_data::EVENT_CATEGORIES => Some(&self.categories),
            kind => self.others.get(&kind),
        }
    }

    fn of_kind_mut(&mut self, kind: u32) -> &mut Entries {
        match kind {
            interned_data::EVENT_NAMES => &mut self.names,
            interned_data::EVENT_CATEGORIES => &mut self.categories,
            kind => self.others.entry(kind).or_default(),
        }
    }
}

/// Entries of one kind, by their ids.
#[derive(Default)]
struct Entries {
    /// Writers count their ids up: those that are little greater than there are entries have
    /// places here.
    dense: Vec<Option<Entry>>,
    others: FxHashMap<u64, Entry>,
    count: usize,
}

impl Entries {
    /// How many slots there may be beyond twice the number of entries.
    const SPARE: usize = 2;

    #[inline]
    fn get(&self, iid: u64) -> Option<&Entry> {
        match usize::try_from(iid).ok().and_then(|at| self.dense.get(at)) {
            Some(Some(entry)) => Some(entry),
            // It may have come when it was much greater than there were entries.
            _ if self.others.is_empty() => None,
            _ => self.others.get(&iid),
        }
    }

    /// Adds an entry, unless there is one of that id.
    fn add(&mut self, iid: u64, entry: Entry) {
        if self.get(iid).is_some() {
            return;
        }
        self.count += 1;
        match usize::try_from(iid) {
            Ok(at) if at < 2 * self.count + Self::SPARE => {
                if at >= self.dense.len() {
                    self.dense.resize_with(at + 1, || None);
                }
                self.dense[at] = Some(entry);
            }
            _ => {
                self.others.insert(iid, entry);
            }
        }
    }
}

impl<'a> Interned<'a> {
    /// Keeps entries of all kinds that decoders read.
    pub fn new(bytes: &'a TraceBytes<'a>) -> Self {
        Self::only(bytes, KINDS)
    }

    /// Keeps entries of these kinds only.
    pub fn only(bytes: &'a TraceBytes<'a>, kinds: &'static [u32]) -> Self {
        Self {
            bytes,
            kinds,
            generations: Vec::new(),
            event_defaults: Vec::new(),
            scopes: Vec::new(),
        }
    }

    /// Adds a generation; its id is the number of generations before it.
    pub fn add_generation(&mut self, generation: Generation) {
        self.generations.push(generation);
        self.event_defaults.push(OnceCell::new());
    }

    /// Adds what a packet interned. Entries without an id are counted and skipped.
    pub fn add(&mut self, generation: GenerationId, data: Span, stats: &mut Stats) {
        let Some(scope) = self.generation(generation).map(|generation| generation.interned) else {
            return;
        };
        let bytes = self.bytes.get(data);
        let mut fields = Fields::new(bytes);
        while let Some(field) = fields.next() {
            let message = field.as_bytes();
            let span = data.inner(fields.position() - message.len(), message.len());
            let iid = Fields::new(message).find(|field| field.number == interned_string::IID);
            match iid.map(|field| field.as_u64()) {
                // Of a kind that no decoder reads.
                Some(_) if !self.kinds.contains(&field.number) => {}
                Some(iid) => {
                    let entry = Entry { message: span, text: Cell::new(None) };
                    self.scope_mut(scope).of_kind_mut(field.number).add(iid, entry);
                }
                None => stats.increment(Stat::InternedDataTokenizerErrors),
            }
        }
    }

    /// Returns a generation.
    pub fn generation(&self, id: GenerationId) -> Option<&Generation> {
        self.generations.get(id as usize)
    }

    /// A scope, which has entries from then on.
    fn scope_mut(&mut self, scope: u32) -> &mut Scope {
        let index = scope as usize;
        if index >= self.scopes.len() {
            self.scopes.resize_with(index + 1, || None);
        }
        self.scopes[index].get_or_insert_default()
    }

    #[inline]
    fn entry(&self, generation: GenerationId, field: u32, iid: u64) -> Option<&Entry> {
        let scope = self.generation(generation)?.interned;
        self.scopes.get(scope as usize)?.as_ref()?.of_kind(field)?.get(iid)
    }

    /// The message of an entry, its id included.
    pub fn message(&self, generation: GenerationId, field: u32, iid: u64) -> Option<&'a [u8]> {
        self.entry(generation, field, iid).map(|entry| self.bytes.get(entry.message))
    }

    /// The length of an entry's message, in bytes.
    pub fn len_of(&self, generation: GenerationId, field: u32, iid: u64) -> Option<usize> {
        self.entry(generation, field, iid).map(|entry| entry.message.len as usize)
    }

    /// The text of an entry: field `str` of its message. A missing entry is counted.
    pub fn text(
        &self,
        generation: GenerationId,
        field: u32,
        iid: u64,
        strings: &mut StringPool,
        stats: &mut Stats,
    ) -> Option<StringId> {
        self.text_as(generation, field, iid, stats, |message| {
            let text = Fields::new(message).find(|field| field.number == interned_string::STR);
            strings.intern_bytes(text.map(|field| field.as_bytes()).unwrap_or_default())
        })
    }

    /// The text of an entry as `intern` makes it of the message, which must do the same with all of
    /// a kind.
    pub fn text_as(
        &self,
        generation: GenerationId,
        field: u32,
        iid: u64,
        stats: &mut Stats,
        intern: impl FnOnce(&[u8]) -> StringId,
    ) -> Option<StringId> {
        let Some(entry) = self.entry(generation, field, iid) else {
            stats.increment(Stat::InternedDataTokenizerErrors);
            return None;
        };
        if let Some(text) = entry.text.get() {
            return Some(text);
        }
        let message = self.bytes.get(entry.message);
        let text = intern(message);
        entry.text.set(Some(text));
        Some(text)
    }

    /// The defaults in force.
    pub fn defaults(&self, generation: GenerationId) -> &[u8] {
        match self.generation(generation).and_then(|generation| generation.defaults) {
            Some(span) => self.bytes.get(span),
            None => &[],
        }
    }

    /// The defaults of track events in force; `None` for an unknown generation.
    #[inline]
    pub fn event_defaults(&self, generation: GenerationId) -> Option<&EventDefaults> {
        let defaults = self.event_defaults.get(generation as usize)?;
        let read = || Box::new(EventDefaults::read(self.defaults(generation)));
        Some(defaults.get_or_init(read))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ids mean something within a scope and a kind, also those of kinds with a place of their own.
    #[test]
    fn entries_are_found_by_scope_and_kind() {
        let bytes = TraceBytes::new([]);
        let mut interned = Interned::new(&bytes);
        for scope in [1, 4] {
            interned.add_generation(Generation {
                source: 0,
                sequence: 1,
                pid: None,
                interned: scope,
                defaults: None,
                whole: true,
            });
        }
        let kinds =
            [interned_data::EVENT_NAMES, interned_data::EVENT_CATEGORIES, interned_data::FRAMES];
        for (addr, kind) in (10..).zip(kinds) {
            let entry = Entry { message: Span { addr, len: 1 }, text: Cell::new(None) };
            interned.scope_mut(4).of_kind_mut(kind).add(5, entry);
        }
        let found =
            |generation, kind| interned.entry(generation, kind, 5).map(|entry| entry.message.addr);
        assert_eq!(kinds.map(|kind| found(1, kind)), [Some(10), Some(11), Some(12)]);
        assert_eq!(kinds.map(|kind| found(0, kind)), [None; 3], "another scope");
        assert_eq!(found(1, interned_data::MAPPINGS), None);
        assert_eq!(found(2, interned_data::FRAMES), None, "no such generation");
    }
}
