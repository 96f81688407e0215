//! The notation of types in the C data interface.

use datafusion::arrow::datatypes::{DataType, TimeUnit};
use datafusion::arrow::error::ArrowError;

/// The format string of a type. That of a dictionary is the format of its keys.
///
/// # Errors
/// When results of SQL have no such type.
pub fn format_of(data_type: &DataType) -> Result<String, ArrowError> {
    let format = match data_type {
        DataType::Null => "n",
        DataType::Boolean => "b",
        DataType::Int8 => "c",
        DataType::UInt8 => "C",
        DataType::Int16 => "s",
        DataType::UInt16 => "S",
        DataType::Int32 => "i",
        DataType::UInt32 => "I",
        DataType::Int64 => "l",
        DataType::UInt64 => "L",
        DataType::Float16 => "e",
        DataType::Float32 => "f",
        DataType::Float64 => "g",
        DataType::Binary => "z",
        DataType::LargeBinary => "Z",
        DataType::BinaryView => "vz",
        DataType::Utf8 => "u",
        DataType::LargeUtf8 => "U",
        DataType::Utf8View => "vu",
        DataType::Date32 => "tdD",
        DataType::Date64 => "tdm",
        DataType::Time32(unit) | DataType::Time64(unit) => {
            return Ok(format!("tt{}", letter(unit)));
        }
        DataType::Duration(unit) => return Ok(format!("tD{}", letter(unit))),
        DataType::Timestamp(unit, zone) => {
            return Ok(format!("ts{}:{}", letter(unit), zone.as_deref().unwrap_or_default()));
        }
        DataType::Decimal128(precision, scale) => return Ok(format!("d:{precision},{scale}")),
        DataType::FixedSizeBinary(bytes) => return Ok(format!("w:{bytes}")),
        DataType::List(_) => "+l",
        DataType::LargeList(_) => "+L",
        DataType::Struct(_) => "+s",
        DataType::Dictionary(keys, _) => return format_of(keys),
        other => {
            let message = format!("columns of type {other} cannot be exported; cast them");
            return Err(ArrowError::CDataInterface(message));
        }
    };
    Ok(format.to_owned())
}

fn letter(unit: &TimeUnit) -> char {
    match unit {
        TimeUnit::Second => 's',
        TimeUnit::Millisecond => 'm',
        TimeUnit::Microsecond => 'u',
        TimeUnit::Nanosecond => 'n',
    }
}
