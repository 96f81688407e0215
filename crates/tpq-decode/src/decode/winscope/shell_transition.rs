//! Transitions between windows, which several packets describe together.

use rustc_hash::FxHashMap;
use tpq_ingest::Route;
use tpq_proto::fields::{
    shell_handler_mapping, shell_handler_mappings,
    shell_transition::{self, change},
    trace_packet,
};
use tpq_proto::wire::{Field, LastFields};
use tpq_tables::table::{ShellHandlerRow, ShellParticipantRow, ShellProtoRow, ShellTransitionRow};
use tpq_tables::{Stat, Stats, StringPool, Tables};
use tpq_trackers::args::ArgSet;
use tpq_trackers::track::Trackers;

use super::context::{DecodeContext, messages};
use super::geometry::Rect;
use crate::decode::{Packet, PacketDecoder};

pub(crate) const TRANSITION: PacketDecoder = PacketDecoder {
    field: trace_packet::SHELL_TRANSITION,
    route: Route::Sorted,
    decode: decode_transition,
};

pub(crate) const HANDLERS: PacketDecoder = PacketDecoder {
    field: trace_packet::SHELL_HANDLER_MAPPINGS,
    route: Route::Sorted,
    decode: decode_handlers,
};

const TYPE_NAME: &str = "com.android.internal.ShellTransition";
/// Most args of a transition. Transitions of all windows of a device have some hundred.
const MAX_ARGS: usize = 2048;

/// The transitions of a source, in the order of their first packets.
#[derive(Default)]
struct Transitions {
    index: FxHashMap<i32, usize>,
    all: Vec<Transition>,
}

#[derive(Default)]
struct Transition {
    row: ShellTransitionRow,
    args: ArgSet,
}

fn decode_transition(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let message = LastFields::<18>::new(packet.data);
    let id = message.int(shell_transition::ID) as i32;
    let context = &mut DecodeContext { packet, trackers, tables, stats };
    let number = context.number(packet.data);
    let transition_id = i64::from(id);
    let proto = ShellProtoRow { transition_id, base64_proto_id: Some(number) };
    context.tables.window_manager_shell_transition_protos.push(proto);
    let mut args = ArgSet::default();
    let errors = Stat::WinscopeShellTransitionsParseErrors;
    context.add_args(packet.data, TYPE_NAME, errors, &mut args);
    for change in messages(packet.data, shell_transition::CHANGES) {
        add_participant(transition_id, change, context);
    }
    let transitions: &mut Transitions = context.trackers.source.states.get();
    let Transitions { index, all } = transitions;
    let at = *index.entry(id).or_insert_with(|| {
        let row = ShellTransitionRow { transition_id, ..ShellTransitionRow::default() };
        all.push(Transition { row, args: ArgSet::default() });
        all.len() - 1
    });
    let Some(transition) = all.get_mut(at) else { return };
    update(&mut transition.row, &message, packet);
    match transition.args.len() + args.len() <= MAX_ARGS {
        true => transition.args.append(&args),
        false => context.stats.increment(errors),
    }
}

/// Sets what a message states about a transition.
fn update(row: &mut ShellTransitionRow, message: &LastFields<'_, 18>, packet: &Packet<'_>) {
    let int = |number| message.get(number).map(|field| field.as_i64());
    let uint = |number| message.get(number).map(|field| field.as_i32() as u32);
    // Times are of the boot clock; times that are not set are 0.
    let time = |number| {
        int(number).map(|ns| if ns > 0 { packet.at_boottime(ns).unwrap_or(ns) } else { ns })
    };
    set(&mut row.transition_type, uint(shell_transition::TYPE));
    set(&mut row.send_time_ns, time(shell_transition::SEND_TIME_NS));
    set(&mut row.dispatch_time_ns, time(shell_transition::DISPATCH_TIME_NS));
    set(&mut row.finish_time_ns, time(shell_transition::FINISH_TIME_NS));
    set(&mut row.shell_abort_time_ns, time(shell_transition::SHELL_ABORT_TIME_NS));
    set(&mut row.wm_abort_time_ns, time(shell_transition::WM_ABORT_TIME_NS));
    set(&mut row.merge_time_ns, time(shell_transition::MERGE_TIME_NS));
    set(&mut row.create_time_ns, time(shell_transition::CREATE_TIME_NS));
    set(&mut row.handler, int(shell_transition::HANDLER));
    set(&mut row.flags, uint(shell_transition::FLAGS));
    set(&mut row.start_transaction_id, int(shell_transition::START_TRANSACTION_ID));
    set(&mut row.finish_transaction_id, int(shell_transition::FINISH_TRANSACTION_ID));
}

fn set<T>(column: &mut Option<T>, value: Option<T>) {
    if value.is_some() {
        *column = value;
    }
}

fn add_participant(transition_id: i64, change: &[u8], context: &mut DecodeContext<'_, '_>) {
    let change = LastFields::<11>::new(change);
    let number = |number| change.get(number).map(|field| field.as_i32() as u32);
    let mut rect = |field: Option<Field<'_>>| {
        field.map(|field| context.rect_row(&Rect::read(field.as_bytes())))
    };
    let row = ShellParticipantRow {
        transition_id,
        layer_id: number(change::LAYER_ID),
        window_id: number(change::WINDOW_ID),
        mode: number(change::MODE),
        flags: number(change::FLAGS),
        start_display_id: number(change::START_DISPLAY_ID),
        end_display_id: number(change::END_DISPLAY_ID),
        start_rotation: number(change::START_ROTATION),
        end_rotation: number(change::END_ROTATION),
        start_abs_bounds_rect_id: rect(change.get(change::START_ABSOLUTE_BOUNDS)),
        end_abs_bounds_rect_id: rect(change.get(change::END_ABSOLUTE_BOUNDS)),
    };
    context.tables.window_manager_shell_transition_participants.push(row);
}

fn decode_handlers(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let context = &mut DecodeContext { packet, trackers, tables, stats };
    let number = context.number(packet.data);
    for handler in messages(packet.data, shell_handler_mappings::MAPPING) {
        let handler = LastFields::<3>::new(handler);
        let name = handler.bytes(shell_handler_mapping::NAME);
        let row = ShellHandlerRow {
            handler_id: handler.int(shell_handler_mapping::ID),
            handler_name: context.tables.strings.intern_bytes(name),
            base64_proto_id: Some(number),
        };
        context.tables.window_manager_shell_transition_handlers.push(row);
    }
}

/// Writes the transitions of the entered source, which are complete now.
pub(super) fn write_rows(trackers: &mut Trackers, tables: &mut Tables) {
    let Transitions { all, .. } = std::mem::take(trackers.source.states.get());
    for Transition { mut row, args } in all {
        conclude(&mut row, &mut tables.strings);
        row.arg_set_id = trackers.deferred.intern(&args);
        tables.window_manager_shell_transitions.push(row);
    }
}

/// Sets what follows from all messages about a transition.
fn conclude(row: &mut ShellTransitionRow, strings: &mut StringPool) {
    let is_set = |time: Option<i64>| time.filter(|&ns| ns > 0);
    let [create, send, dispatched, shell_abort, wm_abort, finish, merge] = [
        row.create_time_ns,
        row.send_time_ns,
        row.dispatch_time_ns,
        row.shell_abort_time_ns,
        row.wm_abort_time_ns,
        row.finish_time_ns,
        row.merge_time_ns,
    ]
    .map(is_set);
    let first = create.or(send).or(dispatched).or(shell_abort).or(wm_abort).or(finish).or(merge);
    row.ts = first.unwrap_or_default();
    // A merged transition is not dispatched, and one that was dispatched cannot be aborted.
    let status = match (merge, dispatched, finish) {
        (Some(_), ..) => "merged",
        (_, Some(dispatched), Some(finish)) => {
            row.duration_ns = Some(finish.saturating_sub(dispatched));
            "played"
        }
        (_, None, _) if shell_abort.or(wm_abort).is_some() => "aborted",
        _ => return,
    };
    row.status = strings.intern(status);
}
