//! Events of the modem of Pixel phones.
//!
//! The modem sends a token in place of each text, with the values that the text shows. A database
//! of tokens in the trace has the texts.

mod printf;
mod template;
mod tokens;

use std::sync::Arc;

use tpq_clock::BOOTTIME;
use tpq_ingest::{Bundle, Payload, Route, Span, SplitSink};
use tpq_proto::fields::{pixel_modem_events, pixel_modem_token_database, trace_packet};
use tpq_proto::wire::{Fields, LastFields, Value, repeated};
use tpq_tables::{Stat, Stats, Tables};

use self::printf::Number;
use self::template::Template;
use self::tokens::Tokens;
use crate::decode::{BundleDecoder, Packet, PacketDecoder, events_of, halves, whole};
use crate::event::RunEvent;
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Dimensions, NewSlice, TrackKind, Trackers};

const FIELD: u32 = trace_packet::PIXEL_MODEM_EVENTS;

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: FIELD, route: Route::Split, decode: count_negative };

pub(crate) const EVENTS: BundleDecoder =
    BundleDecoder { field: FIELD, split, decode: decode_event };

pub(crate) const TOKENS: PacketDecoder = PacketDecoder {
    field: trace_packet::PIXEL_MODEM_TOKEN_DATABASE,
    route: Route::Immediate,
    decode: read_tokens,
};

const TRACK: TrackKind = TrackKind::slices("pixel_modem_event");
const NAME: &str = "Pixel Modem Events";
/// The text of an unknown token.
const UNKNOWN: &str = "Token not found";
/// What a text begins a key with, and ends it.
const KEY: char = '\u{25a0}';
const VALUE: char = '\u{2666}';
/// Words of an event: its string, and the halves of the time of its packet.
const WORDS: usize = 3;

/// The texts of tokens of a source.
#[derive(Default)]
struct KnownTokens(Tokens);

fn read_tokens(packet: &Packet<'_>, trackers: &mut Trackers, _: &mut Tables, stats: &mut Stats) {
    let fields = LastFields::<2>::new(packet.data);
    match Tokens::read(fields.bytes(pixel_modem_token_database::DATABASE)) {
        Some(tokens) => *trackers.source.states.get() = KnownTokens(tokens),
        None => stats.increment(Stat::MalformedPackets),
    }
}

/// The times of the events of a packet, ns of boot time: each is stated as the difference from the
/// one before.
fn times(payload: &[u8]) -> impl Iterator<Item = i64> {
    let fields = Fields::new(payload);
    let times = fields.filter(|field| field.number == pixel_modem_events::EVENT_TIME_NANOS);
    let differences = times.flat_map(|field| repeated(&field).collect::<Vec<_>>());
    differences.scan(0_i64, |ns, difference| {
        *ns = ns.wrapping_add(difference as i64);
        Some(*ns)
    })
}

/// Splits a packet into events, each with the time at the same index.
fn split(bundle: Bundle<'_>, sink: &mut SplitSink<'_>) {
    let written = bundle.ns.and_then(|ns| sink.trace_time(bundle.clock, ns));
    let mut times = times(bundle.payload);
    let mut events: Vec<(i64, Span)> = Vec::new();
    let mut fields = Fields::new(bundle.payload);
    while let Some(field) = fields.next() {
        let (pixel_modem_events::EVENTS, Value::Bytes(event)) = (field.number, field.value) else {
            continue;
        };
        let Some(ns) = times.next() else { break };
        if ns >= 0 {
            let span = bundle.span.inner(fields.position() - event.len(), event.len());
            events.push((ns, span));
        }
    }
    sink.immediate(bundle.header(written));
    events.sort_by_key(|&(ns, _)| ns);
    let (timestamps, spans): (Vec<i64>, Vec<Span>) = events.into_iter().unzip();
    let words = (0..spans.len() as u32).flat_map(|index| {
        let [high, low] = halves(written.unwrap_or_default() as u64);
        [index, high, low]
    });
    let payload = Payload::Words {
        width: WORDS,
        words: words.collect(),
        strings: Arc::from(spans),
        ranks: Vec::new(),
        own_strings: false,
    };
    sink.push(BOOTTIME, bundle.run(events_of(FIELD), timestamps, payload));
}

/// Counts events of a packet with times before the boot, which are left out.
fn count_negative(packet: &Packet<'_>, _: &mut Trackers, _: &mut Tables, stats: &mut Stats) {
    let events = Fields::new(packet.data).filter(|it| it.number == pixel_modem_events::EVENTS);
    let negative = events.zip(times(packet.data)).filter(|(_, ns)| *ns < 0).count();
    if negative > 0 {
        stats.add(Stat::PixelModemNegativeTimestamp, negative as i64);
    }
}

fn decode_event(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (&[index, high, low], strings) = event.words() else { return };
    let Some(&span) = strings.get(index as usize) else { return };
    let data = event.bytes.get(span);
    let Some((token, values)) = data.split_first_chunk::<4>() else {
        return stats.increment(Stat::MalformedPackets);
    };
    let token = u32::from_le_bytes(*token);
    let KnownTokens(tokens) = trackers.source.states.get();
    let text = tokens.text(token).unwrap_or(UNKNOWN).to_owned();
    let shown = Template::new(&text).show(values);
    let (domain, name) = domain_and_name(&shown.text);
    let track_name = match domain {
        "" => NAME.to_owned(),
        domain => format!("{NAME}: {domain}"),
    };
    let strings = &mut tables.strings;
    let (domain, name) = (strings.intern(domain), strings.intern(name));
    let track_name = strings.intern(&track_name);
    let mut args = ArgSet::of(
        [
            ("raw_template", ArgValue::String(strings.intern(&text))),
            ("token_id", ArgValue::Int(i64::from(token))),
            ("token_id_hex", ArgValue::String(strings.intern(&format!("0x{token:02x}")))),
            ("packet_ts", ArgValue::Uint(whole(high, low))),
        ],
        strings,
    );
    for (index, number) in shown.numbers.into_iter().enumerate() {
        let value = match number {
            Number::Int(value) => ArgValue::Int(value),
            Number::Uint(value) => ArgValue::Uint(value),
            Number::Real(value) => ArgValue::Real(value),
        };
        args.add(strings.intern(&format!("pw_token_{token}.arg_{index}")), value);
    }
    let of = Dimensions::machine(event.machine).text("modem_domain", domain);
    let track = trackers.source.tracks.get(TRACK, of, track_name, &mut trackers.deferred, tables);
    let slice = NewSlice { ts: event.ts, track, name, ..NewSlice::default() };
    trackers.complete(slice, 0, &args, tables, stats);
}

/// The domain of a text and what it says: a text is pairs of keys and values, or has no domain.
fn domain_and_name(text: &str) -> (&str, &str) {
    let value_of = |wanted: &str| {
        text.split(KEY).find_map(|pair| {
            let mut parts = pair.split(VALUE).filter(|part| !part.is_empty());
            (parts.next() == Some(wanted)).then(|| parts.next())?
        })
    };
    (value_of("domain").unwrap_or_default(), value_of("format").unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_a_domain_and_a_name() {
        let text = "\u{25a0}domain\u{2666}L1\u{25a0}format\u{2666}on %d";
        assert_eq!(domain_and_name(text), ("L1", "on %d"));
        assert_eq!(domain_and_name("plain"), ("", "plain"));
        assert_eq!(domain_and_name("\u{25a0}domain\u{2666}"), ("", "\u{25a0}domain\u{2666}"));
    }
}
