//! `histogram(x[, width])`: the number of rows for each value, or for each interval of values, as
//! JSON: `{"0":3,"20":1}`. The keys are in ascending order.

use std::cmp::Ordering;
use std::fmt::Write;

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Int64Type};
use datafusion::common::{Result, ScalarValue, exec_err, plan_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{Accumulator, AggregateUDFImpl, Signature, Volatility};
use rustc_hash::FxHashMap;

use super::super::json::push_string;
use super::super::number::real_text;
use super::super::value::{Column, Value};
use crate::memory::LONGEST_VALUE;

/// The aggregate function `histogram`.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Histogram {
    signature: Signature,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { signature: Signature::variadic_any(Volatility::Immutable) }
    }
}

impl AggregateUDFImpl for Histogram {
    fn name(&self) -> &'static str {
        "histogram"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types {
            [_] => Ok(DataType::Utf8),
            [_, width] if width.is_numeric() => Ok(DataType::Utf8),
            _ => plan_err!("histogram() takes a value, and optionally the width of intervals"),
        }
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let list = |name: &str, data_type| -> FieldRef {
            let element = Field::new_list_field(data_type, true);
            Field::new_list(format!("{}[{name}]", args.name), element, true).into()
        };
        Ok(vec![list("keys", DataType::Utf8), list("counts", DataType::Int64)])
    }

    fn accumulator(&self, _: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Counts::default()))
    }
}

/// A value that rows are counted for. All values of a column have the same type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Key {
    Integer(i64),
    /// The bits of a real. The two zeros are one key.
    Real(u64),
    Text(String),
}

impl Key {
    /// The key of a value; `None` for NULL. A number belongs to the interval of `width` that it
    /// lies in.
    fn of(value: &Value, width: Option<f64>) -> Option<Self> {
        let real = |value: f64| Self::Real((value + 0.0).to_bits());
        Some(match (value, width) {
            (Value::Null, _) => return None,
            (Value::Integer(value), None) => Self::Integer(*value),
            (Value::Integer(value), Some(width)) if is_integer(width) => {
                let width = width as i64;
                Self::Integer(value.div_euclid(width).saturating_mul(width))
            }
            (Value::Integer(value), Some(width)) => real((*value as f64 / width).floor() * width),
            (Value::Real(value), None) => real(*value),
            (Value::Real(value), Some(width)) => real((value / width).floor() * width),
            (other, _) => Self::Text(other.as_text()?.into_owned()),
        })
    }

    /// The key as text, for the state.
    fn encode(&self) -> String {
        match self {
            Self::Integer(value) => format!("i{value}"),
            Self::Real(bits) => format!("r{bits}"),
            Self::Text(text) => format!("t{text}"),
        }
    }

    fn decode(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_at_checked(1)?;
        match kind {
            "i" => rest.parse().ok().map(Self::Integer),
            "r" => rest.parse().ok().map(Self::Real),
            _ => Some(Self::Text(rest.to_owned())),
        }
    }

    fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => a.cmp(b),
            (Self::Real(a), Self::Real(b)) => f64::from_bits(*a).total_cmp(&f64::from_bits(*b)),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::Integer(_), _) | (_, Self::Text(_)) => Ordering::Less,
            _ => Ordering::Greater,
        }
    }

    /// The size of the text in bytes.
    fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Integer(_) | Self::Real(_) => 0,
        }
    }
}

/// Whether a width is an integer that fits in 64 bits.
fn is_integer(width: f64) -> bool {
    width.fract() == 0.0 && width < 9.0e18
}

/// The number of rows for each key.
#[derive(Debug, Default)]
struct Counts {
    by_key: FxHashMap<Key, i64>,
    /// The size of all keys that are texts, in bytes.
    bytes: usize,
}

impl Counts {
    fn add(&mut self, key: Key, count: i64) -> Result<()> {
        if let Some(known) = self.by_key.get_mut(&key) {
            *known = known.saturating_add(count);
            return Ok(());
        }
        self.bytes += key.bytes();
        if self.bytes > LONGEST_VALUE {
            return exec_err!("histogram() makes a value of more than {LONGEST_VALUE} bytes");
        }
        self.by_key.insert(key, count);
        Ok(())
    }

    /// The keys in ascending order.
    fn sorted(&self) -> Vec<(&Key, i64)> {
        let mut counts: Vec<(&Key, i64)> =
            self.by_key.iter().map(|(key, count)| (key, *count)).collect();
        counts.sort_unstable_by(|(a, _), (b, _)| a.order(b));
        counts
    }
}

impl Accumulator for Counts {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let Some(rows) = values.first() else { return Ok(()) };
        let column = Column::from_array(rows)?;
        let widths = values.get(1).map(Column::from_array).transpose()?;
        for row in 0..rows.len() {
            let width = match &widths {
                None => None,
                Some(widths) => match widths.value(row).as_real() {
                    Some(width) if width > 0.0 && width.is_finite() => Some(width),
                    _ => return exec_err!("histogram() takes a width above 0"),
                },
            };
            if let Some(key) = Key::of(&column.value(row), width) {
                self.add(key, 1)?;
            }
        }
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let [keys, counts] = states else { return Ok(()) };
        let (keys, counts) = (keys.as_list::<i32>(), counts.as_list::<i32>());
        for (keys, counts) in keys.iter().zip(counts.iter()) {
            let (Some(keys), Some(counts)) = (keys, counts) else { continue };
            let counts = counts.as_primitive::<Int64Type>();
            for (key, count) in keys.as_string::<i32>().iter().zip(counts) {
                if let (Some(key), Some(count)) = (key.and_then(Key::decode), count) {
                    self.add(key, count)?;
                }
            }
        }
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let (mut keys, mut counts) = (Vec::new(), Vec::new());
        for (key, count) in self.sorted() {
            keys.push(ScalarValue::Utf8(Some(key.encode())));
            counts.push(ScalarValue::Int64(Some(count)));
        }
        Ok(vec![
            ScalarValue::List(ScalarValue::new_list_nullable(&keys, &DataType::Utf8)),
            ScalarValue::List(ScalarValue::new_list_nullable(&counts, &DataType::Int64)),
        ])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        if self.by_key.is_empty() {
            return Ok(ScalarValue::Utf8(None));
        }
        let mut json = String::from("{");
        for (key, count) in self.sorted() {
            if json.len() > 1 {
                json.push(',');
            }
            match key {
                Key::Integer(value) => push_string(&mut json, &value.to_string()),
                Key::Real(bits) => push_string(&mut json, &real_text(f64::from_bits(*bits))),
                Key::Text(text) => push_string(&mut json, text),
            }
            write!(json, ":{count}")?;
        }
        json.push('}');
        Ok(ScalarValue::Utf8(Some(json)))
    }

    fn size(&self) -> usize {
        let entries = self.by_key.capacity() * size_of::<(Key, i64)>();
        size_of_val(self) + entries + self.bytes
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{Float64Array, Int64Array, StringArray};

    use super::*;

    fn counted(columns: &[ArrayRef]) -> String {
        let mut counts = Counts::default();
        counts.update_batch(columns).unwrap();
        // The state of one accumulator is added to another one.
        let states: Vec<ArrayRef> =
            counts.state().unwrap().iter().map(|state| state.to_array().unwrap()).collect();
        let mut merged = Counts::default();
        merged.merge_batch(&states).unwrap();
        merged.evaluate().unwrap().to_string()
    }

    #[test]
    fn rows_are_counted_for_each_value_or_interval() {
        let values: ArrayRef = Arc::new(Int64Array::from(vec![7, -1, 12, 7, 20]));
        let width = |width: f64| Arc::new(Float64Array::from(vec![width; 5])) as ArrayRef;
        assert_eq!(counted(&[Arc::clone(&values)]), "{\"-1\":1,\"7\":2,\"12\":1,\"20\":1}");
        // -1 lies in the interval that begins at -10.
        let intervals = counted(&[Arc::clone(&values), width(10.0)]);
        assert_eq!(intervals, "{\"-10\":1,\"0\":2,\"10\":1,\"20\":1}");
        let halves = counted(&[values, width(2.5)]);
        assert_eq!(halves, "{\"-2.5\":1,\"5.0\":2,\"10.0\":1,\"20.0\":1}");
        let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("b\""), None, Some("a")]));
        assert_eq!(counted(&[texts]), "{\"a\":1,\"b\\\"\":1}");
    }

    #[test]
    fn a_width_of_zero_is_an_error() {
        let values: ArrayRef = Arc::new(Int64Array::from(vec![1]));
        let width: ArrayRef = Arc::new(Int64Array::from(vec![0]));
        assert!(Counts::default().update_batch(&[values, width]).is_err());
    }
}
