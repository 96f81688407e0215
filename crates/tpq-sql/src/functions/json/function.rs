//! Functions on JSON. Later functions recognise their results as JSON.
//!
//! SQLite marks the text that a JSON function returns, so that `json_array(json('[1]'))` nests an
//! array instead of quoting a text. Here the mark is metadata of the column.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDFImpl, Signature,
    TypeSignature, Volatility,
};

use super::super::budget::Budget;
use super::super::equal_by_name::equal_by_name;
use super::super::per_row::{Argument, check_count, short_name};
use super::super::value::{Builder, Value};
use crate::cancel::{CancelToken, check, under};

/// The key of the mark in a column's metadata.
const MARK: &str = "tpq.json";

/// The kind of result that a JSON function returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Output {
    /// JSON text.
    Json,
    /// A value of JSON of any type, as text.
    Extracted,
    /// Text that is not JSON.
    Text,
    /// An integer.
    Integer,
}

impl Output {
    /// The value of the mark; `None` for results without it.
    fn mark(self) -> Option<&'static str> {
        match self {
            Self::Json => Some("json"),
            Self::Extracted => Some("extracted"),
            Self::Text | Self::Integer => None,
        }
    }

    /// A column with the mark of this kind.
    pub(super) fn mark_column(self, field: Field) -> Field {
        let mark = self.mark().map(|mark| (MARK.to_owned(), mark.to_owned()));
        field.with_metadata(HashMap::from_iter(mark))
    }

    /// Whether a column has the mark of this kind.
    pub(super) fn marks(self, field: &Field) -> bool {
        self.mark().is_some() && field.metadata().get(MARK).map(String::as_str) == self.mark()
    }
}

/// An argument in one row.
pub(super) struct Operand<'a> {
    pub value: Value<'a>,
    /// Whether the value is JSON text.
    pub is_json: bool,
}

/// Computes the result for one row.
pub(super) type Rule = for<'a> fn(&[Operand<'a>]) -> Result<Value<'static>>;

/// Computes an upper bound, in bytes, of the result for one row.
pub(super) type Size = for<'a> fn(&[Operand<'a>]) -> usize;

/// Computes the results of all rows at once, on up to a number of threads; `None` for arguments of
/// which each row has to be looked at.
pub(super) type ByColumns =
    fn(&[(Argument, bool)], usize, usize, &mut Budget) -> Result<Option<ArrayRef>>;

/// A scalar function that reads or makes JSON.
#[derive(Debug)]
pub(in super::super) struct JsonFunction {
    name: &'static str,
    arguments: RangeInclusive<usize>,
    output: Output,
    rule: Rule,
    size: Size,
    by_columns: Option<ByColumns>,
    signature: Signature,
}

impl JsonFunction {
    /// A function with results that are no longer than its arguments.
    pub(super) fn new(
        name: &'static str,
        arguments: RangeInclusive<usize>,
        output: Output,
        rule: Rule,
    ) -> Self {
        let signature = Signature::one_of(
            vec![TypeSignature::VariadicAny, TypeSignature::Nullary],
            Volatility::Immutable,
        );
        Self { name, arguments, output, rule, size: total_size, by_columns: None, signature }
    }

    /// Sets the upper bound of results that can be longer.
    pub(super) fn sized(self, size: Size) -> Self {
        Self { size, ..self }
    }

    /// Sets what computes usual arguments faster than the rule, with the same results.
    pub(super) fn by_columns(self, by_columns: ByColumns) -> Self {
        Self { by_columns: Some(by_columns), ..self }
    }

    /// Computes the results, row by row.
    pub(super) fn rows(
        &self,
        columns: &[(Argument, bool)],
        rows: usize,
        budget: &mut Budget,
    ) -> Result<ArrayRef> {
        let mut builder = Builder::new(&self.data_type(), rows);
        let mut operands = Vec::with_capacity(columns.len());
        for row in 0..rows {
            check()?;
            operands.clear();
            operands.extend(columns.iter().map(|(column, is_json)| {
                let value = column.value(row);
                let is_json = *is_json && matches!(value, Value::Text(_));
                Operand { value, is_json }
            }));
            budget.reserve_value((self.size)(&operands))?;
            builder.push(&(self.rule)(&operands)?);
        }
        Ok(builder.finish())
    }

    fn data_type(&self) -> DataType {
        match self.output {
            Output::Integer => DataType::Int64,
            Output::Json | Output::Extracted | Output::Text => DataType::Utf8View,
        }
    }
}

fn total_size(operands: &[Operand]) -> usize {
    operands.iter().map(|operand| operand.value.text_size()).fold(0, usize::saturating_add)
}

equal_by_name!(JsonFunction);

impl ScalarUDFImpl for JsonFunction {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        short_name(self.name, args)
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        check_count(self.name, &self.arguments, arguments.len())?;
        Ok(self.data_type())
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        check_count(self.name, &self.arguments, args.arg_fields.len())?;
        let field = Field::new(self.name, self.data_type(), true);
        Ok(Arc::new(self.output.mark_column(field)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let constant = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let rows = if constant { 1 } else { args.number_rows };
        let mut columns = Vec::with_capacity(args.args.len());
        for (index, arg) in args.args.iter().enumerate() {
            let field = args.arg_fields.get(index);
            let is_json = field.is_some_and(|field| Output::Json.marks(field));
            columns.push((Argument::new(arg, rows)?, is_json));
        }
        let token = CancelToken::of(&args.config_options);
        let mut budget = Budget::new(self.name, &args.config_options).for_rows(rows);
        let threads = args.config_options.execution.target_partitions;
        let array = under(token, || {
            if let Some(by_columns) = self.by_columns
                && let Some(results) = by_columns(&columns, rows, threads, &mut budget)?
            {
                return Ok(results);
            }
            self.rows(&columns, rows, &mut budget)
        })?;
        let array = budget.attach(array)?;
        match constant {
            true => Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&array, 0)?)),
            false => Ok(ColumnarValue::Array(array)),
        }
    }
}
