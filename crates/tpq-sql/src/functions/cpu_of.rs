//! `__cpu_of(ucpu)`: the number its machine gives a CPU; `__cpu_among_machines(ucpu)`: the same,
//! and of the second machine 4096 more, of the third twice that, so that no two CPUs share one.
//!
//! The views need them for the `cpu` column of tables that store only `ucpu`, millions of rows of
//! them. A join with `cpu` would say the same, at the price of a hash table lookup for each row,
//! a plan that DataFusion does not take apart again when `cpu` is not selected, and the loss of
//! the scan's order. There are few CPUs, so this looks the number up in an array; and on a single
//! machine, where the two numbers are the same, it takes itself out of the plan, so that a filter
//! on `cpu` can skip chunks.

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

/// How far the numbers of one machine's CPUs are from the next's.
const MACHINE_STEP: i64 = 4096;

/// Which numbers a function gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbering {
    /// Those of each machine.
    OfMachine,
    /// Those of which each CPU has its own.
    AmongMachines,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct CpuOf {
    numbering: Numbering,
    signature: Signature,
    /// The number of each CPU, by its id.
    numbers: Arc<[Option<i64>]>,
    /// Whether every number is the id.
    same: bool,
}

impl CpuOf {
    pub(super) fn new(tables: &TraceTables, numbering: Numbering) -> Self {
        let numbers = numbers(tables, numbering).unwrap_or_default();
        let same = numbers.iter().enumerate().all(|(id, number)| *number == i64::try_from(id).ok());
        let signature = Signature::exact(vec![DataType::Int64], Volatility::Immutable);
        Self { numbering, signature, numbers: numbers.into(), same }
    }

    fn number(&self, id: i64) -> Option<i64> {
        if self.same {
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
        let add = match numbering {
            Numbering::OfMachine => 0,
            Numbering::AmongMachines => MACHINE_STEP,
        };
        let number = |(cpu, machine): (Option<i64>, Option<i64>)| Some(cpu? + add * machine?);
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
            Numbering::OfMachine => "__cpu_of",
            Numbering::AmongMachines => "__cpu_among_machines",
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
            Some(id) if self.same => Ok(ExprSimplifyResult::Simplified(id)),
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
