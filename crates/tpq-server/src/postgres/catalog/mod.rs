//! The catalogs of PostgreSQL: `pg_catalog` and `information_schema`, which describe the tables of
//! the trace to tools that know no traces.
//!
//! Queries of catalogs are written for PostgreSQL, in its dialect. They run on DataFusion alone, in
//! a context that holds nothing but catalogs: tables of the trace have columns there and no rows.
//! `datafusion-pg-catalog` has the tables of `pg_catalog` and rewrites what DataFusion does not
//! plan.

mod functions;
mod information_schema;
mod length;
mod rewriting;
mod trace_schema;

use std::sync::{Arc, Mutex, PoisonError};

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{CatalogProvider, MemoryCatalogProvider};
use datafusion::common::{DataFusionError, ParamValues, Result, ScalarValue, plan_err};
use datafusion::execution::context::SQLOptions;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::GreedyMemoryPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::{DataFrame, SessionConfig, SessionContext};
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast;
use datafusion_pg_catalog::pg_catalog::context::EmptyContextProvider;
use datafusion_pg_catalog::pg_catalog::setup_pg_catalog;
use datafusion_pg_catalog::sql::PostgresCompatibilityParser;
use futures::{StreamExt, TryStreamExt};
use tpq_sql::Planning;

use self::information_schema::InformationSchema;
use self::length::{check_tables, check_text};
use self::rewriting::rewritten;
use self::trace_schema::TraceSchema;
use crate::engine::{Answer, RowsError};
use crate::loader::LoadedTrace;
use crate::relations::{CurrentRelations, DATABASE, Relations, SCHEMA};

/// Bytes that all queries of catalogs together may sort, group and join. Catalogs have some ten
/// thousand rows.
const MEMORY: usize = 256 << 20;

/// The catalogs of one trace.
pub(super) struct Catalog {
    context: SessionContext,
    parser: PostgresCompatibilityParser,
}

impl Catalog {
    fn new(relations: Arc<Relations>) -> Result<Self> {
        let disk = DiskManagerBuilder::default().with_mode(DiskManagerMode::Disabled);
        let runtime = RuntimeEnvBuilder::new()
            .with_memory_pool(Arc::new(GreedyMemoryPool::new(MEMORY)))
            .with_disk_manager_builder(disk)
            .build_arc()?;
        let config = SessionConfig::new()
            .with_default_catalog_and_schema(DATABASE, SCHEMA)
            .with_create_default_catalog_and_schema(false)
            .with_information_schema(false)
            .with_target_partitions(1);
        let context = SessionContext::new_with_config_rt(config, runtime);
        let database = Arc::new(MemoryCatalogProvider::new());
        let tables = Arc::new(TraceSchema(Arc::clone(&relations)));
        database.register_schema(SCHEMA, tables)?;
        database.register_schema(
            information_schema::NAME,
            Arc::new(InformationSchema::new(relations)),
        )?;
        context.register_catalog(DATABASE, database);
        setup_pg_catalog(&context, DATABASE, EmptyContextProvider).map_err(|error| *error)?;
        for function in functions::all() {
            context.register_udf(function);
        }
        Ok(Self { context, parser: PostgresCompatibilityParser::new() })
    }

    /// Plans a query of catalogs.
    ///
    /// # Errors
    /// When it is not one query, too long, or not one that DataFusion plans.
    async fn plan(&self, sql: &str, values: Vec<ScalarValue>) -> Result<LogicalPlan> {
        check_text(sql)?;
        let statements = self.parser.parse(&rewritten(sql));
        let mut statements = statements.map_err(DataFusionError::from)?;
        let query = match (statements.pop(), statements.is_empty()) {
            (Some(query @ ast::Statement::Query(_)), true) => query,
            _ => return plan_err!("expected one query"),
        };
        check_tables(&query)?;
        let state = self.context.state();
        let plan = state.statement_to_plan(Statement::Statement(Box::new(query))).await?;
        let reading = SQLOptions::new()
            .with_allow_ddl(false)
            .with_allow_dml(false)
            .with_allow_statements(false);
        reading.verify_plan(&plan)?;
        if values.is_empty() { Ok(plan) } else { plan.with_param_values(ParamValues::from(values)) }
    }

    /// The columns of a query.
    ///
    /// # Errors
    /// When it cannot be planned.
    pub(super) async fn columns_of(
        &self,
        sql: &str,
        values: Vec<ScalarValue>,
    ) -> Result<SchemaRef, RowsError> {
        let schema = Planning::new(async {
            let plan = self.plan(sql, values).await?;
            let frame = DataFrame::new(self.context.state(), plan);
            Ok(frame.create_physical_plan().await?.schema())
        });
        schema.await.map_err(failed)
    }

    /// Starts a query.
    ///
    /// # Errors
    /// When it cannot be planned.
    pub(super) async fn run(
        &self,
        sql: &str,
        values: Vec<ScalarValue>,
    ) -> Result<Answer, RowsError> {
        let batches = Planning::new(async {
            let plan = self.plan(sql, values).await?;
            DataFrame::new(self.context.state(), plan).execute_stream().await
        });
        let batches = batches.await.map_err(failed)?;
        Ok(Answer { schema: batches.schema(), batches: batches.map_err(failed).boxed() })
    }
}

fn failed(error: DataFusionError) -> RowsError {
    RowsError::Catalog(error.strip_backtrace())
}

/// The catalogs of the current trace, made when they are first asked for.
#[derive(Default)]
pub(super) struct Catalogs {
    relations: CurrentRelations,
    catalog: Mutex<Option<(Arc<Relations>, Arc<Catalog>)>>,
}

impl Catalogs {
    /// The catalogs of a trace.
    ///
    /// # Errors
    /// When they cannot be made, which is a bug.
    pub(super) fn of(&self, trace: &Arc<dyn LoadedTrace>) -> Result<Arc<Catalog>, RowsError> {
        let relations = self.relations.of(trace);
        let mut current = self.catalog.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, catalog)) = &*current
            && Arc::ptr_eq(known, &relations)
        {
            return Ok(Arc::clone(catalog));
        }
        let catalog = Arc::new(Catalog::new(Arc::clone(&relations)).map_err(failed)?);
        *current = Some((relations, Arc::clone(&catalog)));
        Ok(catalog)
    }
}

#[cfg(test)]
mod tests;
