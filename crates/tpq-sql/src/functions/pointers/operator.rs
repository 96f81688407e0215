//! Scalar functions from tables to a table.

use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, new_empty_array};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Fields};
use datafusion::common::{Result, ScalarValue, internal_err, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

use super::collect::is_table;
use super::table::{columns_of, from_value, table_type, to_value};
use crate::cancel::{self, CancelToken};

/// What an operator is called with.
pub(super) enum Operand {
    /// The columns of a table; `None` where it has no rows, or is none.
    Table(Option<Vec<ArrayRef>>),
    /// Another value.
    Value(ScalarValue),
}

impl Operand {
    /// The columns of a table with rows.
    pub(super) fn table(&self) -> Option<&[ArrayRef]> {
        match self {
            Self::Table(columns) => columns.as_deref(),
            Self::Value(_) => None,
        }
    }
}

/// What is known of an operand before anything runs.
pub(super) struct OperandType<'a> {
    pub kind: &'a DataType,
    /// The text, where one is written in the statement.
    pub text: Option<&'a str>,
}

impl OperandType<'_> {
    /// The columns, where it is a table that is not NULL.
    pub(super) fn columns(&self) -> Option<&Fields> {
        columns_of(self.kind)
    }

    pub(super) fn is_table(&self) -> bool {
        is_table(self.kind)
    }
}

/// A function from tables to a table.
pub(super) trait TableOperator: Debug + Send + Sync {
    /// Its name.
    fn name(&self) -> &'static str;

    /// The columns it gives.
    ///
    /// # Errors
    /// When it cannot be called with these.
    fn columns(&self, operands: &[OperandType]) -> Result<Fields>;

    /// The rows it gives, in those columns; `None` for no rows.
    ///
    /// # Errors
    /// When the values are not what it works on.
    fn run(&self, operands: &[Operand]) -> Result<Option<Vec<ArrayRef>>>;
}

#[derive(Debug)]
pub(super) struct OperatorFunction {
    operator: Arc<dyn TableOperator>,
    signature: Signature,
}

impl OperatorFunction {
    pub(super) fn new(operator: Arc<dyn TableOperator>) -> Self {
        Self { operator, signature: Signature::variadic_any(Volatility::Immutable) }
    }
}

impl PartialEq for OperatorFunction {
    fn eq(&self, other: &Self) -> bool {
        self.operator.name() == other.operator.name()
    }
}

impl Eq for OperatorFunction {}

impl Hash for OperatorFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.operator.name().hash(state);
    }
}

impl ScalarUDFImpl for OperatorFunction {
    fn name(&self) -> &str {
        self.operator.name()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        internal_err!("the type of {}() depends on its arguments", self.name())
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let operands = args.arg_fields.iter().zip(args.scalar_arguments);
        let operands = operands.map(|(field, value)| OperandType {
            kind: field.data_type(),
            text: value.and_then(|value| value.try_as_str().flatten()),
        });
        let columns = self.operator.columns(&operands.collect::<Vec<_>>())?;
        Ok(Arc::new(Field::new(self.name(), table_type(columns), true)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let Some(columns) = columns_of(args.return_field.data_type()) else {
            return internal_err!("{}() without columns", self.name());
        };
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let rows = arrays.first().map_or(1, |array| array.len());
        let token = CancelToken::of(&args.config_options);
        let mut tables = Vec::with_capacity(rows);
        for row in 0..rows {
            let operands = arrays.iter().map(|array| match columns_of(array.data_type()) {
                Some(_) => Ok(Operand::Table(from_value(array, row)?)),
                None => Ok(Operand::Value(ScalarValue::try_from_array(array, row)?)),
            });
            let operands = operands.collect::<Result<Vec<_>>>()?;
            let found = cancel::under(token.clone(), || self.operator.run(&operands))?;
            let empty = || columns.iter().map(|field| new_empty_array(field.data_type())).collect();
            tables.push(to_value(columns, Some(found.unwrap_or_else(empty)))?);
        }
        Ok(ColumnarValue::Array(ScalarValue::iter_to_array(tables)?))
    }
}

/// The error of a function that was called with too few or other operands.
pub(super) fn wrong_operands<T>(name: &str, expected: &str) -> Result<T> {
    plan_err!("{name}() takes {expected}")
}
