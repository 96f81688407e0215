//! Shared queries while it is not settled yet how they are read: tables with a query.

use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::{Constraint, Constraints, DFSchema, Dependency, Result, TableReference};
use datafusion::logical_expr::{
    Expr, LogicalPlan, SubqueryAlias, TableProviderFilterPushDown, TableScan, TableScanBuilder,
    TableSource,
};

use super::cost::Cost;
use super::readers::visit_scans;

/// A query that is read in several places.
#[derive(Debug)]
pub(super) struct SharedQuery {
    /// Distinguishes the queries of a statement.
    pub number: usize,
    /// What the statement calls it at the first place.
    pub name: String,
    /// The query, analysed and not optimised. Its columns have different names.
    pub plan: LogicalPlan,
    /// What its own steps cost.
    pub cost: Cost,
    /// One more than the greatest of the shared queries that it reads: what reads a query is higher
    /// than the query.
    pub height: usize,
}

impl SharedQuery {
    pub(super) fn new(number: usize, name: String, plan: LogicalPlan, cost: Cost) -> Result<Self> {
        let mut below = 0;
        visit_scans(&plan, false, &mut |_, query, _| below = below.max(query.height))?;
        Ok(Self { number, name, plan, cost, height: below + 1 })
    }

    /// The name of the table that stands for the query in plans.
    pub(super) fn table(&self) -> TableReference {
        TableReference::bare(format!("__shared_{}", self.number))
    }

    /// The plan that reads the table.
    pub(super) fn scan(self: &Arc<Self>) -> Result<LogicalPlan> {
        let schema = self.plan.schema();
        let keys = keys(schema);
        let source = SharedSource { query: Arc::clone(self), schema: schema.inner().clone(), keys };
        let scan = TableScanBuilder::new(self.table(), Arc::new(source)).build()?;
        Ok(LogicalPlan::TableScan(scan))
    }

    /// The query under the name of the table.
    pub(super) fn aliased(&self) -> Result<LogicalPlan> {
        let plan = Arc::new(self.plan.clone());
        Ok(LogicalPlan::SubqueryAlias(SubqueryAlias::try_new(plan, self.table())?))
    }

    /// The position of a column.
    pub(super) fn position(&self, column: &str) -> Option<usize> {
        self.plan.schema().fields().iter().position(|field| field.name() == column)
    }
}

/// The query that a scan stands for; `None` for other tables.
pub(super) fn query_of(scan: &TableScan) -> Option<&Arc<SharedQuery>> {
    scan.source.downcast_ref::<SharedSource>().map(|source| &source.query)
}

/// The table that stands for a query.
#[derive(Debug)]
struct SharedSource {
    query: Arc<SharedQuery>,
    schema: SchemaRef,
    keys: Constraints,
}

impl TableSource for SharedSource {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn constraints(&self) -> Option<&Constraints> {
        Some(&self.keys)
    }

    /// All filters, so that each scan has those of its reader. They are applied where the scan is
    /// replaced.
    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        Ok(vec![TableProviderFilterPushDown::Exact; filters.len()])
    }
}

/// The columns of which no two rows have the same values, as those that a query groups by.
fn keys(schema: &DFSchema) -> Constraints {
    let all = schema.fields().len();
    let dependencies = schema.functional_dependencies().iter();
    let keys = dependencies.filter(|dependency| {
        dependency.mode == Dependency::Single && dependency.target_indices.len() == all
    });
    let keys = keys.map(|key| match key.nullable {
        true => Constraint::Unique(key.source_indices.clone()),
        false => Constraint::PrimaryKey(key.source_indices.clone()),
    });
    Constraints::new_unverified(keys.collect())
}
