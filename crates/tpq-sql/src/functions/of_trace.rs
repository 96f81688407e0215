//! Functions that compute each result from the values of one row and the tables of a trace.

use std::hash::{Hash, Hasher};
use std::ops::RangeInclusive;
use std::sync::Arc;

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

use super::budget::Budget;
use super::per_row::{Argument, check_count, short_name};
use super::value::{Builder, Value};
use crate::cancel::{CancelToken, check, under};

/// Computes the result for the values of one row.
pub(super) trait Lookup: Send + Sync {
    /// # Errors
    /// When a table cannot be read, or when the statement is cancelled.
    fn find(&self, values: &[Value]) -> Result<Value<'static>>;
}

/// A scalar function that is defined by its lookup in a trace.
#[derive(Clone)]
pub(super) struct OfTrace {
    name: &'static str,
    aliases: Vec<String>,
    arguments: RangeInclusive<usize>,
    returns: DataType,
    lookup: Arc<dyn Lookup>,
    signature: Signature,
}

impl OfTrace {
    pub(super) fn new(
        name: &'static str,
        arguments: RangeInclusive<usize>,
        returns: DataType,
        lookup: impl Lookup + 'static,
    ) -> Self {
        let signature = Signature::variadic_any(Volatility::Immutable);
        let lookup = Arc::new(lookup);
        Self { name, aliases: Vec::new(), arguments, returns, lookup, signature }
    }

    pub(super) fn alias(mut self, alias: &str) -> Self {
        self.aliases.push(alias.to_owned());
        self
    }

    fn rows(&self, columns: &[Argument], rows: usize, budget: &mut Budget) -> Result<ArrayRef> {
        let mut builder = Builder::new(&self.returns, rows);
        let mut values = Vec::with_capacity(columns.len());
        for row in 0..rows {
            check()?;
            values.clear();
            values.extend(columns.iter().map(|column| column.value(row)));
            let value = self.lookup.find(&values)?;
            budget.reserve_value(value.byte_count())?;
            builder.push(&value);
        }
        Ok(builder.finish())
    }
}

impl std::fmt::Debug for OfTrace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for OfTrace {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && Arc::ptr_eq(&self.lookup, &other.lookup)
    }
}

impl Eq for OfTrace {}

impl Hash for OfTrace {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl ScalarUDFImpl for OfTrace {
    fn name(&self) -> &str {
        self.name
    }

    fn aliases(&self) -> &[String] {
        &self.aliases
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        short_name(self.name, args)
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        check_count(self.name, &self.arguments, arguments.len())?;
        Ok(self.returns.clone())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let rows = args.number_rows;
        let columns = args.args.iter().map(|arg| Argument::new(arg, rows));
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let token = CancelToken::of(&args.config_options);
        let mut budget = Budget::new(self.name, &args.config_options).for_rows(rows);
        let array = under(token, || self.rows(&columns, rows, &mut budget))?;
        Ok(ColumnarValue::Array(budget.attach(array)?))
    }
}
