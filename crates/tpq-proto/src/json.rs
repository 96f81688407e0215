//! Writes messages as JSON.

use std::fmt::Write;

use prost::Name;

use crate::descriptor::{self, Kind, Message};
use crate::wire::{Field, Fields, Packed, Value};

/// The largest depth of nested messages; deeper ones are written as empty.
const MAX_DEPTH: usize = 100;

/// Writes the message of type `M` in `bytes` as JSON, indented, without a newline at the end.
///
/// Names of fields and enum values are those in `protos/`. Fields without a value, and those that
/// `protos/` does not name, are left out. Integers are numbers, whatever their size. `NaN`,
/// `Infinity` and `-Infinity`, which JSON does not have, are strings. Bytes are text. Damage ends
/// the message that contains it.
pub fn write<M: Name>(bytes: &[u8]) -> String {
    let mut writer = Writer::default();
    match Message::of::<M>() {
        Some(message) => writer.message(message, bytes),
        None => writer.out.push_str("{}"),
    }
    writer.out
}

#[derive(Default)]
struct Writer {
    out: String,
    depth: usize,
}

impl Writer {
    fn message(&mut self, message: Message, bytes: &[u8]) {
        let is_known = |field: &Field<'_>| message.field(field.number).is_some();
        let mut fields: Vec<Field<'_>> = Fields::new(bytes).filter(is_known).collect();
        // Values of a field keep their order.
        fields.sort_by_key(|field| field.number);
        self.out.push('{');
        if self.depth >= MAX_DEPTH {
            fields.clear();
        }
        self.depth += 1;
        for (index, values) in fields.chunk_by(|a, b| a.number == b.number).enumerate() {
            let Some(known) = values.first().and_then(|field| message.field(field.number)) else {
                continue;
            };
            self.separate(index);
            self.string(known.name);
            self.out.push_str(": ");
            match (known.repeated, values.last()) {
                (false, Some(last)) => self.value(known.kind, *last),
                _ => self.list(known, values),
            }
        }
        self.depth -= 1;
        self.close(!fields.is_empty(), '}');
    }

    fn list(&mut self, known: descriptor::Field, values: &[Field<'_>]) {
        self.out.push('[');
        self.depth += 1;
        let all = values.iter().flat_map(|field| unpacked(known.kind, *field));
        let mut count = 0;
        for value in all {
            self.separate(count);
            self.value(known.kind, value);
            count += 1;
        }
        self.depth -= 1;
        self.close(count > 0, ']');
    }

    /// Begins the line of an item.
    fn separate(&mut self, index: usize) {
        if index > 0 {
            self.out.push(',');
        }
        self.line();
    }

    /// Ends a list or a message, on a line of its own if it has items.
    fn close(&mut self, has_items: bool, mark: char) {
        if has_items {
            self.line();
        }
        self.out.push(mark);
    }

    fn line(&mut self) {
        self.out.push('\n');
        (0..self.depth).for_each(|_| self.out.push_str("  "));
    }

    fn value(&mut self, kind: Kind, field: Field<'_>) {
        let is_bytes = matches!(field.value, Value::Bytes(_));
        match kind {
            Kind::Message(nested) if is_bytes => self.message(nested, field.as_bytes()),
            Kind::String | Kind::Bytes if is_bytes => {
                self.string(&String::from_utf8_lossy(field.as_bytes()));
            }
            // Data of another type than that of the field.
            Kind::Message(_) | Kind::String | Kind::Bytes => self.out.push_str("null"),
            _ if is_bytes => self.out.push_str("null"),
            Kind::Double | Kind::Float => self.float(field.as_f64()),
            Kind::Bool => self.plain(field.as_bool()),
            Kind::Int32 | Kind::Sfixed32 => self.plain(field.as_i32()),
            Kind::Int64 | Kind::Sfixed64 => self.plain(field.as_i64()),
            Kind::Uint32 | Kind::Fixed32 => self.plain(field.as_u32()),
            Kind::Uint64 | Kind::Fixed64 => self.plain(field.as_u64()),
            Kind::Sint32 | Kind::Sint64 => {
                let bits = field.as_u64();
                self.plain((bits >> 1) as i64 ^ -((bits & 1) as i64));
            }
            Kind::Enum(names) => match names.value_name(field.as_i32()) {
                Some(name) => self.string(name),
                None => self.plain(field.as_i32()),
            },
        }
    }

    fn float(&mut self, value: f64) {
        match value.is_finite() {
            true => self.plain(format_args!("{value:?}")),
            false if value.is_nan() => self.string("NaN"),
            false => self.string(if value > 0.0 { "Infinity" } else { "-Infinity" }),
        }
    }

    fn plain(&mut self, value: impl std::fmt::Display) {
        // Writing to a String cannot fail.
        let _ = write!(self.out, "{value}");
    }

    fn string(&mut self, text: &str) {
        // JSON can represent every text.
        self.out.push_str(&serde_json::to_string(text).unwrap_or_default());
    }
}

/// The values of a field of the wire, which can be packed numbers.
fn unpacked(kind: Kind, field: Field<'_>) -> Vec<Field<'_>> {
    let number = field.number;
    let one = |value| Field { number, value };
    match (kind, field.value) {
        (Kind::Message(_) | Kind::String | Kind::Bytes, _) => vec![field],
        (Kind::Double | Kind::Fixed64 | Kind::Sfixed64, Value::Bytes(packed)) => {
            let values = packed.as_chunks::<8>().0.iter();
            values.map(|&bytes| one(Value::Fixed64(u64::from_le_bytes(bytes)))).collect()
        }
        (Kind::Float | Kind::Fixed32 | Kind::Sfixed32, Value::Bytes(packed)) => {
            let values = packed.as_chunks::<4>().0.iter();
            values.map(|&bytes| one(Value::Fixed32(u32::from_le_bytes(bytes)))).collect()
        }
        (_, Value::Bytes(packed)) => {
            Packed::new(packed).map(|value| one(Value::Varint(value))).collect()
        }
        _ => vec![field],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{StackSample, TraceConfig, TraceMetricV2Bundle};
    use crate::text::parse;

    fn json<M: prost::Message + Name + Default>(text: &str) -> String {
        match parse::<M>(text) {
            Ok(message) => write::<M>(&message.encode_to_vec()),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn messages_lists_and_enums() {
        let text = "buffers { size_kb: 512 fill_policy: DISCARD } buffers {} \
                    write_into_file: true trace_uuid_msb: -9223372036854775808 \
                    unique_session_name: 'a \"b\"\\n'";
        let expected = r#"{
  "buffers": [
    {
      "size_kb": 512,
      "fill_policy": "DISCARD"
    },
    {}
  ],
  "write_into_file": true,
  "unique_session_name": "a \"b\"\n",
  "trace_uuid_msb": -9223372036854775808
}"#;
        assert_eq!(json::<TraceConfig>(text), expected);
        assert_eq!(json::<TraceConfig>(""), "{}");
    }

    #[test]
    fn floats_keep_all_digits() {
        let text = "row { values { double_value: 0.1 } values { double_value: 1e300 } \
                    values { double_value: nan } values { double_value: -inf } \
                    values { null_value {} } }";
        let expected = r#"{
  "row": [
    {
      "values": [
        {
          "double_value": 0.1
        },
        {
          "double_value": 1e300
        },
        {
          "double_value": "NaN"
        },
        {
          "double_value": "-Infinity"
        },
        {
          "null_value": {}
        }
      ]
    }
  ]
}"#;
        assert_eq!(json::<TraceMetricV2Bundle>(text), expected);
    }

    #[test]
    fn packed_values_are_a_list() {
        let text = "follower_weights: [1, 300]";
        let expected = "{\n  \"follower_weights\": [\n    1,\n    300\n  ]\n}";
        assert_eq!(json::<StackSample>(text), expected);
    }

    #[test]
    fn data_of_the_wrong_type_is_null() {
        // duration_ms as a string, then an unknown field.
        let bytes = [0x1a, 1, b'x', 0xf8, 0xe9, 0x30, 7];
        assert_eq!(write::<TraceConfig>(&bytes), "{\n  \"duration_ms\": null\n}");
    }
}
