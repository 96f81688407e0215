//! DuckDB's syntax that the parser of this dialect does not read: a statement that begins with
//! FROM, and a list of files in brackets, which the dialect takes for a name.

use datafusion::sql::sqlparser::tokenizer::{Span, Token, TokenWithSpan};

use super::cursor::is_word;
use super::macros::is_blank;
use super::script::tokenize;
use crate::files::Reader;

/// The tokens of a statement in the syntax of the dialect.
pub(super) fn plain_tokens(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let tokens = without_lists(tokens);
    let first = tokens.iter().find(|token| !is_blank(token));
    let from = first.filter(|first| is_word(first, "FROM")).map(|from| from.span);
    match from {
        Some(span) => select_all(span, None, tokens),
        None => tokens,
    }
}

/// `SELECT * FROM` before the tokens of a table; the new tokens get the span `at`. `from` is the
/// word FROM, if it is not among the tokens.
pub(super) fn select_all(
    at: Span,
    from: Option<Token>,
    table: Vec<TokenWithSpan>,
) -> Vec<TokenWithSpan> {
    let words = [Some(Token::make_keyword("SELECT")), Some(Token::Mul), from];
    let words = words.into_iter().flatten().map(|token| TokenWithSpan::new(token, at));
    words.chain(table).collect()
}

/// Replaces `read_csv(['a', 'b'])` by `read_csv('a', 'b')`.
fn without_lists(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    if !tokens.iter().any(|token| list_text(token).is_some()) {
        return tokens;
    }
    let mut plain: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    for token in tokens {
        match list_text(&token).filter(|_| begins_call(&plain)).and_then(items) {
            Some(items) => {
                plain.extend(items.into_iter().map(|item| TokenWithSpan::new(item, token.span)));
            }
            None => plain.push(token),
        }
    }
    plain
}

/// The text between brackets.
fn list_text(token: &TokenWithSpan) -> Option<&str> {
    match &token.token {
        Token::Word(word) if word.quote_style == Some('[') => Some(&word.value),
        _ => None,
    }
}

/// Whether the tokens end with the name of a function that reads files, and a parenthesis.
fn begins_call(tokens: &[TokenWithSpan]) -> bool {
    let mut last = tokens.iter().rev().filter(|token| !is_blank(token));
    let opens = last.next().is_some_and(|token| token.token == Token::LParen);
    opens
        && last.next().is_some_and(|name| match &name.token {
            Token::Word(word) => Reader::named(&word.value.to_lowercase()).is_some(),
            _ => false,
        })
}

/// The tokens of a list of texts; `None` if it has anything else.
fn items(list: &str) -> Option<Vec<Token>> {
    let tokens = tokenize(list).ok()?.into_iter().map(|token| token.token);
    let tokens: Vec<Token> = tokens.filter(|token| *token != Token::EOF).collect();
    let is_item = |token: &Token| {
        matches!(token, Token::SingleQuotedString(_) | Token::Comma | Token::Whitespace(_))
    };
    tokens.iter().all(is_item).then_some(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(sql: &str) -> String {
        let tokens = plain_tokens(tokenize(sql).unwrap());
        let solid = tokens.iter().filter(|token| !is_blank(token) && token.token != Token::EOF);
        solid.map(|token| token.token.to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lists_of_files_are_arguments() {
        let sql = "SELECT * FROM Read_Csv(['A.csv', 'b']) x";
        assert_eq!(plain(sql), "SELECT * FROM Read_Csv ( 'A.csv' , 'b' ) x");
        // Names in brackets stay names.
        assert_eq!(plain("SELECT [a] FROM f([b])"), "SELECT [a] FROM f ( [b] )");
        assert_eq!(plain("SELECT 1 FROM read_csv([b])"), "SELECT 1 FROM read_csv ( [b] )");
    }

    #[test]
    fn a_statement_may_begin_with_from() {
        assert_eq!(plain("-- all\nFROM t WHERE a"), "SELECT * FROM t WHERE a");
        assert_eq!(plain("SELECT 1 FROM t"), "SELECT 1 FROM t");
    }
}
