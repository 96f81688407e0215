//! Handles of statements: the text and the values of its parameters, so that the server keeps
//! nothing.

use arrow_flight::error::FlightError;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use futures::{Stream, TryStreamExt};
use serde_json::{Value, json};
use tonic::Status;
use tpq_sql::{ParameterValue, ParameterValues};

/// The most batches that a client sends for the values of one row.
const MAX_BATCHES: usize = 100;

/// A statement with values.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Handle {
    pub(super) sql: String,
    /// In the order of the parameters.
    pub(super) values: Vec<ParameterValue>,
}

impl Handle {
    /// The bytes that a client keeps.
    pub(super) fn encode(&self) -> Vec<u8> {
        let value = |value: &ParameterValue| match value {
            ParameterValue::Null => Value::Null,
            ParameterValue::Integer(value) => json!(value),
            // JSON has no infinite numbers, and no difference between 1 and 1.0.
            ParameterValue::Real(value) => json!({ "real": format!("{value:?}") }),
            ParameterValue::Text(text) => json!(text),
        };
        let values: Vec<Value> = self.values.iter().map(value).collect();
        json!({ "sql": self.sql, "values": values }).to_string().into_bytes()
    }

    /// Reads what a client kept.
    ///
    /// # Errors
    /// When it is no handle.
    pub(super) fn decode(bytes: &[u8]) -> Result<Self, Status> {
        Self::read(bytes).ok_or_else(|| Status::invalid_argument("no handle of a statement"))
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let all: Value = serde_json::from_slice(bytes).ok()?;
        let value = |value: &Value| match value {
            Value::Null => Some(ParameterValue::Null),
            Value::Number(number) => number.as_i64().map(ParameterValue::Integer),
            Value::String(text) => Some(ParameterValue::Text(text.clone())),
            Value::Object(real) => {
                real.get("real")?.as_str()?.parse().ok().map(ParameterValue::Real)
            }
            Value::Bool(_) | Value::Array(_) => None,
        };
        let values = all.get("values")?.as_array()?.iter().map(value);
        let sql = all.get("sql")?.as_str()?.to_owned();
        Some(Self { sql, values: values.collect::<Option<_>>()? })
    }

    /// The values by the names that the statement has for them: numbers in their order, or names.
    pub(super) fn parameters(&self, statement: &tpq_sql::Statement) -> ParameterValues {
        let mut names = statement.parameters();
        if names.iter().all(|name| name.parse::<usize>().is_ok()) {
            names = (1..=self.values.len()).map(|number| number.to_string()).collect();
        }
        names.into_iter().zip(self.values.iter().cloned()).collect()
    }
}

/// The values of a row that a client sends. Nothing is read behind a second row, and no more than
/// [`MAX_BATCHES`] without any.
///
/// # Errors
/// When it is not one row, or has values that statements do not take.
pub(super) async fn values(
    mut batches: impl Stream<Item = Result<RecordBatch, FlightError>> + Unpin,
) -> Result<Vec<ParameterValue>, Status> {
    let wrong = |why: &str| Err(Status::invalid_argument(why.to_owned()));
    let (mut values, mut count) = (None, 0);
    while let Some(batch) = batches.try_next().await? {
        count += 1;
        match batch.num_rows() {
            0 if count > MAX_BATCHES => return wrong("too many batches without rows"),
            0 => {}
            1 if values.is_none() => {
                values = Some(batch.columns().iter().map(value).collect::<Result<_, _>>()?);
            }
            _ => return wrong("a statement takes the values of one row"),
        }
    }
    Ok(values.unwrap_or_default())
}

/// The first value of a column.
fn value(column: &ArrayRef) -> Result<ParameterValue, Status> {
    let kind = column.data_type();
    let wrong =
        || Status::unimplemented(format!("parameters of the type {kind} are not supported"));
    if column.is_null(0) || *kind == DataType::Null {
        return Ok(ParameterValue::Null);
    }
    let to = |target: DataType| {
        let cast = cast(column, &target).ok().filter(|values| values.is_valid(0));
        cast.ok_or_else(wrong)
    };
    Ok(match kind {
        kind if kind.is_integer() || *kind == DataType::Boolean => {
            ParameterValue::Integer(to(DataType::Int64)?.as_primitive::<Int64Type>().value(0))
        }
        kind if kind.is_numeric() => {
            ParameterValue::Real(to(DataType::Float64)?.as_primitive::<Float64Type>().value(0))
        }
        kind if kind.is_string() => {
            ParameterValue::Text(to(DataType::Utf8)?.as_string::<i32>().value(0).to_owned())
        }
        DataType::Dictionary(_, value) if value.is_string() => {
            ParameterValue::Text(to(DataType::Utf8)?.as_string::<i32>().value(0).to_owned())
        }
        _ => return Err(wrong()),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{BooleanArray, Int32Array, StringViewArray, UInt64Array};

    use super::*;

    #[test]
    fn a_handle_keeps_text_and_values() {
        let values = vec![
            ParameterValue::Null,
            ParameterValue::Integer(i64::MIN),
            ParameterValue::Real(1.0),
            ParameterValue::Real(f64::INFINITY),
            ParameterValue::Text("it's".into()),
        ];
        let handle = Handle { sql: "SELECT $1 -- \"".into(), values };
        assert_eq!(Handle::decode(&handle.encode()).ok(), Some(handle));
        for wrong in [&b""[..], b"{}", b"SELECT 1", br#"{"sql":"","values":[true]}"#] {
            assert!(Handle::decode(wrong).is_err(), "{wrong:?}");
        }
    }

    #[tokio::test]
    async fn values_are_those_of_one_row() {
        let batch = |values: Vec<i32>| {
            let column: ArrayRef = Arc::new(Int32Array::from(values));
            Ok(RecordBatch::try_from_iter([("1", column)]).expect("a batch"))
        };
        let of = async |batches: Vec<Vec<i32>>| {
            values(futures::stream::iter(batches.into_iter().map(batch))).await.ok()
        };
        assert_eq!(of(vec![]).await, Some(vec![]));
        assert_eq!(of(vec![vec![], vec![7], vec![]]).await, Some(vec![ParameterValue::Integer(7)]));
        assert_eq!(of(vec![vec![7], vec![8]]).await, None);
        // A client that sends without end is not read to its end.
        for more in [vec![7], vec![7, 8], vec![]] {
            let endless = futures::stream::repeat_with(|| batch(more.clone()));
            assert!(values(endless).await.is_err(), "{more:?}");
        }
    }

    #[test]
    fn values_of_arrow_are_values_of_statements() {
        let of = |column: ArrayRef| value(&column).ok();
        let integer = |value| Some(ParameterValue::Integer(value));
        assert_eq!(of(Arc::new(Int32Array::from(vec![-7]))), integer(-7));
        assert_eq!(of(Arc::new(BooleanArray::from(vec![true]))), integer(1));
        assert_eq!(of(Arc::new(Int32Array::from(vec![None]))), Some(ParameterValue::Null));
        let text = StringViewArray::from(vec!["a"]);
        assert_eq!(of(Arc::new(text)), Some(ParameterValue::Text("a".into())));
        assert_eq!(of(Arc::new(UInt64Array::from(vec![u64::MAX]))), None);
    }
}
