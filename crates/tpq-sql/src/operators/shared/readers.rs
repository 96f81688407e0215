//! The scans of shared queries in a plan.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::common::tree_node::TreeNode;
use datafusion::common::{Column, Result};
use datafusion::logical_expr::{Expr, Filter, LogicalPlan, Projection, TableScan, utils};

use super::super::subplans::{each_part, map_parts};
use super::query::{SharedQuery, query_of};

/// Called with a scan, its query, and whether the scan runs many times.
type Visit<'a> = dyn FnMut(&TableScan, &Arc<SharedQuery>, bool) + 'a;

/// The same; gives what takes the place of the scan, or `None` to leave it.
type Replace<'a> =
    dyn FnMut(&TableScan, &Arc<SharedQuery>, bool) -> Result<Option<LogicalPlan>> + 'a;

/// Visits the scans in a plan, its subqueries and subplans.
pub(super) fn visit_scans(plan: &LogicalPlan, is_repeated: bool, visit: &mut Visit) -> Result<()> {
    if let LogicalPlan::TableScan(scan) = plan {
        if let Some(query) = query_of(scan) {
            visit(scan, query, is_repeated);
        }
        return Ok(());
    }
    each_part(plan, is_repeated, &mut |part, is_repeated| visit_scans(part, is_repeated, visit))
}

/// Whether there are any.
pub(super) fn has_scans(plan: &LogicalPlan) -> Result<bool> {
    let mut found = false;
    visit_scans(plan, false, &mut |_, _, _| found = true)?;
    Ok(found)
}

/// The plan with other plans of the same columns in place of scans.
pub(super) fn replace_scans(
    plan: LogicalPlan,
    is_repeated: bool,
    replace: &mut Replace,
) -> Result<LogicalPlan> {
    if let LogicalPlan::TableScan(scan) = &plan {
        let replaced = match query_of(scan) {
            Some(query) => replace(scan, query, is_repeated)?,
            None => None,
        };
        return Ok(replaced.unwrap_or(plan));
    }
    map_parts(plan, is_repeated, &mut |part, is_repeated| replace_scans(part, is_repeated, replace))
}

/// What a scan gives, read from `rows`, which have the scan's columns and may have more. The rows
/// fulfil all of `known`.
pub(super) fn read(scan: &TableScan, rows: LogicalPlan, known: &[Expr]) -> Result<LogicalPlan> {
    let mut plan = rows;
    let filters = scan.filters.iter().filter(|filter| !known.contains(filter));
    if let Some(filter) = utils::conjunction(filters.cloned()) {
        plan = LogicalPlan::Filter(Filter::try_new(filter, Arc::new(plan))?);
    }
    let columns = scan.projected_schema.columns();
    if columns == plan.schema().columns() {
        return Ok(plan);
    }
    let columns = columns.into_iter().map(Expr::Column).collect();
    Ok(LogicalPlan::Projection(Projection::try_new(columns, Arc::new(plan))?))
}

/// What a scan asks of a query.
pub(super) struct Reader {
    /// Conditions that each row fulfils.
    pub filters: Vec<Expr>,
    /// The positions of the columns it gives or filters by.
    pub columns: BTreeSet<usize>,
    /// Whether it may stop early.
    pub is_limited: bool,
    /// Whether it runs many times.
    pub is_repeated: bool,
}

impl Reader {
    pub(super) fn new(scan: &TableScan, query: &SharedQuery, is_repeated: bool) -> Self {
        let mut columns: BTreeSet<usize> = match &scan.projection {
            Some(projection) => projection.iter().copied().collect(),
            None => (0..query.plan.schema().fields().len()).collect(),
        };
        let filtered = scan.filters.iter().flat_map(Expr::column_refs);
        columns.extend(filtered.filter_map(|column: &Column| query.position(&column.name)));
        let (filters, is_limited) = (scan.filters.clone(), scan.fetch.is_some());
        Self { filters, columns, is_limited, is_repeated }
    }

    /// The conditions that are the same in every run.
    fn constant_filters(&self) -> Vec<&Expr> {
        let is_constant = |filter: &&Expr| {
            let varies = |expr: &Expr| {
                Ok(matches!(expr, Expr::Placeholder(_) | Expr::OuterReferenceColumn(..)))
            };
            !filter.exists(varies).unwrap_or(true)
        };
        self.filters.iter().filter(is_constant).collect()
    }
}

/// The conditions that all readers have, and a condition of all rows that any of them wants.
pub(super) fn filters_of_all(readers: &[Reader]) -> (Vec<Expr>, Option<Expr>) {
    let filters: Vec<Vec<&Expr>> = readers.iter().map(Reader::constant_filters).collect();
    let Some((first, others)) = filters.split_first() else { return (Vec::new(), None) };
    let of_all = |filter: &&&Expr| others.iter().all(|other| other.contains(*filter));
    let common: Vec<Expr> = first.iter().filter(of_all).map(|&filter| filter.clone()).collect();
    // A reader without conditions of its own wants all rows.
    let own = filters.iter().map(|filters| {
        let own = filters.iter().filter(|filter| !common.contains(filter));
        utils::conjunction(own.map(|&filter| filter.clone()))
    });
    let any_own = own.collect::<Option<Vec<Expr>>>().and_then(utils::disjunction);
    let wanted = utils::conjunction(common.iter().cloned().chain(any_own));
    (common, wanted)
}

#[cfg(test)]
mod tests {
    use datafusion::logical_expr::{col, lit};

    use super::*;

    fn reader(filters: Vec<Expr>) -> Reader {
        Reader { filters, columns: BTreeSet::new(), is_limited: false, is_repeated: false }
    }

    #[test]
    fn what_all_readers_want_is_computed_and_nothing_else() {
        let (a, b, c) = (col("a").gt(lit(1)), col("b").gt(lit(2)), col("c").gt(lit(3)));
        let (common, wanted) = filters_of_all(&[
            reader(vec![a.clone(), b.clone()]),
            reader(vec![c.clone(), a.clone()]),
        ]);
        assert_eq!(common, std::slice::from_ref(&a));
        assert_eq!(wanted, Some(a.clone().and(b.or(c))));
        // One of them wants all rows.
        let (common, wanted) = filters_of_all(&[reader(vec![a]), reader(Vec::new())]);
        assert_eq!((common, wanted), (Vec::new(), None));
    }
}
