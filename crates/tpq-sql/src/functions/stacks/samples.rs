//! `experimental_profile(stack[, type, unit, value]…)`: the values of stacks as a profile in the
//! format of pprof. Without values, the rows of each stack are counted.
//!
//! Rows of one stack make one sample with the sums of their values. Rows with NULL do not count.

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Int64Type};
use datafusion::common::{Result, ScalarValue, exec_datafusion_err, exec_err, plan_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{Accumulator, AggregateUDFImpl, Signature, Volatility};
use rustc_hash::FxHashMap;

use super::super::value::{Column, Value};
use super::profile::Profile;
use crate::memory::LONGEST_VALUE;

const NAME: &str = "experimental_profile";

/// The number of arguments for each value.
const PER_VALUE: usize = 3;

/// The aggregate function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct ExperimentalProfile {
    signature: Signature,
}

impl Default for ExperimentalProfile {
    fn default() -> Self {
        Self { signature: Signature::variadic_any(Volatility::Immutable) }
    }
}

impl AggregateUDFImpl for ExperimentalProfile {
    fn name(&self) -> &'static str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        let is_call = types.split_first().is_some_and(|(stack, values)| {
            let is_stack = stack.is_binary() || stack.is_null();
            is_stack && values.chunks_exact(PER_VALUE).remainder().is_empty()
        });
        if !is_call {
            return plan_err!(
                "{NAME}() takes a stack, and a type, a unit and a number for each value"
            );
        }
        Ok(DataType::BinaryView)
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let list = |name: &str, data_type| -> FieldRef {
            let element = Field::new_list_field(data_type, true);
            Field::new_list(format!("{}[{name}]", args.name), element, true).into()
        };
        Ok(vec![
            list("types", DataType::Utf8),
            list("stacks", DataType::Binary),
            list("values", DataType::Int64),
        ])
    }

    fn accumulator(&self, _: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Samples::default()))
    }
}

/// The samples so far.
#[derive(Debug, Default)]
struct Samples {
    /// The type and the unit of each value, as in the first row; empty before the first row.
    types: Vec<String>,
    by_stack: FxHashMap<Vec<u8>, Vec<i64>>,
    /// The size of all stacks in bytes.
    bytes: usize,
}

impl Samples {
    fn add(&mut self, stack: &[u8], values: &[i64]) -> Result<()> {
        if let Some(known) = self.by_stack.get_mut(stack) {
            for (known, value) in known.iter_mut().zip(values) {
                let sum = known.checked_add(*value);
                *known = sum.ok_or_else(|| exec_datafusion_err!("integer overflow in {NAME}()"))?;
            }
            return Ok(());
        }
        self.bytes = self.bytes.saturating_add(stack.len());
        if self.bytes > LONGEST_VALUE {
            return exec_err!("{NAME}() makes a value of more than {LONGEST_VALUE} bytes");
        }
        self.by_stack.insert(stack.to_vec(), values.to_vec());
        Ok(())
    }

    /// Adds a row with a stack. Columns have the type, unit and value of each value, one after the
    /// other.
    fn add_row(&mut self, stack: &[u8], columns: &[Column], row: usize) -> Result<()> {
        let mut values = Vec::with_capacity(columns.len() / PER_VALUE + 1);
        for value in columns.chunks_exact(PER_VALUE) {
            match value[PER_VALUE - 1].value(row) {
                Value::Integer(value) => values.push(value),
                Value::Null => return Ok(()),
                _ => return exec_err!("{NAME}() takes integers as values"),
            }
        }
        if values.is_empty() {
            values.push(1);
        }
        if self.types.is_empty() {
            self.types = types(columns, row)?;
        }
        self.add(stack, &values)
    }
}

/// The type and the unit of each value in a row.
fn types(columns: &[Column], row: usize) -> Result<Vec<String>> {
    if columns.is_empty() {
        return Ok(vec!["samples".to_owned(), "count".to_owned()]);
    }
    let mut types = Vec::with_capacity(columns.len());
    for value in columns.chunks_exact(PER_VALUE) {
        for column in &value[..PER_VALUE - 1] {
            match column.value(row) {
                Value::Text(text) => types.push(text.into_owned()),
                _ => return exec_err!("{NAME}() takes texts as types and units"),
            }
        }
    }
    Ok(types)
}

impl Accumulator for Samples {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let columns = values.iter().map(Column::from_array).collect::<Result<Vec<_>>>()?;
        let Some((stacks, columns)) = columns.split_first() else { return Ok(()) };
        for row in 0..values.first().map_or(0, |stacks| stacks.len()) {
            if let Value::Blob(stack) = stacks.value(row) {
                self.add_row(&stack, columns, row)?;
            }
        }
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let [types, stacks, values] = states else { return Ok(()) };
        let (types, stacks) = (types.as_list::<i32>(), stacks.as_list::<i32>());
        for (row, values) in values.as_list::<i32>().iter().enumerate() {
            let Some(values) = values.filter(|values| !values.is_empty()) else { continue };
            let (types, stacks) = (types.value(row), stacks.value(row));
            let types = types.as_string::<i32>().iter().flatten();
            if self.types.is_empty() {
                self.types = types.map(str::to_owned).collect();
            }
            let values = values.as_primitive::<Int64Type>().values();
            // A type and a unit make one value.
            let values = values.chunks_exact((self.types.len() / 2).max(1));
            for (stack, values) in stacks.as_binary::<i32>().iter().flatten().zip(values) {
                self.add(stack, values)?;
            }
        }
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let (mut stacks, mut values) = (Vec::new(), Vec::new());
        for (stack, amounts) in &self.by_stack {
            stacks.push(ScalarValue::Binary(Some(stack.clone())));
            values.extend(amounts.iter().map(|amount| ScalarValue::Int64(Some(*amount))));
        }
        let types: Vec<_> =
            self.types.iter().map(|text| ScalarValue::Utf8(Some(text.clone()))).collect();
        let list = |values: &[ScalarValue], data_type| {
            ScalarValue::List(ScalarValue::new_list_nullable(values, &data_type))
        };
        Ok(vec![
            list(&types, DataType::Utf8),
            list(&stacks, DataType::Binary),
            list(&values, DataType::Int64),
        ])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        if self.types.is_empty() {
            return Ok(ScalarValue::BinaryView(None));
        }
        let types = self.types.chunks_exact(2).map(|pair| (pair[0].as_str(), pair[1].as_str()));
        let mut profile = Profile::new(types);
        let mut samples: Vec<_> = self.by_stack.iter().collect();
        samples.sort_unstable();
        for (stack, values) in samples {
            profile.add(stack, values)?;
        }
        Ok(ScalarValue::BinaryView(Some(profile.finish())))
    }

    fn size(&self) -> usize {
        let entries = self.by_stack.capacity() * size_of::<(Vec<u8>, Vec<i64>)>();
        let values = self.by_stack.len() * self.types.len() * size_of::<i64>();
        size_of_val(self) + entries + values + self.bytes
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{BinaryArray, Int64Array, StringArray};

    use super::super::push_frame;
    use super::*;

    fn stack(name: &str) -> Vec<u8> {
        let mut stack = Vec::new();
        push_frame(&mut stack, name);
        stack
    }

    fn columns(rows: &[(Option<&str>, Option<i64>)]) -> Vec<ArrayRef> {
        let stacks: Vec<Option<Vec<u8>>> = rows.iter().map(|(name, _)| name.map(stack)).collect();
        let stacks = BinaryArray::from_iter(stacks);
        let text = |text: &str| Arc::new(StringArray::from(vec![text; rows.len()])) as ArrayRef;
        let values = Int64Array::from_iter(rows.iter().map(|(_, value)| *value));
        vec![Arc::new(stacks), text("time"), text("ns"), Arc::new(values)]
    }

    fn merged(parts: &[Vec<ArrayRef>]) -> ScalarValue {
        let mut all = Samples::default();
        for part in parts {
            let mut samples = Samples::default();
            samples.update_batch(part).unwrap();
            let states = samples.state().unwrap();
            let states: Vec<ArrayRef> =
                states.iter().map(|state| state.to_array().unwrap()).collect();
            all.merge_batch(&states).unwrap();
        }
        all.evaluate().unwrap()
    }

    #[test]
    fn values_of_one_stack_are_summed_however_the_rows_are_split() {
        let rows = [
            (Some("b"), Some(3)),
            (Some("a"), Some(1)),
            (None, Some(9)),
            (Some("a"), None),
            (Some("b"), Some(4)),
        ];
        let mut profile = Profile::new([("time", "ns")].into_iter());
        profile.add(&stack("a"), &[1]).unwrap();
        profile.add(&stack("b"), &[7]).unwrap();
        let expected = ScalarValue::BinaryView(Some(profile.finish()));
        assert_eq!(merged(&[columns(&rows)]), expected);
        assert_eq!(merged(&[columns(&rows[..1]), columns(&[]), columns(&rows[1..])]), expected);
        assert_eq!(merged(&[columns(&rows[2..4])]), ScalarValue::BinaryView(None));
    }

    #[test]
    fn rows_are_counted_without_values() {
        let mut samples = Samples::default();
        let stacks: ArrayRef = Arc::new(BinaryArray::from_iter(vec![Some(stack("a")); 2]));
        samples.update_batch(&[stacks]).unwrap();
        assert_eq!(samples.types, ["samples", "count"]);
        assert_eq!(samples.by_stack[&stack("a")], [2]);
    }
}
