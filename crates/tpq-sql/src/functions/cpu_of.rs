//! `__cpu_of(ucpu)`: the number of a CPU on its machine; `__cpu_among_machines(ucpu)`: the number
//! plus 4096 for the second machine, 8192 for the third, and so on, so that the result is unique.
//!
//! Views need these functions for the `cpu` column of tables with millions of rows that store only
//! `ucpu`. A join with `cpu` would give the same result, but it needs a hash table lookup for each
//! row, DataFusion does not remove it when `cpu` is not selected, and the scan's order is lost.
//! There are few CPUs, so these functions look the number up in an array. On a single machine the
//! number is equal to `ucpu`; then the function removes itself from the plan, so that a filter on
//! `cpu` can skip chunks.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray, Int64Array};
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::common::Result;
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use tpq_tables::TraceTables;

/// The offset between the CPU numbers of one machine and those of the next.
const MACHINE_STEP: i64 = 4096;

/// The kind of numbers that a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbering {
    /// Numbers that are unique on each machine.
    PerMachine,
    /// Numbers that are unique across all machines.
    AcrossMachines,
}

/// `__cpu_of` or `__cpu_among_machines`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CpuOf {
    numbering: Numbering,
    signature: Signature,
    /// The number of each CPU, by `ucpu`.
    numbers: Arc<[Option<i64>]>,
    /// Whether each number is equal to its `ucpu`.
    is_identity: bool,
}

impl CpuOf {
    pub(super) fn new(tables: &TraceTables, numbering: Numbering) -> Self {
        let numbers = numbers(tables, numbering).unwrap_or_default();
        let is_identity =
            numbers.iter().enumerate().all(|(id, number)| *number == i64::try_from(id).ok());
        let signature = Signature::exact(vec![DataType::Int64], Volatility::Immutable);
        Self { numbering, signature, numbers: numbers.into(), is_identity }
    }

    fn number(&self, id: i64) -> Option<i64> {
        if self.is_identity {
            return Some(id);
        }
        *self.numbers.get(usize::try_from(id).ok()?)?
    }
}

fn numbers(tables: &TraceTables, numbering: Numbering) -> Option<Vec<Option<i64>>> {
    let table = tables.get("cpu")?;
    let columns = ["cpu", "machine_id"].map(|name| table.decl().column_index(name));
    let columns = [columns[0]?, columns[1]?];
    let mut numbers = Vec::with_capacity(table.num_rows());
    for chunk in 0..table.num_chunks() {
        let batch = table.read(chunk, 0..table.chunk_rows(chunk), &columns).ok()?;
        let cpus = batch.column(0).as_primitive_opt::<Int64Type>()?;
        let machines = batch.column(1).as_primitive_opt::<Int64Type>()?;
        let offset = match numbering {
            Numbering::PerMachine => 0,
            Numbering::AcrossMachines => MACHINE_STEP,
        };
        let number = |(cpu, machine): (Option<i64>, Option<i64>)| Some(cpu? + offset * machine?);
        numbers.extend(cpus.iter().zip(machines).map(number));
    }
    Some(numbers)
}

impl Hash for CpuOf {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.numbers.hash(state);
    }
}

impl ScalarUDFImpl for CpuOf {
    fn name(&self) -> &str {
        match self.numbering {
            Numbering::PerMachine => "__cpu_of",
            Numbering::AcrossMachines => "__cpu_among_machines",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Int64)
    }

    fn simplify(&self, mut args: Vec<Expr>, _: &SimplifyContext) -> Result<ExprSimplifyResult> {
        match args.pop() {
            Some(id) if self.is_identity => Ok(ExprSimplifyResult::Simplified(id)),
            id => Ok(ExprSimplifyResult::Original(id.into_iter().collect())),
        }
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let ids = ColumnarValue::values_to_arrays(&args.args)?;
        let ids = ids[0].as_primitive::<Int64Type>();
        let numbers: Int64Array = if ids.null_count() == 0 {
            ids.values().iter().map(|&id| self.number(id)).collect()
        } else {
            ids.iter().map(|id| self.number(id?)).collect()
        };
        Ok(ColumnarValue::Array(Arc::new(numbers)))
    }
}
