//! How a view is written down: a comment, typed and commented columns, and a query.
//!
//! ```sql
//! -- What a row is.
//! CREATE PERFETTO VIEW name(
//!   -- What the column means.
//!   ts TIMESTAMP,
//!   …
//! ) AS
//! SELECT …;
//! ```

use std::sync::{Arc, OnceLock};

use datafusion::logical_expr::TableSource;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan, Whitespace};

use crate::errors::{SqlError, SqlErrorKind};
use crate::perfetto_sql::{Statement, split};

/// A column of a view.
#[derive(Clone, Debug)]
pub(crate) struct ViewColumn {
    pub name: String,
    /// What it holds, in the words of `ColumnKind::label`.
    pub kind: String,
    pub doc: String,
}

/// A view, and its plan once it was used.
pub(crate) struct View {
    pub name: String,
    pub doc: String,
    pub columns: Vec<ViewColumn>,
    pub query: Statement,
    pub source: OnceLock<Arc<dyn TableSource>>,
}

/// Every view of a file.
pub(crate) fn parse_views(text: &str) -> Result<Vec<View>, SqlError> {
    split(text)?.into_iter().map(|statement| Reader::new(&statement).view(&statement)).collect()
}

/// Goes over the tokens of one declaration.
struct Reader<'a> {
    tokens: &'a [TokenWithSpan],
    at: usize,
    /// The comment lines seen since the last token that was none.
    comment: Vec<String>,
}

impl<'a> Reader<'a> {
    fn new(statement: &'a Statement) -> Self {
        Self { tokens: &statement.tokens, at: 0, comment: Vec::new() }
    }

    fn view(mut self, statement: &Statement) -> Result<View, SqlError> {
        self.skip_blanks();
        let doc = self.take_comment();
        for word in ["CREATE", "PERFETTO", "VIEW"] {
            if !self.word()?.eq_ignore_ascii_case(word) {
                return Err(self.malformed(word));
            }
        }
        let name = self.word()?;
        self.expect(&Token::LParen)?;
        let mut columns = Vec::new();
        loop {
            self.skip_blanks();
            let doc = self.take_comment();
            let name = self.word()?;
            columns.push(ViewColumn { name, kind: self.kind()?, doc });
            match self.next() {
                Some(Token::Comma) => {}
                Some(Token::RParen) => break,
                _ => return Err(self.malformed(", or )")),
            }
        }
        if !self.word()?.eq_ignore_ascii_case("AS") {
            return Err(self.malformed("AS"));
        }
        let query = Statement {
            script: Arc::clone(&statement.script),
            tokens: self.tokens[self.at..].to_vec(),
        };
        Ok(View { name, doc, columns, query, source: OnceLock::new() })
    }

    fn skip_blanks(&mut self) {
        while let Some(TokenWithSpan { token: Token::Whitespace(blank), .. }) =
            self.tokens.get(self.at)
        {
            if let Whitespace::SingleLineComment { comment, .. } = blank {
                self.comment.push(comment.trim().to_owned());
            }
            self.at += 1;
        }
    }

    fn take_comment(&mut self) -> String {
        std::mem::take(&mut self.comment).join("\n")
    }

    fn next(&mut self) -> Option<&'a Token> {
        self.skip_blanks();
        let token = &self.tokens.get(self.at)?.token;
        self.at += 1;
        self.comment.clear();
        Some(token)
    }

    fn word(&mut self) -> Result<String, SqlError> {
        match self.next() {
            Some(Token::Word(word)) => Ok(word.value.clone()),
            _ => Err(self.malformed("a word")),
        }
    }

    fn expect(&mut self, token: &Token) -> Result<(), SqlError> {
        if self.next() == Some(token) { Ok(()) } else { Err(self.malformed(&token.to_string())) }
    }

    /// A kind with what it refers to, as `JOINID(thread.id)`.
    fn kind(&mut self) -> Result<String, SqlError> {
        let mut kind = self.word()?;
        self.skip_blanks();
        if self.tokens.get(self.at).map(|next| &next.token) != Some(&Token::LParen) {
            return Ok(kind);
        }
        loop {
            match self.next() {
                Some(token) => kind.push_str(&token.to_string()),
                None => return Err(self.malformed(")")),
            }
            if kind.ends_with(')') {
                return Ok(kind);
            }
        }
    }

    fn malformed(&self, wanted: &str) -> SqlError {
        let line = self.tokens.get(self.at.saturating_sub(1)).map_or(0, |at| at.span.start.line);
        SqlError::new(
            SqlErrorKind::Internal,
            format!("line {line} of a view's declaration: expected {wanted}"),
        )
    }
}
