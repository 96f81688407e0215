//! Scans of graphs: `__intrinsic_graph_scan(graph, rows, query, columns)` and
//! `__intrinsic_graph_aggregating_scan(graph, rows, query, columns)`. They are steps of a plan and
//! have no value of their own: the planner replaces them in `FROM __intrinsic_table_ptr(…)`.

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::Fields;
use datafusion::common::{Result, internal_err, plan_err};

use crate::functions::pointers::operator::{Operand, OperandType, TableOperator};

/// The name of the function that runs a query for each step along the edges.
pub(crate) const GRAPH_SCAN: &str = "__intrinsic_graph_scan";
/// The name of the function that runs a query for the nodes of each level.
pub(crate) const AGGREGATING_GRAPH_SCAN: &str = "__intrinsic_graph_aggregating_scan";

/// A scan in a place where it cannot be planned.
#[derive(Debug)]
pub(super) struct MisplacedScan(pub &'static str);

impl TableOperator for MisplacedScan {
    fn name(&self) -> &'static str {
        self.0
    }

    fn columns(&self, _: &[OperandType]) -> Result<Fields> {
        plan_err!("{0}() is only allowed as FROM __intrinsic_table_ptr({0}(…))", self.0)
    }

    fn run(&self, _: &[Operand]) -> Result<Option<Vec<ArrayRef>>> {
        internal_err!("{}() is not a step of the plan", self.0)
    }
}
