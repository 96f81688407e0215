//! The tables of the trace as tables of DataFusion, which queries of catalogs may describe and not
//! read.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{SchemaProvider, Session, TableProvider};
use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;

use crate::relations::Relations;

/// The schema that the tables of the trace are in.
#[derive(Debug)]
pub(super) struct TraceSchema(pub(super) Arc<Relations>);

#[async_trait]
impl SchemaProvider for TraceSchema {
    fn table_names(&self) -> Vec<String> {
        self.0.names()
    }

    async fn table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        if !self.table_exist(name) {
            return Ok(None);
        }
        let columns = self.0.columns(name).await;
        Ok(Some(Arc::new(Described { columns, is_view: self.0.is_view(name) })))
    }

    fn table_exist(&self, name: &str) -> bool {
        self.0.names().iter().any(|known| known == name)
    }
}

/// A table with columns and no rows.
#[derive(Debug)]
struct Described {
    columns: SchemaRef,
    is_view: bool,
}

#[async_trait]
impl TableProvider for Described {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.columns)
    }

    fn table_type(&self) -> TableType {
        if self.is_view { TableType::View } else { TableType::Base }
    }

    async fn scan(
        &self,
        _state: &dyn Session,
        _projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        _limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan_err!("a query of catalogs cannot read tables of the trace at the same time")
    }
}
