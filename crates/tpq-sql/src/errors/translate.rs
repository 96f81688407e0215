//! Translation of DataFusion's errors to [`SqlError`].

use std::error::Error;
use std::sync::Arc;

use datafusion::common::{Column, Diagnostic, SchemaError};
use datafusion::error::DataFusionError;
use datafusion::sql::sqlparser::parser::ParserError;
use datafusion::sql::sqlparser::tokenizer::{Location, Span, Token, TokenWithSpan};
use tpq_tables::ReadError;

use super::wording::{function_in, out_of_memory, plain, unsupported};
use crate::cancel::Cancelled;
use crate::modules::Modules;
use crate::perfetto_sql::{NESTING, Text};

use super::{ErrorLocation, SqlError, SqlErrorKind, nearest};

/// The catalog's error for a name that is not a table or view.
#[derive(Debug, thiserror::Error)]
#[error("no table or view is called `{0}`")]
pub(crate) struct NoSuchTable(pub String);

/// All known names, for suggestions.
pub(crate) struct Names {
    pub tables: Vec<String>,
    pub functions: Vec<String>,
    /// The modules that may define an unknown name.
    pub modules: Option<Arc<Modules>>,
}

impl Names {
    /// No names, for errors that are not about a name.
    pub(crate) fn none() -> Self {
        Self { tables: Vec::new(), functions: Vec::new(), modules: None }
    }

    /// The hint for an unknown name: the module to include, or a similar name.
    fn hint(&self, name: &str, known: &[String]) -> Option<String> {
        if let Some(module) = self.modules.as_ref().and_then(|modules| modules.module_of(name)) {
            return Some(format!("it is in a module: INCLUDE PERFETTO MODULE {module};"));
        }
        nearest(name, known.iter().map(String::as_str)).map(did_you_mean)
    }
}

/// The text of the statement, for the locations of errors.
struct Context<'a> {
    text: &'a Text,
}

impl Context<'_> {
    /// The location of `name` in `span`, or its first occurrence if there is no span; else the
    /// location of `span`.
    fn location(&self, span: Option<Span>, name: &str) -> Option<ErrorLocation> {
        let is_name = |token: &&TokenWithSpan| matches!(&token.token, Token::Word(word) if word.value.eq_ignore_ascii_case(name));
        // The span may start before the name, at its qualifier, and end after its alias.
        let from = span.map_or(Location::new(0, 0), |span| span.start);
        let after = |token: &&TokenWithSpan| token.span.start >= from;
        let named = self.text.tokens.iter().filter(after).find(is_name).map(|token| token.span);
        self.text.sources.location(named.or(span)?)
    }

    /// The location of a parser error, which only the message contains.
    fn location_in(&self, message: &str) -> Option<ErrorLocation> {
        let Some((_, position)) = message.rsplit_once(" at Line: ") else {
            // The message has no location if the error is at the end of the input.
            let last = self.text.tokens.iter().rev().find(|token| is_significant(token))?;
            return self.text.sources.location(ErrorLocation::after(last.span));
        };
        let (line, column) = position.split_once(", Column: ")?;
        let start = Location::new(line.trim().parse().ok()?, column.trim().parse().ok()?);
        let tokens = &self.text.tokens;
        let at = tokens.iter().position(|token| token.span.start == start);
        let Some(at) = at else { return self.text.sources.location(Span::new(start, start)) };
        // Sometimes the location is that of the token after the unexpected one.
        let found =
            message.rsplit_once("found: ").and_then(|(_, rest)| rest.split(" at Line").next());
        let is_found = |token: &&TokenWithSpan| Some(token.token.to_string().as_str()) == found;
        let before = || tokens[..at].iter().rev().find(|token| is_significant(token));
        let token = &tokens[at];
        let token =
            if is_found(&token) { token } else { before().filter(is_found).unwrap_or(token) };
        self.text.sources.location(token.span)
    }
}

/// Whether a token is not whitespace, a semicolon, or the end of the text.
fn is_significant(token: &TokenWithSpan) -> bool {
    !matches!(token.token, Token::Whitespace(_) | Token::EOF | Token::SemiColon)
}

/// Translates an error of the statement `text`.
pub(crate) fn translate(error: DataFusionError, text: &Text, names: &Names) -> SqlError {
    let context = Context { text };
    let span = diagnostic_of(&error).and_then(|diagnostic| diagnostic.span);
    let span = span.map(|span| {
        Span::new(
            Location::new(span.start.line, span.start.column),
            Location::new(span.end.line, span.end.column),
        )
    });
    if let Some(reported) = reported_error(&error) {
        let location = span.and_then(|span| text.sources.location(span));
        return reported.without_source().used_at(location);
    }
    let translated = match error.find_root() {
        DataFusionError::External(source) => match source.downcast_ref::<NoSuchTable>() {
            Some(NoSuchTable(name)) => unknown_table(name, names).at(context.location(span, name)),
            None if source.is::<Cancelled>() || is_cancelled_read(&**source) => {
                SqlError::new(SqlErrorKind::Cancelled, source.to_string())
            }
            None => SqlError::new(SqlErrorKind::Internal, source.to_string()),
        },
        DataFusionError::SchemaError(schema, _) => schema_error(schema, span, &context),
        DataFusionError::SQL(parser, _) => syntax_error(parser, &context),
        DataFusionError::ResourcesExhausted(message) => {
            SqlError::new(SqlErrorKind::OutOfMemory, out_of_memory(message))
                .hint(Some("raise the memory limit, or select fewer columns or rows".into()))
        }
        DataFusionError::Plan(message) => planning_error(message, names, span, &context),
        DataFusionError::NotImplemented(message) => {
            SqlError::new(SqlErrorKind::Unsupported, unsupported(message))
                .at(span.and_then(|span| text.sources.location(span)))
        }
        DataFusionError::Internal(message) => {
            SqlError::new(SqlErrorKind::Internal, format!("a bug in tpq: {}", plain(message)))
        }
        other => SqlError::new(SqlErrorKind::Execution, plain(&other.strip_backtrace())),
    };
    translated.caused_by(error)
}

/// Whether the statement was cancelled while it waited for rows.
fn is_cancelled_read(error: &(dyn Error + Send + Sync + 'static)) -> bool {
    matches!(error.downcast_ref::<ReadError>(), Some(ReadError::Cancelled))
}

/// Returns the error of a view or function that the statement uses, if `error` wraps one.
pub(crate) fn reported_error(error: &DataFusionError) -> Option<&SqlError> {
    match error {
        DataFusionError::External(source) => source.downcast_ref(),
        DataFusionError::Diagnostic(_, inner) | DataFusionError::Context(_, inner) => {
            reported_error(inner)
        }
        DataFusionError::Shared(inner) => reported_error(inner),
        DataFusionError::Collection(errors) => errors.first().and_then(reported_error),
        _ => None,
    }
}

/// The innermost diagnostic, which has the most exact span.
fn diagnostic_of(error: &DataFusionError) -> Option<&Diagnostic> {
    match error {
        DataFusionError::Diagnostic(diagnostic, inner) => {
            diagnostic_of(inner).filter(|inner| inner.span.is_some()).or(Some(diagnostic))
        }
        DataFusionError::Context(_, inner) => diagnostic_of(inner),
        DataFusionError::Shared(inner) => diagnostic_of(inner),
        DataFusionError::Collection(errors) => errors.first().and_then(diagnostic_of),
        _ => None,
    }
}

fn did_you_mean(name: &str) -> String {
    format!("did you mean `{name}`?")
}

/// The error for an unknown table.
pub(crate) fn unknown_table(name: &str, names: &Names) -> SqlError {
    SqlError::new(SqlErrorKind::UnknownTable, format!("no table or view is called `{name}`"))
        .hint(names.hint(name, &names.tables))
}

fn schema_error(error: &SchemaError, span: Option<Span>, context: &Context) -> SqlError {
    let kind = SqlErrorKind::UnknownColumn;
    match error {
        SchemaError::FieldNotFound { field, valid_fields } => {
            let (error, name) = unknown_column(field, valid_fields);
            error.at(context.location(span, name))
        }
        SchemaError::AmbiguousReference { field } => {
            SqlError::new(kind, format!("more than one table has a column `{}`", field.name))
                .at(context.location(span, &field.name))
                .hint(Some(format!("say which, as in `table.{}`", field.name)))
        }
        SchemaError::DuplicateQualifiedField { name, .. }
        | SchemaError::DuplicateUnqualifiedField { name } => SqlError::new(
            SqlErrorKind::Invalid,
            format!("two columns are called `{name}`; name one with AS"),
        ),
    }
}

/// The error for an unknown column, and the part of `table.column` that it is about.
fn unknown_column<'a>(field: &'a Column, valid: &[Column]) -> (SqlError, &'a str) {
    let kind = SqlErrorKind::UnknownColumn;
    let Some(table) = &field.relation else {
        let near = nearest(&field.name, valid.iter().map(|column| column.name.as_str()));
        let error = SqlError::new(kind, format!("no column is called `{}`", field.name));
        return (error.hint(near.map(did_you_mean)), &field.name);
    };
    let of_table: Vec<_> =
        valid.iter().filter(|column| column.relation.as_ref() == Some(table)).collect();
    if of_table.is_empty() {
        let tables = valid.iter().filter_map(|column| Some(column.relation.as_ref()?.table()));
        let near = nearest(table.table(), tables);
        let error = SqlError::new(kind, format!("no table here is called `{}`", table.table()));
        return (error.hint(near.map(did_you_mean)), table.table());
    }
    let near = nearest(&field.name, of_table.iter().map(|column| column.name.as_str()));
    let error = SqlError::new(kind, format!("`{}` has no column `{}`", table.table(), field.name));
    (error.hint(near.map(did_you_mean)), &field.name)
}

fn syntax_error(error: &ParserError, context: &Context) -> SqlError {
    let kind = SqlErrorKind::Syntax;
    let message = match error {
        ParserError::RecursionLimitExceeded => {
            let message = format!(
                "the statement nests more than {NESTING} levels deep, or takes too long to parse"
            );
            return SqlError::new(SqlErrorKind::TooLarge, message);
        }
        ParserError::TokenizerError(message) | ParserError::ParserError(message) => message,
    };
    let text = message.rsplit_once(" at Line: ").map_or(message.as_str(), |(text, _)| text);
    let mut text = text.trim_start_matches("sql parser error: ").to_owned();
    if let Some(wanted) =
        text.strip_prefix("Expected").map(|text| text.trim_start_matches([':', ' ']))
    {
        text = format!("expected {wanted}");
    }
    let text = text.replace(", found: EOF", ", but the statement ends here");
    let text = text.replace(", found: ", ", found ");
    SqlError::new(kind, format!("syntax error: {text}")).at(context.location_in(message))
}

fn planning_error(message: &str, names: &Names, span: Option<Span>, context: &Context) -> SqlError {
    let unknown = message.strip_prefix("Invalid function '");
    if let Some(name) = unknown.and_then(|rest| rest.split('\'').next()) {
        return SqlError::new(
            SqlErrorKind::UnknownFunction,
            format!("no function is called `{name}`"),
        )
        .at(context.location(span, name))
        .hint(names.hint(&name.to_lowercase(), &names.functions));
    }
    let location = match (span, function_in(message)) {
        (Some(span), _) => context.text.sources.location(span),
        (None, Some(function)) => context.location(None, function),
        (None, None) => None,
    };
    SqlError::new(SqlErrorKind::Invalid, plain(message)).at(location)
}
