//! Dumps of input methods, their clients and their service.

use tpq_tables::Stat;
use tpq_tables::table::{
    InputMethodClientsRow, InputMethodManagerServiceRow, InputMethodServiceRow,
};

use super::context::DecodeContext;

pub(super) fn decode_clients(message: &[u8], context: &mut DecodeContext<'_, '_>) {
    let name = "com.android.internal.InputMethodClientsTraceProto";
    let errors = Stat::WinscopeInputmethodClientsParseErrors;
    let row = InputMethodClientsRow {
        ts: context.packet.ts(),
        arg_set_id: context.arg_set(message, name, errors),
        base64_proto_id: Some(context.number(message)),
    };
    context.tables.inputmethod_clients.push(row);
}

pub(super) fn decode_service(message: &[u8], context: &mut DecodeContext<'_, '_>) {
    let name = "com.android.internal.InputMethodServiceTraceProto";
    let errors = Stat::WinscopeInputmethodServiceParseErrors;
    let row = InputMethodServiceRow {
        ts: context.packet.ts(),
        arg_set_id: context.arg_set(message, name, errors),
        base64_proto_id: Some(context.number(message)),
    };
    context.tables.inputmethod_service.push(row);
}

pub(super) fn decode_manager_service(message: &[u8], context: &mut DecodeContext<'_, '_>) {
    let name = "com.android.internal.InputMethodManagerServiceTraceProto";
    let errors = Stat::WinscopeInputmethodManagerServiceParseErrors;
    let row = InputMethodManagerServiceRow {
        ts: context.packet.ts(),
        arg_set_id: context.arg_set(message, name, errors),
        base64_proto_id: Some(context.number(message)),
    };
    context.tables.inputmethod_manager_service.push(row);
}
