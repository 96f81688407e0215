//! Writes the entries of a batch into tables.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use tpq_ingest::{SourceId, Sources, Span, TraceBytes, fetch};
use tpq_proto::fields::interned_data;
use tpq_proto::ftrace::DescribedKind;
use tpq_tables::table::{ArgsTable, FtraceEventTable};
use tpq_tables::{Packer, Stats, Tables};

use super::DeferredWrites;
use super::entries::{Batch, Entry};
use super::index::{SetIndex, Ticket};
use super::kernel_event::{EventArgs, EventRows, KernelEvent, MessageContext};
use super::recent::{RecentSets, SetRef};
use super::texts::Texts;
use super::thread_state::ThreadStates;
use crate::args::MessagePaths;
use crate::args::json::{add_json, check_json};
use crate::args::{Annotated, ArgSet, ArgValue, JsonOrigin};
use crate::args::{
    Arg, MessageArgs, SetPart, add_annotations_of_event, add_syscall_args,
    check_annotations_of_event, describe_extensions,
};
use crate::fingerprint::hash_numbered;
use crate::interned::Interned;

/// Data that annotations and the fields of kernel events refer to.
const INTERNED: &[u32] = &[
    interned_data::DEBUG_ANNOTATION_NAMES,
    interned_data::DEBUG_ANNOTATION_STRING_VALUES,
    interned_data::DEBUG_ANNOTATION_VALUE_TYPE_NAMES,
    interned_data::KERNEL_SYMBOLS,
];

/// The key of the args of a JSON event, before those of their members.
const JSON_KEY: &str = "args";

/// Reads entries and writes their rows.
pub struct DeferredWriter<'a> {
    texts: Texts,
    sets: SetIndex,
    /// The id of each set, by its number; the first is that of no set.
    ids: Vec<u32>,
    /// Those of the batch, without ids so far.
    numbered: Vec<SetRef>,
    /// Sets of system calls.
    calls: RecentSets,
    events: EventRows,
    states: ThreadStates,
    reader: Reader<'a>,
    /// A set under construction, and what joins it.
    set: ArgSet,
    later: ArgSet,
}

/// Reads what lies in the trace.
struct Reader<'a> {
    bytes: &'a TraceBytes<'a>,
    sources: Sources,
    source: SourceId,
    /// Interned data of sequences, by file.
    interned: Vec<Interned<'a>>,
    /// The keys of messages, by file.
    paths: Vec<MessagePaths>,
    /// The kinds of kernel events that are described in each source, by number.
    described: Vec<FxHashMap<u32, Arc<DescribedKind>>>,
    /// The counts of each source.
    stats: Vec<Stats>,
    /// The events with JSON that could be read in part at most.
    malformed: Vec<JsonOrigin>,
}

/// The result of the writer.
pub struct Written {
    args: ArgsTable,
    ftrace_event: FtraceEventTable,
    states: ThreadStates,
    texts: Texts,
    ids: Vec<u32>,
    /// Counts by source.
    pub stats: Vec<Stats>,
}

impl<'a> DeferredWriter<'a> {
    /// A writer of the entries of `deferred`, for a number of files.
    pub fn new(
        bytes: &'a TraceBytes<'a>,
        sources: &Sources,
        files: usize,
        deferred: &DeferredWrites,
    ) -> Self {
        let (files, count) = (files.max(1), sources.len().max(1));
        let mut texts = if deferred.sends_texts() { Texts::sent() } else { Texts::of_tables() };
        let reader = Reader {
            bytes,
            sources: sources.clone(),
            source: 0,
            interned: (0..files).map(|_| Interned::only(bytes, INTERNED)).collect(),
            paths: (0..files).map(|_| MessagePaths::new(&mut texts.pool)).collect(),
            described: vec![FxHashMap::default(); count],
            stats: vec![Stats::default(); count],
            malformed: Vec::new(),
        };
        Self {
            texts,
            sets: SetIndex::new(deferred.types),
            ids: vec![0],
            numbered: Vec::new(),
            calls: RecentSets::default(),
            events: EventRows::new(),
            states: ThreadStates::new(count, deferred.awake),
            reader,
            set: ArgSet::default(),
            later: ArgSet::default(),
        }
    }

    /// Has full chunks of rows packed by `packer` from now on.
    pub fn pack_by(&mut self, packer: &Arc<Packer>) {
        self.sets.pack_by(packer);
        self.events.pack_by(packer);
        self.states.pack_by(packer);
    }

    /// Writes the next batch.
    pub(super) fn write(&mut self, batch: &Batch) {
        self.texts.take(&batch.texts);
        let mut parts = batch.parts.as_slice();
        let mut kinds = batch.kinds.iter();
        for (at, entry) in batch.entries.iter().enumerate() {
            self.reader.fetch_ahead(&batch.entries[at..], parts);
            match entry {
                Entry::Set(count) => {
                    let (own, rest) = parts.split_at((*count as usize).min(parts.len()));
                    parts = rest;
                    self.set(own);
                }
                Entry::Check(annotated) => {
                    self.set.clear();
                    self.reader.check(annotated, &mut self.set, &mut self.texts);
                }
                Entry::CheckJson(json, event) => {
                    self.set.clear();
                    self.reader.check_json(*json, event, &mut self.set, &mut self.texts);
                }
                Entry::Event(event) => self.event(event),
                Entry::State(event) => {
                    let source = self.reader.source;
                    self.states.write(source, event, &mut self.reader.stats[source as usize]);
                }
                Entry::Kind(number) => {
                    let source = self.reader.source as usize;
                    let kind = kinds.next().map(|kind| (*number, Arc::clone(kind)));
                    self.reader.described[source].extend(kind);
                }
                other => self.reader.note(other),
            }
            if self.sets.is_full() {
                self.find_sets();
            }
        }
        self.find_sets();
    }

    /// Replaces the temporary numbers of sets of the batch by ids.
    fn find_sets(&mut self) {
        let found = self.sets.find(&self.texts);
        let id = |ticket: Ticket| found.get(ticket.0 as usize).copied().unwrap_or_default();
        self.ids.extend(self.numbered.drain(..).map(|set| set.settled(id).unwrap_or_default()));
        self.calls.settle(id);
        self.events.settle(id);
    }

    fn set(&mut self, parts: &[SetPart]) {
        let call = self.reader.call(parts);
        let known = call.and_then(|print| self.calls.get(print));
        let made = known.unwrap_or_else(|| self.new_set(parts));
        if let (Some(print), None) = (call, known) {
            self.calls.put(print, made);
        }
        self.numbered.push(made);
    }

    fn new_set(&mut self, parts: &[SetPart]) -> SetRef {
        let Self { texts, reader, set, later, .. } = self;
        set.clear();
        for (index, part) in parts.split(|part| *part == SetPart::Later).enumerate() {
            if index == 0 {
                reader.read(part, set, texts);
            } else {
                later.clear();
                reader.read(part, later, texts);
                set.replace(later);
            }
        }
        SetRef::of(self.sets.intern(set))
    }

    fn event(&mut self, event: &KernelEvent) {
        let Self { texts, sets, events, reader, .. } = self;
        let Reader { bytes, interned, described, stats, source, .. } = reader;
        let file = reader.sources.get(*source).file as usize;
        let context = MessageContext {
            bytes,
            interned: &interned[file],
            described: &described[*source as usize],
            stats: &mut stats[*source as usize],
        };
        events.write(event, context, sets, texts);
    }

    /// Writes the last batch on the decoding thread.
    pub fn write_last(&mut self, deferred: &mut DeferredWrites, tables: &Tables) {
        self.write(&deferred.take(tables, Batch::default()));
    }

    /// Takes out the events so far with JSON that could be read in part at most.
    pub fn take_malformed(&mut self) -> Vec<JsonOrigin> {
        std::mem::take(&mut self.reader.malformed)
    }

    /// The written tables, after the last batch.
    pub fn finish(self) -> Written {
        let Self { mut texts, sets, ids, events, states, reader, .. } = self;
        texts.note_own();
        let Reader { stats, .. } = reader;
        Written { args: sets.finish(), ftrace_event: events.finish(), states, texts, ids, stats }
    }
}

/// Distance, in entries, of the prefetch of bytes of the trace.
const PREFETCH_DISTANCE: usize = 4;
/// Distance, in entries, of the prefetch of the entries themselves, which another core has written.
const ENTRY_PREFETCH_DISTANCE: usize = 16;

impl Reader<'_> {
    /// Has the processor fetch what is read soon.
    #[inline]
    fn fetch_ahead(&self, entries: &[Entry], parts: &[SetPart]) {
        if let Some(later) = entries.get(ENTRY_PREFETCH_DISTANCE..) {
            fetch(later);
        }
        match entries.get(PREFETCH_DISTANCE) {
            Some(Entry::Event(KernelEvent { args: EventArgs::Message { data, .. }, .. })) => {
                self.bytes.fetch(*data);
            }
            Some(Entry::Check(Annotated { event, .. }) | Entry::CheckJson(event, _)) => {
                self.bytes.fetch(*event);
            }
            _ => {}
        }
        if let Some(
            SetPart::Annotations(Annotated { event, .. })
            | SetPart::Call(event)
            | SetPart::Json(event),
        ) = parts.get(PREFETCH_DISTANCE)
        {
            self.bytes.fetch(*event);
        }
    }

    /// Notes what is needed to understand what follows.
    fn note(&mut self, entry: &Entry) {
        match entry {
            Entry::Source(source) => self.source = *source,
            Entry::Generation(file, generation) => {
                self.interned[*file as usize].add_generation(*generation);
            }
            Entry::Interned(file, generation, data) => {
                // The decoder counted its errors.
                let stats = &mut Stats::default();
                self.interned[*file as usize].add(*generation, *data, stats);
            }
            Entry::Messages(packet) => {
                let file = self.sources.get(self.source).file as usize;
                // As far as they can be understood, which was counted as well.
                let _ = describe_extensions(self.bytes.get(*packet), &mut self.paths[file]);
            }
            Entry::Set(_)
            | Entry::Check(_)
            | Entry::CheckJson(..)
            | Entry::Event(_)
            | Entry::State(_)
            | Entry::Kind(_) => {}
        }
    }

    /// The fingerprint of a system call's arguments and what it gave back, if a set is of nothing
    /// else.
    fn call(&self, parts: &[SetPart]) -> Option<u64> {
        let (event, ret) = match *parts {
            [SetPart::Call(event)] => (event, None),
            [SetPart::Call(event), SetPart::Value(Arg { key, value: ArgValue::Int(ret), .. })] => {
                (event, Some((key, ret)))
            }
            _ => return None,
        };
        let (key, ret) = ret.unwrap_or_default();
        let ret = [u64::from(key.0), ret.cast_unsigned()];
        Some(hash_numbered(ret, self.bytes.get(event)))
    }

    /// Reads what a set, or a part of it, is made of.
    fn read(&mut self, parts: &[SetPart], set: &mut ArgSet, texts: &mut Texts) {
        for (at, part) in parts.iter().enumerate() {
            match part {
                SetPart::Value(Arg { flat_key, key, value }) => {
                    let value = match *value {
                        ArgValue::String(text) => ArgValue::String(texts.own(text)),
                        ArgValue::Json(text) => ArgValue::Json(texts.own(text)),
                        value => value,
                    };
                    set.add_keyed(texts.own(*flat_key), texts.own(*key), value);
                }
                SetPart::Annotations(annotated) => self.annotations(annotated, set, texts),
                SetPart::Call(event) => {
                    add_syscall_args(self.bytes.get(*event), set, &mut texts.pool);
                }
                SetPart::Json(json) => {
                    let json = self.bytes.get(*json);
                    let read = add_json(json, JSON_KEY, JSON_KEY, &mut texts.pool, set);
                    if let (Err(_), Some(SetPart::Origin(event))) = (read, parts.get(at + 1)) {
                        self.malformed.push(*event);
                    }
                }
                SetPart::Origin(_) | SetPart::Later => {}
            }
        }
    }

    fn annotations(&mut self, annotated: &Annotated, set: &mut ArgSet, texts: &mut Texts) {
        let event = self.bytes.get(annotated.event);
        add_annotations_of_event(&mut self.message_args(annotated, set, texts), event);
    }

    /// Counts what is counted when annotations are read; `set` is scratch memory.
    fn check(&mut self, annotated: &Annotated, set: &mut ArgSet, texts: &mut Texts) {
        let event = self.bytes.get(annotated.event);
        check_annotations_of_event(&mut self.message_args(annotated, set, texts), event);
    }

    /// Notes the event of JSON that cannot be read to its end; `set` is scratch memory.
    fn check_json(&mut self, json: Span, event: &JsonOrigin, set: &mut ArgSet, texts: &mut Texts) {
        if check_json(self.bytes.get(json), JSON_KEY, &mut texts.pool, set).is_err() {
            self.malformed.push(*event);
        }
    }

    fn message_args<'b>(
        &'b mut self,
        annotated: &Annotated,
        set: &'b mut ArgSet,
        texts: &'b mut Texts,
    ) -> MessageArgs<'b> {
        let Annotated { generation, source, .. } = *annotated;
        let file = self.sources.get(source).file as usize;
        MessageArgs {
            interned: &self.interned[file],
            generation,
            paths: &mut self.paths[file],
            strings: &mut texts.pool,
            stats: &mut self.stats[source as usize],
            args: set,
            tables: None,
        }
    }
}

impl Written {
    /// When the first and the last state of a thread began.
    pub fn bounds(&self) -> impl IntoIterator<Item = i64> + use<> {
        self.states.bounds.into_iter().flat_map(|(first, last)| [first, last])
    }

    /// Moves the tables to all others, and puts ids in place of the numbers of sets.
    pub fn join(self, tables: &mut Tables) {
        let Self { mut args, mut ftrace_event, states, texts, ids, .. } = self;
        // Before the tables come that never had numbers of sets: they have ids.
        tables.renumber_arg_sets(&ids);
        let id = texts.become_part_of(&mut tables.strings);
        drop(texts);
        args.adopt(&id);
        ftrace_event.adopt(&id);
        (tables.args, tables.ftrace_event) = (args, ftrace_event);
        (tables.thread_state, tables.spurious_sched_wakeup) = states.finish();
    }
}
