//! `extract_arg(arg_set_id, key)`: the value of a key in an arg set.
//!
//! Args are integers, reals or text, but a column has one type. For a literal key it is the type of
//! all values of the key in the trace: text if their types differ, and NULL if there are no values.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::Result;
use datafusion::error::DataFusionError;
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
    Volatility,
};
use rustc_hash::FxHashMap;
use tpq_tables::{Table, TraceTables};

use super::value::{Builder, Column, Value};
use crate::cancel::{CancelToken, under};

/// The name of the function that reads an argument.
pub(crate) const EXTRACT_ARG: &str = "extract_arg";

/// The values of one key.
struct Values {
    data_type: DataType,
    /// Whether any value is a number.
    has_numbers: bool,
    /// The value by arg set id.
    by_set: FxHashMap<i64, Value<'static>>,
}

#[derive(Clone)]
pub(super) struct ExtractArg {
    args: Option<Arc<Table>>,
    signature: Signature,
    /// The values of each key that was used: the table is read once for each key.
    keys: Arc<Mutex<HashMap<String, Arc<Values>>>>,
}

impl ExtractArg {
    pub(super) fn new(tables: &TraceTables) -> Self {
        let signature = Signature::any(2, Volatility::Immutable);
        Self { args: tables.get("args").cloned(), signature, keys: Arc::default() }
    }

    fn values(&self, key: &str) -> Result<Arc<Values>> {
        if let Some(values) = self.keys().get(key) {
            return Ok(Arc::clone(values));
        }
        if let Some(args) = &self.args {
            // Without the lock: a statement that waits for the table can be cancelled, one that
            // waits for the lock cannot.
            args.ensure_made().map_err(|error| DataFusionError::External(Box::new(error)))?;
        }
        let mut keys = self.keys();
        if let Some(values) = keys.get(key) {
            return Ok(Arc::clone(values));
        }
        let values = Arc::new(self.read(key)?);
        keys.insert(key.to_owned(), Arc::clone(&values));
        Ok(values)
    }

    fn keys(&self) -> MutexGuard<'_, HashMap<String, Arc<Values>>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, key: &str) -> Result<Values> {
        let (data_type, by_set) = (DataType::Null, FxHashMap::default());
        let mut values = Values { data_type, has_numbers: false, by_set };
        let Some(table) = &self.args else { return Ok(values) };
        let names = ["arg_set_id", "key", "int_value", "string_value", "real_value"];
        let columns: Option<Vec<usize>> =
            names.iter().map(|name| table.decl().column_index(name)).collect();
        let Some(columns) = columns else { return Ok(values) };
        for chunk in 0..table.num_chunks() {
            let batch = table
                .read(chunk, 0..table.chunk_rows(chunk), &columns)
                .map_err(|error| DataFusionError::External(Box::new(error)))?;
            let columns: Result<Vec<Column>> =
                batch.columns().iter().map(Column::from_array).collect();
            let columns = columns?;
            for row in 0..batch.num_rows() {
                if !matches!(columns[1].value(row), Value::Text(text) if text == key) {
                    continue;
                }
                let Value::Integer(set) = columns[0].value(row) else { continue };
                let found = columns[2..].iter().map(|column| column.value(row));
                if let Some(value) = found.into_iter().find(|value| !value.is_null()) {
                    values.data_type = widened(&values.data_type, &value);
                    values.has_numbers |= matches!(value, Value::Integer(_) | Value::Real(_));
                    values.by_set.entry(set).or_insert_with(|| owned(&value));
                }
            }
        }
        Ok(values)
    }
}

/// Whether all values that an `extract_arg` gives for a key are texts, and not texts that stand for
/// numbers.
pub(crate) fn extracts_texts(function: &ScalarUDF, key: &str) -> bool {
    let Some(function) = function.inner().downcast_ref::<ExtractArg>() else { return false };
    function.values(key).is_ok_and(|values| !values.has_numbers)
}

/// The common type of `data_type` and a value.
fn widened(data_type: &DataType, value: &Value) -> DataType {
    let value_type = match value {
        Value::Integer(_) => DataType::Int64,
        Value::Real(_) => DataType::Float64,
        _ => DataType::Utf8View,
    };
    super::per_row::common(&[data_type.clone(), value_type])
}

fn owned(value: &Value) -> Value<'static> {
    match value {
        Value::Integer(value) => Value::Integer(*value),
        Value::Real(value) => Value::Real(*value),
        other => Value::text(other.as_text().unwrap_or_default().into_owned()),
    }
}

impl std::fmt::Debug for ExtractArg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(EXTRACT_ARG)
    }
}

impl PartialEq for ExtractArg {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.keys, &other.keys)
    }
}

impl Eq for ExtractArg {}

impl Hash for ExtractArg {
    fn hash<H: Hasher>(&self, state: &mut H) {
        EXTRACT_ARG.hash(state);
    }
}

impl ScalarUDFImpl for ExtractArg {
    fn name(&self) -> &str {
        EXTRACT_ARG
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8View)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let key = args.scalar_arguments.get(1).copied().flatten();
        let data_type = match key.and_then(|key| key.try_as_str().flatten()) {
            // The type of a key without values is NULL, which fits every use in the statement.
            Some(key) => self.values(key)?.data_type.clone(),
            None => DataType::Utf8View,
        };
        Ok(Arc::new(Field::new(self.name(), data_type, true)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        under(CancelToken::of(&args.config_options), || self.invoke(&args))
    }
}

impl ExtractArg {
    fn invoke(&self, args: &ScalarFunctionArgs) -> Result<ColumnarValue> {
        let sets = Column::from_array(&args.args[0].to_array(args.number_rows)?)?;
        let mut builder = Builder::new(args.return_field.data_type(), args.number_rows);
        if let ColumnarValue::Scalar(key) = &args.args[1] {
            let values = key.try_as_str().flatten().map(|key| self.values(key)).transpose()?;
            for row in 0..args.number_rows {
                let set = sets.value(row).as_integer();
                let value = values.as_ref().and_then(|values| values.by_set.get(&set?));
                builder.push(value.unwrap_or(&Value::Null));
            }
            return Ok(ColumnarValue::Array(builder.finish()));
        }
        let keys = Column::from_array(&args.args[1].to_array(args.number_rows)?)?;
        for row in 0..args.number_rows {
            let values = keys.value(row).as_text().map(|key| self.values(&key)).transpose()?;
            let set = sets.value(row).as_integer();
            let value = values.as_ref().and_then(|values| values.by_set.get(&set?));
            builder.push(value.unwrap_or(&Value::Null));
        }
        Ok(ColumnarValue::Array(builder.finish()))
    }
}
