//! Kinds of statements: queries, and statements that create.

use datafusion::sql::sqlparser::tokenizer::{Span, Token, TokenWithSpan};

use super::Text;
use super::attach::{attach, detach};
use super::cursor::{Cursor, Name};
use super::declared::{self, Declared};
use super::duckdb::select_all;
use super::show::{Show, show};
use super::summarize::summarize;
use super::virtual_table::{VirtualTable, virtual_table};
use crate::errors::{SqlError, SqlErrorKind};

/// The parsed form of a statement.
#[derive(Debug)]
pub(crate) enum Command {
    /// Rows, or a change of the user's own tables: SQL that sqlparser reads.
    Sql,
    /// `INCLUDE PERFETTO MODULE a.b.c`, several separated by commas.
    Include(Vec<Name>),
    /// `CREATE PERFETTO TABLE` and `CREATE PERFETTO VIEW`.
    CreateRelation(RelationDeclaration),
    /// `CREATE VIRTUAL TABLE x USING kind(…)`.
    CreateVirtualTable(Creation, VirtualTable),
    /// `CREATE PERFETTO FUNCTION`.
    CreateFunction(FunctionDeclaration),
    /// `CREATE PERFETTO MACRO`.
    CreateMacro(MacroDeclaration),
    /// `CREATE PERFETTO INDEX i ON t(c, …)`: a hint.
    CreateIndex { table: Name, columns: Vec<Name> },
    /// `CREATE TABLE x AS …`: a table of the user's own.
    CreateOwn(Creation, Vec<TokenWithSpan>),
    /// `DROP PERFETTO INDEX i ON t`.
    DropIndex { table: Name },
    /// `SHOW` and `DESCRIBE`: rows about what there is to ask.
    Show(Show),
    /// `SUMMARIZE t` and `SUMMARIZE SELECT …`: one row for each column of a query.
    Summarize(Vec<TokenWithSpan>),
    /// `ATTACH 'file' AS x`: a view of a file.
    Attach(RelationDeclaration),
    /// `DETACH [IF EXISTS] x`.
    Detach { if_exists: bool, name: Name },
    /// `DROP PERFETTO TABLE|VIEW|FUNCTION|MACRO [IF EXISTS] x`.
    Drop { kind: ObjectKind, if_exists: bool, name: Name },
}

/// The kinds of objects with a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ObjectKind {
    Table,
    View,
    Function,
    Macro,
}

/// The parts of every CREATE statement.
#[derive(Clone, Debug)]
pub(crate) struct Creation {
    pub name: Name,
    /// Whether one of that name may be there already, to be replaced.
    pub or_replace: bool,
    /// Whether one of that name may be there already, to be kept.
    pub if_not_exists: bool,
    /// The comment before the statement.
    pub doc: String,
}

/// A table or view, not yet planned.
#[derive(Clone, Debug)]
pub(crate) struct RelationDeclaration {
    pub creation: Creation,
    /// Whether its rows are kept.
    pub is_table: bool,
    pub columns: Option<Vec<Declared>>,
    pub query: Vec<TokenWithSpan>,
}

/// The result of a function.
#[derive(Clone, Debug)]
pub(crate) enum Returns {
    /// One value.
    Value(Declared),
    /// Rows of these columns.
    Table(Vec<Declared>),
}

/// A function, not yet planned.
#[derive(Clone, Debug)]
pub(crate) struct FunctionDeclaration {
    pub creation: Creation,
    pub args: Vec<Declared>,
    pub returns: Returns,
    pub body: FunctionBody,
}

/// The body of a function.
#[derive(Clone, Debug)]
pub(crate) enum FunctionBody {
    /// A query in which `$name` is an argument.
    Query(Vec<TokenWithSpan>),
    /// The same as another function.
    DelegatesTo(Name),
}

/// A macro: tokens in which `$name` is an argument.
#[derive(Clone, Debug)]
pub(crate) struct MacroDeclaration {
    pub creation: Creation,
    pub args: Vec<MacroArgument>,
    /// The kind of the result, such as `Expr`.
    pub returns: Name,
    /// The comment on the result.
    pub returns_doc: String,
    pub body: Vec<TokenWithSpan>,
}

/// An argument of a macro.
#[derive(Clone, Debug)]
pub(crate) struct MacroArgument {
    pub name: Name,
    /// The kind of tokens, such as `TableOrSubquery`.
    pub kind: Name,
    /// The comment before the argument.
    pub doc: String,
}

impl Command {
    /// Parses `text`. Only the parts that sqlparser does not know are read.
    pub(crate) fn parse(text: &Text) -> Result<Self, SqlError> {
        let mut cursor = Cursor::new(text);
        let doc = cursor.comment();
        if let Some(command) = without_create(&mut cursor, &doc)? {
            return Ok(command);
        }
        if !cursor.take_word("CREATE") {
            return Ok(Self::Sql);
        }
        if cursor.take_words(&["VIRTUAL", "TABLE"]) {
            return create_virtual_table(&mut cursor, doc, false);
        }
        let or_replace = cursor.take_words(&["OR", "REPLACE"]);
        if cursor.take_words(&["VIRTUAL", "TABLE"]) {
            return create_virtual_table(&mut cursor, doc, or_replace);
        }
        if !cursor.take_word("PERFETTO") {
            return plain(&mut cursor, doc, or_replace);
        }
        let creation = |cursor: &mut Cursor| -> Result<Creation, SqlError> {
            let if_not_exists = cursor.take_words(&["IF", "NOT", "EXISTS"]);
            Ok(Creation {
                name: cursor.name("a name")?,
                or_replace,
                if_not_exists,
                doc: doc.clone(),
            })
        };
        if cursor.take_word("TABLE") {
            let creation = creation(&mut cursor)?;
            return relation(&mut cursor, text, creation, true);
        }
        if cursor.take_word("VIEW") {
            let creation = creation(&mut cursor)?;
            return relation(&mut cursor, text, creation, false);
        }
        if cursor.take_word("FUNCTION") {
            let creation = creation(&mut cursor)?;
            return function(&mut cursor, text, creation);
        }
        if cursor.take_word("MACRO") {
            let creation = creation(&mut cursor)?;
            return macro_declaration(&mut cursor, creation);
        }
        if cursor.take_word("INDEX") {
            return index(&mut cursor);
        }
        Err(cursor.expected_one_of(&["TABLE", "VIEW", "FUNCTION", "MACRO", "INDEX"]))
    }

    /// Whether a statement declares a macro: its body is not to be expanded.
    pub(crate) fn declares_macro(text: &Text) -> bool {
        let mut cursor = Cursor::new(text);
        if !cursor.take_word("CREATE") {
            return false;
        }
        cursor.take_words(&["OR", "REPLACE"]);
        cursor.take_words(&["PERFETTO", "MACRO"])
    }

    /// Whether a statement declares a function, which has arguments of its own.
    pub(super) fn declares_function(text: &Text) -> bool {
        let mut cursor = Cursor::new(text);
        if !cursor.take_word("CREATE") {
            return false;
        }
        cursor.take_words(&["OR", "REPLACE"]);
        cursor.take_words(&["PERFETTO", "FUNCTION"])
    }
}

/// The statements that are not queries and do not begin with CREATE.
fn without_create(cursor: &mut Cursor, doc: &str) -> Result<Option<Command>, SqlError> {
    if cursor.take_words(&["INCLUDE", "PERFETTO"]) {
        return include(cursor).map(Some);
    }
    if cursor.take_words(&["DROP", "PERFETTO"]) {
        return drop(cursor).map(Some);
    }
    if cursor.take_word("ATTACH") {
        return attach(cursor, doc.to_owned()).map(Some);
    }
    if cursor.take_word("DETACH") {
        return detach(cursor).map(Some);
    }
    if let Some(show) = show(cursor)? {
        return Ok(Some(Command::Show(show)));
    }
    Ok(summarize(cursor)?.map(Command::Summarize))
}

fn include(cursor: &mut Cursor) -> Result<Command, SqlError> {
    cursor.expect_word("MODULE")?;
    let mut paths = vec![module_path(cursor)?];
    while cursor.take(&Token::Comma) {
        paths.push(module_path(cursor)?);
    }
    cursor.end()?;
    Ok(Command::Include(paths))
}

/// `a.b.c`, `a.b.*` or `*`.
fn module_path(cursor: &mut Cursor) -> Result<Name, SqlError> {
    let mut path: Option<Name> = None;
    loop {
        let part = match cursor.peek() {
            Some(TokenWithSpan { token: Token::Mul, span }) => {
                cursor.next();
                Name { text: "*".into(), written: "*".into(), span: *span }
            }
            _ => cursor.name("the name of a module")?,
        };
        let is_last = part.text == "*";
        path = Some(match path {
            None => part,
            Some(path) => Name {
                text: format!("{}.{}", path.text, part.text),
                written: format!("{}.{}", path.written, part.written),
                span: path.span.union(&part.span),
            },
        });
        if is_last || !cursor.take(&Token::Period) {
            return path.ok_or_else(|| cursor.expected("the name of a module"));
        }
    }
}

fn drop(cursor: &mut Cursor) -> Result<Command, SqlError> {
    if cursor.take_word("INDEX") {
        cursor.take_words(&["IF", "EXISTS"]);
        cursor.name("the name of an index")?;
        cursor.expect_word("ON")?;
        let table = cursor.name("the name of a table")?;
        cursor.end()?;
        return Ok(Command::DropIndex { table });
    }
    let kinds = [
        ("TABLE", ObjectKind::Table),
        ("VIEW", ObjectKind::View),
        ("FUNCTION", ObjectKind::Function),
        ("MACRO", ObjectKind::Macro),
    ];
    let Some((_, kind)) = kinds.into_iter().find(|(word, _)| cursor.take_word(word)) else {
        return Err(cursor.expected_one_of(&["INDEX", "TABLE", "VIEW", "FUNCTION", "MACRO"]));
    };
    let if_exists = cursor.take_words(&["IF", "EXISTS"]);
    let name = cursor.name("a name")?;
    cursor.end()?;
    Ok(Command::Drop { kind, if_exists, name })
}

fn create_virtual_table(
    cursor: &mut Cursor,
    doc: String,
    or_replace: bool,
) -> Result<Command, SqlError> {
    let if_not_exists = cursor.take_words(&["IF", "NOT", "EXISTS"]);
    let name = cursor.name("the name of the table")?;
    cursor.expect_word("USING")?;
    let table = virtual_table(cursor)?;
    cursor.end()?;
    Ok(Command::CreateVirtualTable(Creation { name, or_replace, if_not_exists, doc }, table))
}

/// `CREATE [TEMP] TABLE|VIEW x AS …`, as in SQLite.
fn plain(cursor: &mut Cursor, doc: String, or_replace: bool) -> Result<Command, SqlError> {
    if !cursor.take_word("TEMP") {
        cursor.take_word("TEMPORARY");
    }
    let is_table = cursor.take_word("TABLE");
    if !is_table && !cursor.take_word("VIEW") {
        return Ok(Command::Sql);
    }
    let if_not_exists = cursor.take_words(&["IF", "NOT", "EXISTS"]);
    let name = cursor.name("a name")?;
    let creation = Creation { name, or_replace, if_not_exists, doc };
    if !is_table {
        return view(cursor, creation);
    }
    match cursor.take_word("AS") {
        true => Ok(Command::CreateOwn(creation, cursor.rest())),
        false => Ok(Command::Sql),
    }
}

/// `CREATE VIEW x [(a, b…)] AS …`, after the name. `(a, b…)` renames the columns of the query.
fn view(cursor: &mut Cursor, creation: Creation) -> Result<Command, SqlError> {
    let span = creation.name.span;
    let names = match cursor.take(&Token::LParen) {
        true => Some(cursor.balanced()?.to_vec()),
        false => None,
    };
    cursor.expect_word("AS")?;
    if cursor.peek().is_none() {
        return Err(cursor.expected("a query"));
    }
    let query = match names {
        Some(names) => with_columns(span, cursor.rest(), names),
        None => cursor.rest(),
    };
    let (is_table, columns) = (false, None);
    Ok(Command::CreateRelation(RelationDeclaration { creation, is_table, columns, query }))
}

/// `SELECT * FROM (query) AS columns (names)`; the new tokens get the span `at`.
fn with_columns(
    at: Span,
    mut query: Vec<TokenWithSpan>,
    names: Vec<TokenWithSpan>,
) -> Vec<TokenWithSpan> {
    let token = |token| TokenWithSpan::new(token, at);
    query.retain(|token| !matches!(token.token, Token::EOF | Token::SemiColon));
    let alias = [Token::RParen, Token::make_keyword("AS"), Token::make_word("columns", Some('"'))];
    let mut table = vec![token(Token::LParen)];
    table.extend(query);
    table.extend(alias.map(token));
    table.push(token(Token::LParen));
    table.extend(names);
    table.push(token(Token::RParen));
    select_all(at, Some(Token::make_keyword("FROM")), table)
}

fn relation(
    cursor: &mut Cursor,
    text: &Text,
    creation: Creation,
    is_table: bool,
) -> Result<Command, SqlError> {
    let columns = match cursor.take(&Token::LParen) {
        true => Some(declared::list(cursor, text)?),
        false => None,
    };
    cursor.expect_word("AS")?;
    if cursor.peek().is_none() {
        return Err(cursor.expected("a query"));
    }
    let query = cursor.rest();
    Ok(Command::CreateRelation(RelationDeclaration { creation, is_table, columns, query }))
}

/// Steps over RETURNS; returns the comment after it, or else the comment before it.
fn returns_comment(cursor: &mut Cursor) -> Result<String, SqlError> {
    let before = cursor.comment();
    cursor.expect_word("RETURNS")?;
    let after = cursor.comment();
    Ok(if after.is_empty() { before } else { after })
}

fn function(cursor: &mut Cursor, text: &Text, creation: Creation) -> Result<Command, SqlError> {
    cursor.expect(&Token::LParen)?;
    let args = declared::list(cursor, text)?;
    if cursor.peek().is_some_and(|token| token.token == Token::Comma) {
        return Err(cursor.expected("RETURNS"));
    }
    let doc = returns_comment(cursor)?;
    let returns = if cursor.take_word("TABLE") {
        cursor.expect(&Token::LParen)?;
        Returns::Table(declared::list(cursor, text)?)
    } else {
        let (kind, data_type) = declared::kind(cursor, text)?;
        Returns::Value(Declared { name: creation.name.clone(), kind, data_type, doc })
    };
    let body = if cursor.take_words(&["DELEGATES", "TO"]) {
        let name = cursor.name("the name of a function")?;
        cursor.end()?;
        FunctionBody::DelegatesTo(name)
    } else {
        cursor.expect_word("AS")?;
        FunctionBody::Query(cursor.rest())
    };
    Ok(Command::CreateFunction(FunctionDeclaration { creation, args, returns, body }))
}

fn macro_declaration(cursor: &mut Cursor, creation: Creation) -> Result<Command, SqlError> {
    cursor.expect(&Token::LParen)?;
    let mut args = Vec::new();
    while !cursor.take(&Token::RParen) {
        if !args.is_empty() {
            cursor.expect(&Token::Comma)?;
        }
        let doc = cursor.comment();
        let name = cursor.name("the name of an argument")?;
        let kind = cursor.name("what the argument is: Expr, TableOrSubquery, ColumnName…")?;
        args.push(MacroArgument { name, kind, doc });
    }
    let returns_doc = returns_comment(cursor)?;
    let returns = cursor.name("what the macro gives: Expr, TableOrSubquery, ColumnName…")?;
    cursor.expect_word("AS")?;
    let body = cursor.rest();
    let declaration = MacroDeclaration { creation, args, returns, returns_doc, body };
    Ok(Command::CreateMacro(declaration))
}

fn index(cursor: &mut Cursor) -> Result<Command, SqlError> {
    cursor.take_words(&["IF", "NOT", "EXISTS"]);
    cursor.name("the name of the index")?;
    cursor.expect_word("ON")?;
    let table = cursor.name("the name of a table")?;
    cursor.expect(&Token::LParen)?;
    let mut columns = vec![cursor.name("a column")?];
    while cursor.take(&Token::Comma) {
        columns.push(cursor.name("a column")?);
    }
    cursor.expect(&Token::RParen)?;
    cursor.end()?;
    Ok(Command::CreateIndex { table, columns })
}

/// The error that something of that name is there already.
pub(crate) fn exists_already(creation: &Creation, text: &Text) -> SqlError {
    let name = &creation.name.written;
    SqlError::new(SqlErrorKind::Invalid, format!("`{name}` exists already"))
        .at(text.sources.location(creation.name.span))
        .hint(Some("write CREATE OR REPLACE to put this in its place".into()))
}
