//! Events of the modem of Pixel phones.

use tpq_testkit::{Message, Packet, TraceBuilder};

use crate::imported::{Imported, STATS};

const PIXEL_MODEM_EVENTS: u32 = 110;
const PIXEL_MODEM_TOKEN_DATABASE: u32 = 111;
/// The date of a token that is in use.
const NEVER: u32 = u32::MAX;

/// A database of tokens with their texts.
fn database(entries: &[(u32, u32, &str)]) -> Packet {
    let mut bytes = b"TOKENS\0\0".to_vec();
    bytes.extend((entries.len() as u32).to_le_bytes());
    bytes.extend([0; 4]);
    for (token, removed, _) in entries {
        bytes.extend(token.to_le_bytes());
        bytes.extend(removed.to_le_bytes());
    }
    for (_, _, text) in entries {
        bytes.extend(text.as_bytes());
        bytes.push(0);
    }
    let database = Message::new().bytes(1, bytes);
    Packet::new().sequence(1).payload(PIXEL_MODEM_TOKEN_DATABASE, database)
}

fn events(ts: u64, events: &[(&[u8], i64)]) -> Packet {
    let message = Message::new();
    let message = events.iter().fold(message, |message, (event, _)| message.bytes(1, *event));
    let message = events.iter().fold(message, |message, (_, ns)| message.int(2, *ns));
    Packet::new().sequence(1).timestamp(ts).payload(PIXEL_MODEM_EVENTS, message)
}

/// Times are differences: 100, 150 and 170, and then one before the boot. The values of the first
/// event are -3 and 4 in zigzag, those of the second the bytes of 0.5.
#[test]
fn tokens_are_shown_as_their_texts() {
    let text = "\u{25a0}domain\u{2666}L1\u{25a0}format\u{2666}cell %d of %u";
    let tokens = database(&[(258, NEVER, text), (3, NEVER, "gain %.1f dB"), (4, 1, "removed")]);
    let gain = [&[3, 0, 0, 0][..], &0.5_f32.to_le_bytes()].concat();
    let packet = events(
        999,
        &[(&[2, 1, 0, 0, 5, 8], 100), (&gain, 50), (&[4, 0, 0, 0], 20), (&[3, 0, 0, 0], -1_000)],
    );
    let short = events(999, &[(&[1, 2], 300)]);
    let trace = Imported::trace(TraceBuilder::new().packets([tokens, packet, short]));
    let slices = "SELECT ts, dur, slice.name, track.name AS track, type, \
        extract_arg(dimension_arg_set_id, 'modem_domain') AS domain, \
        extract_arg(arg_set_id, 'token_id') AS token, \
        extract_arg(arg_set_id, 'token_id_hex') AS hex, \
        extract_arg(arg_set_id, 'packet_ts') AS packet, \
        extract_arg(arg_set_id, 'pw_token_258.arg_0') AS a, \
        extract_arg(arg_set_id, 'pw_token_258.arg_1') AS b, \
        extract_arg(arg_set_id, 'pw_token_3.arg_0') AS c \
        FROM slice JOIN track ON track.id = track_id ORDER BY ts";
    insta::assert_snapshot!(trace.rows(slices), @r"
    ts   dur  name             track                   type               domain  token  hex    packet  a     b     c
    100  0    cell -3 of 4     Pixel Modem Events: L1  pixel_modem_event  L1      258    0x102  999     -3    4     NULL
    150  0    gain 0.5 dB      Pixel Modem Events      pixel_modem_event          3      0x03   999     NULL  NULL  0.5
    170  0    Token not found  Pixel Modem Events      pixel_modem_event          4      0x04   999     NULL  NULL  NULL
    ");
    let template = "SELECT extract_arg(arg_set_id, 'raw_template') FROM slice WHERE ts = 150";
    assert_eq!(trace.cell(template), "gain %.1f dB");
    // One event is of a time before the boot, one has no token.
    insta::assert_snapshot!(trace.rows(STATS), @r"
    name                            machine  file  value
    malformed_packets               0        0     1
    pixel_modem_negative_timestamp  0        0     1
    ");
}

#[test]
fn a_damaged_database_is_counted() {
    let damaged = Message::new().bytes(1, b"TOKENS\0\0\xff\xff\xff\xff");
    let damaged = Packet::new().sequence(1).payload(PIXEL_MODEM_TOKEN_DATABASE, damaged);
    let trace = TraceBuilder::new().packets([damaged, events(5, &[(&[1, 0, 0, 0], 7)])]);
    let trace = Imported::trace(trace);
    assert_eq!(trace.cell("SELECT name FROM slice"), "Token not found");
    insta::assert_snapshot!(trace.rows(STATS), @r"
    name               machine  file  value
    malformed_packets  0        0     1
    ");
}
