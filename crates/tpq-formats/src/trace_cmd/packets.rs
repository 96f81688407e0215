//! Packets with the events of the kernel, as a recorder of packets would have written them.

use rustc_hash::FxHashSet;
use tpq_ingest::FILE_FTRACE_CLOCK;
use tpq_proto::fields::ftrace::ftrace_event;
use tpq_proto::fields::{
    ftrace_cpu_stats, ftrace_event_bundle, ftrace_stats, interned_data, interned_string,
    system_info, trace_packet, utsname,
};

use super::event_kinds::Kinds;
use super::message::Message;
use super::numbers::ByteOrder;
use super::recording::Recording;
use super::symbols::Symbols;
use crate::text::number;

/// The field of a packet in a trace.
const PACKET: u32 = 1;
/// The only sequence of packets.
const SEQUENCE: u64 = 1;
/// Flags of packets: the first of a sequence, and one that depends on others.
const STATE_CLEARED: u64 = 1;
const NEEDS_STATE: u64 = 2;
/// Phases of statistics.
const START_OF_TRACE: u64 = 1;
const END_OF_TRACE: u64 = 2;
/// A bundle ends after this many bytes.
const BUNDLE_BYTES: usize = 256 << 10;

/// Turns events into packets.
pub(super) struct Packets<'a> {
    kinds: &'a Kinds,
    symbols: &'a Symbols<'a>,
    order: ByteOrder,
    /// Packets that are complete.
    pub(super) complete: Message,
    bundle: Message,
    cpu: u32,
    /// Functions that were named.
    named: FxHashSet<u64>,
    new_names: Message,
    /// Events of kinds without a format.
    pub(super) unknown: u64,
    message: Message,
    event: Message,
}

impl<'a> Packets<'a> {
    pub(super) fn new(kinds: &'a Kinds, symbols: &'a Symbols<'a>, order: ByteOrder) -> Self {
        Self {
            kinds,
            symbols,
            order,
            complete: Message::default(),
            bundle: Message::default(),
            cpu: 0,
            named: FxHashSet::default(),
            new_names: Message::default(),
            unknown: 0,
            message: Message::default(),
            event: Message::default(),
        }
    }

    /// Adds what holds for all events: descriptions of kinds, the kernel, and statistics.
    pub(super) fn begin(&mut self, recording: &Recording<'_>) {
        let mut bundle = Message::default();
        for description in &self.kinds.descriptions {
            bundle.message(ftrace_event_bundle::GENERIC_EVENT_DESCRIPTORS, description);
        }
        self.push(STATE_CLEARED, &[(trace_packet::FTRACE_EVENTS, &bundle)]);
        if let Some(system) = system(&recording.uname) {
            self.push(NEEDS_STATE, &[(trace_packet::SYSTEM_INFO, &system)]);
        }
        if !recording.cpu_stats.is_empty() {
            // The recorder empties the buffers before it begins.
            let start = statistics(START_OF_TRACE, &recording.cpu_stats, |_| Some(0));
            let end = statistics(END_OF_TRACE, &recording.cpu_stats, number::<u64>);
            for statistics in [start, end] {
                self.push(NEEDS_STATE, &[(trace_packet::FTRACE_STATS, &statistics)]);
            }
        }
    }

    /// Continues with events of a CPU. `missed` states whether events before them were lost.
    pub(super) fn begin_page(&mut self, cpu: u32, missed: bool) {
        if cpu != self.cpu || missed || self.bundle.0.len() >= BUNDLE_BYTES {
            self.end_bundle();
        }
        if self.bundle.0.is_empty() {
            self.cpu = cpu;
            self.bundle.uint(ftrace_event_bundle::CPU, u64::from(cpu));
            self.bundle.uint(ftrace_event_bundle::FTRACE_CLOCK, FILE_FTRACE_CLOCK);
            if missed {
                self.bundle.uint(ftrace_event_bundle::LOST_EVENTS, 1);
            }
        }
    }

    /// Adds an event.
    pub(super) fn add(&mut self, ts: u64, event: &[u8]) {
        let id = event.get(..2).map(|id| self.order.number(id) as u16);
        let kinds = self.kinds;
        let Some(kind) = id.and_then(|id| kinds.get(id)) else {
            self.unknown += 1;
            return;
        };
        let Self { order, symbols, named, new_names, message, event: whole, .. } = self;
        message.0.clear();
        kind.encode(event, *order, symbols, message, |function, name| {
            if named.insert(function) {
                let mut text = Message::default();
                text.uint(interned_string::IID, function);
                text.bytes(interned_string::STR, name);
                new_names.message(interned_data::KERNEL_SYMBOLS, &text);
            }
        });
        whole.0.clear();
        whole.uint(ftrace_event::TIMESTAMP, ts);
        let (pid, flags) = kind.context(event, *order);
        whole.uint(ftrace_event::PID, u64::from(pid.cast_unsigned()));
        if let Some(flags) = flags {
            whole.uint(ftrace_event::COMMON_FLAGS, u64::from(flags));
        }
        whole.message(kind.number, message);
        self.bundle.message(ftrace_event_bundle::EVENT, whole);
        if self.bundle.0.len() >= BUNDLE_BYTES {
            let cpu = self.cpu;
            self.end_bundle();
            self.begin_page(cpu, false);
        }
    }

    /// Completes the bundle under way.
    pub(super) fn end_bundle(&mut self) {
        if self.bundle.0.is_empty() {
            return;
        }
        let bundle = std::mem::take(&mut self.bundle);
        let names = std::mem::take(&mut self.new_names);
        let mut parts = vec![(trace_packet::FTRACE_EVENTS, &bundle)];
        if !names.0.is_empty() {
            parts.push((trace_packet::INTERNED_DATA, &names));
        }
        self.push(NEEDS_STATE, &parts);
    }

    fn push(&mut self, flags: u64, parts: &[(u32, &Message)]) {
        let mut packet = Message::default();
        packet.uint(trace_packet::TRUSTED_PACKET_SEQUENCE_ID, SEQUENCE);
        packet.uint(trace_packet::SEQUENCE_FLAGS, flags);
        for (field, part) in parts {
            packet.message(*field, part);
        }
        self.complete.message(PACKET, &packet);
    }
}

/// The kernel that was traced: `Linux host 6.1.0 #1 SMP … x86_64`.
fn system(uname: &[u8]) -> Option<Message> {
    let mut words = uname.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let (name, _host, release) = (words.next()?, words.next()?, words.next()?);
    let mut names = Message::default();
    names.bytes(utsname::SYSNAME, name);
    names.bytes(utsname::RELEASE, release);
    if let Some(machine) = words.next_back() {
        names.bytes(utsname::MACHINE, machine);
    }
    let mut system = Message::default();
    system.message(system_info::UTSNAME, &names);
    Some(system)
}

/// Statistics of the buffer of each CPU, as the kernel writes them: `CPU: 0`, `overrun: 3`… in
/// lines. `value` reads a number.
fn statistics(phase: u64, cpus: &[Vec<u8>], value: impl Fn(&[u8]) -> Option<u64>) -> Message {
    let fields: [(&[u8], u32); 6] = [
        (b"entries:", ftrace_cpu_stats::ENTRIES),
        (b"overrun:", ftrace_cpu_stats::OVERRUN),
        (b"commit overrun:", ftrace_cpu_stats::COMMIT_OVERRUN),
        (b"bytes:", ftrace_cpu_stats::BYTES_READ),
        (b"dropped events:", ftrace_cpu_stats::DROPPED_EVENTS),
        (b"read events:", ftrace_cpu_stats::READ_EVENTS),
    ];
    let mut statistics = Message::default();
    statistics.uint(ftrace_stats::PHASE, phase);
    for text in cpus {
        let lines = || text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
        let after =
            |key: &[u8]| lines().find_map(|line| Some(line.strip_prefix(key)?.trim_ascii()));
        let Some(cpu) = after(b"CPU:").and_then(number::<u64>) else { continue };
        let mut of_cpu = Message::default();
        of_cpu.uint(ftrace_cpu_stats::CPU, cpu);
        for (key, field) in fields {
            if let Some(value) = after(key).and_then(&value) {
                of_cpu.uint(field, value);
            }
        }
        statistics.message(ftrace_stats::CPU_STATS, &of_cpu);
    }
    statistics
}
