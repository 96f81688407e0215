//! Goes over the tokens of a statement that sqlparser does not know.

use datafusion::sql::sqlparser::tokenizer::{Span, Token, TokenWithSpan, Whitespace};

use super::Text;
use crate::errors::{ErrorLocation, SqlError, SqlErrorKind, nearest};

/// A name as it is compared, and where it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Name {
    /// In lower case.
    pub text: String,
    /// As it is written.
    pub written: String,
    /// In the text of the statement.
    pub span: Span,
}

/// A place among the tokens of a text.
pub(super) struct Cursor<'a> {
    text: &'a Text,
    at: usize,
    /// The comments passed since the last token that was none.
    comment: Vec<String>,
}

impl<'a> Cursor<'a> {
    /// At the first token.
    pub(super) fn new(text: &'a Text) -> Self {
        Self { text, at: 0, comment: Vec::new() }
    }

    /// The next token that is no blank.
    pub(super) fn peek(&mut self) -> Option<&'a TokenWithSpan> {
        while let Some(token) = self.text.tokens.get(self.at) {
            match &token.token {
                Token::Whitespace(Whitespace::SingleLineComment { comment, .. }) => {
                    self.comment.push(comment.trim().to_owned());
                }
                // A blank line parts a comment from what follows it.
                Token::Whitespace(Whitespace::Newline) if self.ends_paragraph() => {
                    self.comment.clear();
                }
                Token::Whitespace(_) => {}
                Token::EOF => return None,
                _ => return Some(token),
            }
            self.at += 1;
        }
        None
    }

    /// Whether the line break at hand makes a blank line. The token of a comment has its own.
    fn ends_paragraph(&self) -> bool {
        let token = |at: Option<usize>| Some(&self.text.tokens.get(at?)?.token);
        let after_comment = matches!(
            token(self.at.checked_sub(1)),
            Some(Token::Whitespace(Whitespace::SingleLineComment { .. }))
        );
        let next = token(Some(self.at + 1));
        after_comment || matches!(next, Some(Token::Whitespace(Whitespace::Newline)))
    }

    pub(super) fn next(&mut self) -> Option<&'a TokenWithSpan> {
        let token = self.peek()?;
        self.at += 1;
        self.comment.clear();
        Some(token)
    }

    /// The comment just before the next token.
    pub(super) fn comment(&mut self) -> String {
        self.peek();
        self.comment.join("\n")
    }

    /// Whether the next token is that word.
    pub(super) fn is_word(&mut self, word: &str) -> bool {
        self.peek().is_some_and(|token| is_word(token, word))
    }

    /// Steps over that word, if it is next.
    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.next();
        }
        found
    }

    /// Steps over those words, if they are all next.
    pub(super) fn take_words(&mut self, words: &[&str]) -> bool {
        let start = self.at;
        let found = words.iter().all(|word| self.take_word(word));
        if !found {
            self.at = start;
        }
        found
    }

    pub(super) fn take(&mut self, wanted: &Token) -> bool {
        let found = self.peek().is_some_and(|token| token.token == *wanted);
        if found {
            self.next();
        }
        found
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Result<(), SqlError> {
        if self.take_word(word) { Ok(()) } else { Err(self.expected(word)) }
    }

    pub(super) fn expect(&mut self, token: &Token) -> Result<(), SqlError> {
        if self.take(token) { Ok(()) } else { Err(self.expected(&format!("`{token}`"))) }
    }

    /// A name, quoted or not.
    pub(super) fn name(&mut self, what: &str) -> Result<Name, SqlError> {
        match self.peek() {
            Some(TokenWithSpan { token: Token::Word(word), span }) => {
                self.next();
                Ok(Name {
                    text: word.value.to_lowercase(),
                    written: word.value.clone(),
                    span: *span,
                })
            }
            _ => Err(self.expected(what)),
        }
    }

    /// The tokens up to the parenthesis that closes the one just passed, which is passed too.
    pub(super) fn balanced(&mut self) -> Result<&'a [TokenWithSpan], SqlError> {
        let start = self.at;
        let mut depth = 1_usize;
        while let Some(token) = self.next() {
            match token.token {
                Token::LParen => depth += 1,
                Token::RParen => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(&self.text.tokens[start..self.at - 1]);
            }
        }
        Err(self.expected("`)`"))
    }

    /// Every token that is left.
    pub(super) fn rest(&mut self) -> Vec<TokenWithSpan> {
        self.text.tokens.get(self.at..).unwrap_or_default().to_vec()
    }

    /// That nothing is left.
    pub(super) fn end(&mut self) -> Result<(), SqlError> {
        if self.peek().is_none() { Ok(()) } else { Err(self.expected("the end of the statement")) }
    }

    /// The error, at the next token.
    pub(super) fn located(&mut self, error: SqlError) -> SqlError {
        let span = self.peek().map(|token| token.span).or_else(|| self.last());
        error.at(span.and_then(|span| self.text.sources.location(span)))
    }

    /// The error that something else was expected here.
    pub(super) fn expected(&mut self, what: &str) -> SqlError {
        let (found, span) = match self.peek() {
            Some(token) => (format!(", found {}", token.token), Some(token.span)),
            None => (", but the statement ends here".to_owned(), self.last()),
        };
        let error =
            SqlError::new(SqlErrorKind::Syntax, format!("syntax error: expected {what}{found}"));
        error.at(span.and_then(|span| self.text.sources.location(span)))
    }

    /// The same where one of these words was expected, with the one that was probably meant.
    pub(super) fn expected_one_of(&mut self, words: &[&str]) -> SqlError {
        let near = match self.peek().map(|token| &token.token) {
            Some(Token::Word(word)) => nearest(&word.value, words.iter().copied()),
            _ => None,
        };
        let hint = near.map(|near| format!("did you mean `{near}`?"));
        self.expected(&words.join(" or ")).hint(hint)
    }

    fn last(&self) -> Option<Span> {
        let solid = |token: &&TokenWithSpan| {
            !matches!(token.token, Token::Whitespace(_) | Token::EOF | Token::SemiColon)
        };
        self.text.tokens.iter().rev().find(solid).map(|token| ErrorLocation::after(token.span))
    }
}

/// Whether a token is that word, not in quotes.
pub(super) fn is_word(token: &TokenWithSpan, text: &str) -> bool {
    matches!(&token.token, Token::Word(word)
        if word.quote_style.is_none() && word.value.eq_ignore_ascii_case(text))
}
