//! `trace_start()`, `trace_end()`, `trace_dur()`: constants of the trace.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility, lit,
};
use tpq_tables::TraceTables;

use super::stored_rows::{Lazy, StoredRows};

/// The start and the end of a trace, read on first use.
pub(super) struct Bounds {
    rows: Option<StoredRows>,
    ns: Lazy<(i64, i64)>,
}

impl Bounds {
    pub(super) fn new(tables: &TraceTables) -> Self {
        let rows = StoredRows::new(tables, "trace_bounds", &["start_ts", "end_ts"]);
        Self { rows, ns: Lazy::default() }
    }

    /// # Errors
    /// When the table cannot be read.
    fn ns(&self) -> Result<(i64, i64)> {
        let bounds = self.ns.get(|| {
            let row = self.rows.as_ref().map(|rows| rows.row(0)).transpose()?.flatten();
            let value = |column: usize| row.as_ref()?.get(column)?.as_integer();
            Ok(value(0).zip(value(1)).unwrap_or_default())
        })?;
        Ok(*bounds)
    }
}

/// A function without arguments that returns a constant of the trace.
pub(super) struct TraceTime {
    signature: Signature,
    name: &'static str,
    bounds: Arc<Bounds>,
    /// The result, from the start and the end.
    of_bounds: fn(i64, i64) -> i64,
}

impl TraceTime {
    pub(super) fn new(
        name: &'static str,
        bounds: &Arc<Bounds>,
        of_bounds: fn(i64, i64) -> i64,
    ) -> Self {
        let signature = Signature::nullary(Volatility::Immutable);
        Self { signature, name, bounds: Arc::clone(bounds), of_bounds }
    }

    fn value(&self) -> Result<i64> {
        let (start, end) = self.bounds.ns()?;
        Ok((self.of_bounds)(start, end))
    }
}

impl std::fmt::Debug for TraceTime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for TraceTime {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && Arc::ptr_eq(&self.bounds, &other.bounds)
    }
}

impl Eq for TraceTime {}

impl Hash for TraceTime {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl ScalarUDFImpl for TraceTime {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Int64)
    }

    fn simplify(&self, _: Vec<Expr>, _: &SimplifyContext) -> Result<ExprSimplifyResult> {
        Ok(ExprSimplifyResult::Simplified(lit(self.value()?)))
    }

    fn invoke_with_args(&self, _: ScalarFunctionArgs) -> Result<ColumnarValue> {
        Ok(ColumnarValue::Scalar(ScalarValue::Int64(Some(self.value()?))))
    }
}
