//! Statements that only read, of clients that share a session: what they select, with values of
//! their own for parameters.
//!
//! Nothing is created, changed or dropped, and no file is read. Modules may be included: that makes
//! known what tpq already has, and changes no name that a statement created.

use std::collections::BTreeMap;

use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::execution::SessionState;
use datafusion::prelude::DataFrame;
use datafusion::sql::parser::Statement as Tree;
use datafusion::sql::sqlparser::ast;
use datafusion::sql::sqlparser::tokenizer::Token;

use crate::cancel::{CancelOnDrop, CancelToken, WithCancelToken};
use crate::errors::{Names, SqlError, SqlErrorKind, translate};
use crate::execute::Executor;
use crate::files::FileAccess;
use crate::parameters::{ParameterValue, Parameters};
use crate::perfetto_sql::{Command, Planned, Planner, Statement, Text, with_parameters};
use crate::result::ResultSet;
use crate::session::Session;
use crate::stack::Planning;

/// Values of parameters for one statement, by names in lower case: `$1` has the name `1`.
pub type ParameterValues = BTreeMap<String, ParameterValue>;

impl Session {
    /// Runs a statement that only reads, or that includes modules; `None` if it gives no rows.
    /// Parameters have the values of `parameters` and no others.
    ///
    /// # Errors
    /// As [`Session::run_cancellable`], and with [`SqlErrorKind::ReadOnly`] for other statements.
    pub async fn read(
        &self,
        statement: &Statement,
        parameters: ParameterValues,
        cancel: &CancelToken,
    ) -> Result<Option<ResultSet>, SqlError> {
        let stop = CancelOnDrop(cancel.child());
        let work = async move {
            let state = self.reading_state(&stop.0);
            match self.reading(&state, statement, parameters).await? {
                Reading::Query(planned, text) => {
                    self.start(state, planned, text, stop).await.map(Some)
                }
                Reading::Command(Command::Show(show), text) => {
                    self.show(&state, &show, text).await.map(Some)
                }
                Reading::Command(Command::Summarize(query), text) => {
                    self.summarize(state, query, text, stop).await.map(Some)
                }
                Reading::Command(command, text) => {
                    self.executor(&state).execute(command, &text).await.map(|()| None)
                }
            }
        };
        Planning::new(WithCancelToken::new(cancel, work)).await
    }

    /// The columns of a statement that only reads; `None` if it gives no rows. A query is planned
    /// and not run.
    ///
    /// # Errors
    /// As [`Session::read`].
    pub async fn columns_of(
        &self,
        statement: &Statement,
        parameters: ParameterValues,
        cancel: &CancelToken,
    ) -> Result<Option<SchemaRef>, SqlError> {
        let stop = CancelOnDrop(cancel.child());
        let work = async move {
            let state = self.reading_state(&stop.0);
            match self.reading(&state, statement, parameters).await? {
                Reading::Query(planned, text) => columns(state, planned, &text).await.map(Some),
                Reading::Command(Command::Show(show), text) => {
                    let rows = self.show(&state, &show, text).await?;
                    Ok(Some(SchemaRef::clone(rows.schema())))
                }
                // The columns do not depend on the query, but it must be one.
                Reading::Command(Command::Summarize(query), text) => {
                    let rows = self.summarize(state, query, text, stop).await?;
                    Ok(Some(SchemaRef::clone(rows.schema())))
                }
                Reading::Command(..) => Ok(None),
            }
        };
        Planning::new(WithCancelToken::new(cancel, work)).await
    }

    /// The state of a statement that reads no files.
    fn reading_state(&self, cancel: &CancelToken) -> SessionState {
        let mut state = self.state_with(cancel);
        state.config_mut().options_mut().extensions.insert(FileAccess::new(false));
        state
    }

    fn executor<'a>(&'a self, state: &'a SessionState) -> Executor<'a> {
        Executor { state, catalog: self.catalog(), checked: true }
    }

    async fn reading(
        &self,
        state: &SessionState,
        statement: &Statement,
        parameters: ParameterValues,
    ) -> Result<Reading, SqlError> {
        let text = self.executor(state).expanded(statement)?;
        let text = with_parameters(text, &Parameters::from(parameters))?;
        match Command::parse(&text)? {
            Command::Sql => {}
            command @ (Command::Show(_) | Command::Summarize(_) | Command::Include(_)) => {
                return Ok(Reading::Command(command, text));
            }
            _ => return Err(read_only(&text)),
        }
        if !reads(&Planner::new(state, self.catalog()).parse(&text)?) {
            return Err(read_only(&text));
        }
        let planned = self.planned(state, &text).await?;
        Ok(Reading::Query(planned, text))
    }
}

/// A statement that may run.
enum Reading {
    Query(Planned, Text),
    /// `SHOW`, `SUMMARIZE` or `INCLUDE`.
    Command(Command, Text),
}

/// Whether a statement is a query, or explains one.
fn reads(tree: &Tree) -> bool {
    match tree {
        Tree::Statement(inner) => matches!(**inner, ast::Statement::Query(_)),
        Tree::Explain(explain) => reads(&explain.statement),
        _ => false,
    }
}

/// The error of a statement that would change something.
fn read_only(text: &Text) -> SqlError {
    let first = text.tokens.iter().find(|token| matches!(token.token, Token::Word(_)));
    let verb = first.map(|token| token.token.to_string().to_uppercase()).unwrap_or_default();
    let message = format!("{verb} is refused: this connection only reads");
    SqlError::new(SqlErrorKind::ReadOnly, message)
        .at(first.and_then(|token| text.sources.location(token.span)))
}

/// The columns that a query has when it runs.
async fn columns(
    state: SessionState,
    planned: Planned,
    text: &Text,
) -> Result<SchemaRef, SqlError> {
    let Planned { plan, names } = planned;
    let physical = DataFrame::new(state, plan).create_physical_plan().await;
    let schema = physical.map_err(|error| translate(error, text, &Names::none()))?.schema();
    let fields = schema.fields().iter().zip(names);
    let fields = fields.map(|(field, name)| field.as_ref().clone().with_name(name));
    Ok(SchemaRef::new(Schema::new(fields.collect::<Vec<Field>>())))
}
