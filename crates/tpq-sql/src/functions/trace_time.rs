//! `trace_start()`, `trace_end()`, `trace_dur()`: constants of the trace.

use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility, lit,
};
use tpq_tables::TraceTables;

/// The start and the end of the trace in ns.
pub(super) fn bounds(tables: &TraceTables) -> (i64, i64) {
    let read = || {
        let table = tables.get("trace_bounds").filter(|table| table.num_rows() > 0)?;
        let decl = table.decl();
        let columns = [decl.column_index("start_ts")?, decl.column_index("end_ts")?];
        let batch = table.read(0, 0..1, &columns).ok()?;
        let value = |column: usize| {
            batch.column(column).as_primitive_opt::<Int64Type>().map(|values| values.value(0))
        };
        Some((value(0)?, value(1)?))
    };
    read().unwrap_or_default()
}

/// A function without arguments that returns a constant of the trace.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct TraceTime {
    signature: Signature,
    name: &'static str,
    value: i64,
}

impl TraceTime {
    pub(super) fn new(name: &'static str, value: i64) -> Self {
        Self { signature: Signature::nullary(Volatility::Immutable), name, value }
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
        Ok(ExprSimplifyResult::Simplified(lit(self.value)))
    }

    fn invoke_with_args(&self, _: ScalarFunctionArgs) -> Result<ColumnarValue> {
        Ok(ColumnarValue::Scalar(ScalarValue::Int64(Some(self.value))))
    }
}
