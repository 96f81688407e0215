//! Events that were written as text: their details become the message that a packet would have
//! held, and the decoders of those do the rest.

use tpq_tables::{Stats, Tables};

use super::dispatch::decode_known;
use super::event::FtraceEvent;
use super::{binder, print};
use tpq_trackers::track::Trackers;

/// Decodes an event with its message in the field of that number.
pub fn decode(
    event: &FtraceEvent<'_>,
    number: u32,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    decode_known(event, number, trackers, tables, stats);
}

/// Decodes what user space wrote to the trace marker.
pub fn decode_marker(
    event: &FtraceEvent<'_>,
    text: &[u8],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    print::write(event, text, trackers, tables, stats);
}

/// Decodes the sending of a transaction; its code is shown as the text has it.
pub fn decode_transaction(
    event: &FtraceEvent<'_>,
    code: &str,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    binder::send_code(event, code, trackers, tables, stats);
}
