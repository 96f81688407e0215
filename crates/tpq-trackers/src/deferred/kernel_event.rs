//! Kernel events as rows of their own, with their arguments: read by a table of what kinds there
//! are, so that none needs code.

use std::sync::Arc;

use tpq_ingest::{GenerationId, Span, TraceBytes};
use tpq_proto::fields::{
    ftrace::{
        ftrace_event, funcgraph_entry, funcgraph_exit,
        generic::{self, field},
        hrtimer_expire_entry, mm_shrink_slab_start, sched_blocked_reason, workqueue_activate_work,
        workqueue_execute_end, workqueue_execute_start, workqueue_queue_work,
    },
    interned_data,
};
use tpq_proto::ftrace::{DescribedKind, EventKind, ValueKind, event_kind};
use tpq_proto::wire::{Field, Fields, Value};
use tpq_tables::table::{FtraceEventRow, FtraceEventTable};
use tpq_tables::{Packer, Stats, StringId, StringPool};

use super::index::{SetIndex, Ticket};
use super::recent::{RecentSets, SetRef};
use super::rows::Rows;
use super::texts::Texts;
use crate::args::{ArgSet, ArgValue};
use crate::fingerprint::{hash_numbered, hash_words};
use crate::interned::Interned;

/// The task switched in.
#[derive(Clone, Copy, Debug)]
pub struct NextTask {
    /// The tid.
    pub pid: i32,
    /// Kernel priority.
    pub prio: i32,
    /// Name of the thread.
    pub comm: StringId,
}

/// The field of an event that names its tracepoint and fields itself.
const GENERIC: u32 = ftrace_event::GENERIC;
/// The fields in which the full forms of compact events lie.
const SCHED_SWITCH: u32 = ftrace_event::SCHED_SWITCH;
const SCHED_WAKING: u32 = ftrace_event::SCHED_WAKING;
/// Fields that refer to a function of the kernel by the id it was interned under: the event's
/// number, and the field's in there.
pub const FUNCTIONS: &[(u32, u32)] = &[
    (ftrace_event::SCHED_BLOCKED_REASON, sched_blocked_reason::CALLER),
    (ftrace_event::WORKQUEUE_ACTIVATE_WORK, workqueue_activate_work::FUNCTION),
    (ftrace_event::WORKQUEUE_EXECUTE_END, workqueue_execute_end::FUNCTION),
    (ftrace_event::WORKQUEUE_EXECUTE_START, workqueue_execute_start::FUNCTION),
    (ftrace_event::WORKQUEUE_QUEUE_WORK, workqueue_queue_work::FUNCTION),
    (ftrace_event::FUNCGRAPH_ENTRY, funcgraph_entry::FUNC),
    (ftrace_event::FUNCGRAPH_EXIT, funcgraph_exit::FUNC),
    (ftrace_event::MM_SHRINK_SLAB_START, mm_shrink_slab_start::SHRINK),
    (ftrace_event::HRTIMER_EXPIRE_ENTRY, hrtimer_expire_entry::FUNCTION),
];

/// Fields of one event that are read, without a known number of fields: the kernel's have fewer
/// than a hundred.
const MOST_FIELDS: usize = 1000;

/// An event as it was recorded.
#[derive(Clone, Copy, Debug)]
pub struct KernelEvent {
    /// Timestamp, ns of trace time.
    pub ts: i64,
    /// Row of the running thread in `thread`.
    pub utid: u32,
    /// Row of the CPU in `cpu`.
    pub ucpu: u32,
    /// `common_flags` of the event: interrupt and preemption state.
    pub common_flags: u32,
    /// Where the arguments are.
    pub args: EventArgs,
}

/// Where an event's arguments are.
#[derive(Clone, Copy, Debug)]
pub enum EventArgs {
    /// In a message, which lies in the event's field of that number.
    Message {
        /// Number of the field in `FtraceEvent`.
        number: u32,
        /// Location of the message.
        data: Span,
        /// Generation of the sequence, which resolves interned ids.
        generation: GenerationId,
    },
    /// In a switch of the compact form, and the one before it: what ran, the bits of the state it
    /// was left in, and what runs next.
    Switch {
        /// The task that stops running.
        previous: NextTask,
        /// Bits of the state of the previous task.
        state: i32,
        /// The task that runs next.
        next: NextTask,
    },
    /// In a wakeup of the compact form.
    Waking {
        /// The task that is woken.
        woken: NextTask,
        /// The CPU it is to run on.
        target_cpu: i32,
    },
}

impl EventArgs {
    /// The number of the event's kind.
    pub fn kind(&self) -> u32 {
        match self {
            Self::Message { number, .. } => *number,
            Self::Switch { .. } => SCHED_SWITCH,
            Self::Waking { .. } => SCHED_WAKING,
        }
    }
}

/// The context that a message refers to.
pub(super) struct MessageContext<'w, 'a> {
    pub(super) bytes: &'a TraceBytes<'a>,
    pub(super) interned: &'w Interned<'a>,
    /// The kinds that the trace describes itself, by number.
    pub(super) described: &'w rustc_hash::FxHashMap<u32, Arc<DescribedKind>>,
    pub(super) stats: &'w mut Stats,
}

/// Writes `ftrace_event`.
pub(super) struct EventRows {
    recent: RecentSets,
    /// A set under construction.
    set: ArgSet,
    /// The names of kinds and of their fields, by number.
    names: Vec<Option<KindNames>>,
    /// The events of the batch; their sets may have no ids yet.
    unsettled_rows: Vec<(FtraceEventRow, SetRef)>,
    rows: Rows<FtraceEventRow>,
    table: FtraceEventTable,
}

/// Names of a kind of event, and of its fields in the order of the table of kinds.
struct KindNames {
    name: StringId,
    fields: Vec<StringId>,
}

impl EventRows {
    pub(super) fn new() -> Self {
        Self {
            recent: RecentSets::default(),
            set: ArgSet::default(),
            names: Vec::new(),
            unsettled_rows: Vec::new(),
            rows: Rows::default(),
            table: FtraceEventTable::default(),
        }
    }

    /// Has full chunks of rows packed by `packer` from now on.
    pub(super) fn pack_by(&mut self, packer: &Arc<Packer>) {
        self.table.pack_by(packer);
    }

    /// The table, complete.
    pub(super) fn finish(mut self) -> FtraceEventTable {
        self.rows.flush(|rows| self.table.push_all(rows));
        self.table
    }

    /// Writes the events of the batch; their sets have ids by now.
    pub(super) fn settle(&mut self, id: impl Fn(Ticket) -> u32) {
        let Self { recent, unsettled_rows, rows, table, .. } = self;
        recent.settle(&id);
        for (row, set) in unsettled_rows.drain(..) {
            let arg_set_id = set.settled(&id);
            rows.push(FtraceEventRow { arg_set_id, ..row }, |rows| table.push_all(rows));
        }
    }

    /// Takes an event, which is written with the others of the batch.
    pub(super) fn write(
        &mut self,
        event: &KernelEvent,
        context: MessageContext<'_, '_>,
        sets: &mut SetIndex,
        texts: &mut Texts,
    ) {
        let (name, set) = match event.args {
            EventArgs::Message { number, data, generation } => {
                self.message(number, (data, generation), context, sets, texts)
            }
            EventArgs::Switch { previous, state, next } => {
                self.switch(previous, state, next, sets, texts)
            }
            EventArgs::Waking { woken, target_cpu } => self.waking(woken, target_cpu, sets, texts),
        };
        let KernelEvent { ts, utid, ucpu, common_flags, .. } = *event;
        let name = texts.in_tables(name);
        let row = FtraceEventRow { ts, name, utid, arg_set_id: None, common_flags, ucpu };
        self.unsettled_rows.push((row, set));
    }

    fn message(
        &mut self,
        number: u32,
        (data, generation): (Span, GenerationId),
        context: MessageContext<'_, '_>,
        sets: &mut SetIndex,
        texts: &mut Texts,
    ) -> (StringId, SetRef) {
        let data = context.bytes.get(data);
        let set = &mut self.set;
        let pool = &mut texts.pool;
        let name = match event_kind(number) {
            Some(kind) if number != GENERIC => {
                return self.known(kind, (data, generation), context, sets, texts);
            }
            Some(_) => {
                set.clear();
                read_generic(data, set, pool);
                let name = Fields::new(data).find(|field| field.number == generic::EVENT_NAME);
                name.map_or(StringId::NULL, |name| pool.intern_bytes(name.as_bytes()))
            }
            None => {
                set.clear();
                read_unlisted(number, data, context.described.get(&number), set, pool)
            }
        };
        (name, SetRef::of(sets.intern(set)))
    }

    /// An event that the table of kinds has.
    fn known(
        &mut self,
        kind: &EventKind,
        (data, generation): (&[u8], GenerationId),
        context: MessageContext<'_, '_>,
        sets: &mut SetIndex,
        texts: &mut Texts,
    ) -> (StringId, SetRef) {
        let MessageContext { interned, stats, .. } = context;
        // The meaning of a function's id changes with the state of the sequence.
        let functions = FUNCTIONS.iter().any(|&(event, _)| event == kind.number);
        let made_from = (!functions).then(|| hash_numbered([u64::from(kind.number), 0], data));
        self.recall(kind, made_from, sets, texts, |set, names, texts| {
            let pool = &mut texts.pool;
            let mut last = 0;
            for field in Fields::new(data) {
                let Some((index, known)) = kind.field(field.number) else { continue };
                let function = (functions && FUNCTIONS.contains(&(kind.number, field.number)))
                    .then(|| {
                        let (id, kind) = (field.as_u64(), interned_data::KERNEL_SYMBOLS);
                        interned.text(generation, kind, id, pool, stats)
                    })
                    .flatten();
                let value = match function {
                    Some(function) => ArgValue::String(function),
                    None => value(&field, known.kind, pool),
                };
                // Fields nearly always come in the order of their numbers, each once.
                match field.number > last {
                    true => set.add(names.fields[index], value),
                    false => set.put(names.fields[index], value),
                }
                last = last.max(field.number);
            }
        })
    }

    fn switch(
        &mut self,
        previous: NextTask,
        state: i32,
        next: NextTask,
        sets: &mut SetIndex,
        texts: &mut Texts,
    ) -> (StringId, SetRef) {
        let print = hash_words([
            // The first half of this distinguishes switches and wakeups.
            words(1, state),
            words(previous.pid, previous.prio),
            words(next.pid, next.prio),
            u64::from(previous.comm.0) << 32 | u64::from(next.comm.0),
        ]);
        self.compact(SCHED_SWITCH, print, sets, texts, |texts| {
            [
                ("prev_comm", ArgValue::String(texts.own(previous.comm))),
                ("prev_pid", ArgValue::Int(i64::from(previous.pid))),
                ("prev_prio", ArgValue::Int(i64::from(previous.prio))),
                ("prev_state", ArgValue::Int(i64::from(state))),
                ("next_comm", ArgValue::String(texts.own(next.comm))),
                ("next_pid", ArgValue::Int(i64::from(next.pid))),
                ("next_prio", ArgValue::Int(i64::from(next.prio))),
            ]
        })
    }

    fn waking(
        &mut self,
        woken: NextTask,
        target_cpu: i32,
        sets: &mut SetIndex,
        texts: &mut Texts,
    ) -> (StringId, SetRef) {
        let print = hash_words([
            words(2, target_cpu),
            words(woken.pid, woken.prio),
            u64::from(woken.comm.0),
            0,
        ]);
        self.compact(SCHED_WAKING, print, sets, texts, |texts| {
            [
                ("comm", ArgValue::String(texts.own(woken.comm))),
                ("pid", ArgValue::Int(i64::from(woken.pid))),
                ("prio", ArgValue::Int(i64::from(woken.prio))),
                ("target_cpu", ArgValue::Int(i64::from(target_cpu))),
            ]
        })
    }

    fn compact<const N: usize>(
        &mut self,
        kind: u32,
        print: u64,
        sets: &mut SetIndex,
        texts: &mut Texts,
        values: impl FnOnce(&Texts) -> [(&'static str, ArgValue); N],
    ) -> (StringId, SetRef) {
        let Some(kind) = event_kind(kind) else { return (StringId::NULL, SetRef::None) };
        self.recall(kind, Some(print), sets, texts, |set, _, texts| {
            for (key, value) in values(texts) {
                set.add(texts.pool.intern(key), value);
            }
        })
    }

    /// The name of a kind, and the set of an event of it. `made_from` distinguishes its arguments
    /// from all others; `fill` reads them, unless they are those of an event shortly before.
    fn recall(
        &mut self,
        kind: &EventKind,
        made_from: Option<u64>,
        sets: &mut SetIndex,
        texts: &mut Texts,
        fill: impl FnOnce(&mut ArgSet, &KindNames, &mut Texts),
    ) -> (StringId, SetRef) {
        let Self { recent, set, names, .. } = self;
        let names = names_of(names, kind, &mut texts.pool);
        if let Some(made) = made_from.and_then(|print| recent.get(print)) {
            return (names.name, made);
        }
        set.clear();
        fill(set, names, texts);
        let made = SetRef::of(sets.intern(set));
        if let Some(print) = made_from {
            recent.put(print, made);
        }
        (names.name, made)
    }
}

/// The names of a kind, interned when it is first met.
fn names_of<'a>(
    names: &'a mut Vec<Option<KindNames>>,
    kind: &EventKind,
    pool: &mut StringPool,
) -> &'a KindNames {
    let index = kind.number as usize;
    if index >= names.len() {
        names.resize_with(index + 1, || None);
    }
    names[index].get_or_insert_with(|| {
        let fields = kind.fields.iter().map(|field| pool.intern(field.name)).collect();
        KindNames { name: pool.intern(kind.name), fields }
    })
}

/// Reads an event that the table of kinds lacks; gives its name.
fn read_unlisted(
    number: u32,
    data: &[u8],
    described: Option<&Arc<DescribedKind>>,
    set: &mut ArgSet,
    pool: &mut StringPool,
) -> StringId {
    match described {
        Some(kind) => {
            read_described(data, kind, set, pool);
            pool.intern_bytes(&kind.name)
        }
        None => {
            read_unknown(data, set, pool);
            pool.intern(&format!("ftrace_event_{number}"))
        }
    }
}

/// Reads fields as the trace itself describes them.
fn read_described(data: &[u8], kind: &DescribedKind, set: &mut ArgSet, pool: &mut StringPool) {
    for field in Fields::new(data).take(MOST_FIELDS) {
        if let Some((name, kind)) = kind.field(field.number) {
            let value = value(&field, kind, pool);
            set.put(pool.intern_bytes(name), value);
        }
    }
}

/// Reads fields of an unknown kind, under their numbers.
fn read_unknown(data: &[u8], set: &mut ArgSet, pool: &mut StringPool) {
    for field in Fields::new(data).take(MOST_FIELDS) {
        let kind = match field.value {
            Value::Bytes(_) => ValueKind::Text,
            _ => ValueKind::Int,
        };
        let value = value(&field, kind, pool);
        set.put(pool.intern(&format!("field_{}", field.number)), value);
    }
}

/// Reads fields that say their names themselves.
fn read_generic(data: &[u8], set: &mut ArgSet, pool: &mut StringPool) {
    for field in Fields::new(data).filter(|field| field.number == generic::FIELD).take(MOST_FIELDS)
    {
        let (mut key, mut read) = (StringId::NULL, None);
        for part in Fields::new(field.as_bytes()) {
            match part.number {
                field::NAME => key = pool.intern_bytes(part.as_bytes()),
                field::STR_VALUE => read = Some(value(&part, ValueKind::Text, pool)),
                field::INT_VALUE | field::UINT_VALUE => {
                    read = Some(value(&part, ValueKind::Int, pool))
                }
                _ => {}
            }
        }
        if let Some(value) = read {
            set.put(key, value);
        }
    }
}

fn value(field: &Field<'_>, kind: ValueKind, pool: &mut StringPool) -> ArgValue {
    match kind {
        ValueKind::Int => ArgValue::Int(field.as_i64()),
        ValueKind::Uint => ArgValue::Uint(field.as_u64()),
        ValueKind::Real => ArgValue::Real(field.as_f64()),
        ValueKind::Text => ArgValue::String(pool.intern_bytes(field.as_bytes())),
    }
}

fn words(high: i32, low: i32) -> u64 {
    u64::from(high.cast_unsigned()) << 32 | u64::from(low.cast_unsigned())
}
