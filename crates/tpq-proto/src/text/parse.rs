//! Reads the text format: the text becomes the bytes of the wire.

use prost::Name;
use prost::encoding::{WireType, encode_key, encode_varint};

use super::tokens::{TextError, Token, Tokens};
use crate::descriptor::{Enum, Field, Kind, Message};

/// The largest depth of nested messages. prost has the same limit.
const MAX_DEPTH: usize = 100;

/// Reads a message of type `M`.
///
/// Fields are separated by blanks, commas or semicolons; repeated ones may be lists in brackets.
/// Names of fields and enum values are those in `protos/`.
///
/// # Errors
/// When the text is no message of this type. The error has the position.
pub fn parse<M: prost::Message + Name + Default>(text: &str) -> Result<M, TextError> {
    let mut parser = Parser::new(text)?;
    let Some(message) = Message::of::<M>() else {
        return Err(parser.tokens.error(0, format!("`{}` has no description", M::NAME)));
    };
    let bytes = parser.fields(message, &Token::End)?;
    M::decode(bytes.as_slice()).map_err(|error| parser.tokens.error(0, error.to_string()))
}

struct Parser<'a> {
    tokens: Tokens<'a>,
    /// The next token, and the byte it starts at.
    next: (usize, Token<'a>),
    depth: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Result<Self, TextError> {
        let mut tokens = Tokens::new(text);
        let next = tokens.next()?;
        Ok(Self { tokens, next, depth: 0 })
    }

    /// Takes the next token.
    fn take(&mut self) -> Result<(usize, Token<'a>), TextError> {
        let next = self.tokens.next()?;
        Ok(std::mem::replace(&mut self.next, next))
    }

    /// Takes the next token if it is this mark.
    fn take_mark(&mut self, mark: char) -> Result<bool, TextError> {
        let is_it = self.next.1 == Token::Mark(mark);
        if is_it {
            self.take()?;
        }
        Ok(is_it)
    }

    /// The error that something else was expected in place of the next token.
    fn expected(&self, what: &str) -> TextError {
        let (at, found) = &self.next;
        self.tokens.error(*at, format!("expected {what}, found {found}"))
    }

    /// The fields of a message up to `end`, which is taken.
    fn fields(&mut self, message: Message, end: &Token<'_>) -> Result<Vec<u8>, TextError> {
        let mut out = Vec::new();
        let mut seen: Vec<Field> = Vec::new();
        while self.next.1 != *end {
            let (at, token) = self.take()?;
            let Token::Word(name) = token else {
                let message = format!("expected the name of a field, found {token}");
                return Err(self.tokens.error(at, message));
            };
            let Some(field) = message.field_named(name) else {
                let message = format!("`{}` has no field `{name}`", message.name());
                return Err(self.tokens.error(at, message));
            };
            self.check_unset(at, field, &seen)?;
            if !field.repeated {
                seen.push(field);
            }
            self.values(field, &mut out)?;
            if !self.take_mark(',')? {
                self.take_mark(';')?;
            }
        }
        self.take()?;
        Ok(out)
    }

    /// Checks that neither the field nor another one of its oneof has a value.
    fn check_unset(&self, at: usize, field: Field, seen: &[Field]) -> Result<(), TextError> {
        let same = |other: &&Field| {
            other.number == field.number || (field.oneof != 0 && other.oneof == field.oneof)
        };
        let Some(other) = seen.iter().find(same) else { return Ok(()) };
        let message = match other.number == field.number {
            true => format!("`{}` is set twice", field.name),
            false => format!("`{}` excludes `{}`, which is set before", field.name, other.name),
        };
        Err(self.tokens.error(at, message))
    }

    /// The value of a field, or a list of values.
    fn values(&mut self, field: Field, out: &mut Vec<u8>) -> Result<(), TextError> {
        let is_message = matches!(field.kind, Kind::Message(_));
        if !self.take_mark(':')? && !is_message {
            return Err(self.expected(&format!("`:` after `{}`", field.name)));
        }
        if !field.repeated || !self.take_mark('[')? {
            return self.value(field, out);
        }
        if self.take_mark(']')? {
            return Ok(());
        }
        loop {
            self.value(field, out)?;
            if self.take_mark(']')? {
                return Ok(());
            }
            if !self.take_mark(',')? {
                return Err(self.expected("`,` or `]`"));
            }
        }
    }

    /// One value, appended with its key.
    fn value(&mut self, field: Field, out: &mut Vec<u8>) -> Result<(), TextError> {
        let number = field.number;
        let varint = |value: u64, out: &mut Vec<u8>| {
            encode_key(number, WireType::Varint, out);
            encode_varint(value, out);
        };
        let eight = |bytes: [u8; 8], out: &mut Vec<u8>| {
            encode_key(number, WireType::SixtyFourBit, out);
            out.extend_from_slice(&bytes);
        };
        let four = |bytes: [u8; 4], out: &mut Vec<u8>| {
            encode_key(number, WireType::ThirtyTwoBit, out);
            out.extend_from_slice(&bytes);
        };
        let long = |bytes: &[u8], out: &mut Vec<u8>| {
            encode_key(number, WireType::LengthDelimited, out);
            encode_varint(bytes.len() as u64, out);
            out.extend_from_slice(bytes);
        };
        match field.kind {
            Kind::Double => eight(self.float()?.to_le_bytes(), out),
            Kind::Float => four((self.float()? as f32).to_le_bytes(), out),
            Kind::Int32 => varint(i64::from(self.integer::<i32>()?) as u64, out),
            Kind::Int64 => varint(self.integer::<i64>()? as u64, out),
            Kind::Uint32 => varint(u64::from(self.integer::<u32>()?), out),
            Kind::Uint64 => varint(self.integer::<u64>()?, out),
            Kind::Sint32 => varint(zigzag(i64::from(self.integer::<i32>()?)), out),
            Kind::Sint64 => varint(zigzag(self.integer::<i64>()?), out),
            Kind::Fixed32 => four(self.integer::<u32>()?.to_le_bytes(), out),
            Kind::Sfixed32 => four(self.integer::<i32>()?.to_le_bytes(), out),
            Kind::Fixed64 => eight(self.integer::<u64>()?.to_le_bytes(), out),
            Kind::Sfixed64 => eight(self.integer::<i64>()?.to_le_bytes(), out),
            Kind::Bool => varint(u64::from(self.boolean()?), out),
            Kind::Enum(names) => varint(i64::from(self.enum_value(names)?) as u64, out),
            Kind::String => {
                let (at, text) = self.text()?;
                if std::str::from_utf8(&text).is_err() {
                    return Err(self.tokens.error(at, "the string is not UTF-8"));
                }
                long(&text, out);
            }
            Kind::Bytes => long(&self.text()?.1, out),
            Kind::Message(nested) => long(&self.message(nested)?, out),
        }
        Ok(())
    }

    /// A message in braces or angle brackets.
    fn message(&mut self, message: Message) -> Result<Vec<u8>, TextError> {
        let at = self.next.0;
        let end = match self.next.1 {
            Token::Mark('{') => '}',
            Token::Mark('<') => '>',
            _ => return Err(self.expected("`{`")),
        };
        if self.depth >= MAX_DEPTH {
            return Err(self.tokens.error(at, format!("more than {MAX_DEPTH} messages nest here")));
        }
        self.take()?;
        self.depth += 1;
        let bytes = self.fields(message, &Token::Mark(end))?;
        self.depth -= 1;
        Ok(bytes)
    }

    /// Adjacent strings, which are one, with the byte they start at.
    fn text(&mut self) -> Result<(usize, Vec<u8>), TextError> {
        let start = self.next.0;
        if !matches!(self.next.1, Token::Text(_)) {
            return Err(self.expected("a string"));
        }
        let mut text = Vec::new();
        while matches!(self.next.1, Token::Text(_)) {
            if let (_, Token::Text(more)) = self.take()? {
                text.extend_from_slice(&more);
            }
        }
        Ok((start, text))
    }

    fn float(&mut self) -> Result<f64, TextError> {
        let is_negative = self.take_mark('-')?;
        let value = match &self.next.1 {
            Token::Number(text) => parse_float(text),
            Token::Word(word) => match word.to_ascii_lowercase().as_str() {
                "inf" | "infinity" => Some(f64::INFINITY),
                "nan" => Some(f64::NAN),
                _ => None,
            },
            _ => None,
        };
        let value = value.ok_or_else(|| self.expected("a number"))?;
        self.take()?;
        Ok(if is_negative { -value } else { value })
    }

    fn integer<T: TryFrom<i128>>(&mut self) -> Result<T, TextError> {
        let is_negative = self.take_mark('-')?;
        let value = match &self.next.1 {
            Token::Number(text) => parse_integer(text),
            _ => None,
        };
        let value = value.ok_or_else(|| self.expected("an integer"))?;
        let value = if is_negative { -value } else { value };
        let value = T::try_from(value).map_err(|_| {
            self.tokens.error(self.next.0, format!("{value} is out of range for this field"))
        })?;
        self.take()?;
        Ok(value)
    }

    fn boolean(&mut self) -> Result<bool, TextError> {
        let value = match self.next.1 {
            Token::Word("true" | "True" | "t") | Token::Number("1") => true,
            Token::Word("false" | "False" | "f") | Token::Number("0") => false,
            _ => return Err(self.expected("`true` or `false`")),
        };
        self.take()?;
        Ok(value)
    }

    /// A value of an enum, by its name or number.
    fn enum_value(&mut self, names: Enum) -> Result<i32, TextError> {
        let Token::Word(name) = self.next.1 else { return self.integer() };
        let Some(value) = names.value_named(name) else {
            let message = format!("`{name}` is not a value of this field");
            return Err(self.tokens.error(self.next.0, message));
        };
        self.take()?;
        Ok(value)
    }
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// A decimal, hexadecimal (`0x1f`) or octal (`017`) number.
fn parse_integer(text: &str) -> Option<i128> {
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    match (hex, text.strip_prefix('0')) {
        (Some(digits), _) => i128::from_str_radix(digits, 16).ok(),
        (None, Some(digits)) if !digits.is_empty() => i128::from_str_radix(digits, 8).ok(),
        _ => text.parse().ok(),
    }
}

/// A number with an optional `f` at its end.
fn parse_float(text: &str) -> Option<f64> {
    text.strip_suffix(['f', 'F']).unwrap_or(text).parse().ok()
}

#[cfg(test)]
mod tests {
    use prost::Message as _;

    use super::*;
    use crate::message::{TestConfig, TraceConfig, TraceSummarySpec, test_config};
    use crate::text::print;

    /// The text of a message that was read from a text.
    fn printed(text: &str) -> Result<String, String> {
        let config = parse::<TraceConfig>(text).map_err(|error| error.to_string())?;
        Ok(print::<TraceConfig>(&config.encode_to_vec()))
    }

    #[test]
    fn printed_messages_are_read_back() {
        let text = "\
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
        assert_eq!(printed(text), Ok(text.to_owned()));
    }

    #[test]
    fn other_forms_mean_the_same() {
        let text = "buffers: < size_kb: 0x10; fill_policy: 2 >, buffers: [{size_kb: 010}, {}] \
                    unique_session_name: 'a' \"b\" # the end";
        let expected = "\
buffers {
  size_kb: 16
  fill_policy: DISCARD
}
buffers {
  size_kb: 8
}
buffers {
}
unique_session_name: \"ab\"";
        assert_eq!(printed(text), Ok(expected.to_owned()));
        assert_eq!(printed("buffers: []"), Ok(String::new()));
    }

    #[test]
    fn every_kind_of_value() {
        let text = "dummy_fields { field_uint32: 4294967295 field_int32: -1 \
            field_uint64: 18446744073709551615 field_int64: -9223372036854775808 \
            field_fixed64: 5 field_sfixed64: -2 field_fixed32: 6 field_sfixed32: -3 \
            field_double: -1.5e3 field_float: 2.5f field_sint64: -9223372036854775808 \
            field_sint32: -4 field_string: \"x\" field_bytes: \"\\377\" }";
        let fields = test_config::DummyFields {
            field_uint32: Some(u32::MAX),
            field_int32: Some(-1),
            field_uint64: Some(u64::MAX),
            field_int64: Some(i64::MIN),
            field_fixed64: Some(5),
            field_sfixed64: Some(-2),
            field_fixed32: Some(6),
            field_sfixed32: Some(-3),
            field_double: Some(-1500.0),
            field_float: Some(2.5),
            field_sint64: Some(i64::MIN),
            field_sint32: Some(-4),
            field_string: Some("x".into()),
            field_bytes: Some(vec![0xff]),
        };
        let expected = TestConfig { dummy_fields: Some(fields), ..Default::default() };
        assert_eq!(parse(text), Ok(expected));
    }

    #[test]
    fn errors_say_where_and_what() {
        for (text, message) in [
            ("bufers {}", "line 1, column 1: `TraceConfig` has no field `bufers`"),
            (
                "buffers {\n  size_kb 5 }",
                "line 2, column 11: expected `:` after `size_kb`, found `5`",
            ),
            ("buffers { size_kb: -5 }", "line 1, column 21: -5 is out of range for this field"),
            ("buffers { size_kb: 'a' }", "line 1, column 20: expected an integer, found a string"),
            (
                "buffers { fill_policy: RING }",
                "line 1, column 24: `RING` is not a value of this field",
            ),
            (
                "buffers { size_kb: 1",
                "line 1, column 21: expected the name of a field, found the end of the text",
            ),
            ("duration_ms: 1 duration_ms: 2", "line 1, column 16: `duration_ms` is set twice"),
            ("unique_session_name: '\\377'", "line 1, column 22: the string is not UTF-8"),
            ("write_into_file: 2", "line 1, column 18: expected `true` or `false`, found `2`"),
        ] {
            assert_eq!(printed(text), Err(message.to_owned()));
        }
        let two = parse::<TraceSummarySpec>("query { table {} inner_query_id: 'a' }");
        let two = two.map_err(|error| error.to_string());
        let message = "line 1, column 18: `inner_query_id` excludes `table`, which is set before";
        assert_eq!(two, Err(message.to_owned()));
    }

    #[test]
    fn depth_is_limited() {
        let nested = |depth| format!("query {{ {}", "inner_query { ".repeat(depth));
        let error = parse::<TraceSummarySpec>(&nested(100_000)).err().map(|error| error.message);
        assert_eq!(error.as_deref(), Some("more than 100 messages nest here"));
        let closed = format!("{}{}", nested(50), "}".repeat(51));
        assert!(parse::<TraceSummarySpec>(&closed).is_ok());
    }
}
