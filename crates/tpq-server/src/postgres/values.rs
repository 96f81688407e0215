//! Values of parameters.

use bytes::{Buf, Bytes};
use datafusion::common::ScalarValue;
use pgwire::api::Type;
use tpq_sql::{ParameterValue, ParameterValues};

use super::errors::{Failure, code};

/// The format of a value that is not text.
const BINARY: i16 = 1;

/// Reads a value of a type, given as its number; 0 stands for a type that was not given.
///
/// # Errors
/// When the bytes are no such value, or statements take no values of the type.
pub(super) fn value(
    type_number: u32,
    format: i16,
    bytes: Option<&Bytes>,
) -> Result<ParameterValue, Failure> {
    let kind = Type::from_oid(type_number).unwrap_or(Type::TEXT);
    let Some(bytes) = bytes else { return Ok(ParameterValue::Null) };
    let value = if format == BINARY { binary(&kind, bytes) } else { text(&kind, bytes) };
    match value {
        Read::Value(value) => Ok(value),
        Read::Wrong => {
            let message = format!("a parameter is no value of the type {kind}");
            Err(Failure::new(code::INVALID_VALUE, message))
        }
        Read::Unsupported => {
            let message = format!("parameters of the type {kind} are not supported here");
            Err(Failure::unsupported(message).with_hint("send it as a number or as text"))
        }
    }
}

/// A value of a type that stands for any other while columns are described.
pub(super) fn sample(type_number: u32) -> ParameterValue {
    match Type::from_oid(type_number) {
        Some(Type::INT2 | Type::INT4 | Type::INT8 | Type::OID | Type::BOOL) => {
            ParameterValue::Integer(1)
        }
        Some(Type::FLOAT4 | Type::FLOAT8 | Type::NUMERIC) => ParameterValue::Real(1.0),
        Some(Type::TEXT | Type::VARCHAR) => ParameterValue::Text(String::new()),
        _ => ParameterValue::Null,
    }
}

/// The values by the names that statements have for them: `1`, `2`…
pub(super) fn by_number(values: Vec<ParameterValue>) -> ParameterValues {
    (1_usize..).map(|number| number.to_string()).zip(values).collect()
}

/// The value for a query of catalogs.
pub(super) fn scalar(value: &ParameterValue) -> ScalarValue {
    match value {
        ParameterValue::Null => ScalarValue::Null,
        ParameterValue::Integer(value) => ScalarValue::Int64(Some(*value)),
        ParameterValue::Real(value) => ScalarValue::Float64(Some(*value)),
        ParameterValue::Text(text) => ScalarValue::Utf8(Some(text.clone())),
    }
}

enum Read {
    Value(ParameterValue),
    Wrong,
    Unsupported,
}

impl From<Option<ParameterValue>> for Read {
    fn from(value: Option<ParameterValue>) -> Self {
        value.map_or(Self::Wrong, Self::Value)
    }
}

fn text(kind: &Type, bytes: &[u8]) -> Read {
    let Ok(text) = std::str::from_utf8(bytes) else { return Read::Wrong };
    let number = text.trim();
    match *kind {
        Type::INT2 | Type::INT4 | Type::INT8 | Type::OID => {
            number.parse().ok().map(ParameterValue::Integer).into()
        }
        Type::FLOAT4 | Type::FLOAT8 => number.parse().ok().map(ParameterValue::Real).into(),
        Type::NUMERIC => match number.parse() {
            Ok(integer) => Read::Value(ParameterValue::Integer(integer)),
            Err(_) => number.parse().ok().map(ParameterValue::Real).into(),
        },
        Type::BOOL => match number.to_ascii_lowercase().as_str() {
            "t" | "true" | "1" | "on" | "yes" | "y" => Read::Value(ParameterValue::Integer(1)),
            "f" | "false" | "0" | "off" | "no" | "n" => Read::Value(ParameterValue::Integer(0)),
            _ => Read::Wrong,
        },
        Type::BYTEA => Read::Unsupported,
        _ => Read::Value(ParameterValue::Text(text.to_owned())),
    }
}

fn binary(kind: &Type, bytes: &[u8]) -> Read {
    let integer = |value: Option<i64>| Read::from(value.map(ParameterValue::Integer));
    let mut rest = bytes;
    match *kind {
        Type::BOOL if bytes.len() == 1 => integer(Some(i64::from(rest.get_u8() != 0))),
        Type::INT2 if bytes.len() == 2 => integer(Some(i64::from(rest.get_i16()))),
        Type::INT4 if bytes.len() == 4 => integer(Some(i64::from(rest.get_i32()))),
        Type::OID if bytes.len() == 4 => integer(Some(i64::from(rest.get_u32()))),
        Type::INT8 if bytes.len() == 8 => integer(Some(rest.get_i64())),
        Type::FLOAT4 if bytes.len() == 4 => {
            Read::Value(ParameterValue::Real(f64::from(rest.get_f32())))
        }
        Type::FLOAT8 if bytes.len() == 8 => Read::Value(ParameterValue::Real(rest.get_f64())),
        Type::BOOL
        | Type::INT2
        | Type::INT4
        | Type::OID
        | Type::INT8
        | Type::FLOAT4
        | Type::FLOAT8 => Read::Wrong,
        Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME | Type::UNKNOWN | Type::JSON => {
            let text = std::str::from_utf8(bytes).ok();
            text.map(|text| ParameterValue::Text(text.to_owned())).into()
        }
        _ => Read::Unsupported,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(kind: &Type, format: i16, bytes: &'static [u8]) -> Option<ParameterValue> {
        value(kind.oid(), format, Some(&Bytes::from_static(bytes))).ok()
    }

    #[test]
    fn values_have_the_type_that_the_client_gave() {
        let text = |text: &str| Some(ParameterValue::Text(text.to_owned()));
        let integer = |value| Some(ParameterValue::Integer(value));
        let real = |value| Some(ParameterValue::Real(value));
        assert_eq!(read(&Type::INT4, 0, b"-7"), integer(-7));
        assert_eq!(read(&Type::INT8, 1, b"\0\0\0\0\0\0\x01\0"), integer(256));
        assert_eq!(read(&Type::FLOAT8, 0, b"1e3"), real(1000.0));
        assert_eq!(read(&Type::FLOAT4, 1, b"\x3f\xc0\0\0"), real(1.5));
        assert_eq!(read(&Type::NUMERIC, 0, b"9223372036854775807"), integer(i64::MAX));
        assert_eq!(read(&Type::NUMERIC, 0, b"1.5"), real(1.5));
        assert_eq!(read(&Type::BOOL, 0, b"t"), integer(1));
        assert_eq!(read(&Type::VARCHAR, 0, b"007"), text("007"));
        assert_eq!(read(&Type::TEXT, 1, b"it's"), text("it's"));
        assert_eq!(value(0, 0, Some(&Bytes::from_static(b"5"))).ok(), text("5"));
        assert_eq!(value(20, 1, None).ok(), Some(ParameterValue::Null));
    }

    #[test]
    fn bytes_that_are_no_value_are_an_error() {
        for (kind, format, bytes) in [
            (Type::INT4, 0, &b"1.5"[..]),
            (Type::INT4, 1, b"\0"),
            (Type::INT8, 1, b"\0\0\0\0"),
            (Type::BOOL, 0, b"perhaps"),
            (Type::TEXT, 0, b"\xff"),
            (Type::BYTEA, 0, b"\\x00"),
            (Type::NUMERIC, 1, b"\0\0\0\0\0\0\0\0"),
        ] {
            assert_eq!(read(&kind, format, bytes), None, "{kind} {bytes:?}");
        }
    }
}
