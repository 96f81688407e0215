//! The text format of protobuf: prints messages, like `trace_config_pbtxt` in `metadata`, and reads
//! them.

mod parse;
mod tokens;

use std::fmt::Write;

use prost::Name;

use crate::descriptor::{self, Kind, Message};
use crate::wire::{Field, Fields, Packed, Value};

pub use self::parse::parse;
pub use self::tokens::TextError;

/// The largest depth of nested messages; deeper ones are printed as empty.
const MAX_DEPTH: usize = 100;

/// Prints the message of type `M` in `bytes`, one line for each value, without a newline at the
/// end.
///
/// Fields are printed in the order of the wire. Fields and enum values that `protos/` does not name
/// are printed with their number. Damage ends the message that contains it.
pub fn print<M: Name>(bytes: &[u8]) -> String {
    print_with::<M>(bytes, float)
}

/// Prints like [`print()`], but floats have as many digits as it takes to read the same value back.
pub fn print_exact<M: Name>(bytes: &[u8]) -> String {
    print_with::<M>(bytes, exact_float)
}

fn print_with<M: Name>(bytes: &[u8], float: fn(f64) -> String) -> String {
    let mut printer = Printer { out: String::new(), depth: 0, float };
    if let Some(message) = Message::of::<M>() {
        printer.message(message, bytes);
    }
    printer.out
}

struct Printer {
    out: String,
    depth: usize,
    /// Formats a number.
    float: fn(f64) -> String,
}

impl Printer {
    fn message(&mut self, message: Message, bytes: &[u8]) {
        for field in Fields::new(bytes) {
            match message.field(field.number) {
                Some(known) => self.field(known, field),
                None => self.unknown(field),
            }
        }
    }

    fn field(&mut self, known: descriptor::Field, field: Field<'_>) {
        match (known.kind, field.value) {
            (Kind::Message(nested), Value::Bytes(bytes)) => {
                self.line(format_args!("{} {{", known.name));
                if self.depth < MAX_DEPTH {
                    self.depth += 1;
                    self.message(nested, bytes);
                    self.depth -= 1;
                }
                self.line(format_args!("}}"));
            }
            (Kind::String | Kind::Bytes, Value::Bytes(bytes)) => {
                self.line(format_args!("{}: {}", known.name, quoted(bytes)));
            }
            (Kind::Message(_) | Kind::String | Kind::Bytes, _) => self.unknown(field),
            (Kind::Double | Kind::Fixed64 | Kind::Sfixed64, Value::Bytes(packed)) => {
                for &bytes in packed.as_chunks().0 {
                    self.number(known, field.number, Value::Fixed64(u64::from_le_bytes(bytes)));
                }
            }
            (Kind::Float | Kind::Fixed32 | Kind::Sfixed32, Value::Bytes(packed)) => {
                for &bytes in packed.as_chunks().0 {
                    self.number(known, field.number, Value::Fixed32(u32::from_le_bytes(bytes)));
                }
            }
            (_, Value::Bytes(packed)) => {
                for value in Packed::new(packed) {
                    self.number(known, field.number, Value::Varint(value));
                }
            }
            (_, value) => self.number(known, field.number, value),
        }
    }

    fn number(&mut self, known: descriptor::Field, number: u32, value: Value<'_>) {
        let field = Field { number, value };
        let name = known.name;
        match known.kind {
            Kind::Double | Kind::Float => {
                let text = (self.float)(field.as_f64());
                self.line(format_args!("{name}: {text}"));
            }
            Kind::Int32 | Kind::Sfixed32 => self.line(format_args!("{name}: {}", field.as_i32())),
            Kind::Int64 | Kind::Sfixed64 => self.line(format_args!("{name}: {}", field.as_i64())),
            Kind::Uint32 | Kind::Fixed32 => self.line(format_args!("{name}: {}", field.as_u32())),
            Kind::Sint32 | Kind::Sint64 => {
                let bits = field.as_u64();
                let value = (bits >> 1) as i64 ^ -((bits & 1) as i64);
                self.line(format_args!("{name}: {value}"));
            }
            Kind::Bool => self.line(format_args!("{name}: {}", field.as_bool())),
            Kind::Enum(names) => match names.value_name(field.as_i32()) {
                Some(value) => self.line(format_args!("{name}: {value}")),
                None => self.line(format_args!("{number}: {}", field.as_i32())),
            },
            _ => self.line(format_args!("{name}: {}", field.as_u64())),
        }
    }

    fn unknown(&mut self, Field { number, value }: Field<'_>) {
        match value {
            Value::Varint(value) => self.line(format_args!("{number}: {}", value as i64)),
            Value::Fixed64(value) => self.line(format_args!("{number}: {value:#018x}")),
            Value::Fixed32(value) => self.line(format_args!("{number}: {value:#010x}")),
            Value::Bytes(bytes) => self.line(format_args!("{number}: {}", quoted(bytes))),
        }
    }

    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        for _ in 0..self.depth {
            self.out.push_str("  ");
        }
        // Writing to a String cannot fail.
        let _ = self.out.write_fmt(text);
    }
}

/// Formats a number with six digits after the point, like C prints a float.
fn float(value: f64) -> String {
    if value.is_nan() { "nan".to_owned() } else { format!("{value:.6}") }
}

/// Formats a number with at least six digits after the point, or with an exponent if that loses
/// digits.
fn exact_float(value: f64) -> String {
    let text = float(value);
    match text.parse::<f64>() {
        Ok(read) if read == value || value.is_nan() => text,
        _ => format!("{value:?}"),
    }
}

/// Formats bytes in quotes, with everything except printable ASCII escaped.
fn quoted(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 2);
    out.push('"');
    for &byte in bytes {
        match byte {
            b'\x07' => out.push_str("\\a"),
            b'\x08' => out.push_str("\\b"),
            b'\x0c' => out.push_str("\\f"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            b'\x0b' => out.push_str("\\v"),
            b'\\' | b'\'' | b'"' => out.extend(['\\', char::from(byte)]),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use prost::Message as _;

    use super::*;
    use crate::message::{
        DataSourceConfig, GpuCounterDescriptor, InternedString, StackSample, TestConfig,
        TraceConfig, test_config, trace_config,
    };

    #[test]
    fn a_configuration_reads_as_it_was_written() {
        let buffer = trace_config::BufferConfig {
            size_kb: Some(512),
            fill_policy: Some(trace_config::buffer_config::FillPolicy::Discard as i32),
            ..Default::default()
        };
        let config = DataSourceConfig { name: Some("linux.ftrace".into()), ..Default::default() };
        let source = trace_config::DataSource {
            config: Some(config),
            producer_name_filter: vec!["a".into(), "b".into()],
            ..Default::default()
        };
        let config = TraceConfig {
            buffers: vec![buffer, trace_config::BufferConfig::default()],
            data_sources: vec![source],
            write_into_file: Some(true),
            trace_uuid_msb: Some(-3),
            ..Default::default()
        };
        let expected = "\
buffers {
  size_kb: 512
  fill_policy: DISCARD
}
buffers {
}
data_sources {
  config {
    name: \"linux.ftrace\"
  }
  producer_name_filter: \"a\"
  producer_name_filter: \"b\"
}
write_into_file: true
trace_uuid_msb: -3";
        assert_eq!(print::<TraceConfig>(&config.encode_to_vec()), expected);
    }

    #[test]
    fn fields_keep_the_order_of_the_wire() {
        // duration_ms = 3, buffers = 1 { size_kb = 1 }, duration_ms = 3
        let bytes = [0x18, 5, 0x0a, 2, 0x08, 1, 0x18, 6];
        let expected = "duration_ms: 5\nbuffers {\n  size_kb: 1\n}\nduration_ms: 6";
        assert_eq!(print::<TraceConfig>(&bytes), expected);
    }

    #[test]
    fn every_kind_of_number() {
        let fields = test_config::DummyFields {
            field_uint32: Some(u32::MAX),
            field_int32: Some(-1),
            field_uint64: Some(u64::MAX),
            field_int64: Some(i64::MIN),
            field_fixed64: Some(u64::MAX),
            field_sfixed64: Some(-2),
            field_fixed32: Some(u32::MAX),
            field_sfixed32: Some(-3),
            field_double: Some(0.1),
            field_float: Some(2.5),
            field_sint64: Some(i64::MIN),
            field_sint32: Some(-4),
            field_string: Some("it's".into()),
            field_bytes: Some(vec![0, 0xff, b'\n', b'"', b'\\']),
        };
        let config = TestConfig { dummy_fields: Some(fields), ..Default::default() };
        let text = print::<TestConfig>(&config.encode_to_vec());
        let mut lines: Vec<_> = text.lines().map(str::trim).collect();
        lines.sort_unstable();
        let expected = [
            r#"dummy_fields {"#,
            r#"field_bytes: "\000\377\n\"\\""#,
            r#"field_double: 0.100000"#,
            r#"field_fixed32: 4294967295"#,
            r#"field_fixed64: 18446744073709551615"#,
            r#"field_float: 2.500000"#,
            r#"field_int32: -1"#,
            r#"field_int64: -9223372036854775808"#,
            r#"field_sfixed32: -3"#,
            r#"field_sfixed64: -2"#,
            r#"field_sint32: -4"#,
            r#"field_sint64: -9223372036854775808"#,
            r#"field_string: "it\'s""#,
            r#"field_uint32: 4294967295"#,
            r#"field_uint64: 18446744073709551615"#,
            r#"}"#,
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn exact_floats_read_back_as_themselves() {
        for (value, text) in [
            (0.1, "0.100000"),
            (-2.0, "-2.000000"),
            (1.5e-9, "1.5e-9"),
            (0.1 + 0.2, "0.30000000000000004"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
        ] {
            assert_eq!(exact_float(value), text);
        }
    }

    #[test]
    fn packed_values_are_lines_of_their_own() {
        let sample = StackSample { follower_weights: vec![1, 300], ..Default::default() };
        let expected = "follower_weights: 1\nfollower_weights: 300";
        assert_eq!(print::<StackSample>(&sample.encode_to_vec()), expected);
    }

    #[test]
    fn unnamed_fields_and_values_are_printed_with_their_number() {
        // 99999: 7, lockdown_mode: 77 (no such value), 99998: "x"
        let bytes = [0xf8, 0xe9, 0x30, 7, 0x28, 77, 0xf2, 0xe9, 0x30, 1, b'x'];
        assert_eq!(print::<TraceConfig>(&bytes), "99999: 7\n5: 77\n99998: \"x\"");
    }

    #[test]
    fn damage_ends_the_message_it_is_in() {
        // buffers { size_kb: 1, then a length that leads past the end }, duration_ms: 5
        let bytes = [0x0a, 4, 0x08, 1, 0x3a, 9, 0x18, 5];
        assert_eq!(print::<TraceConfig>(&bytes), "buffers {\n  size_kb: 1\n}\nduration_ms: 5");
        assert_eq!(print::<GpuCounterDescriptor>(&[0x0a, 0xff]), "");
        assert_eq!(print::<InternedString>(&[]), "");
    }
}
