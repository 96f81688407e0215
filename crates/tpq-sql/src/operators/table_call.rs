//! The rows of a table function for each row before it: `FROM slice s, ancestor_slice(s.id)`.

mod exec;
mod planner;

use std::collections::HashSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::common::{DFSchema, DFSchemaRef, Dependency, Result, internal_err};
use datafusion::logical_expr::{EmptyRelation, Expr, LogicalPlan, UserDefinedLogicalNodeCore};

use crate::functions::TableFunction;

pub(super) use exec::TableCallExec;
pub(super) use planner::TableCallPlanner;

/// Each row of the input joined to each row that the function returns for it.
#[derive(Debug)]
pub(crate) struct TableCall {
    input: LogicalPlan,
    function: Arc<dyn TableFunction>,
    /// Columns of the input.
    args: Vec<Expr>,
    /// The function's columns, under the name this call has in the query, as a relation without
    /// rows: where there is a condition this is an input, which shows the analyzer what the
    /// condition is on.
    rows: LogicalPlan,
    /// The condition on the function's rows; only with `keep_unmatched`, else a filter does it.
    condition: Option<Expr>,
    /// Whether input rows without a row of the function stay, with NULLs: LEFT JOIN.
    keep_unmatched: bool,
    schema: DFSchemaRef,
}

impl TableCall {
    /// A call with `args`, which are columns of `input`.
    pub(crate) fn try_new(
        input: LogicalPlan,
        function: Arc<dyn TableFunction>,
        args: Vec<Expr>,
        rows: DFSchemaRef,
        condition: Option<Expr>,
        keep_unmatched: bool,
    ) -> Result<Self> {
        let rows = EmptyRelation { produce_one_row: false, schema: rows };
        let rows = LogicalPlan::EmptyRelation(rows);
        let schema = Arc::new(schema_of(&input, &rows, keep_unmatched)?);
        Ok(Self { input, function, args, rows, condition, keep_unmatched, schema })
    }

    /// Where the function is: two of the same name may differ.
    pub(super) fn function_address(&self) -> *const () {
        Arc::as_ptr(&self.function).cast()
    }
}

fn schema_of(input: &LogicalPlan, rows: &LogicalPlan, nullable: bool) -> Result<DFSchema> {
    let before = input.schema().iter().map(|(name, field)| (name.cloned(), Arc::clone(field)));
    let given = rows.schema().iter().map(|(name, field)| {
        let optional = field.is_nullable() || nullable;
        (name.cloned(), Arc::new(field.as_ref().clone().with_nullable(optional)))
    });
    let schema = DFSchema::new_with_metadata(before.chain(given).collect(), Default::default())?;
    // What decided other columns of the input still does, for several rows. Without this, columns
    // that GROUP BY took on from an id cannot be left out again.
    let decided = input.schema().functional_dependencies().clone();
    schema.with_functional_dependencies(decided.with_dependency(Dependency::Multi))
}

impl UserDefinedLogicalNodeCore for TableCall {
    fn name(&self) -> &str {
        "TableCall"
    }

    fn inputs(&self) -> Vec<&LogicalPlan> {
        match self.condition {
            Some(_) => vec![&self.input, &self.rows],
            None => vec![&self.input],
        }
    }

    fn schema(&self) -> &DFSchemaRef {
        &self.schema
    }

    fn expressions(&self) -> Vec<Expr> {
        self.args.iter().chain(&self.condition).cloned().collect()
    }

    /// Filters on the input's columns pass below, except where there are two inputs: DataFusion
    /// would push them into both.
    fn prevent_predicate_push_down_columns(&self) -> HashSet<String> {
        let schema = if self.condition.is_some() { &self.schema } else { self.rows.schema() };
        schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    fn fmt_for_explain(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let args: Vec<String> = self.args.iter().map(ToString::to_string).collect();
        write!(f, "TableCall: {}({})", self.function.name(), args.join(", "))?;
        match &self.condition {
            Some(condition) => write!(f, " or NULLs, on {condition}"),
            None if self.keep_unmatched => write!(f, " or NULLs"),
            None => Ok(()),
        }
    }

    fn with_exprs_and_inputs(&self, exprs: Vec<Expr>, inputs: Vec<LogicalPlan>) -> Result<Self> {
        let mut exprs = exprs.into_iter();
        let args = exprs.by_ref().take(self.args.len()).collect();
        let condition = exprs.next();
        let Some(input) = inputs.into_iter().next() else {
            return internal_err!("a call of a table function without input");
        };
        let rows = Arc::clone(self.rows.schema());
        let function = Arc::clone(&self.function);
        Self::try_new(input, function, args, rows, condition, self.keep_unmatched)
    }

    fn necessary_children_exprs(&self, output_columns: &[usize]) -> Option<Vec<Vec<usize>>> {
        let before = self.input.schema().fields().len();
        let needed = output_columns.iter().copied().filter(|&column| column < before).collect();
        // The caller adds those of the expressions.
        let mut children = vec![needed];
        if self.condition.is_some() {
            children.push((0..self.rows.schema().fields().len()).collect());
        }
        Some(children)
    }
}

impl PartialEq for TableCall {
    fn eq(&self, other: &Self) -> bool {
        self.function.name() == other.function.name()
            && self.keep_unmatched == other.keep_unmatched
            && self.args == other.args
            && self.condition == other.condition
            && self.schema == other.schema
            && self.input == other.input
    }
}

impl Eq for TableCall {}

impl PartialOrd for TableCall {
    fn partial_cmp(&self, _: &Self) -> Option<std::cmp::Ordering> {
        None
    }
}

impl Hash for TableCall {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.function.name().hash(state);
        self.args.hash(state);
        self.condition.hash(state);
        self.input.hash(state);
    }
}
