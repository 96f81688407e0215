//! Tables with rows in memory: from `CREATE PERFETTO TABLE`, and tables from `CREATE TABLE`.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use async_trait::async_trait;
use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, RecordBatchOptions};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::runtime::SpawnedTask;
use datafusion::common::{Result, Statistics};
use datafusion::error::DataFusionError;
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, LogicalPlan, TableType};
use datafusion::physical_plan::{ExecutionPlan, execute_stream_partitioned};
use futures::TryStreamExt;

use crate::memory::{bytes_of, reserve_for};
use crate::primary_key::PrimaryKey;
use crate::scan::{Chunks, Snapshot, StoredProvider, StoredTable};

/// How many parts of a query run at a time. The parts of a join wait for each other, and are no
/// more than cores; UNION ALL has as many as queries.
const PARTS_AT_ONCE: usize = 1024;

/// A table that keeps its rows in memory after its query ran.
pub(crate) struct MaterializedTable {
    name: String,
    schema: SchemaRef,
    origin: Origin,
    key: Option<PrimaryKey>,
    rows: RwLock<Option<StoredRows>>,
    /// Locked while the query runs, so that the query runs only once.
    running: futures::lock::Mutex<()>,
}

/// The origin of the rows.
enum Origin {
    /// Statements such as INSERT.
    Statements,
    /// A query, which runs when the table is first read.
    Query(LogicalPlan),
    /// Another table; its rows get a number as a last column.
    Numbered(Arc<MaterializedTable>),
}

/// The column of [`MaterializedTable::numbered`].
pub(crate) const AUTO_ID: &str = "_auto_id";

/// The rows of a table in memory.
#[derive(Clone)]
struct StoredRows {
    snapshot: Arc<Snapshot>,
    stored: Arc<StoredTable>,
    /// The session memory that is reserved for the rows.
    memory: Option<Arc<MemoryReservation>>,
    /// The rows of another table, if these are those rows with numbers.
    unnumbered: Option<Arc<Snapshot>>,
}

impl MaterializedTable {
    /// Makes a table of the rows of a query. The query runs when the table is first read.
    pub(crate) fn from_query(name: &str, query: LogicalPlan) -> Self {
        let schema = stored_schema(query.schema().inner());
        Self::new(name, schema, Origin::Query(query))
    }

    /// Makes a table without rows.
    pub(crate) fn empty(name: &str, schema: SchemaRef, key: Option<PrimaryKey>) -> Result<Self> {
        let table = Self { key, ..Self::new(name, schema, Origin::Statements) };
        table.replace(Vec::new(), None)?;
        Ok(table)
    }

    /// The same rows with the column `_auto_id`: the number of each row, from 0.
    pub(crate) fn numbered(table: Arc<Self>) -> Self {
        let fields = table.schema.fields().iter().cloned();
        let number = Arc::new(Field::new(AUTO_ID, DataType::Int64, true));
        let schema = Arc::new(Schema::new(fields.chain([number]).collect::<Vec<_>>()));
        Self::new(&table.name.clone(), schema, Origin::Numbered(table))
    }

    fn new(name: &str, schema: SchemaRef, origin: Origin) -> Self {
        let running = futures::lock::Mutex::new(());
        let rows = RwLock::new(None);
        Self { name: name.to_owned(), schema, origin, key: None, rows, running }
    }

    /// Replaces all rows by `batches`, for which `memory` is reserved.
    ///
    /// # Errors
    /// When the batches do not have the table's columns.
    pub(crate) fn replace(
        &self,
        batches: Vec<RecordBatch>,
        memory: Option<Arc<MemoryReservation>>,
    ) -> Result<()> {
        let snapshot = Snapshot::new(&self.name, Arc::clone(&self.schema), batches)?;
        self.keep(snapshot, memory, None);
        Ok(())
    }

    fn keep(
        &self,
        snapshot: Snapshot,
        memory: Option<Arc<MemoryReservation>>,
        unnumbered: Option<Arc<Snapshot>>,
    ) -> StoredRows {
        let snapshot = Arc::new(snapshot);
        let stored = Arc::new(StoredTable::new(Arc::clone(&snapshot) as _));
        let rows = StoredRows { snapshot, stored, memory, unnumbered };
        *self.rows.write().unwrap_or_else(PoisonError::into_inner) = Some(rows.clone());
        rows
    }

    /// The memory that is reserved for the current rows.
    pub(crate) fn memory(&self) -> Option<Arc<MemoryReservation>> {
        self.current()?.memory
    }

    /// The number of rows; `None` before the query ran.
    pub(crate) fn rows_now(&self) -> Option<usize> {
        Some(self.current()?.stored.rows())
    }

    /// The schema of the table.
    pub(crate) fn columns(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// The key that its statement declared.
    pub(crate) fn primary_key(&self) -> Option<&PrimaryKey> {
        self.key.as_ref()
    }

    /// The query that gives the rows, which no statement changes then.
    pub(crate) fn query(&self) -> Option<&LogicalPlan> {
        match &self.origin {
            Origin::Query(query) => Some(query),
            Origin::Statements | Origin::Numbered(_) => None,
        }
    }

    /// Returns the current rows; runs the query first if it did not run yet.
    ///
    /// # Errors
    /// When the query fails.
    pub(crate) async fn rows(&self, state: &dyn Session) -> Result<Arc<Snapshot>> {
        Ok(self.load(state).await?.snapshot)
    }

    async fn load(&self, state: &dyn Session) -> Result<StoredRows> {
        if let Some(rows) = self.current() {
            return Ok(rows);
        }
        let _running = self.running.lock().await;
        if let Some(rows) = self.current() {
            return Ok(rows);
        }
        match &self.origin {
            Origin::Statements => {}
            Origin::Query(query) => {
                let new = || Chunks::new(&self.schema);
                let (parts, memory) = run(&self.name, query, &self.schema, state, new).await?;
                let snapshot = Snapshot::of_parts(&self.name, Arc::clone(&self.schema), parts)?;
                return Ok(self.keep(snapshot, memory.map(Arc::new), None));
            }
            Origin::Numbered(table) => {
                let rows = Box::pin(table.load(state)).await?;
                let batches = numbered(&rows.snapshot.batches()?, &self.schema)?;
                let snapshot = Snapshot::new(&self.name, Arc::clone(&self.schema), batches)?;
                return Ok(self.keep(snapshot, rows.memory, Some(rows.snapshot)));
            }
        }
        self.current().ok_or_else(|| {
            DataFusionError::Internal(format!("table {} has neither rows nor a query", self.name))
        })
    }

    /// The rows that there are; `None` if there are none yet, or if they are numbered rows of a
    /// table that has other rows since.
    fn current(&self) -> Option<StoredRows> {
        let rows = self.rows.read().unwrap_or_else(PoisonError::into_inner).clone()?;
        let Origin::Numbered(table) = &self.origin else { return Some(rows) };
        let now = table.current()?;
        let is_of_now = rows.unnumbered.as_ref().is_some_and(|of| Arc::ptr_eq(of, &now.snapshot));
        is_of_now.then_some(rows)
    }
}

/// The batches with the number of each row as a last column.
fn numbered(batches: &[RecordBatch], schema: &SchemaRef) -> Result<Vec<RecordBatch>> {
    let mut first = 0_i64;
    let mut result = Vec::with_capacity(batches.len());
    for batch in batches {
        let end = first + batch.num_rows() as i64;
        let numbers = Arc::new(Int64Array::from_iter_values(first..end));
        let columns = batch.columns().iter().cloned().chain([numbers as ArrayRef]).collect();
        result.push(RecordBatch::try_new(Arc::clone(schema), columns)?);
        first = end;
    }
    Ok(result)
}

/// Runs a query; returns its rows, with the columns of a table of this name, and the memory that is
/// reserved for them. For rows that are read once: they are kept as they come.
///
/// # Errors
/// When the query fails.
pub(super) async fn rows_of(
    table: &str,
    query: &LogicalPlan,
    state: &dyn Session,
) -> Result<(Vec<RecordBatch>, Option<MemoryReservation>)> {
    let schema = stored_schema(query.schema().inner());
    let (parts, memory) = run(table, query, &schema, state, Vec::new).await?;
    Ok((parts.into_iter().flatten().collect(), memory))
}

/// What keeps the rows of a part of a query.
trait KeepRows: Send + 'static {
    /// Adds rows, of which there is at least one.
    fn keep(&mut self, rows: RecordBatch) -> Result<()>;

    /// Called after the last rows.
    fn finish(&mut self) -> Result<()>;
}

impl KeepRows for Vec<RecordBatch> {
    fn keep(&mut self, rows: RecordBatch) -> Result<()> {
        self.push(rows);
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

impl KeepRows for Chunks {
    fn keep(&mut self, rows: RecordBatch) -> Result<()> {
        self.push(rows)
    }

    fn finish(&mut self) -> Result<()> {
        self.flush()
    }
}

/// Runs a query; returns the rows of its parts in order, with the columns of a table, and the memory
/// that is reserved for them. The parts run at the same time, as all of them are kept.
async fn run<K: KeepRows>(
    table: &str,
    query: &LogicalPlan,
    schema: &SchemaRef,
    state: &dyn Session,
    new: impl Fn() -> K + Send,
) -> Result<(Vec<K>, Option<MemoryReservation>)> {
    let plan = state.create_physical_plan(query).await?;
    let context = Arc::new(TaskContext::from(state));
    let all = reserve_for(table, &[], state.config_options())?;
    let mut waiting = Vec::new();
    for rows in execute_stream_partitioned(plan, context)? {
        let memory = reserve_for(table, &[], state.config_options())?;
        waiting.push(Part { rows, memory, schema: Arc::clone(schema), kept: new() });
    }
    let mut waiting = waiting.into_iter();
    let mut running: VecDeque<_> = waiting.by_ref().take(PARTS_AT_ONCE).map(Part::start).collect();
    let mut parts = Vec::new();
    while let Some(part) = running.pop_front() {
        let (kept, memory) =
            part.await.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))??;
        running.extend(waiting.next().map(Part::start));
        if let (Some(all), Some(memory)) = (&all, memory) {
            all.grow(memory.free());
        }
        parts.push(kept);
    }
    Ok((parts, all))
}

/// A part of a query, the memory for its rows, and what keeps them.
struct Part<K> {
    rows: SendableRecordBatchStream,
    memory: Option<MemoryReservation>,
    schema: SchemaRef,
    kept: K,
}

/// The rows of a part, and the memory for them.
type Collected<K> = (K, Option<MemoryReservation>);

impl<K: KeepRows> Part<K> {
    /// Runs it in a task of its own, which ends when it is dropped.
    fn start(self) -> SpawnedTask<Result<Collected<K>>> {
        SpawnedTask::spawn(self.collect())
    }

    async fn collect(mut self) -> Result<Collected<K>> {
        while let Some(batch) = self.rows.try_next().await? {
            if batch.num_rows() == 0 {
                continue;
            }
            if let Some(memory) = &self.memory {
                memory.try_grow(bytes_of(&batch))?;
            }
            self.kept.keep(with_schema(&batch, &self.schema)?)?;
        }
        self.kept.finish()?;
        Ok((self.kept, self.memory))
    }
}

/// Casts the columns of a batch to the table's types. The logical and the physical plan may use
/// different text types, for example where the values of a CASE are a literal and a column.
fn with_schema(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| cast(column, field.data_type()));
    let columns = columns.collect::<std::result::Result<Vec<_>, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    Ok(RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)?)
}

/// The columns without metadata that only plans need, all of them nullable. Text columns get the
/// text type of the trace's tables.
fn stored_schema(schema: &SchemaRef) -> SchemaRef {
    let fields = schema.fields().iter();
    let stored_type = |data_type: &DataType| match data_type {
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        data_type => data_type.clone(),
    };
    let fields = fields.map(|field| Field::new(field.name(), stored_type(field.data_type()), true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

impl fmt::Debug for MaterializedTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MaterializedTable({})", self.name)
    }
}

#[async_trait]
impl TableProvider for MaterializedTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn statistics(&self) -> Option<Statistics> {
        let all: Vec<usize> = (0..self.schema.fields().len()).collect();
        Some(self.current()?.stored.statistics_of(&all))
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let rows = self.load(state).await?;
        StoredProvider(rows.stored).scan(state, projection, filters, limit).await
    }
}
