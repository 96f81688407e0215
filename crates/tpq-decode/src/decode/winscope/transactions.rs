//! Changes of layers and displays, as SurfaceFlinger applies them.

use tpq_ingest::Route;
use tpq_proto::fields::{
    display_state, layer_creation_args, layer_state, trace_packet, transaction_state,
    transaction_trace_entry,
};
use tpq_proto::wire::{Fields, LastFields, repeated};
use tpq_tables::table::{TransactionRow, TransactionsRow};
use tpq_tables::{Stat, Stats, Tables};
use tpq_trackers::args::ArgSet;
use tpq_trackers::track::Trackers;

use super::context::{DecodeContext, messages};
use super::transaction_flags::FlagsOf;
use crate::decode::{Packet, PacketDecoder};

pub(crate) const PACKET: PacketDecoder = PacketDecoder {
    field: trace_packet::SURFACEFLINGER_TRANSACTIONS,
    route: Route::Sorted,
    decode,
};

const ENTRY: &str = "com.android.internal.TransactionTraceEntry";
const TRANSACTION: &str = "com.android.internal.TransactionState";
const LAYER: &str = "com.android.internal.LayerState";
const DISPLAY: &str = "com.android.internal.DisplayState";
const NEW_LAYER: &str = "com.android.internal.LayerCreationArgs";
const ERRORS: Stat = Stat::WinscopeSfTransactionsParseErrors;

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let context = &mut DecodeContext { packet, trackers, tables, stats };
    let entry = LastFields::<3>::new(packet.data);
    let row = TransactionsRow {
        ts: packet.ts(),
        arg_set_id: context.arg_set(packet.data, ENTRY, ERRORS),
        base64_proto_id: Some(context.number(packet.data)),
        vsync_id: Some(entry.int(transaction_trace_entry::VSYNC_ID)),
    };
    let snapshot_id = context.tables.surfaceflinger_transactions.push(row);
    let commit = TransactionRow { snapshot_id, ..TransactionRow::default() };
    for transaction in messages(packet.data, transaction_trace_entry::TRANSACTIONS) {
        add_transaction(transaction, commit, context);
    }
    for layer in messages(packet.data, transaction_trace_entry::ADDED_LAYERS) {
        add_new_layer(layer, commit, context);
    }
    let layer = |id: u64| TransactionRow { layer_id: Some(id as u32), ..commit };
    let display = |id: u64| TransactionRow { display_id: Some(id as u32), ..commit };
    let destroyed = transaction_trace_entry::DESTROYED_LAYERS;
    add_ids(packet.data, destroyed, "LAYER_DESTROYED", layer, context);
    for state in messages(packet.data, transaction_trace_entry::ADDED_DISPLAYS) {
        add_display(state, "DISPLAY_ADDED", commit, None, context);
    }
    let removed = transaction_trace_entry::REMOVED_DISPLAYS;
    add_ids(packet.data, removed, "DISPLAY_REMOVED", display, context);
    let handles = transaction_trace_entry::DESTROYED_LAYER_HANDLES;
    add_ids(packet.data, handles, "LAYER_HANDLE_DESTROYED", layer, context);
}

/// Adds rows of layers or displays that only an id is known of.
fn add_ids(
    entry: &[u8],
    field: u32,
    transaction_type: &str,
    row: impl Fn(u64) -> TransactionRow,
    context: &mut DecodeContext<'_, '_>,
) {
    let ids = Fields::new(entry).filter(|it| it.number == field);
    for id in ids.flat_map(|it| repeated(&it)) {
        let transaction_type = context.tables.strings.intern(transaction_type);
        let row = TransactionRow { transaction_type, ..row(id) };
        context.tables.surfaceflinger_transaction.push(row);
    }
}

fn add_transaction(message: &[u8], commit: TransactionRow, context: &mut DecodeContext<'_, '_>) {
    let transaction = LastFields::<7>::new(message);
    let row = TransactionRow {
        transaction_id: Some(transaction.int(transaction_state::TRANSACTION_ID)),
        pid: Some(transaction.int(transaction_state::PID) as i32 as u32),
        uid: Some(transaction.int(transaction_state::UID) as i32 as u32),
        ..commit
    };
    let own = own_args(message, context.stats);
    let mut is_empty = true;
    for state in messages(message, transaction_state::LAYER_CHANGES) {
        is_empty = false;
        add_layer(state, row, &own, context);
    }
    for state in messages(message, transaction_state::DISPLAY_CHANGES) {
        is_empty = false;
        add_display(state, "DISPLAY_CHANGED", row, Some(&own), context);
    }
    if is_empty {
        let transaction_type = context.tables.strings.intern("NOOP");
        let row = TransactionRow { transaction_type, ..row };
        context.tables.surfaceflinger_transaction.push(row);
    }
}

/// Largest size of what every change of a transaction repeats of it, bytes.
const MAX_OWN: usize = 128;

/// The fields of a transaction that each of its changes has as args, too. What is too long to be
/// repeated is counted.
fn own_args(transaction: &[u8], stats: &mut Stats) -> Vec<u8> {
    let mut own = Vec::new();
    let mut fields = Fields::new(transaction);
    let mut begin = 0;
    while let Some(field) = fields.next() {
        let end = fields.position();
        let is_own = [transaction_state::APPLY_TOKEN, transaction_state::TRANSACTION_BARRIERS];
        if is_own.contains(&field.number) {
            match own.len() + (end - begin) <= MAX_OWN {
                true => own.extend_from_slice(transaction.get(begin..end).unwrap_or_default()),
                false => stats.increment(ERRORS),
            }
        }
        begin = end;
    }
    own
}

fn add_layer(
    message: &[u8],
    transaction: TransactionRow,
    own: &[u8],
    context: &mut DecodeContext<'_, '_>,
) {
    let state = LastFields::<3>::new(message);
    let mut args = ArgSet::default();
    context.add_args(message, LAYER, ERRORS, &mut args);
    context.add_args(own, TRANSACTION, ERRORS, &mut args);
    let what = state.get(layer_state::WHAT).map(|what| what.as_u64());
    let row = TransactionRow {
        arg_set_id: context.trackers.deferred.intern(&args),
        base64_proto_id: Some(context.number(message)),
        layer_id: Some(state.uint(layer_state::LAYER_ID) as u32),
        flags_id: what.map(|bits| context.flags_id(FlagsOf::Layer, bits)),
        transaction_type: context.tables.strings.intern("LAYER_CHANGED"),
        ..transaction
    };
    context.tables.surfaceflinger_transaction.push(row);
}

fn add_display(
    message: &[u8],
    transaction_type: &str,
    transaction: TransactionRow,
    own: Option<&[u8]>,
    context: &mut DecodeContext<'_, '_>,
) {
    let state = LastFields::<3>::new(message);
    let mut args = ArgSet::default();
    context.add_args(message, DISPLAY, ERRORS, &mut args);
    context.add_args(own.unwrap_or_default(), TRANSACTION, ERRORS, &mut args);
    let what = state.get(display_state::WHAT).map(|what| u64::from(what.as_u32()));
    let row = TransactionRow {
        arg_set_id: context.trackers.deferred.intern(&args),
        base64_proto_id: Some(context.number(message)),
        display_id: Some(state.int(display_state::ID) as i32 as u32),
        flags_id: what.map(|bits| context.flags_id(FlagsOf::Display, bits)),
        transaction_type: context.tables.strings.intern(transaction_type),
        ..transaction
    };
    context.tables.surfaceflinger_transaction.push(row);
}

fn add_new_layer(message: &[u8], commit: TransactionRow, context: &mut DecodeContext<'_, '_>) {
    let layer = LastFields::<2>::new(message);
    let row = TransactionRow {
        arg_set_id: context.arg_set(message, NEW_LAYER, ERRORS),
        base64_proto_id: Some(context.number(message)),
        layer_id: Some(layer.uint(layer_creation_args::LAYER_ID) as u32),
        transaction_type: context.tables.strings.intern("LAYER_ADDED"),
        ..commit
    };
    context.tables.surfaceflinger_transaction.push(row);
}
