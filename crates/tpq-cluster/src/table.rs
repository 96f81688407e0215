//! The rows of some work on each trace as a table of a session.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::Result;
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::projection::{ProjectionExec, ProjectionExpr};

use crate::operator::TraceWorkExec;

/// A table with the rows of a [`TraceWorkExec`].
#[derive(Debug)]
pub struct TraceWorkTable(Arc<TraceWorkExec>);

impl TraceWorkTable {
    /// The rows of `work` as a table.
    pub fn new(work: TraceWorkExec) -> Self {
        Self(Arc::new(work))
    }
}

#[async_trait]
impl TableProvider for TraceWorkTable {
    fn schema(&self) -> SchemaRef {
        self.0.schema()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _: &dyn Session,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        _: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let rows = Arc::clone(&self.0) as Arc<dyn ExecutionPlan>;
        let Some(projection) = projection else { return Ok(rows) };
        let schema = rows.schema();
        let columns = projection.iter().map(|&at| {
            let name = schema.field(at).name();
            ProjectionExpr { expr: Arc::new(Column::new(name, at)), alias: name.clone() }
        });
        Ok(Arc::new(ProjectionExec::try_new(columns.collect::<Vec<_>>(), rows)?))
    }
}
