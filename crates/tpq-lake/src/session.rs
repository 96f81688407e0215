//! Sessions on a lake: on one trace of it, and on the relations over all traces.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::AsArray;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::{Session as EngineSession, TableProvider};
use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;
use tpq_sql::{Session, SessionOptions};
use tpq_tables::{TableDecl, Tables};

use crate::catalog::TRACES;
use crate::lake::Lake;
use crate::relations::{catalog_rows, table};
use crate::{LAKE_SCHEMA, LakeError, LakeTrace, TRACE_DIGEST};

impl Lake {
    /// The traces for which `filter` is true, in the order of their paths; all of them without one.
    /// The filter is an SQL expression over the columns of the catalogue.
    ///
    /// # Errors
    /// When the catalogue cannot be read, or the filter is wrong.
    pub async fn traces(&self, filter: Option<&str>) -> Result<Vec<Arc<LakeTrace>>, LakeError> {
        let catalog = self.catalog().await?;
        let traces = catalog.traces();
        let Some(filter) = filter else { return Ok(traces) };
        let rows = catalog_rows(catalog.layout(), &traces)?;
        let session = self.session_over(HashMap::from([(TRACES.to_owned(), table(rows)?)]))?;
        // On lines of its own, so that a comment at its end is one.
        let sql = format!("SELECT {TRACE_DIGEST} FROM {LAKE_SCHEMA}.{TRACES} WHERE (\n{filter}\n)");
        let found = session.query(&sql).await?.collect().await?;
        let mut digests = HashSet::new();
        for batch in found {
            let column = cast(batch.column(0), &DataType::Utf8View)?;
            digests.extend(column.as_string_view().iter().flatten().map(str::to_owned));
        }
        let is_found = |trace: &Arc<LakeTrace>| digests.contains(&trace.facts.digest);
        Ok(traces.into_iter().filter(is_found).collect())
    }

    /// A session on one trace, with the tables, views and modules of the trace itself.
    ///
    /// # Errors
    /// When the catalogue's entry of the trace is damaged.
    pub fn session_of(
        &self,
        trace: &Arc<LakeTrace>,
        options: &SessionOptions,
    ) -> Result<Session, LakeError> {
        let options = SessionOptions { packets: trace.facts.packets.clone(), ..options.clone() };
        let session = Session::with_scans(self.tables_of(trace), self.scans_of(trace)?, &options)?;
        self.register(&session);
        Ok(session)
    }

    /// The scans of all tables of a trace, by their names.
    ///
    /// # Errors
    /// When the catalogue's entry of the trace is damaged.
    pub fn scans_of(
        &self,
        trace: &LakeTrace,
    ) -> Result<HashMap<String, Arc<dyn TableProvider>>, LakeError> {
        let scan = |decl: &&'static TableDecl| {
            Ok((decl.name.to_owned(), self.scan_of(trace, decl)? as Arc<dyn TableProvider>))
        };
        Tables::DECLS.iter().map(scan).collect()
    }

    /// A session on the relations over `traces`. Tables of each trace are an error in it.
    ///
    /// # Errors
    /// When the lake cannot be read.
    pub async fn session_of_all(
        &self,
        filter: Option<&str>,
        options: &SessionOptions,
    ) -> Result<Session, LakeError> {
        let session = Self::session_without_trace(options)?;
        self.add_relations(&session, filter).await?;
        Ok(session)
    }

    fn session_over(
        &self,
        relations: HashMap<String, Arc<dyn TableProvider>>,
    ) -> Result<Session, LakeError> {
        let session = Self::session_without_trace(&SessionOptions::default())?;
        session.add_schema(LAKE_SCHEMA, relations);
        Ok(session)
    }

    fn session_without_trace(options: &SessionOptions) -> Result<Session, LakeError> {
        let scans = Self::scans_of_no_trace();
        Ok(Session::with_scans(Self::tables_of_no_trace(), scans, options)?)
    }

    /// The tables of a trace in a session over all traces: reading one is an error.
    pub fn scans_of_no_trace() -> HashMap<String, Arc<dyn TableProvider>> {
        let scan = |decl: &&'static TableDecl| {
            let table: Arc<dyn TableProvider> = Arc::new(OfEachTrace::new(decl));
            (decl.name.to_owned(), table)
        };
        Tables::DECLS.iter().map(scan).collect()
    }

    /// Adds the relations over the traces of `filter` to a session.
    ///
    /// # Errors
    /// When the lake cannot be read, or the filter is wrong.
    pub async fn add_relations(
        &self,
        session: &Session,
        filter: Option<&str>,
    ) -> Result<(), LakeError> {
        let catalog = self.catalog().await?;
        let traces = match filter {
            None => catalog.traces(),
            Some(_) => self.traces(filter).await?,
        };
        session.add_schema(LAKE_SCHEMA, self.relations(&catalog, &traces).await?);
        self.register(session);
        Ok(())
    }

    /// Lets a session read the files of the lake.
    fn register(&self, session: &Session) {
        let store = Arc::clone(self.store().object_store());
        let url = self.store().object_store_url().as_ref();
        session.context().register_object_store(url, store);
    }
}

/// A table that each trace has, in a session over all traces.
#[derive(Debug)]
struct OfEachTrace {
    name: &'static str,
    schema: SchemaRef,
}

impl OfEachTrace {
    fn new(decl: &'static TableDecl) -> Self {
        let fields: Vec<Field> = decl.columns.iter().map(|column| column.field()).collect();
        Self { name: decl.name, schema: Arc::new(Schema::new(fields)) }
    }
}

#[async_trait]
impl TableProvider for OfEachTrace {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _state: &dyn EngineSession,
        _projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        _limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let name = self.name;
        plan_err!(
            "each trace has a table {name}, and a statement with {LAKE_SCHEMA}. in it runs over all \
             traces; write {LAKE_SCHEMA}.{name}, or leave out {LAKE_SCHEMA}. so that the statement \
             runs on each trace"
        )
    }
}
