//! The methods of Flight SQL.

use std::pin::Pin;
use std::sync::Arc;

use arrow_flight::decode::FlightRecordBatchStream;
use arrow_flight::error::FlightError;
use arrow_flight::sql::server::{FlightSqlService, PeekableFlightDataStream};
use arrow_flight::sql::{
    ActionBeginTransactionRequest, ActionBeginTransactionResult,
    ActionClosePreparedStatementRequest, ActionCreatePreparedStatementRequest,
    ActionCreatePreparedStatementResult, ActionEndTransactionRequest, CommandGetCatalogs,
    CommandGetCrossReference, CommandGetDbSchemas, CommandGetExportedKeys, CommandGetImportedKeys,
    CommandGetPrimaryKeys, CommandGetSqlInfo, CommandGetTableTypes, CommandGetTables,
    CommandPreparedStatementQuery, CommandPreparedStatementUpdate, CommandStatementQuery,
    CommandStatementUpdate, DoPutPreparedStatementResult, ProstMessageExt, SqlInfo,
    TicketStatementQuery,
};
use arrow_flight::{
    Action, FlightDescriptor, FlightEndpoint, FlightInfo, HandshakeRequest, HandshakeResponse,
    IpcMessage, SchemaAsIpc, Ticket,
};
use bytes::Bytes;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::ipc::writer::IpcWriteOptions;
use futures::{Stream, StreamExt, TryStreamExt};
use prost::Message;
use tonic::metadata::MetadataValue;
use tonic::{Request, Response, Status, Streaming};
use tpq_sql::{ParameterValue, Session, Statement};

use super::authentication::given;
use super::batches::{FlightStream, message, messages, sent_schema};
use super::handle::{Handle, values};
use super::{metadata, status};
use crate::engine::{Answer, Engine, RowsError, SharedSlot};
use crate::relations::{CurrentRelations, Relations};

/// The id of every transaction, as none has an effect.
const TRANSACTION: &[u8] = b"reads";

/// The service. It keeps nothing for clients.
pub(super) struct Service {
    engine: Arc<Engine>,
    relations: CurrentRelations,
}

/// The reply of a request for rows.
type Rows = Result<Response<FlightStream>, Status>;
/// The reply of a request for columns, and for the ticket by which rows are asked for.
type Info = Result<Response<FlightInfo>, Status>;

impl Service {
    pub(super) fn new(engine: Arc<Engine>) -> Self {
        Self { engine, relations: CurrentRelations::default() }
    }

    /// The columns of a statement. One that gives no rows has no columns.
    async fn columns(&self, handle: Handle) -> Result<SchemaRef, Status> {
        let slot = SharedSlot::default();
        let columns = self.engine.ask(&slot, move |trace, cancel| async move {
            let session = trace.session();
            let statement = only(session, &handle.sql)?;
            let parameters = handle.parameters(&statement);
            Ok(session.columns_of(&statement, parameters, &cancel).await?)
        });
        let columns = columns.await.map_err(|error| status::of_rows(&error))?;
        Ok(columns.map_or_else(|| Arc::new(Schema::empty()), |schema| sent_schema(&schema)))
    }

    /// Runs a statement.
    async fn run(&self, handle: Handle) -> Result<FlightStream, Status> {
        let slot = SharedSlot::default();
        let rows = self.engine.rows(&slot, move |trace, cancel| async move {
            let session = trace.session();
            let statement = only(session, &handle.sql)?;
            let parameters = handle.parameters(&statement);
            let rows = session.read(&statement, parameters, &cancel).await?;
            Ok(rows.map(|rows| Answer {
                schema: Arc::clone(rows.schema()),
                batches: rows.map_err(RowsError::from).boxed(),
            }))
        });
        match rows.await.map_err(|error| status::of_rows(&error))? {
            Some(rows) => Ok(messages(sent_schema(rows.schema()), rows)),
            None => Ok(messages(Arc::new(Schema::empty()), futures::stream::empty())),
        }
    }

    /// Runs a statement to its end. No statement changes rows, so their number is 0.
    async fn update(&self, handle: Handle) -> Result<i64, Status> {
        let stream = self.run(handle).await?;
        stream.try_for_each(|_| std::future::ready(Ok(()))).await.map(|()| 0)
    }

    async fn relations(&self) -> Result<Arc<Relations>, Status> {
        let trace = self.engine.trace().await;
        let trace = trace.map_err(|error| status::of_rows(&error.into()))?;
        Ok(self.relations.of(&trace))
    }

    /// The tables, on the threads of queries: views are planned for their columns.
    async fn tables(&self, command: CommandGetTables) -> Result<RecordBatch, Status> {
        let relations = self.relations().await?;
        let slot = SharedSlot::default();
        let tables = self
            .engine
            .ask(&slot, move |_, _| async move { Ok(metadata::tables(command, &relations).await) });
        Ok(tables.await.map_err(|error| status::of_rows(&error))??)
    }
}

/// The statement of a text, which must be the only one.
fn only(session: &Session, sql: &str) -> Result<Statement, RowsError> {
    let mut statements = session.statements(sql)?;
    let count = statements.len();
    match (statements.pop(), count) {
        (Some(statement), 1) => Ok(statement),
        _ => Err(RowsError::Unsupported(format!("expected one statement, found {count}"))),
    }
}

/// The parameters of a statement without values, as NULL.
fn without_values(session: &Session, sql: &str) -> Result<Vec<ParameterValue>, RowsError> {
    let names = only(session, sql)?.parameters();
    let numbers = names.iter().filter_map(|name| name.parse::<u16>().ok());
    let count = numbers.map(usize::from).max().unwrap_or(0).max(names.len());
    Ok(vec![ParameterValue::Null; count])
}

/// The reply that rows of these columns are to be asked for with a command.
fn info(
    schema: &Schema,
    ticket: &impl ProstMessageExt,
    request: Request<FlightDescriptor>,
) -> Info {
    let ticket = Ticket::new(ticket.as_any().encode_to_vec());
    let info = FlightInfo::new()
        .try_with_schema(schema)
        .map_err(of_arrow)?
        .with_endpoint(FlightEndpoint::new().with_ticket(ticket))
        .with_descriptor(request.into_inner());
    Ok(Response::new(info))
}

fn one(batch: Result<RecordBatch, FlightError>) -> Rows {
    Ok(Response::new(message(batch?)))
}

fn of_arrow(error: ArrowError) -> Status {
    Status::internal(error.to_string())
}

/// The bytes of a schema in a message.
fn schema_bytes(schema: &Schema) -> Result<Bytes, Status> {
    let options = IpcWriteOptions::default();
    let IpcMessage(bytes) = SchemaAsIpc::new(schema, &options).try_into().map_err(of_arrow)?;
    Ok(bytes)
}

#[tonic::async_trait]
impl FlightSqlService for Service {
    type FlightService = Self;

    /// Exchanges the password of a user for a bearer token, which is the same.
    async fn do_handshake(
        &self,
        request: Request<Streaming<HandshakeRequest>>,
    ) -> Result<
        Response<Pin<Box<dyn Stream<Item = Result<HandshakeResponse, Status>> + Send>>>,
        Status,
    > {
        let token = given(request.metadata()).unwrap_or_else(|| "none".to_owned());
        let payload = Bytes::from(token.clone().into_bytes());
        let reply = HandshakeResponse { protocol_version: 0, payload };
        let mut response: Response<Pin<Box<dyn Stream<Item = _> + Send>>> =
            Response::new(futures::stream::iter([Ok(reply)]).boxed());
        if let Ok(value) = MetadataValue::try_from(format!("Bearer {token}")) {
            response.metadata_mut().insert("authorization", value);
        }
        Ok(response)
    }

    async fn get_flight_info_statement(
        &self,
        query: CommandStatementQuery,
        request: Request<FlightDescriptor>,
    ) -> Info {
        let handle = Handle { sql: query.query, values: Vec::new() };
        let ticket = TicketStatementQuery { statement_handle: handle.encode().into() };
        let columns = self.columns(handle).await?;
        info(&columns, &ticket, request)
    }

    async fn do_get_statement(&self, ticket: TicketStatementQuery, _: Request<Ticket>) -> Rows {
        let handle = Handle::decode(&ticket.statement_handle)?;
        Ok(Response::new(self.run(handle).await?))
    }

    async fn do_action_create_prepared_statement(
        &self,
        query: ActionCreatePreparedStatementRequest,
        _: Request<Action>,
    ) -> Result<ActionCreatePreparedStatementResult, Status> {
        let sql = query.query.clone();
        let slot = SharedSlot::default();
        let values = self
            .engine
            .ask(&slot, move |trace, _| async move { without_values(trace.session(), &sql) });
        let values = values.await.map_err(|error| status::of_rows(&error))?;
        let handle = Handle { sql: query.query.clone(), values };
        let columns = self.columns(handle).await?;
        let handle = Handle { sql: query.query, values: Vec::new() };
        Ok(ActionCreatePreparedStatementResult {
            prepared_statement_handle: handle.encode().into(),
            dataset_schema: schema_bytes(&columns)?,
            // Values of any type are taken.
            parameter_schema: Bytes::new(),
        })
    }

    /// Nothing is kept.
    async fn do_action_close_prepared_statement(
        &self,
        _: ActionClosePreparedStatementRequest,
        _: Request<Action>,
    ) -> Result<(), Status> {
        Ok(())
    }

    async fn do_put_prepared_statement_query(
        &self,
        query: CommandPreparedStatementQuery,
        request: Request<PeekableFlightDataStream>,
    ) -> Result<DoPutPreparedStatementResult, Status> {
        let handle = Handle::decode(&query.prepared_statement_handle)?;
        let stream = request.into_inner().map_err(FlightError::from);
        let values = values(FlightRecordBatchStream::new_from_flight_data(stream)).await?;
        let handle = Handle { values, ..handle }.encode();
        Ok(DoPutPreparedStatementResult { prepared_statement_handle: Some(handle.into()) })
    }

    async fn get_flight_info_prepared_statement(
        &self,
        query: CommandPreparedStatementQuery,
        request: Request<FlightDescriptor>,
    ) -> Info {
        let columns = self.columns(Handle::decode(&query.prepared_statement_handle)?).await?;
        info(&columns, &query, request)
    }

    async fn do_get_prepared_statement(
        &self,
        query: CommandPreparedStatementQuery,
        _: Request<Ticket>,
    ) -> Rows {
        let handle = Handle::decode(&query.prepared_statement_handle)?;
        Ok(Response::new(self.run(handle).await?))
    }

    async fn do_put_statement_update(
        &self,
        query: CommandStatementUpdate,
        _: Request<PeekableFlightDataStream>,
    ) -> Result<i64, Status> {
        self.update(Handle { sql: query.query, values: Vec::new() }).await
    }

    async fn do_put_prepared_statement_update(
        &self,
        query: CommandPreparedStatementUpdate,
        _: Request<PeekableFlightDataStream>,
    ) -> Result<i64, Status> {
        self.update(Handle::decode(&query.prepared_statement_handle)?).await
    }

    async fn do_action_begin_transaction(
        &self,
        _: ActionBeginTransactionRequest,
        _: Request<Action>,
    ) -> Result<ActionBeginTransactionResult, Status> {
        Ok(ActionBeginTransactionResult { transaction_id: Bytes::from_static(TRANSACTION) })
    }

    async fn do_action_end_transaction(
        &self,
        _: ActionEndTransactionRequest,
        _: Request<Action>,
    ) -> Result<(), Status> {
        Ok(())
    }

    async fn get_flight_info_catalogs(
        &self,
        command: CommandGetCatalogs,
        request: Request<FlightDescriptor>,
    ) -> Info {
        let schema = command.into_builder().schema();
        info(&schema, &command, request)
    }

    async fn do_get_catalogs(&self, command: CommandGetCatalogs, _: Request<Ticket>) -> Rows {
        one(metadata::catalogs(command))
    }

    async fn get_flight_info_schemas(
        &self,
        command: CommandGetDbSchemas,
        request: Request<FlightDescriptor>,
    ) -> Info {
        let schema = command.clone().into_builder().schema();
        info(&schema, &command, request)
    }

    async fn do_get_schemas(&self, command: CommandGetDbSchemas, _: Request<Ticket>) -> Rows {
        one(metadata::schemas(command))
    }

    async fn get_flight_info_tables(
        &self,
        command: CommandGetTables,
        request: Request<FlightDescriptor>,
    ) -> Info {
        let schema = command.clone().into_builder().schema();
        info(&schema, &command, request)
    }

    async fn do_get_tables(&self, command: CommandGetTables, _: Request<Ticket>) -> Rows {
        Ok(Response::new(message(self.tables(command).await?)))
    }

    async fn get_flight_info_table_types(
        &self,
        command: CommandGetTableTypes,
        request: Request<FlightDescriptor>,
    ) -> Info {
        let schema = command.into_builder().schema();
        info(&schema, &command, request)
    }

    async fn do_get_table_types(&self, command: CommandGetTableTypes, _: Request<Ticket>) -> Rows {
        one(metadata::table_types(command))
    }

    async fn get_flight_info_sql_info(
        &self,
        command: CommandGetSqlInfo,
        request: Request<FlightDescriptor>,
    ) -> Info {
        let facts = metadata::sql_info().map_err(of_arrow)?;
        let schema = command.clone().into_builder(facts).schema();
        info(&schema, &command, request)
    }

    async fn do_get_sql_info(&self, command: CommandGetSqlInfo, _: Request<Ticket>) -> Rows {
        let facts = metadata::sql_info().map_err(of_arrow)?;
        one(command.into_builder(facts).build())
    }

    async fn get_flight_info_primary_keys(
        &self,
        command: CommandGetPrimaryKeys,
        request: Request<FlightDescriptor>,
    ) -> Info {
        info(&metadata::no_primary_keys().schema(), &command, request)
    }

    async fn do_get_primary_keys(&self, _: CommandGetPrimaryKeys, _: Request<Ticket>) -> Rows {
        one(Ok(metadata::no_primary_keys()))
    }

    async fn get_flight_info_exported_keys(
        &self,
        command: CommandGetExportedKeys,
        request: Request<FlightDescriptor>,
    ) -> Info {
        info(&metadata::no_foreign_keys().schema(), &command, request)
    }

    async fn do_get_exported_keys(&self, _: CommandGetExportedKeys, _: Request<Ticket>) -> Rows {
        one(Ok(metadata::no_foreign_keys()))
    }

    async fn get_flight_info_imported_keys(
        &self,
        command: CommandGetImportedKeys,
        request: Request<FlightDescriptor>,
    ) -> Info {
        info(&metadata::no_foreign_keys().schema(), &command, request)
    }

    async fn do_get_imported_keys(&self, _: CommandGetImportedKeys, _: Request<Ticket>) -> Rows {
        one(Ok(metadata::no_foreign_keys()))
    }

    async fn get_flight_info_cross_reference(
        &self,
        command: CommandGetCrossReference,
        request: Request<FlightDescriptor>,
    ) -> Info {
        info(&metadata::no_foreign_keys().schema(), &command, request)
    }

    async fn do_get_cross_reference(
        &self,
        _: CommandGetCrossReference,
        _: Request<Ticket>,
    ) -> Rows {
        one(Ok(metadata::no_foreign_keys()))
    }

    /// The facts do not change.
    async fn register_sql_info(&self, _: i32, _: &SqlInfo) {}
}
