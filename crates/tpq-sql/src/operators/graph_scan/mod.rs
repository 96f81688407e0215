//! Scans of graphs: a query runs for the nodes of one level after the other, and its rows are
//! passed on along the edges.
//!
//! A plain scan starts with the initial rows. Its query gets a row for each edge from the node of a
//! row: the id of the target, and the other columns of the row. The rows of the query take the next
//! step, until there are none.
//!
//! An aggregating scan computes each node that the initial nodes reach once, after all nodes with
//! an edge to it: nodes are in levels by the greatest number of edges on a path from an initial
//! node. For the nodes of a level, the query gets a row for each edge to one of them, with the
//! columns of the source's row, and the initial rows of these nodes. The initial rows of the first
//! level are part of the result as they are.

mod exec;
mod levels;
mod planner;
mod step;

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use datafusion::arrow::datatypes::Field;
use datafusion::common::{DFSchema, DFSchemaRef, Result, TableReference, internal_err};
use datafusion::logical_expr::{Expr, Extension, LogicalPlan, UserDefinedLogicalNodeCore};

use crate::functions::{AGGREGATING_GRAPH_SCAN, GRAPH_SCAN};

pub(super) use planner::GraphScanPlanner;
pub(crate) use step::StepTable;

/// The order in which a scan computes nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ScanKind {
    /// Along every path.
    Plain,
    /// Each node once.
    Aggregating,
}

impl ScanKind {
    /// The kind of scan that a function asks for.
    pub(crate) fn named(function: &str) -> Option<Self> {
        match function {
            GRAPH_SCAN => Some(Self::Plain),
            AGGREGATING_GRAPH_SCAN => Some(Self::Aggregating),
            _ => None,
        }
    }

    /// The name of the function.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Plain => GRAPH_SCAN,
            Self::Aggregating => AGGREGATING_GRAPH_SCAN,
        }
    }
}

/// The node of the logical plan.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct GraphScan {
    kind: ScanKind,
    /// The sources and targets of the edges.
    edges: LogicalPlan,
    /// The initial rows, with the id of the node first.
    init: LogicalPlan,
    /// The query, which reads a [`StepTable`] with the columns of `init` and gives the same. It is
    /// no input for the optimizer, which could move things across: it is optimised by itself.
    step: Arc<LogicalPlan>,
    schema: DFSchemaRef,
}

impl GraphScan {
    /// A plan that scans a graph.
    ///
    /// # Errors
    /// When two columns have the same name.
    pub(crate) fn plan(
        kind: ScanKind,
        edges: LogicalPlan,
        init: LogicalPlan,
        step: LogicalPlan,
    ) -> Result<LogicalPlan> {
        let fields = step.schema().fields().iter().map(|field| {
            let field = Field::new(field.name(), field.data_type().clone(), true);
            (None::<TableReference>, Arc::new(field))
        });
        let schema = DFSchema::new_with_metadata(fields.collect(), Default::default())?;
        let (step, schema) = (Arc::new(step), Arc::new(schema));
        let node = Arc::new(Self { kind, edges, init, step, schema });
        Ok(LogicalPlan::Extension(Extension { node }))
    }

    /// The plan of the query.
    pub(crate) fn step(&self) -> &LogicalPlan {
        &self.step
    }

    /// The same with another plan of the query, which has the same columns.
    pub(super) fn with_step(&self, step: Arc<LogicalPlan>) -> Self {
        Self { step, ..self.clone() }
    }
}

impl PartialOrd for GraphScan {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        (self == other).then_some(Ordering::Equal)
    }
}

impl UserDefinedLogicalNodeCore for GraphScan {
    fn name(&self) -> &str {
        "GraphScan"
    }

    fn inputs(&self) -> Vec<&LogicalPlan> {
        vec![&self.edges, &self.init]
    }

    fn schema(&self) -> &DFSchemaRef {
        &self.schema
    }

    fn expressions(&self) -> Vec<Expr> {
        Vec::new()
    }

    fn fmt_for_explain(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let step = self.step.display_indent().to_string();
        let steps: Vec<&str> = step.lines().map(str::trim).collect();
        write!(f, "GraphScan: {:?}, run [{}]", self.kind, steps.join(" <- "))
    }

    fn with_exprs_and_inputs(&self, _: Vec<Expr>, inputs: Vec<LogicalPlan>) -> Result<Self> {
        let Ok([edges, init]) = <[LogicalPlan; 2]>::try_from(inputs) else {
            return internal_err!("GraphScan takes edges and initial rows");
        };
        let (step, schema) = (Arc::clone(&self.step), Arc::clone(&self.schema));
        Ok(Self { kind: self.kind, edges, init, step, schema })
    }

    fn necessary_children_exprs(&self, _: &[usize]) -> Option<Vec<Vec<usize>>> {
        let all = |plan: &LogicalPlan| (0..plan.schema().fields().len()).collect();
        Some(vec![all(&self.edges), all(&self.init)])
    }
}
