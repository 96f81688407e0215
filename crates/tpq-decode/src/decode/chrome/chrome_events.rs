//! What older versions of Chrome wrote before messages for it existed: facts by name, and traces in
//! other formats as texts.

use tpq_ingest::Route;
use tpq_proto::fields::{
    chrome_event_bundle, chrome_legacy_json_trace, chrome_metadata, trace_packet,
};
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::table::ChromeRawRow;
use tpq_tables::{Stat, Stats, StringId, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{MetadataValue, Trackers};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::CHROME_EVENTS, route: Route::Sorted, decode };

/// Number of packets of a file with facts of a Chrome.
#[derive(Default)]
struct UntypedChromes(u32);

/// The type of a text with the events of Chrome itself.
const USER_TRACE: u64 = 0;

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    add_facts(packet, trackers, tables, stats);
    let texts = |number| Fields::new(packet.data).filter(move |field| field.number == number);
    let mut system = texts(chrome_event_bundle::LEGACY_FTRACE_OUTPUT).peekable();
    if system.peek().is_some() {
        let text: Vec<&[u8]> = system.map(|field| field.as_bytes()).collect();
        let text = tables.strings.intern_bytes(&text.concat());
        add_raw(packet, "chrome_event.legacy_system_trace", text, trackers, tables);
    }
    for json in texts(chrome_event_bundle::LEGACY_JSON_TRACE) {
        let json = LastFields::<3>::new(json.as_bytes());
        if json.uint(chrome_legacy_json_trace::TYPE) == USER_TRACE {
            let text = crate::decode::text(&json, chrome_legacy_json_trace::DATA, tables);
            add_raw(packet, "chrome_event.legacy_user_trace", text, trackers, tables);
        }
    }
}

/// Adds a row with a text, which is not read.
fn add_raw(
    packet: &Packet<'_>,
    name: &str,
    text: StringId,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    let args = ArgSet::of([("data", ArgValue::String(text))], &mut tables.strings);
    let name = tables.strings.intern(name);
    let arg_set_id = trackers.deferred.intern(&args);
    tables.chrome_raw.push(ChromeRawRow { ts: packet.ts(), name, utid: 0, arg_set_id });
}

/// Adds facts. Each is a fact of the trace, and an arg of all of them together. From the second
/// Chrome of a recording on, the names of facts hold its number.
fn add_facts(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let mut facts = Fields::new(packet.data)
        .filter(|field| field.number == chrome_event_bundle::METADATA)
        .peekable();
    if facts.peek().is_none() {
        return;
    }
    let UntypedChromes(count) = trackers.file.states.get();
    *count += 1;
    let prefix = match *count {
        1 => "cr-".to_owned(),
        number => format!("cr-{number}-"),
    };
    let mut args = ArgSet::default();
    for fact in facts {
        let fact = LastFields::<6>::new(fact.as_bytes());
        let Some((arg, value)) = value(&fact, tables) else {
            stats.increment(Stat::EmptyChromeMetadata);
            continue;
        };
        let name = crate::decode::text(&fact, chrome_metadata::NAME, tables);
        args.put(name, arg);
        let name = format!("{prefix}{}", tables.strings.get(name));
        trackers.metadata.set(&name, value, tables);
    }
    let name = tables.strings.intern("chrome_event.metadata");
    let arg_set_id = trackers.deferred.intern(&args);
    let row = ChromeRawRow { ts: packet.ts(), name, utid: 0, arg_set_id };
    tables.chrome_raw.push(row);
}

/// A value, as an arg and as a fact.
fn value(fact: &LastFields<'_, 6>, tables: &mut Tables) -> Option<(ArgValue, MetadataValue)> {
    let int = |value: i64| (ArgValue::Int(value), MetadataValue::Int(value));
    Some(
        match (
            fact.has(chrome_metadata::STRING_VALUE),
            fact.has(chrome_metadata::INT_VALUE),
            fact.has(chrome_metadata::BOOL_VALUE),
            fact.has(chrome_metadata::JSON_VALUE),
        ) {
            (true, ..) => {
                let text = crate::decode::text(fact, chrome_metadata::STRING_VALUE, tables);
                (ArgValue::String(text), MetadataValue::Text(text))
            }
            (_, true, ..) => int(fact.int(chrome_metadata::INT_VALUE)),
            (_, _, true, _) => int(i64::from(fact.uint(chrome_metadata::BOOL_VALUE) != 0)),
            (.., true) => {
                let json = crate::decode::text(fact, chrome_metadata::JSON_VALUE, tables);
                (ArgValue::Json(json), MetadataValue::Text(json))
            }
            _ => return None,
        },
    )
}
