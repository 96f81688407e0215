//! Whether a plan gives the same rows wherever it stands, and whether two are the same.

use std::sync::Arc;

use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, Result};
use datafusion::datasource::DefaultTableSource;
use datafusion::datasource::cte_worktable::CteWorkTable;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{Expr, LogicalPlan, TableScan, TableSource};

use super::super::graph_scan::StepTable;
use super::super::subplans::{each_part, is_graph_scan, subplan_of};
use super::super::table_call::TableCall;

/// Whether a plan depends on nothing around it and gives the same rows each time.
pub(super) fn is_independent(plan: &LogicalPlan) -> Result<bool> {
    Surroundings::default().provide_for(plan)
}

/// What a part of a plan may depend on, since it is part of the plan as well.
#[derive(Clone, Default)]
struct Surroundings {
    /// The recursive queries that it is in.
    recursions: Vec<String>,
    /// Whether it is in a plan that runs with parameters.
    has_parameters: bool,
    /// Whether it is in the query of a graph scan.
    has_step_table: bool,
    /// The columns of the queries around it.
    outer: Vec<DFSchema>,
}

impl Surroundings {
    /// Whether there is all that a plan depends on.
    fn provide_for(&self, plan: &LogicalPlan) -> Result<bool> {
        if !self.provide_for_step(plan)? {
            return Ok(false);
        }
        let mut fine = true;
        plan.apply_subqueries(|subquery| {
            fine = fine && self.inside_subquery(plan).provide_for(subquery)?;
            Ok(TreeNodeRecursion::Continue)
        })?;
        let inside_recursion = match plan {
            LogicalPlan::RecursiveQuery(query) => Some(self.inside_recursion(&query.name)),
            _ => None,
        };
        let below = inside_recursion.as_ref().unwrap_or(self);
        for input in plan.inputs() {
            fine = fine && below.provide_for(input)?;
        }
        if let Some(subplan) = subplan_of(plan) {
            fine = fine && self.inside_subplan(is_graph_scan(plan)).provide_for(subplan)?;
        }
        Ok(fine)
    }

    /// What there is in a subquery of a step.
    fn inside_subquery(&self, step: &LogicalPlan) -> Self {
        let mut inside = self.clone();
        inside.outer.push(merge_schema(&step.inputs()));
        inside
    }

    fn inside_recursion(&self, name: &str) -> Self {
        let mut inside = self.clone();
        inside.recursions.push(name.to_owned());
        inside
    }

    fn inside_subplan(&self, is_graph_scan: bool) -> Self {
        let mut inside = self.clone();
        inside.has_step_table |= is_graph_scan;
        inside.has_parameters |= !is_graph_scan;
        inside
    }

    /// The same for what the step itself names.
    fn provide_for_step(&self, step: &LogicalPlan) -> Result<bool> {
        let mut fine = match step {
            LogicalPlan::TableScan(scan) => self.provide_table(scan),
            LogicalPlan::RecursiveQuery(query) => may_end(&query.recursive_term)?,
            _ => true,
        };
        step.apply_expressions(|expr| {
            fine = fine && !expr.exists(|part| Ok(!self.provide_value(part)))?;
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(fine)
    }

    fn provide_table(&self, scan: &TableScan) -> bool {
        let Some(source) = scan.source.downcast_ref::<DefaultTableSource>() else { return true };
        let provider = &source.table_provider;
        match provider.downcast_ref::<CteWorkTable>() {
            Some(table) => self.recursions.iter().any(|name| name == table.name()),
            None => self.has_step_table || !provider.is::<StepTable>(),
        }
    }

    fn provide_value(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Placeholder(_) => self.has_parameters,
            Expr::OuterReferenceColumn(_, column) => {
                self.outer.iter().any(|schema| schema.has_column(column))
            }
            expr => !expr.is_volatile_node(),
        }
    }
}

/// Whether anything in a recursive term can give no rows. Without, only a LIMIT above ends the
/// recursion, and a shared query has none.
fn may_end(recursive_term: &LogicalPlan) -> Result<bool> {
    recursive_term.exists(|step| {
        Ok(match step {
            LogicalPlan::Filter(_) => true,
            LogicalPlan::Join(join) => !join.on.is_empty() || join.filter.is_some(),
            _ => false,
        })
    })
}

/// Whether plans that are equal otherwise read the same tables: DataFusion compares their names.
pub(super) fn read_the_same(a: &LogicalPlan, b: &LogicalPlan) -> Result<bool> {
    Ok(tables_of(a)? == tables_of(b)?)
}

/// Whether a plan reads any table twice or more. Otherwise no two parts of it are equal, apart from
/// such that cost nothing.
pub(super) fn reads_any_twice(plan: &LogicalPlan) -> Result<bool> {
    let mut tables = tables_of(plan)?;
    let all = tables.len();
    tables.sort_unstable();
    tables.dedup();
    Ok(tables.len() < all)
}

/// Whether any part of a plan runs many times.
pub(super) fn runs_any_repeatedly(plan: &LogicalPlan) -> Result<bool> {
    let mut found = false;
    each_part(plan, false, &mut |part, is_repeated| {
        found = found || is_repeated || runs_any_repeatedly(part)?;
        Ok(())
    })?;
    Ok(found)
}

fn tables_of(plan: &LogicalPlan) -> Result<Vec<*const ()>> {
    let mut tables = Vec::new();
    add_tables(plan, &mut tables)?;
    Ok(tables)
}

/// Adds the addresses of tables and table functions, in an order that the plan decides.
fn add_tables(plan: &LogicalPlan, tables: &mut Vec<*const ()>) -> Result<()> {
    match plan {
        LogicalPlan::TableScan(scan) => tables.push(address(&scan.source)),
        LogicalPlan::Extension(extension) => {
            let call = extension.node.as_any().downcast_ref::<TableCall>();
            tables.extend(call.map(TableCall::function_address));
        }
        _ => {}
    }
    each_part(plan, false, &mut |part, _| add_tables(part, tables))
}

fn address(source: &Arc<dyn TableSource>) -> *const () {
    match source.downcast_ref::<DefaultTableSource>() {
        Some(source) => Arc::as_ptr(&source.table_provider).cast(),
        None => Arc::as_ptr(source).cast(),
    }
}
