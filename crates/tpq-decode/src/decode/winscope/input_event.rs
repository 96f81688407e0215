//! Input events: keys, motions, and their dispatch to windows.

use tpq_proto::fields::{
    android_input_event, android_key_event, android_motion_event,
    android_window_input_dispatch_event,
};
use tpq_proto::wire::{Fields, LastFields, zigzag};
use tpq_tables::Stat;
use tpq_tables::table::{InputDispatchRow, KeyEventRow, MotionEventRow};

use super::context::DecodeContext;

const ERRORS: Stat = Stat::AndroidInputEventParseErrors;

/// Decodes an event; where private parts were left out, its field has another number.
pub(super) fn decode(message: &[u8], context: &mut DecodeContext<'_, '_>) {
    for field in Fields::new(message) {
        let event = field.as_bytes();
        match field.number {
            android_input_event::DISPATCHER_MOTION_EVENT
            | android_input_event::DISPATCHER_MOTION_EVENT_REDACTED => motion(event, context),
            android_input_event::DISPATCHER_KEY_EVENT
            | android_input_event::DISPATCHER_KEY_EVENT_REDACTED => key(event, context),
            android_input_event::DISPATCHER_WINDOW_DISPATCH_EVENT
            | android_input_event::DISPATCHER_WINDOW_DISPATCH_EVENT_REDACTED => {
                sending(event, context)
            }
            _ => continue,
        }
        return;
    }
}

fn motion(message: &[u8], context: &mut DecodeContext<'_, '_>) {
    let event = LastFields::<7>::new(message);
    let int = |number| i64::from(event.int(number) as i32);
    let row = MotionEventRow {
        event_id: event.uint(android_motion_event::EVENT_ID) as u32,
        ts: context.packet.ts(),
        arg_set_id: context.arg_set(message, "com.android.internal.AndroidMotionEvent", ERRORS),
        base64_proto_id: Some(context.number(message)),
        source: Some(event.uint(android_motion_event::SOURCE) as u32),
        action: Some(int(android_motion_event::ACTION)),
        device_id: Some(int(android_motion_event::DEVICE_ID)),
        display_id: Some(zigzag(event.uint(android_motion_event::DISPLAY_ID))),
    };
    context.tables.android_motion_events.push(row);
}

fn key(message: &[u8], context: &mut DecodeContext<'_, '_>) {
    let event = LastFields::<9>::new(message);
    let int = |number| i64::from(event.int(number) as i32);
    let row = KeyEventRow {
        event_id: event.uint(android_key_event::EVENT_ID) as u32,
        ts: context.packet.ts(),
        arg_set_id: context.arg_set(message, "com.android.internal.AndroidKeyEvent", ERRORS),
        base64_proto_id: Some(context.number(message)),
        source: Some(event.uint(android_key_event::SOURCE) as u32),
        action: Some(int(android_key_event::ACTION)),
        device_id: Some(int(android_key_event::DEVICE_ID)),
        display_id: Some(zigzag(event.uint(android_key_event::DISPLAY_ID))),
        key_code: Some(int(android_key_event::KEY_CODE)),
    };
    context.tables.android_key_events.push(row);
}

/// Adds the sending of an event to a window.
fn sending(message: &[u8], context: &mut DecodeContext<'_, '_>) {
    let event = LastFields::<4>::new(message);
    let name = "com.android.internal.AndroidWindowInputDispatchEvent";
    let row = InputDispatchRow {
        event_id: event.uint(android_window_input_dispatch_event::EVENT_ID) as u32,
        arg_set_id: context.arg_set(message, name, ERRORS),
        vsync_id: event.int(android_window_input_dispatch_event::VSYNC_ID),
        window_id: event.int(android_window_input_dispatch_event::WINDOW_ID) as i32,
        base64_proto_id: Some(context.number(message)),
    };
    context.tables.android_input_event_dispatch.push(row);
}
