//! Messages of Android's log.

use tpq_clock::REALTIME;
use tpq_ingest::{Bundle, Loss, Payload, Route, SplitSink};
use tpq_proto::fields::{
    android_log_packet::{
        self,
        log_event::{self, arg},
        stats,
    },
    trace_packet,
};
use tpq_proto::wire::{Fields, LastFields, Value};
use tpq_tables::table::LogRow;
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::{BundleDecoder, Packet, PacketDecoder, events_of};
use crate::event::RunEvent;
use tpq_trackers::track::{Tid, Trackers};

const FIELD: u32 = trace_packet::ANDROID_LOG;

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: FIELD, route: Route::Split, decode: decode_counts };

pub(crate) const EVENTS: BundleDecoder =
    BundleDecoder { field: FIELD, split, decode: decode_event };

/// The priority of messages that state none: information.
const INFO: u32 = 4;
/// The arguments of an event take at most this many bytes in its message.
const MAX_ARGS: usize = 4094;

/// Splits a packet into its messages, which state when they were logged in wall time.
fn split(bundle: Bundle<'_>, sink: &mut SplitSink<'_>) {
    let (mut timestamps, mut ranges) = (Vec::new(), Vec::new());
    let mut fields = Fields::new(bundle.payload);
    while let Some(field) = fields.next() {
        if let (android_log_packet::EVENTS, Value::Bytes(event)) = (field.number, field.value) {
            let at = LastFields::<6>::new(event).int(log_event::TIMESTAMP);
            timestamps.push(at);
            ranges.push(((fields.position() - event.len()) as u32, event.len() as u32));
        }
    }
    if fields.is_damaged() {
        sink.lose(Loss::MalformedPacket);
    }
    sink.immediate(bundle.header(None));
    let payload = Payload::Bundle { addr: bundle.span.addr, ranges };
    sink.push(REALTIME, bundle.run(events_of(FIELD), timestamps, payload));
}

fn decode_event(event: &RunEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    let (ts, bytes) = (event.ts, event.message());
    let message = LastFields::<9>::new(bytes);
    let tid = |number| Tid { machine: event.machine, id: i64::from(message.int(number) as i32) };
    let utid = match tid(log_event::TID) {
        Tid { id: 0, .. } => 0,
        thread => trackers.processes.thread_of_process(thread, tid(log_event::PID), tables),
    };
    let tag = crate::decode::text(&message, log_event::TAG, tables);
    let args = format_args(bytes);
    let msg = match args.is_empty() {
        true => crate::decode::text(&message, log_event::MESSAGE, tables),
        false => tables.strings.intern_bytes(&args),
    };
    let prio = match message.uint(log_event::PRIO) as u8 {
        0 => INFO,
        prio => u32::from(prio),
    };
    let log_source = tables.strings.intern("android_logcat");
    trackers.bounds.include(ts);
    let utid = Some(utid);
    tables.logs.push(LogRow { ts, utid, prio, log_source, tag, msg, arg_set_id: None });
}

/// The named arguments of an event of the binary log, as `name=value` with spaces between.
fn format_args(event: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    for arg in Fields::new(event).filter(|field| field.number == log_event::ARGS) {
        let arg = LastFields::<5>::new(arg.as_bytes());
        let Some(name) = arg.get(arg::NAME) else { continue };
        if !text.is_empty() {
            text.push(b' ');
        }
        text.extend(name.as_bytes());
        text.push(b'=');
        if let Some(value) = arg.get(arg::STRING_VALUE) {
            text.push(b'"');
            text.extend(value.as_bytes());
            text.push(b'"');
        } else if let Some(value) = arg.get(arg::INT_VALUE) {
            text.extend(value.as_i64().to_string().as_bytes());
        } else if let Some(value) = arg.get(arg::FLOAT_VALUE) {
            text.extend(format!("{:.6}", value.as_f64()).as_bytes());
        }
        if text.len() >= MAX_ARGS {
            break;
        }
    }
    text.truncate(MAX_ARGS);
    text
}

fn decode_counts(packet: &Packet<'_>, _: &mut Trackers, _: &mut Tables, stats: &mut Stats) {
    let Some(counts) = LastFields::<3>::new(packet.data).get(android_log_packet::STATS) else {
        return;
    };
    let counts = LastFields::<4>::new(counts.as_bytes());
    for (number, stat) in [
        (stats::NUM_TOTAL, Stat::AndroidLogNumTotal),
        (stats::NUM_FAILED, Stat::AndroidLogNumFailed),
        (stats::NUM_SKIPPED, Stat::AndroidLogNumSkipped),
    ] {
        if let Some(count) = counts.get(number) {
            stats.set(stat, count.as_i64());
        }
    }
}
