//! Messages of ProtoLog: numbers and texts that a viewer configuration makes sentences of.

use tpq_ingest::Route;
use tpq_proto::fields::{
    interned_data, proto_log_message,
    proto_log_viewer_config::{self, group, message_data},
    trace_packet,
};
use tpq_proto::wire::{Field, Fields, LastFields, Value, repeated};
use tpq_tables::table::ProtologRow;
use tpq_tables::{Stat, Stats, StringId, Tables};
use tpq_trackers::track::Trackers;

use super::context::messages;
use super::protolog_text::{Described, Params, Template, ViewerConfig};
use crate::decode::{Packet, PacketDecoder};

pub(crate) const MESSAGE: PacketDecoder = PacketDecoder {
    field: trace_packet::PROTOLOG_MESSAGE,
    route: Route::Sorted,
    decode: decode_message,
};

/// Configurations are read at once, as most of them are at the end of a trace.
pub(crate) const VIEWER_CONFIG: PacketDecoder = PacketDecoder {
    field: trace_packet::PROTOLOG_VIEWER_CONFIG,
    route: Route::Immediate,
    decode: decode_viewer_config,
};

/// Stands in a text for one that was never interned.
const ERROR: &str = "<ERROR>";

/// What a source logged and how it is read.
#[derive(Default)]
struct Protolog {
    config: ViewerConfig,
    /// Messages that no configuration has described yet.
    waiting: Vec<Waiting>,
}

/// A message without a description.
struct Waiting {
    row: u32,
    message_id: u64,
    params: Params,
    stacktrace: StringId,
}

fn decode_viewer_config(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let Protolog { config, .. } = trackers.source.states.get();
    for group in messages(packet.data, proto_log_viewer_config::GROUPS) {
        let group = LastFields::<4>::new(group);
        let tag = tables.strings.intern_bytes(group.bytes(group::TAG));
        let id = group.uint(group::ID) as u32;
        config.add_group(id, tag, &mut tables.strings, stats);
    }
    for message in messages(packet.data, proto_log_viewer_config::MESSAGES) {
        let message = LastFields::<6>::new(message);
        let template = Template {
            level: message.int(message_data::LEVEL) as i32,
            group: message.uint(message_data::GROUP_ID) as u32,
            text: tables.strings.intern_bytes(message.bytes(message_data::MESSAGE)),
            location: crate::decode::text(&message, message_data::LOCATION, tables),
        };
        config.add_message(message.uint(message_data::MESSAGE_ID), template, stats);
    }
}

fn decode_message(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let message = LastFields::<7>::new(packet.data);
    let mut params = read_params(packet, tables, stats);
    let mut stacktrace = StringId::NULL;
    if let Some(iid) = message.get(proto_log_message::STACKTRACE_IID) {
        let kind = interned_data::PROTOLOG_STACKTRACE;
        let missing = Stat::WinscopeProtologMissingInternedStacktraceParseErrors;
        match interned_text(packet, (kind, iid.as_u64()), missing, tables, stats) {
            Some(found) => stacktrace = found,
            // The text of the message shows it.
            None => params.texts.push(tables.strings.intern(ERROR)),
        }
    }
    let row = tables.protolog.push(ProtologRow { ts: packet.ts(), ..ProtologRow::default() });
    let Protolog { config, waiting } = trackers.source.states.get();
    config.text_limit.add_payload(packet.data.len());
    let message_id = message.uint(proto_log_message::MESSAGE_ID);
    match config.describe(message_id, &params, &mut tables.strings, stats) {
        Some(described) => set_row(row, described, stacktrace, tables),
        None => waiting.push(Waiting { row, message_id, params, stacktrace }),
    }
}

fn read_params(packet: &Packet<'_>, tables: &mut Tables, stats: &mut Stats) -> Params {
    let mut params = Params::default();
    for field in Fields::new(packet.data) {
        match field.number {
            proto_log_message::SINT64_PARAMS => {
                params.ints.extend(repeated(&field).map(tpq_proto::wire::zigzag))
            }
            proto_log_message::DOUBLE_PARAMS => params.doubles.extend(doubles(&field)),
            proto_log_message::BOOLEAN_PARAMS => {
                params.bools.extend(repeated(&field).map(|value| value != 0))
            }
            proto_log_message::STR_PARAM_IIDS => {
                for iid in repeated(&field) {
                    let kind = interned_data::PROTOLOG_STRING_ARGS;
                    let missing = Stat::WinscopeProtologMissingInternedArgParseErrors;
                    let text = interned_text(packet, (kind, iid), missing, tables, stats);
                    let text = text.unwrap_or_else(|| tables.strings.intern(ERROR));
                    params.texts.push(text);
                }
            }
            _ => {}
        }
    }
    params
}

/// The values of a repeated field of doubles, packed or not.
fn doubles<'a>(field: &Field<'a>) -> impl Iterator<Item = f64> + use<'a> {
    let (single, packed) = match field.value {
        Value::Bytes(bytes) => (None, bytes.as_chunks::<8>().0),
        _ => (Some(field.as_f64()), &[][..]),
    };
    single.into_iter().chain(packed.iter().map(|bytes| f64::from_le_bytes(*bytes)))
}

/// An interned text; one that was never sent is counted.
fn interned_text(
    packet: &Packet<'_>,
    (kind, iid): (u32, u64),
    missing: Stat,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Option<StringId> {
    let Packet { interned, generation, .. } = *packet;
    if interned.message(generation, kind, iid).is_none() {
        stats.increment(missing);
        return None;
    }
    interned.text(generation, kind, iid, &mut tables.strings, stats)
}

fn set_row(row: u32, described: Described, stacktrace: StringId, tables: &mut Tables) {
    let Described { level, tag, text, location } = described;
    let rows = &mut tables.protolog;
    rows.level.set(row, level);
    rows.tag.set(row, tag);
    rows.message.set(row, text);
    rows.location.set(row, location);
    rows.stacktrace.set(row, stacktrace);
}

/// Describes the messages that came before their configuration. Those without any are counted.
pub(super) fn decode_waiting(trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let Protolog { config, waiting } = trackers.source.states.get();
    for Waiting { row, message_id, params, stacktrace } in std::mem::take(waiting) {
        match config.describe(message_id, &params, &mut tables.strings, stats) {
            Some(described) => set_row(row, described, stacktrace, tables),
            None => stats.increment(Stat::WinscopeProtologMessageDecodingFailed),
        }
    }
}
