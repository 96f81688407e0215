//! Kinds of statements. Those of the trace go to its session; queries of catalogs, settings and
//! transactions, which are written for PostgreSQL, go another way.

use std::collections::VecDeque;

use datafusion::sql::sqlparser::dialect::PostgreSqlDialect;
use datafusion::sql::sqlparser::tokenizer::{Location, Token, Tokenizer};
use tpq_sql::{Session, SqlError};

use super::errors::{Failure, code};
use super::settings;
use crate::engine::RowsError;

/// Functions that a client asks without a table about the server and itself. With a table they
/// would be of the trace.
const SERVER_FUNCTIONS: [&str; 20] = [
    "version",
    "current_schema",
    "current_schemas",
    "current_database",
    "current_catalog",
    "current_user",
    "session_user",
    "current_role",
    "current_setting",
    "set_config",
    "user",
    "format_type",
    "quote_ident",
    "obj_description",
    "col_description",
    "has_schema_privilege",
    "has_table_privilege",
    "has_database_privilege",
    "txid_current",
    "inet_server_addr",
];

/// Types with values that are names of things in catalogs.
const NAME_TYPES: [&str; 8] = [
    "regclass",
    "regtype",
    "regproc",
    "regprocedure",
    "regnamespace",
    "regrole",
    "regoper",
    "regconfig",
];

/// Words between the name of a cursor and `CURSOR`.
const SCROLLING: [&str; 5] = ["binary", "insensitive", "asensitive", "no", "scroll"];

/// The most parameters of a statement: messages count them with 16 bits.
const MAX_PARAMETERS: usize = u16::MAX as usize;

/// A statement of a client.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub(super) kind: Kind,
    /// How many parameters it has: the highest number behind a `$`.
    pub(super) parameters: usize,
}

impl Statement {
    /// The bytes of memory that it takes.
    pub(super) fn memory_size(&self) -> usize {
        self.kind.memory_size()
    }
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// One of the trace, or one that is refused there.
    Trace(tpq_sql::Statement),
    /// A query of catalogs.
    Catalog(String),
    /// The value of a setting, or of all of them.
    Show(Option<String>),
    Set {
        name: String,
        value: String,
    },
    /// Gives a setting, or all of them, its value at first.
    Reset(Option<String>),
    /// Forgets settings, prepared statements and cursors.
    Discard,
    /// Begins a transaction.
    Begin(&'static str),
    Commit,
    Rollback,
    /// Starts a query; its rows are fetched later.
    Declare {
        cursor: String,
        is_held: bool,
        query: Box<Kind>,
    },
    /// Sends the next rows of a cursor.
    Fetch {
        cursor: String,
        count: usize,
    },
    /// Closes a cursor, or all of them.
    CloseCursor(Option<String>),
    /// Drops a prepared statement, or all of them.
    Deallocate(Option<String>),
    /// Does nothing here, with the words that say it is done.
    Nothing(&'static str),
}

impl Kind {
    fn memory_size(&self) -> usize {
        let more = match self {
            Self::Trace(statement) => statement.memory_size(),
            Self::Catalog(sql) => sql.len(),
            Self::Declare { query, .. } => query.memory_size(),
            // Words of a short command.
            _ => 0,
        };
        size_of::<Self>() + more
    }
}

/// A text that is not cut into statements.
#[derive(Debug)]
pub(super) enum NotCut {
    /// It has a quote or comment that is never closed.
    Sql(SqlError),
    /// It names a parameter of a number above [`MAX_PARAMETERS`].
    Parameter(String),
}

impl NotCut {
    /// The error for the client that sent `sql`.
    pub(super) fn into_failure(self, sql: &str) -> Failure {
        match self {
            Self::Sql(error) => Failure::of_rows(&RowsError::Sql(error), sql),
            Self::Parameter(name) => {
                let message =
                    format!("there is no parameter `{name}`: the last one is ${MAX_PARAMETERS}");
                Failure::new(code::TOO_MANY_PARAMETERS, message)
            }
        }
    }
}

impl From<SqlError> for NotCut {
    fn from(error: SqlError) -> Self {
        Self::Sql(error)
    }
}

/// Cuts a text into statements.
///
/// # Errors
/// When it has a quote or comment that is never closed, or a parameter of too high a number.
pub(super) fn statements(session: &Session, sql: &str) -> Result<Vec<Statement>, NotCut> {
    match session.statements(sql) {
        Ok(statements) => statements.into_iter().map(|it| of_trace(session, it)).collect(),
        // Quotes that the dialect of traces does not have, in a query of catalogs.
        Err(error) => match tokens(sql) {
            Some(tokens) if is_of_catalogs(&tokens) => {
                let parameters = parameters(&tokens)?;
                Ok(vec![Statement { kind: Kind::Catalog(sql.to_owned()), parameters }])
            }
            _ => Err(error.into()),
        },
    }
}

fn of_trace(session: &Session, statement: tpq_sql::Statement) -> Result<Statement, NotCut> {
    let Some(tokens) = tokens(statement.text()) else {
        return Ok(Statement { kind: Kind::Trace(statement), parameters: 0 });
    };
    let parameters = parameters(&tokens)?;
    if let Some((cursor, is_held, query)) = declared(&tokens, statement.text()) {
        let query = session.statements(query)?.into_iter().next();
        if let Some(query) = query.map(|query| of_trace(session, query)).transpose()? {
            let query = Box::new(query.kind);
            return Ok(Statement { kind: Kind::Declare { cursor, is_held, query }, parameters });
        }
    }
    let kind = match command(&tokens) {
        Some(kind) => kind,
        None if is_of_catalogs(&tokens) => Kind::Catalog(statement.text().to_owned()),
        None => Kind::Trace(statement),
    };
    Ok(Statement { kind, parameters })
}

/// The name of the cursor that a statement declares, whether it outlives its transaction, and the
/// text of its query.
fn declared<'a>(tokens: &[Token], sql: &'a str) -> Option<(String, bool, &'a str)> {
    if tokens.first().and_then(word)? != "declare" {
        return None;
    }
    let located = Tokenizer::new(&PostgreSqlDialect {}, sql).tokenize_with_location().ok()?;
    let mut located =
        located.iter().filter(|located| !matches!(located.token, Token::Whitespace(_))).skip(1);
    let name = &located.next()?.token;
    word(name)?;
    let mut words = located.map_while(|located| Some((word(&located.token)?, located.span.end)));
    words.find(|(word, _)| !SCROLLING.contains(&word.as_str())).filter(|(it, _)| it == "cursor")?;
    let (mut next, mut end) = words.next()?;
    let is_held = next == "with";
    if is_held || next == "without" {
        words.next().filter(|(word, _)| word == "hold")?;
        (next, end) = words.next()?;
    }
    (next == "for").then_some((unquoted(name), is_held, after(sql, end)?))
}

/// The text from a location on.
fn after(sql: &str, location: Location) -> Option<&str> {
    let (line, column) = (location.line.checked_sub(1)?, location.column.checked_sub(1)?);
    let lines = sql.split_inclusive('\n').take(usize::try_from(line).ok()?);
    let rest = sql.get(lines.map(str::len).sum::<usize>()..)?;
    let letters = rest.chars().take(usize::try_from(column).ok()?);
    rest.get(letters.map(char::len_utf8).sum::<usize>()..)
}

/// The tokens of a text in the dialect of PostgreSQL, without blanks and comments.
fn tokens(sql: &str) -> Option<Vec<Token>> {
    let tokens = Tokenizer::new(&PostgreSqlDialect {}, sql).tokenize().ok()?;
    let is_solid = |token: &Token| !matches!(token, Token::Whitespace(_) | Token::SemiColon);
    Some(tokens.into_iter().filter(is_solid).collect())
}

/// How many parameters there are: the highest number behind a `$`.
fn parameters(tokens: &[Token]) -> Result<usize, NotCut> {
    let mut count = 0;
    for token in tokens {
        let Token::Placeholder(name) = token else { continue };
        let Some(digits) = name.strip_prefix('$') else { continue };
        if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
            continue;
        }
        match digits.parse() {
            Ok(number) if number <= MAX_PARAMETERS => count = count.max(number),
            _ => return Err(NotCut::Parameter(name.clone())),
        }
    }
    Ok(count)
}

/// A word, whether it is quoted or not, in lower case.
fn word(token: &Token) -> Option<String> {
    match token {
        Token::Word(word) => Some(word.value.to_lowercase()),
        _ => None,
    }
}

/// Whether a query needs the catalogs of PostgreSQL.
fn is_of_catalogs(tokens: &[Token]) -> bool {
    let first = tokens.iter().find(|token| **token != Token::LParen).and_then(word);
    if !matches!(first.as_deref(), Some("select" | "with" | "values" | "table")) {
        return false;
    }
    let words: Vec<String> = tokens.iter().filter_map(word).collect();
    let is_catalog = |word: &String| {
        word.starts_with("pg_")
            || word == "information_schema"
            || NAME_TYPES.contains(&word.as_str())
    };
    let is_of_server = |word: &String| SERVER_FUNCTIONS.contains(&word.as_str());
    words.iter().any(is_catalog)
        || !words.iter().any(|word| word == "from") && words.iter().any(is_of_server)
}

/// A statement on the connection itself; `None` for those that ask for something.
fn command(tokens: &[Token]) -> Option<Kind> {
    let mut words: VecDeque<String> = tokens.iter().map_while(word).collect();
    let first = words.pop_front()?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Some(match (first.as_str(), words.as_slice()) {
        ("begin", _) => Kind::Begin("BEGIN"),
        ("start", ["transaction", ..]) => Kind::Begin("START TRANSACTION"),
        ("commit" | "end", _) => Kind::Commit,
        ("rollback", ["to", ..] | ["work" | "transaction", "to", ..]) => Kind::Nothing("ROLLBACK"),
        ("rollback" | "abort", _) => Kind::Rollback,
        ("savepoint", _) => Kind::Nothing("SAVEPOINT"),
        ("release", _) => Kind::Nothing("RELEASE"),
        ("listen", _) => Kind::Nothing("LISTEN"),
        ("unlisten", _) => Kind::Nothing("UNLISTEN"),
        ("discard", ["all"]) => Kind::Discard,
        ("discard", _) => Kind::Nothing("DISCARD"),
        ("deallocate", ["prepare", name] | [name]) => match *name {
            "all" => Kind::Deallocate(None),
            // As it is written: names of statements have upper and lower case.
            _ => Kind::Deallocate(tokens.last().map(unquoted)),
        },
        ("fetch" | "move", _) => fetch(tokens)?,
        ("close", ["all"]) => Kind::CloseCursor(None),
        ("close", [_]) => Kind::CloseCursor(tokens.last().map(unquoted)),
        ("set", _) => set(tokens.get(1..)?),
        ("reset", ["all"]) => Kind::Reset(None),
        ("reset", ["role" | "session", ..]) => Kind::Nothing("RESET"),
        ("reset", _) => Kind::Reset(Some(name(tokens.get(1..)?))),
        ("show", ["all"]) => Kind::Show(None),
        ("show", ["time", "zone"]) => Kind::Show(Some("TimeZone".to_owned())),
        ("show", ["transaction", "isolation", "level"]) => {
            Kind::Show(Some("transaction_isolation".to_owned()))
        }
        ("show", [.., last]) if settings::default_of(last).is_some() => {
            Kind::Show(Some(name(tokens.get(1..)?)))
        }
        _ => return None,
    })
}

/// `FETCH`: forward, in order, and by a number of rows.
fn fetch(tokens: &[Token]) -> Option<Kind> {
    let (cursor, before) = tokens.split_last()?;
    let mut count = 1;
    for token in before.get(1..)? {
        match (word(token).as_deref(), token) {
            (Some("forward" | "next" | "from" | "in"), _) => {}
            (Some("all"), _) => count = usize::MAX,
            (None, Token::Number(digits, _)) => count = digits.parse().ok()?,
            _ => return None,
        }
    }
    let is_fetch = tokens.first().and_then(word).as_deref() == Some("fetch");
    is_fetch.then(|| Kind::Fetch { cursor: unquoted(cursor), count })
}

/// `SET` without its first word.
fn set(mut tokens: &[Token]) -> Kind {
    let nothing = Kind::Nothing("SET");
    if let [scope, rest @ ..] = tokens
        && let Some("session" | "local") = word(scope).as_deref()
    {
        tokens = rest;
    }
    let words: Vec<String> = tokens.iter().map_while(word).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["time", "zone", ..] => {
            let value = value(tokens.get(2..).unwrap_or_default());
            return Kind::Set { name: "timezone".to_owned(), value };
        }
        ["names", ..] => {
            let value = value(tokens.get(1..).unwrap_or_default());
            return Kind::Set { name: "client_encoding".to_owned(), value };
        }
        ["transaction" | "characteristics" | "authorization" | "role" | "constraints", ..] => {
            return nothing;
        }
        _ => {}
    }
    let is_sign = |token: &Token| *token == Token::Eq || word(token).as_deref() == Some("to");
    let Some(sign) = tokens.iter().position(is_sign) else { return nothing };
    let (before, after) = tokens.split_at(sign);
    Kind::Set { name: name(before), value: value(after.get(1..).unwrap_or_default()) }
}

/// A name that may have points.
fn name(tokens: &[Token]) -> String {
    tokens.iter().map(unquoted).collect()
}

/// A value, or several with commas.
fn value(tokens: &[Token]) -> String {
    let mut text = String::new();
    for token in tokens {
        text.push_str(&unquoted(token));
        if *token == Token::Comma {
            text.push(' ');
        }
    }
    text
}

fn unquoted(token: &Token) -> String {
    match token {
        Token::Word(word) => word.value.clone(),
        Token::SingleQuotedString(text) | Token::EscapedStringLiteral(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kind of a text, in words.
    fn kind(sql: &str) -> String {
        let tokens = tokens(sql).expect("tokens");
        match command(&tokens) {
            Some(kind) => format!("{kind:?}"),
            None if is_of_catalogs(&tokens) => "catalog".to_owned(),
            None => "trace".to_owned(),
        }
    }

    #[test]
    fn queries_of_catalogs_are_recognised() {
        for sql in [
            "SELECT c.oid FROM pg_catalog.pg_class c",
            "select * from PG_TYPE",
            "SELECT * FROM \"information_schema\".\"tables\"",
            "SELECT version()",
            "select current_schema, current_database()",
            "SELECT 'slice'::regclass",
            "WITH a AS (SELECT 1) SELECT * FROM a, pg_class",
            "(SELECT 1) UNION SELECT oid FROM pg_class",
        ] {
            assert_eq!(kind(sql), "catalog", "{sql}");
        }
        for sql in [
            "SELECT 1",
            "SELECT name FROM slice WHERE name = 'pg_class'",
            "SELECT version FROM package_list",
            "SELECT user, ts FROM slice",
            "CREATE TABLE pg_a AS SELECT 1",
            "SHOW TABLES",
            "SHOW COLUMNS FROM slice",
            "EXPLAIN SELECT 1",
            "INCLUDE PERFETTO MODULE slices.with_context",
        ] {
            assert_eq!(kind(sql), "trace", "{sql}");
        }
    }

    #[test]
    fn commands_of_the_connection_are_read() {
        for (sql, expected) in [
            ("BEGIN", "Begin(\"BEGIN\")"),
            ("BEGIN READ ONLY", "Begin(\"BEGIN\")"),
            ("start transaction", "Begin(\"START TRANSACTION\")"),
            ("COMMIT WORK", "Commit"),
            ("END", "Commit"),
            ("ROLLBACK", "Rollback"),
            ("ROLLBACK TO SAVEPOINT a", "Nothing(\"ROLLBACK\")"),
            ("DISCARD ALL", "Discard"),
            ("RESET ALL", "Reset(None)"),
            ("DEALLOCATE \"Pdo_1\"", "Deallocate(Some(\"Pdo_1\"))"),
            ("DEALLOCATE ALL", "Deallocate(None)"),
            ("FETCH FORWARD 10 FROM \"C 1\"", "Fetch { cursor: \"C 1\", count: 10 }"),
            ("FETCH c", "Fetch { cursor: \"c\", count: 1 }"),
            ("CLOSE c", "CloseCursor(Some(\"c\"))"),
            ("CLOSE ALL", "CloseCursor(None)"),
            ("SHOW search_path", "Show(Some(\"search_path\"))"),
            ("SHOW ALL", "Show(None)"),
            ("SHOW TIME ZONE", "Show(Some(\"TimeZone\"))"),
            ("SHOW TRANSACTION ISOLATION LEVEL", "Show(Some(\"transaction_isolation\"))"),
            ("SET a = 3", "Set { name: \"a\", value: \"3\" }"),
            ("SET SESSION DateStyle TO 'ISO'", "Set { name: \"DateStyle\", value: \"ISO\" }"),
            ("SET LOCAL a.b = -1", "Set { name: \"a.b\", value: \"-1\" }"),
            ("SET search_path TO a, \"B\"", "Set { name: \"search_path\", value: \"a, B\" }"),
            ("SET TIME ZONE 'UTC'", "Set { name: \"timezone\", value: \"UTC\" }"),
            ("SET NAMES 'utf8'", "Set { name: \"client_encoding\", value: \"utf8\" }"),
            ("SET TRANSACTION READ ONLY", "Nothing(\"SET\")"),
            ("SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE", "Nothing(\"SET\")"),
            ("RESET a.b", "Reset(Some(\"a.b\"))"),
        ] {
            assert_eq!(kind(sql), expected, "{sql}");
        }
    }

    #[test]
    fn a_cursor_is_declared_for_a_query() {
        let declared = |sql: &'static str| declared(&tokens(sql).expect("tokens"), sql);
        let sql = "DECLARE \"my_c\" NO SCROLL CURSOR WITH HOLD FOR SELECT ' for '";
        assert_eq!(declared(sql), Some(("my_c".to_owned(), true, " SELECT ' for '")));
        let sql = "declare c cursor for select 1";
        assert_eq!(declared(sql), Some(("c".to_owned(), false, " select 1")));
        // On lines of their own, and with texts and words that look like parts of the declaration.
        let sql = "DECLARE c CURSOR\nFOR\nSELECT 'ä', ' for '";
        assert_eq!(declared(sql), Some(("c".to_owned(), false, "\nSELECT 'ä', ' for '")));
        let sql = "DECLARE c CURSOR FOR WITH hold AS (SELECT 1) SELECT * FROM hold";
        let query = " WITH hold AS (SELECT 1) SELECT * FROM hold";
        assert_eq!(declared(sql), Some(("c".to_owned(), false, query)));
        let sql = "DECLARE \"cursor for\" CURSOR WITHOUT HOLD FOR(SELECT 1)";
        assert_eq!(declared(sql), Some(("cursor for".to_owned(), false, "(SELECT 1)")));
        for other in
            ["SELECT 1", "DECLARE c", "DECLARE c CURSOR", "DECLARE c CURSOR WITH FOR SELECT 1"]
        {
            assert_eq!(declared(other), None, "{other}");
        }
    }

    #[test]
    fn parameters_are_counted() {
        let count = |sql: &str| parameters(&tokens(sql).expect("tokens")).ok();
        assert_eq!(count("SELECT $1, $3, '$9' -- $10"), Some(3));
        assert_eq!(count("SELECT 1, $a"), Some(0));
        assert_eq!(count("SELECT $65535"), Some(65_535));
        for sql in ["SELECT $65536", "SELECT $900000000000000", "SELECT $18446744073709551616"] {
            assert_eq!(count(sql), None, "{sql}");
        }
    }
}
