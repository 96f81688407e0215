//! Tables whose rows are kept in memory: those of `CREATE PERFETTO TABLE`, and the user's own.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use async_trait::async_trait;
use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::{Result, Statistics};
use datafusion::execution::TaskContext;
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::logical_expr::{Expr, LogicalPlan, TableType};
use datafusion::physical_plan::{ExecutionPlan, execute_stream_partitioned};
use futures::TryStreamExt;

use crate::in_order::in_order;
use crate::memory::{bytes_of, reserve_for};
use crate::scan::{Snapshot, StoredProvider, StoredTable};

/// A table whose rows are kept, once its query was run.
pub(crate) struct KeptTable {
    name: String,
    schema: SchemaRef,
    /// Where the rows come from, until they are there.
    query: Option<LogicalPlan>,
    rows: RwLock<Option<Kept>>,
    /// Held while the query runs, so that it runs once.
    running: futures::lock::Mutex<()>,
}

#[derive(Clone)]
struct Kept {
    snapshot: Arc<Snapshot>,
    stored: Arc<StoredTable>,
    /// What the rows take of the session's memory.
    memory: Option<Arc<MemoryReservation>>,
}

impl KeptTable {
    /// A table of what a query gives, which is run when the table is first read.
    pub(crate) fn of_query(name: &str, query: LogicalPlan) -> Self {
        let schema = bare(query.schema().inner());
        Self::new(name, schema, Some(query))
    }

    /// A table with no rows yet.
    pub(crate) fn empty(name: &str, schema: SchemaRef) -> Result<Self> {
        let table = Self::new(name, schema, None);
        table.replace(Vec::new(), None)?;
        Ok(table)
    }

    fn new(name: &str, schema: SchemaRef, query: Option<LogicalPlan>) -> Self {
        let running = futures::lock::Mutex::new(());
        Self { name: name.to_owned(), schema, query, rows: RwLock::new(None), running }
    }

    /// Puts other rows, for which `memory` is reserved, in the place of all there are.
    ///
    /// # Errors
    /// When they are not of the table's columns.
    pub(crate) fn replace(
        &self,
        batches: Vec<RecordBatch>,
        memory: Option<Arc<MemoryReservation>>,
    ) -> Result<()> {
        let snapshot = Arc::new(Snapshot::new(&self.name, Arc::clone(&self.schema), batches)?);
        let stored = Arc::new(StoredTable::new(Arc::clone(&snapshot) as _));
        *self.rows.write().unwrap_or_else(PoisonError::into_inner) =
            Some(Kept { snapshot, stored, memory });
        Ok(())
    }

    /// The memory that is reserved for the rows there are now.
    pub(crate) fn memory(&self) -> Option<Arc<MemoryReservation>> {
        self.now()?.memory
    }

    /// The columns.
    pub(crate) fn columns(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// Every row there is now, with its query run if it was not.
    ///
    /// # Errors
    /// When the query fails.
    pub(crate) async fn rows(&self, state: &dyn Session) -> Result<Arc<Snapshot>> {
        Ok(self.kept(state).await?.snapshot)
    }

    async fn kept(&self, state: &dyn Session) -> Result<Kept> {
        if let Some(kept) = self.now() {
            return Ok(kept);
        }
        let _running = self.running.lock().await;
        if let Some(kept) = self.now() {
            return Ok(kept);
        }
        if let Some(query) = &self.query {
            let (batches, memory) = run(&self.name, query, state).await?;
            let batches = batches.into_iter().map(|batch| fitted(&batch, &self.schema));
            self.replace(batches.collect::<Result<_>>()?, memory.map(Arc::new))?;
        }
        self.now().ok_or_else(|| {
            datafusion::error::DataFusionError::Internal(format!(
                "table {} has neither rows nor a query",
                self.name
            ))
        })
    }

    fn now(&self) -> Option<Kept> {
        self.rows.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// All rows of a query, in its order, with the memory that is reserved for them.
async fn run(
    table: &str,
    query: &LogicalPlan,
    state: &dyn Session,
) -> Result<(Vec<RecordBatch>, Option<MemoryReservation>)> {
    let plan = state.create_physical_plan(query).await?;
    let context = Arc::new(TaskContext::from(state));
    let schema = plan.schema();
    let mut memory = reserve_for(table, &[], state.config_options())?;
    let mut rows = in_order(schema, execute_stream_partitioned(plan, context)?);
    let mut batches = Vec::new();
    while let Some(batch) = rows.try_next().await? {
        if let Some(memory) = &mut memory {
            memory.try_grow(bytes_of(&batch))?;
        }
        batches.push(batch);
    }
    Ok((batches, memory))
}

/// A batch with columns of the table's types. The plan as written and the one that runs may
/// disagree in how text is kept, as where a literal and a column are the values of a CASE.
fn fitted(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| cast(column, field.data_type()));
    let columns = columns.collect::<std::result::Result<Vec<_>, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    Ok(RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)?)
}

/// The columns without what only a plan needs to know of them; any may be NULL. Text is kept as
/// the trace's tables keep it.
fn bare(schema: &SchemaRef) -> SchemaRef {
    let fields = schema.fields().iter();
    let kept = |data_type: &DataType| match data_type {
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        data_type => data_type.clone(),
    };
    let fields = fields.map(|field| Field::new(field.name(), kept(field.data_type()), true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

impl fmt::Debug for KeptTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeptTable({})", self.name)
    }
}

#[async_trait]
impl TableProvider for KeptTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn statistics(&self) -> Option<Statistics> {
        let all: Vec<usize> = (0..self.schema.fields().len()).collect();
        Some(self.now()?.stored.statistics_of(&all))
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let kept = self.kept(state).await?;
        StoredProvider(kept.stored).scan(state, projection, filters, limit).await
    }
}
