//! Windows, layers, views and input of Android systems: the test writes the messages, and the rows
//! next to them.

mod damaged;
mod defaults;
mod input;
mod layers;
mod patches;
mod protolog;
mod transactions;
mod transitions;
mod viewcapture;
mod windowmanager;

use tpq_testkit::{Message, NEEDS_STATE, Packet, STATE_CLEARED};

use crate::imported::{Imported, recording};

/// Payload fields of packets.
mod field {
    pub const LAYERS_SNAPSHOT: u32 = 93;
    pub const TRANSACTIONS: u32 = 94;
    pub const SHELL_TRANSITION: u32 = 96;
    pub const SHELL_HANDLERS: u32 = 97;
    pub const PROTOLOG_MESSAGE: u32 = 104;
    pub const PROTOLOG_CONFIG: u32 = 105;
    pub const EXTENSIONS: u32 = 112;
    pub const INTERNED_DATA: u32 = 12;
}

/// A packet of the sequence of snapshots.
fn at(ts: u64) -> Packet {
    Packet::new().sequence(2).timestamp(ts)
}

/// A packet with a snapshot as an extension.
fn extension(ts: u64, field: u32, message: Message) -> Packet {
    at(ts).payload(field::EXTENSIONS, Message::new().message(field, message))
}

/// A packet that interns texts: the kind of interned data, the id and the text.
fn interned(texts: &[(u32, u64, &str)]) -> Packet {
    let entry = |iid, text: &str| Message::new().uint(1, iid).bytes(2, text);
    let data = texts
        .iter()
        .fold(Message::new(), |data, &(kind, iid, text)| data.message(kind, entry(iid, text)));
    Packet::new().sequence(2).flags(STATE_CLEARED).payload(field::INTERNED_DATA, data)
}

/// A packet that refers to interned texts.
fn at_with_state(ts: u64) -> Packet {
    at(ts).flags(NEEDS_STATE)
}

fn import(packets: impl IntoIterator<Item = Packet>) -> Imported {
    Imported::trace(recording().packets(packets))
}

/// Rows as lines, cells separated by single spaces.
fn lines(trace: &Imported, sql: &str) -> Vec<String> {
    trace.cells(sql).iter().map(|cells| cells.join(" ")).collect()
}

/// The args of the rows of a table, each as `row key = value`.
fn args(trace: &Imported, table: &str) -> Vec<String> {
    let sql = format!(
        "SELECT t.id || ' ' || key || ' = ' || coalesce(display_value, 'NULL') \
         FROM {table} t JOIN args USING (arg_set_id) ORDER BY t.id, args.id"
    );
    lines(trace, &sql)
}

/// A stat.
fn stat(trace: &Imported, name: &str) -> String {
    trace.cell(&format!("SELECT sum(value) FROM stats WHERE name = '{name}'"))
}

/// Writes a float of four bytes.
fn float(message: Message, field: u32, value: f32) -> Message {
    message.fixed32(field, value.to_bits())
}
