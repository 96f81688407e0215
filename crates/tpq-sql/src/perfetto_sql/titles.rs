//! Titles of result columns: the text of the expression, as SQLite shows it.

use std::collections::HashMap;

use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Location, Token, TokenWithSpan};

use super::Text;

/// The texts of the items of every SELECT, by where the SELECT stands.
///
/// Taken from the tokens, since the syntax tree does not say where an expression ends.
pub(super) struct Titles {
    items: HashMap<(u64, u64), Vec<String>>,
    /// Where the first SELECT outside parentheses stands: it names the statement's columns.
    main: Option<Location>,
}

impl Titles {
    pub(super) fn of(text: &Text) -> Self {
        let solid: Vec<&TokenWithSpan> = text
            .tokens
            .iter()
            .filter(|token| !matches!(token.token, Token::Whitespace(_)))
            .collect();
        let mut titles = Self { items: HashMap::new(), main: None };
        let mut depth = 0_usize;
        for (index, token) in solid.iter().enumerate() {
            match token.token {
                Token::LParen => depth += 1,
                Token::RParen => depth = depth.saturating_sub(1),
                _ if is(token, Keyword::SELECT) => {
                    let start = token.span.start;
                    let items = items(text, &solid[index + 1..]);
                    titles.items.insert((start.line, start.column), items);
                    if depth == 0 {
                        titles.main.get_or_insert(start);
                    }
                }
                _ => {}
            }
        }
        titles
    }

    /// The titles of the statement's own columns.
    pub(super) fn of_result(&self) -> Option<&[String]> {
        self.main.and_then(|select| self.at(select))
    }

    /// The texts of the items of the SELECT that stands at a location.
    pub(super) fn at(&self, select: Location) -> Option<&[String]> {
        self.items.get(&(select.line, select.column)).map(Vec::as_slice)
    }
}

fn is(token: &TokenWithSpan, keyword: Keyword) -> bool {
    matches!(&token.token, Token::Word(word) if word.keyword == keyword && word.quote_style.is_none())
}

/// The items from just after SELECT to whatever ends them.
fn items(text: &Text, tokens: &[&TokenWithSpan]) -> Vec<String> {
    let mut items = Vec::new();
    let mut depth = 0_usize;
    let mut first = None;
    let mut last: Option<&TokenWithSpan> = None;
    let mut close = |first: Option<&TokenWithSpan>, last: Option<&TokenWithSpan>| {
        if let (Some(first), Some(last)) = (first, last) {
            items.push(written(text, first, last));
        }
    };
    for token in tokens {
        match &token.token {
            Token::LParen => depth += 1,
            Token::RParen if depth == 0 => break,
            Token::RParen => depth -= 1,
            Token::Comma if depth == 0 => {
                close(first.take(), last.take());
                continue;
            }
            Token::EOF | Token::SemiColon => break,
            _ if depth == 0 && first.is_none() && is_quantifier(token) => continue,
            _ if depth == 0 && ends_items(token, last) => break,
            _ => {}
        }
        first = first.or(Some(*token));
        last = Some(token);
    }
    close(first, last);
    items
}

/// The text of neighbouring tokens; those of a macro's text and of its arguments are put together.
fn written(text: &Text, first: &TokenWithSpan, last: &TokenWithSpan) -> String {
    if let Some(written) = text.sources.between(first.span.start, last.span.end)
        && !written.is_empty()
    {
        return written.to_owned();
    }
    let at =
        |token: &TokenWithSpan| text.tokens.iter().position(|other| std::ptr::eq(other, token));
    let (Some(first), Some(last)) = (at(first), at(last)) else { return String::new() };
    text.tokens[first..=last].iter().map(|token| token.token.to_string()).collect()
}

fn is_quantifier(token: &TokenWithSpan) -> bool {
    is(token, Keyword::DISTINCT) || is(token, Keyword::ALL)
}

fn ends_items(token: &TokenWithSpan, last: Option<&TokenWithSpan>) -> bool {
    const ENDS: [Keyword; 9] = [
        Keyword::WHERE,
        Keyword::GROUP,
        Keyword::HAVING,
        Keyword::WINDOW,
        Keyword::ORDER,
        Keyword::LIMIT,
        Keyword::UNION,
        Keyword::INTERSECT,
        Keyword::EXCEPT,
    ];
    // `a IS DISTINCT FROM b` goes on, and so does `* EXCEPT (a)`.
    let from = is(token, Keyword::FROM) && !last.is_some_and(|last| is(last, Keyword::DISTINCT));
    if is(token, Keyword::EXCEPT) && last.is_some_and(|last| last.token == Token::Mul) {
        return false;
    }
    from || ENDS.iter().any(|&keyword| is(token, keyword))
}

#[cfg(test)]
mod tests {
    use super::super::split;
    use super::*;

    #[test]
    fn items_are_cut_at_their_own_commas() {
        let sql =
            "SELECT DISTINCT max( a,b ), x IS DISTINCT FROM y AS z,\n (SELECT 1, 2 FROM t) FROM u";
        let statements = split(sql).unwrap_or_default();
        let titles = Titles::of(&statements[0].text_as_written());
        let outer = titles.at(Location::new(1, 1)).unwrap_or_default();
        assert_eq!(outer, ["max( a,b )", "x IS DISTINCT FROM y AS z", "(SELECT 1, 2 FROM t)"]);
        assert_eq!(titles.at(Location::new(2, 3)).unwrap_or_default(), ["1", "2"]);
        let statements = split("SELECT * EXCEPT (a), b FROM t EXCEPT SELECT 1").unwrap_or_default();
        let titles = Titles::of(&statements[0].text_as_written());
        assert_eq!(titles.of_result().unwrap_or_default(), ["* EXCEPT (a)", "b"]);
    }
}
