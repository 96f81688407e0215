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

use super::stored_rows::{Lazy, StoredRows};

/// The offset between the CPU numbers of one machine and those of the next.
const MACHINE_STEP: i64 = 4096;

/// The kind of numbers that a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Numbering {
    /// Numbers that are unique on each machine.
    PerMachine,
    /// Numbers that are unique across all machines.
    AcrossMachines,
}

/// The numbers of the CPUs of a trace.
struct Numbers {
    /// The number of each CPU, by `ucpu`.
    by_id: Vec<Option<i64>>,
    /// Whether each number is equal to its `ucpu`.
    is_identity: bool,
}

impl Numbers {
    fn number(&self, id: i64) -> Option<i64> {
        if self.is_identity {
            return Some(id);
        }
        *self.by_id.get(usize::try_from(id).ok()?)?
    }
}

/// The CPUs of a trace, read on first use.
struct Cpus {
    numbering: Numbering,
    rows: Option<StoredRows>,
    numbers: Lazy<Numbers>,
}

impl Cpus {
    /// # Errors
    /// When the table cannot be read.
    fn numbers(&self) -> Result<&Numbers> {
        self.numbers.get(|| {
            let offset = match self.numbering {
                Numbering::PerMachine => 0,
                Numbering::AcrossMachines => MACHINE_STEP,
            };
            let mut by_id = Vec::new();
            if let Some(rows) = &self.rows {
                rows.each(|_, columns, at| {
                    let value = |column: usize| columns[column].value(at).as_integer();
                    let number = value(0).zip(value(1));
                    by_id.push(number.map(|(cpu, machine)| cpu + offset * machine));
                    Ok(())
                })?;
            }
            let is_identity =
                by_id.iter().enumerate().all(|(id, number)| *number == i64::try_from(id).ok());
            Ok(Numbers { by_id, is_identity })
        })
    }
}

/// `__cpu_of` or `__cpu_among_machines`.
pub(super) struct CpuOf {
    cpus: Arc<Cpus>,
    signature: Signature,
}

impl CpuOf {
    pub(super) fn new(tables: &TraceTables, numbering: Numbering) -> Self {
        let rows = StoredRows::new(tables, "cpu", &["cpu", "machine_id"]);
        let signature = Signature::exact(vec![DataType::Int64], Volatility::Immutable);
        Self { cpus: Arc::new(Cpus { numbering, rows, numbers: Lazy::default() }), signature }
    }
}

impl std::fmt::Debug for CpuOf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl PartialEq for CpuOf {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.cpus, &other.cpus)
    }
}

impl Eq for CpuOf {}

impl Hash for CpuOf {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.cpus.numbering.hash(state);
    }
}

impl ScalarUDFImpl for CpuOf {
    fn name(&self) -> &str {
        match self.cpus.numbering {
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
        let is_identity = self.cpus.numbers()?.is_identity;
        match args.pop() {
            Some(id) if is_identity => Ok(ExprSimplifyResult::Simplified(id)),
            id => Ok(ExprSimplifyResult::Original(id.into_iter().collect())),
        }
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let ids = ColumnarValue::values_to_arrays(&args.args)?;
        let ids = ids[0].as_primitive::<Int64Type>();
        let numbers = self.cpus.numbers()?;
        let numbers: Int64Array = if ids.null_count() == 0 {
            ids.values().iter().map(|&id| numbers.number(id)).collect()
        } else {
            ids.iter().map(|id| numbers.number(id?)).collect()
        };
        Ok(ColumnarValue::Array(Arc::new(numbers)))
    }
}
