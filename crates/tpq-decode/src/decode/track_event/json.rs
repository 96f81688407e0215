//! Values that programs wrote as JSON, taken apart into args.

use serde_json::Value;
use tpq_tables::StringPool;

use crate::track::{ArgSet, ArgValue};

/// Adds the values of a piece of JSON under a key, given without and with positions in lists. Text
/// that is no JSON, and what is null or empty, adds nothing.
pub(super) fn add(
    text: &[u8],
    (flat, full): (&str, &str),
    args: &mut ArgSet,
    strings: &mut StringPool,
) {
    if let Ok(value) = serde_json::from_slice(text) {
        add_value(&value, flat, full, args, strings);
    }
}

fn add_value(value: &Value, flat: &str, full: &str, args: &mut ArgSet, strings: &mut StringPool) {
    let value = match value {
        Value::Null => return,
        Value::Object(members) => {
            for (name, value) in members {
                let [flat, full] = [flat, full].map(|key| format!("{key}.{name}"));
                add_value(value, &flat, &full, args, strings);
            }
            return;
        }
        Value::Array(elements) => {
            for (index, value) in elements.iter().enumerate() {
                add_value(value, flat, &format!("{full}[{index}]"), args, strings);
            }
            return;
        }
        Value::Bool(value) => ArgValue::Bool(*value),
        Value::String(text) => ArgValue::String(strings.intern(text)),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(value), _) => ArgValue::Int(value),
            (None, Some(value)) => ArgValue::Real(value),
            (None, None) => return,
        },
    };
    let [flat, full] = [flat, full].map(|key| strings.intern(key));
    args.add_keyed(flat, full, value);
}
