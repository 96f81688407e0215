//! Scalar functions that take tables and return a table.

use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, new_empty_array};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Fields};
use datafusion::common::{Result, ScalarValue, internal_err, plan_err};
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

use super::collect::is_table;
use super::table::{columns_of, from_value, table_type, to_value};
use crate::cancel::{self, CancelToken};
use crate::memory::Memory;

/// An argument of an operator.
pub(super) enum Operand {
    /// A table with its columns; `None` for NULL or a table without rows.
    Table { fields: Fields, columns: Option<Vec<ArrayRef>> },
    /// A value that is not a table.
    Value(ScalarValue),
}

impl Operand {
    /// The columns, if this is a table with rows.
    pub(super) fn table(&self) -> Option<&[ArrayRef]> {
        match self {
            Self::Table { columns, .. } => columns.as_deref(),
            Self::Value(_) => None,
        }
    }

    /// The column with a name, if this is a table with rows that has one.
    pub(super) fn column(&self, name: &str) -> Option<&ArrayRef> {
        let Self::Table { fields, columns } = self else { return None };
        let (index, _) = fields.find(name)?;
        columns.as_ref()?.get(index)
    }
}

/// An operand, as far as it is known during planning.
pub(super) struct OperandType<'a> {
    pub kind: &'a DataType,
    /// The value, if the operand is a text literal.
    pub text: Option<&'a str>,
}

impl OperandType<'_> {
    /// The columns, if the type is that of a table.
    pub(super) fn columns(&self) -> Option<&Fields> {
        columns_of(self.kind)
    }

    pub(super) fn is_table(&self) -> bool {
        is_table(self.kind)
    }
}

/// What a call of an operator may use.
#[derive(Clone, Copy, Default)]
pub(super) struct Resources<'a> {
    /// The memory that the call reserves, if the session has a limit.
    pub memory: Option<&'a MemoryReservation>,
    /// The number of threads; 0 is one as well.
    pub threads: usize,
}

/// An operator that takes tables and returns a table.
pub(super) trait TableOperator: Debug + Send + Sync {
    /// The name of the SQL function.
    fn name(&self) -> &'static str;

    /// The columns of the result.
    ///
    /// # Errors
    /// When the operator cannot be called with these operands.
    fn columns(&self, operands: &[OperandType]) -> Result<Fields>;

    /// Computes the columns of the result; `None` for no rows.
    ///
    /// # Errors
    /// When the operands have invalid values.
    fn run(&self, operands: &[Operand]) -> Result<Option<Vec<ArrayRef>>>;

    /// As [`run`](Self::run), for operators with results that may be much larger than their
    /// operands, or that use several threads: reserves memory while it computes.
    ///
    /// # Errors
    /// Those of [`run`](Self::run), and when there is not enough memory.
    fn run_within(
        &self,
        operands: &[Operand],
        _resources: Resources,
    ) -> Result<Option<Vec<ArrayRef>>> {
        self.run(operands)
    }
}

/// A table operator as a scalar function.
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
        let memory = Memory::of(&args.config_options).map(|memory| memory.consumer(self.name()));
        let threads = args.config_options.execution.target_partitions;
        let resources = Resources { memory: memory.as_ref(), threads };
        let mut tables = Vec::with_capacity(rows);
        for row in 0..rows {
            let operands = arrays.iter().map(|array| match columns_of(array.data_type()) {
                Some(fields) => {
                    let columns = from_value(array, row)?;
                    Ok(Operand::Table { fields: fields.clone(), columns })
                }
                None => Ok(Operand::Value(ScalarValue::try_from_array(array, row)?)),
            });
            let operands = operands.collect::<Result<Vec<_>>>()?;
            let run = || self.operator.run_within(&operands, resources);
            let result = cancel::under(token.clone(), run)?;
            let empty = || columns.iter().map(|field| new_empty_array(field.data_type())).collect();
            tables.push(to_value(columns, Some(result.unwrap_or_else(empty)))?);
        }
        // A single table may be large, and is not copied.
        Ok(ColumnarValue::Array(match &tables[..] {
            [ScalarValue::LargeList(only)] => Arc::clone(only) as ArrayRef,
            _ => ScalarValue::iter_to_array(tables)?,
        }))
    }
}

/// The error for a wrong number or wrong types of operands.
pub(super) fn wrong_operands<T>(name: &str, expected: &str) -> Result<T> {
    plan_err!("{name}() takes {expected}")
}
