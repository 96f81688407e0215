//! A plan that is run again for each row of another: what is left for subqueries that no join can
//! stand for.
//!
//! The subplan does not depend on the row itself but on a few values computed from it, its
//! parameters, and it is run once for each combination of them. In the subplan they are called
//! `$1.1`, `$2.2`…: the number of the parameter, and which use of a parameter it is.

mod exec;
mod parameter;
mod planner;
mod unused;

use std::cmp::Ordering;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use datafusion::arrow::datatypes::{Field, FieldRef};
use datafusion::common::{Column, DFSchema, DFSchemaRef, Result, TableReference, internal_err};
use datafusion::logical_expr::{Expr, Extension, LogicalPlan, UserDefinedLogicalNodeCore};

pub(super) use exec::ApplyExec;
pub(crate) use parameter::{is_known_when_run, with_known_values};
pub(super) use planner::ApplyPlanner;
pub(crate) use unused::UNUSED_VALUES;

/// The use of the rows of the subplan.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ApplyKind {
    /// The first column of the first row is one more column of the input, of this name; NULL when
    /// there is no row.
    Value(Column),
    /// Each is joined to the row it was computed for. With `outer`, rows without
    /// any are kept, with NULLs.
    Rows { outer: bool },
}

/// The node of the logical plan. Its output is the columns of the input, then what the subplan
/// gives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Apply {
    input: Arc<LogicalPlan>,
    /// Not an input for the optimizer, which could move things across: it is optimised by itself,
    /// when it is planned.
    subplan: Arc<LogicalPlan>,
    /// The values of `$1`, `$2`… for a row of the input.
    params: Vec<Expr>,
    kind: ApplyKind,
    schema: DFSchemaRef,
}

impl Apply {
    /// A plan that runs `subplan` for the rows of `input`.
    ///
    /// # Errors
    /// When the two have columns of the same name.
    pub(crate) fn plan(
        input: LogicalPlan,
        subplan: Arc<LogicalPlan>,
        params: Vec<Expr>,
        kind: ApplyKind,
    ) -> Result<LogicalPlan> {
        Ok(Self::try_new(Arc::new(input), subplan, params, kind)?.into_plan())
    }

    /// The plan that is run for the rows.
    pub(crate) fn subplan(&self) -> &LogicalPlan {
        &self.subplan
    }

    /// The same with another such plan, which has the same columns.
    pub(crate) fn with_subplan(&self, subplan: Arc<LogicalPlan>) -> Self {
        Self { subplan, ..self.clone() }
    }

    fn try_new(
        input: Arc<LogicalPlan>,
        subplan: Arc<LogicalPlan>,
        params: Vec<Expr>,
        kind: ApplyKind,
    ) -> Result<Self> {
        type Named = (Option<TableReference>, FieldRef);
        let named = |schema: &DFSchema| -> Vec<Named> {
            schema.iter().map(|(table, field)| (table.cloned(), Arc::clone(field))).collect()
        };
        let mut fields = named(input.schema());
        match &kind {
            ApplyKind::Value(column) => {
                let data_type = subplan.schema().field(0).data_type().clone();
                let field = Field::new(column.name.clone(), data_type, true);
                fields.push((column.relation.clone(), Arc::new(field)));
            }
            ApplyKind::Rows { outer: false } => fields.extend(named(subplan.schema())),
            ApplyKind::Rows { outer: true } => {
                let nullable = |(table, field): Named| {
                    (table, Arc::new(field.as_ref().clone().with_nullable(true)))
                };
                fields.extend(named(subplan.schema()).into_iter().map(nullable));
            }
        }
        let metadata = input.schema().metadata().clone();
        let schema = Arc::new(DFSchema::new_with_metadata(fields, metadata)?);
        Ok(Self { input, subplan, params, kind, schema })
    }

    /// The node at the top of a plan; `None` when it is another.
    pub(crate) fn of(plan: &LogicalPlan) -> Option<&Self> {
        match plan {
            LogicalPlan::Extension(extension) => extension.node.as_any().downcast_ref(),
            _ => None,
        }
    }

    pub(crate) fn into_plan(self) -> LogicalPlan {
        LogicalPlan::Extension(Extension { node: Arc::new(self) })
    }

    pub(crate) fn input(&self) -> &LogicalPlan {
        &self.input
    }

    /// The values of `$1`, `$2`… for a row of the input.
    pub(crate) fn params(&self) -> &[Expr] {
        &self.params
    }

    /// Whether each row of the input is one row of the output, with one more column.
    pub(crate) fn gives_value(&self) -> bool {
        matches!(self.kind, ApplyKind::Value(_))
    }

    /// The columns of the output.
    pub(crate) fn columns(&self) -> Vec<Column> {
        self.schema.columns()
    }

    /// The same for the rows of another input.
    pub(crate) fn over(&self, input: LogicalPlan) -> Result<LogicalPlan> {
        let subplan = Arc::clone(&self.subplan);
        Self::plan(input, subplan, self.params.clone(), self.kind.clone())
    }
}

impl PartialOrd for Apply {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        (self == other).then_some(Ordering::Equal)
    }
}

impl UserDefinedLogicalNodeCore for Apply {
    fn name(&self) -> &str {
        "Apply"
    }

    fn inputs(&self) -> Vec<&LogicalPlan> {
        vec![&self.input]
    }

    fn schema(&self) -> &DFSchemaRef {
        &self.schema
    }

    fn expressions(&self) -> Vec<Expr> {
        self.params.clone()
    }

    fn prevent_predicate_push_down_columns(&self) -> HashSet<String> {
        let own = self.schema.fields().iter().skip(self.input.schema().fields().len());
        own.map(|field| field.name().clone()).collect()
    }

    fn supports_limit_pushdown(&self) -> bool {
        // Each row of the input is one row of the output.
        matches!(self.kind, ApplyKind::Value(_))
    }

    fn fmt_for_explain(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Apply: ")?;
        for (index, param) in self.params.iter().enumerate() {
            write!(f, "${}={param}, ", index + 1)?;
        }
        let subplan = self.subplan.display_indent().to_string();
        let steps: Vec<&str> = subplan.lines().map(str::trim).collect();
        write!(f, "run [{}]", steps.join(" <- "))
    }

    fn with_exprs_and_inputs(&self, exprs: Vec<Expr>, inputs: Vec<LogicalPlan>) -> Result<Self> {
        let Ok([input]) = <[LogicalPlan; 1]>::try_from(inputs) else {
            return internal_err!("Apply takes one input");
        };
        Self::try_new(Arc::new(input), Arc::clone(&self.subplan), exprs, self.kind.clone())
    }

    fn necessary_children_exprs(&self, output_columns: &[usize]) -> Option<Vec<Vec<usize>>> {
        let inputs = self.input.schema().fields().len();
        Some(vec![output_columns.iter().copied().filter(|&column| column < inputs).collect()])
    }
}
