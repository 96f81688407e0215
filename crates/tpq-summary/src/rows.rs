//! Rows of a query become rows of a bundle.

use std::collections::HashSet;

use datafusion::arrow::array::RecordBatch;
use futures::StreamExt;
use prost::Message;
use tpq_proto::message::trace_metric_v2_bundle::Row;
use tpq_proto::message::trace_metric_v2_bundle::row::{self, Dimension as DimensionValue, Value};
use tpq_proto::message::trace_metric_v2_spec::{DimensionType, DimensionUniqueness};
use tpq_sql::ResultSet;

use crate::SummaryError;
use crate::columns::{Cell, Column, columns, positions};
use crate::error::{QueryError, invalid};
use crate::memory::SummaryMemory;
use crate::metrics::{Dimension, MetricBundle, dimensions};

/// Reads the rows of a bundle.
pub(crate) struct RowReader<'a> {
    dimensions: Vec<Dimension<'a>>,
    /// The value columns of the metrics.
    values: Vec<&'a str>,
    /// The dimensions of the rows so far as bytes, if they have to be unique.
    seen: Option<HashSet<Vec<u8>>>,
    rows: Vec<Row>,
}

impl<'a> RowReader<'a> {
    pub(crate) fn new(bundle: &'a MetricBundle) -> Self {
        let first = bundle.metrics.first();
        let is_unique = first
            .is_some_and(|metric| metric.dimension_uniqueness() == DimensionUniqueness::Unique);
        Self {
            dimensions: first.map(dimensions).unwrap_or_default(),
            values: bundle.metrics.iter().map(|metric| metric.value()).collect(),
            seen: is_unique.then(HashSet::new),
            rows: Vec::new(),
        }
    }

    /// The columns that are read: dimensions, then values, without repetitions.
    pub(crate) fn column_names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        let dimensions = self.dimensions.iter().map(|dimension| dimension.name);
        for name in dimensions.chain(self.values.iter().copied()) {
            if !names.iter().any(|known| known.eq_ignore_ascii_case(name)) {
                names.push(name.to_owned());
            }
        }
        names
    }

    /// Reads all rows of a result; `part` is the name of the bundle in errors.
    ///
    /// # Errors
    /// When the query fails, a column is missing or of the wrong type, dimensions are not unique,
    /// or the rows take too much memory.
    pub(crate) async fn read(
        mut self,
        mut result: ResultSet,
        part: &str,
        memory: &mut SummaryMemory,
    ) -> Result<Vec<Row>, SummaryError> {
        let names = self.dimensions.iter().map(|dimension| dimension.name);
        let names = names.chain(self.values.iter().copied());
        let positions = positions(result.schema(), names).map_err(|error| error.of(part))?;
        while let Some(batch) = result.next().await {
            let batch = batch.map_err(|error| QueryError::from(error).of(part))?;
            let first = self.rows.len();
            let keys = self.add(&batch, &positions).map_err(|error| error.of(part))?;
            let rows = self.rows[first..].iter().map(size).sum::<usize>();
            memory.add(rows.saturating_add(keys))?;
        }
        Ok(self.rows)
    }

    /// Adds the rows of a batch. Returns the bytes of their keys.
    fn add(&mut self, batch: &RecordBatch, positions: &[usize]) -> Result<usize, QueryError> {
        let columns = columns(batch, positions)?;
        let (keys, values) = columns.split_at(self.dimensions.len().min(columns.len()));
        let mut key_bytes = 0;
        for row in 0..batch.num_rows() {
            let values = values.iter().zip(&self.values);
            let values = values.map(|(column, name)| value(column.cell(row), name));
            let values = values.collect::<Result<Vec<_>, _>>()?;
            // A row without any value says nothing.
            if values.iter().all(is_null) {
                continue;
            }
            let dimension = self.dimension_values(keys, row)?;
            key_bytes += self.check_unique(&dimension)?;
            self.rows.push(Row { values, dimension });
        }
        Ok(key_bytes)
    }

    fn dimension_values(
        &self,
        keys: &[Column],
        row: usize,
    ) -> Result<Vec<DimensionValue>, QueryError> {
        let keys = keys.iter().zip(&self.dimensions);
        keys.map(|(column, it)| dimension(column.cell(row), it.kind, it.name)).collect()
    }

    /// Checks that no row before has the dimensions, if they have to be unique. Returns the bytes
    /// that are kept for that.
    fn check_unique(&mut self, dimension: &[DimensionValue]) -> Result<usize, QueryError> {
        let Some(seen) = &mut self.seen else { return Ok(0) };
        let key = Row { values: Vec::new(), dimension: dimension.to_vec() }.encode_to_vec();
        let bytes = size_of::<Vec<u8>>() + key.len();
        match seen.insert(key) {
            true => Ok(bytes),
            false => {
                let values = dimension.iter().map(shown).collect::<Vec<_>>().join(", ");
                invalid(format!("several rows have the dimensions ({values}), which are UNIQUE"))
            }
        }
    }
}

/// The bytes that a row takes in memory.
fn size(row: &Row) -> usize {
    let texts = row.dimension.iter().map(|dimension| match &dimension.value_oneof {
        Some(row::dimension::ValueOneof::StringValue(text)) => text.len(),
        _ => 0,
    });
    size_of::<Row>()
        + size_of_val(row.values.as_slice())
        + size_of_val(row.dimension.as_slice())
        + texts.sum::<usize>()
}

/// The value of a metric.
fn value(cell: Cell<'_>, name: &str) -> Result<Value, QueryError> {
    use row::value::{Null, ValueOneof};

    let value = match cell {
        Cell::Null => ValueOneof::NullValue(Null {}),
        Cell::Integer(value) => ValueOneof::DoubleValue(value as f64),
        Cell::Float(value) => ValueOneof::DoubleValue(value),
        Cell::Text(text) => {
            return invalid(format!("the value column `{name}` has text: '{text}'"));
        }
    };
    Ok(Value { value_oneof: Some(value) })
}

fn is_null(value: &Value) -> bool {
    !matches!(value.value_oneof, Some(row::value::ValueOneof::DoubleValue(_)))
}

/// The value of a dimension, in the type of its specification or in that of the cell.
pub(crate) fn dimension(
    cell: Cell<'_>,
    kind: DimensionType,
    name: &str,
) -> Result<DimensionValue, QueryError> {
    use row::dimension::{Null, ValueOneof};

    let wrong = |found: String| {
        invalid(format!("the dimension `{name}` is {} and has {found}", kind.as_str_name()))
    };
    let value = match (kind, cell) {
        (_, Cell::Null) => ValueOneof::NullValue(Null {}),
        (DimensionType::String | DimensionType::Unspecified, Cell::Text(text)) => {
            ValueOneof::StringValue(text.to_owned())
        }
        (DimensionType::Int64 | DimensionType::Unspecified, Cell::Integer(value)) => {
            ValueOneof::Int64Value(value)
        }
        (DimensionType::Double | DimensionType::Unspecified, Cell::Float(value)) => {
            ValueOneof::DoubleValue(value)
        }
        (DimensionType::Double, Cell::Integer(value)) => ValueOneof::DoubleValue(value as f64),
        (DimensionType::Boolean, Cell::Integer(value @ 0..=1)) => ValueOneof::BoolValue(value == 1),
        (_, Cell::Text(text)) => return wrong(format!("the text '{text}'")),
        (_, Cell::Integer(value)) => return wrong(format!("the integer {value}")),
        (_, Cell::Float(value)) => return wrong(format!("the number {value}")),
    };
    Ok(DimensionValue { value_oneof: Some(value) })
}

/// A dimension in an error.
fn shown(dimension: &DimensionValue) -> String {
    use row::dimension::ValueOneof;

    match &dimension.value_oneof {
        Some(ValueOneof::StringValue(text)) => format!("'{text}'"),
        Some(ValueOneof::Int64Value(value)) => value.to_string(),
        Some(ValueOneof::DoubleValue(value)) => value.to_string(),
        Some(ValueOneof::BoolValue(value)) => value.to_string(),
        Some(ValueOneof::NullValue(_)) | None => "NULL".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of a dimension as text, or the error.
    fn read(cell: Cell<'_>, kind: DimensionType) -> String {
        match dimension(cell, kind, "d") {
            Ok(value) => shown(&value),
            Err(error) => error.of("m").to_string(),
        }
    }

    #[test]
    fn dimensions_without_a_type_have_that_of_the_cell() {
        let kind = DimensionType::Unspecified;
        assert_eq!(read(Cell::Text("a"), kind), "'a'");
        assert_eq!(read(Cell::Integer(-7), kind), "-7");
        assert_eq!(read(Cell::Float(0.5), kind), "0.5");
        assert_eq!(read(Cell::Null, kind), "NULL");
    }

    #[test]
    fn dimensions_with_a_type_accept_what_fits() {
        assert_eq!(read(Cell::Integer(2), DimensionType::Double), "2");
        assert_eq!(read(Cell::Integer(1), DimensionType::Boolean), "true");
        assert_eq!(read(Cell::Null, DimensionType::Boolean), "NULL");
        let wrong = "m: the dimension `d` is";
        for (cell, kind, message) in [
            (Cell::Integer(2), DimensionType::Boolean, "BOOLEAN and has the integer 2"),
            (Cell::Integer(2), DimensionType::String, "STRING and has the integer 2"),
            (Cell::Text("x"), DimensionType::Int64, "INT64 and has the text 'x'"),
            (Cell::Float(1.5), DimensionType::Int64, "INT64 and has the number 1.5"),
        ] {
            assert_eq!(read(cell, kind), format!("{wrong} {message}"));
        }
    }

    #[test]
    fn values_are_numbers_or_null() {
        let read = |cell| match value(cell, "v") {
            Ok(Value { value_oneof: Some(row::value::ValueOneof::DoubleValue(value)) }) => {
                value.to_string()
            }
            Ok(_) => "NULL".to_owned(),
            Err(error) => error.of("m").to_string(),
        };
        assert_eq!(read(Cell::Integer(3)), "3");
        assert_eq!(read(Cell::Float(0.5)), "0.5");
        assert_eq!(read(Cell::Null), "NULL");
        assert_eq!(read(Cell::Text("x")), "m: the value column `v` has text: 'x'");
    }
}
