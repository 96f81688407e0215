//! Requests of the extended protocol: statements that are prepared, given values, and run in parts.

use std::sync::Arc;

use pgwire::messages::PgWireBackendMessage;
use pgwire::messages::data::{NoData, ParameterDescription};
use pgwire::messages::extendedquery::{BindComplete, CloseComplete, ParseComplete};
use pgwire::messages::response::EmptyQueryResponse;
use tpq_sql::ParameterValue;

use super::connection::{Connection, RequestError};
use super::errors::{Failure, code};
use super::execution::{Portal, Prepared};
use super::requests::{Bind, Target};
use super::rows::Columns;
use super::values;

/// The most statements and portals of a connection.
const MAX_PREPARED: usize = 10_000;
const MAX_PORTALS: usize = 1_000;
/// The most bytes of memory for the statements of a connection with their words, and for the values
/// of its portals. The words of a statement take many times its text.
const MAX_MEMORY: usize = 64 << 20;
/// The number of the type `text`, which stands for types that were not given.
const TEXT: u32 = 25;

impl Connection {
    pub(super) async fn parse(
        &mut self,
        name: String,
        sql: String,
        types: Vec<u32>,
    ) -> Result<(), RequestError> {
        if !name.is_empty() && self.prepared.contains_key(&name) {
            let message = format!("there is a prepared statement `{name}` already");
            return Err(Failure::new(code::DUPLICATE_STATEMENT, message).into());
        }
        self.check_room(&name, sql.len())?;
        let mut statements = self.statements(&sql).await?;
        if statements.len() > 1 {
            let message = "a prepared statement is one statement";
            return Err(Failure::new(code::SYNTAX, message).into());
        }
        let prepared = Prepared::new(statements.pop(), sql.into(), types);
        self.check_room(&name, prepared.memory_size())?;
        self.prepared.insert(name, Arc::new(prepared));
        Ok(self.output.add(&PgWireBackendMessage::ParseComplete(ParseComplete::new()))?)
    }

    /// Whether a statement of `size` bytes may be kept by a name.
    fn check_room(&self, name: &str, size: usize) -> Result<(), Failure> {
        let others = self.prepared.iter().filter(|(known, _)| *known != name);
        let (count, bytes) = others.fold((0, size), |(count, bytes), (name, prepared)| {
            (count + 1, bytes + name.len() + prepared.memory_size())
        });
        if count >= MAX_PREPARED || bytes > MAX_MEMORY {
            let message = "too many prepared statements, or too long ones";
            return Err(Failure::new(code::LIMIT_EXCEEDED, message));
        }
        Ok(())
    }

    fn prepared(&self, name: &str) -> Result<Arc<Prepared>, Failure> {
        self.prepared.get(name).map(Arc::clone).ok_or_else(|| {
            let message = format!("there is no prepared statement `{name}`");
            Failure::new(code::UNKNOWN_STATEMENT, message)
        })
    }

    pub(super) fn bind(&mut self, bind: Bind) -> Result<(), RequestError> {
        let prepared = self.prepared(&bind.statement)?;
        if !bind.portal.is_empty() && self.portals.contains_key(&bind.portal) {
            let message = format!("there is a portal `{}` already", bind.portal);
            return Err(Failure::new(code::DUPLICATE_PORTAL, message).into());
        }
        if self.portals.len() >= MAX_PORTALS {
            return Err(Failure::new(code::LIMIT_EXCEEDED, "too many portals").into());
        }
        let values = values_of(&bind, &prepared)?;
        let portal = Portal::new(prepared, values, bind.result_formats);
        let others = self.portals.iter().filter(|(known, _)| **known != bind.portal);
        let bytes = others.map(|(_, portal)| portal.memory_size()).sum::<usize>();
        if bytes + portal.memory_size() > MAX_MEMORY {
            return Err(Failure::new(code::LIMIT_EXCEEDED, "the values are too long").into());
        }
        self.portals.insert(bind.portal, portal);
        Ok(self.output.add(&PgWireBackendMessage::BindComplete(BindComplete::new()))?)
    }

    pub(super) async fn describe_statement(&mut self, name: &str) -> Result<(), RequestError> {
        let prepared = self.prepared(name)?;
        let types = (0..prepared.parameters()).map(|at| match prepared.type_of(at) {
            0 => TEXT,
            known => known,
        });
        let types = ParameterDescription::new(types.collect());
        let columns = self.columns_of(&prepared).await?;
        self.output.add(&PgWireBackendMessage::ParameterDescription(types))?;
        let description = match &columns {
            Some(schema) => Columns::new(schema, &[])?.description(),
            None => PgWireBackendMessage::NoData(NoData::new()),
        };
        // The rows of its portals have these columns.
        let described = prepared.described(columns);
        self.prepared.insert(name.to_owned(), Arc::new(described));
        Ok(self.output.add(&description)?)
    }

    /// Starts the portal: its columns are then known.
    pub(super) async fn describe_portal(&mut self, name: &str) -> Result<(), RequestError> {
        if let Some(cursor) = self.cursors.get(name) {
            let columns = Columns::new(&cursor.schema, &[])?;
            return Ok(self.output.add(&columns.description())?);
        }
        let mut portal = self.take_portal(name)?;
        let running = self.registered.cancel.begin();
        self.open(&mut portal, &running).await?;
        let description = match portal.columns() {
            Some(columns) => columns.description(),
            None => PgWireBackendMessage::NoData(NoData::new()),
        };
        self.portals.insert(name.to_owned(), portal);
        Ok(self.output.add(&description)?)
    }

    pub(super) async fn execute(
        &mut self,
        name: &str,
        max_rows: usize,
    ) -> Result<(), RequestError> {
        let mut portal = self.take_portal(name)?;
        if portal.is_empty() {
            let empty = PgWireBackendMessage::EmptyQueryResponse(EmptyQueryResponse::new());
            self.portals.insert(name.to_owned(), portal);
            return Ok(self.output.add(&empty)?);
        }
        let running = self.registered.cancel.begin();
        self.open(&mut portal, &running).await?;
        self.send(&mut portal, max_rows, &running).await?;
        self.portals.insert(name.to_owned(), portal);
        Ok(())
    }

    /// A portal, taken out while it is used: one that fails is gone.
    fn take_portal(&mut self, name: &str) -> Result<Portal, Failure> {
        self.portals.remove(name).ok_or_else(|| {
            Failure::new(code::UNKNOWN_PORTAL, format!("there is no portal `{name}`"))
        })
    }

    /// Closes a statement or portal. One that does not exist is closed already.
    pub(super) fn close(&mut self, target: &Target) -> Result<(), RequestError> {
        match target {
            Target::Statement(name) => drop(self.prepared.remove(name)),
            Target::Portal(name) => drop(self.portals.remove(name)),
        }
        Ok(self.output.add(&PgWireBackendMessage::CloseComplete(CloseComplete::new()))?)
    }
}

/// The values of a request. No format stands for text, one is for all values.
fn values_of(bind: &Bind, prepared: &Prepared) -> Result<Vec<ParameterValue>, Failure> {
    let (given, expected) = (bind.values.len(), prepared.parameters());
    let formats = &bind.formats;
    if given != expected || formats.len() > 1 && formats.len() != given {
        let message = format!(
            "the statement has {expected} parameters, and {given} values with {} formats were given",
            formats.len()
        );
        return Err(Failure::new(code::PROTOCOL_VIOLATION, message));
    }
    let value = |(at, value): (usize, &Option<bytes::Bytes>)| {
        let format = formats.get(at).or(formats.first()).copied().unwrap_or(0);
        values::value(prepared.type_of(at), format, value.as_ref())
    };
    bind.values.iter().enumerate().map(value).collect()
}
