//! Macros that work on the tokens themselves; people's own macros are built on them.
//!
//! - `__intrinsic_stringify!(tokens)`: the tokens as a string.
//! - `__intrinsic_token_apply!(m, (a, b))`: `m!(a), m!(b)`; with a second list `(c, d)`:
//!   `m!(a, c), m!(b, d)`. With `_and` the calls are joined by AND, with `_prefix` the joining
//!   word stands before the first call as well, if there is one.

use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Span, Token, TokenWithSpan, Whitespace, Word};

use super::macros::{MOST_TOKENS, TOO_MUCH, argument, trimmed};

/// The expansion of a call with these arguments, or its error.
pub(super) type TokenMacro = fn(&[Vec<TokenWithSpan>], Span) -> Result<Vec<TokenWithSpan>, String>;

/// The macro of that name.
pub(super) fn find(name: &str) -> Option<TokenMacro> {
    Some(match name {
        "__intrinsic_stringify" => |args, span| stringify(args, span, false),
        "__intrinsic_stringify_ignore_table" => |args, span| stringify(args, span, true),
        "__intrinsic_token_apply" => |args, span| apply(args, span, Token::Comma, false),
        "__intrinsic_token_apply_prefix" => |args, span| apply(args, span, Token::Comma, true),
        "__intrinsic_token_apply_and" => |args, span| apply(args, span, and(), false),
        "__intrinsic_token_apply_and_prefix" => |args, span| apply(args, span, and(), true),
        _ => return None,
    })
}

fn and() -> Token {
    Token::Word(Word { value: "AND".into(), quote_style: None, keyword: Keyword::AND })
}

fn stringify(
    args: &[Vec<TokenWithSpan>],
    span: Span,
    ignore_table: bool,
) -> Result<Vec<TokenWithSpan>, String> {
    let [tokens] = args else {
        return Err(format!("takes 1 argument, {} were given", args.len()));
    };
    let unknown = tokens.iter().filter_map(argument).find(|name| !ignore_table || name != "table");
    if let Some(name) = unknown {
        return Err(format!("`${name}` has no value here"));
    }
    let text: String = tokens.iter().map(written).collect();
    Ok(vec![TokenWithSpan { token: Token::SingleQuotedString(text), span }])
}

/// A token as SQL. A string token holds its text without the doubled quotes.
fn written(token: &TokenWithSpan) -> String {
    match &token.token {
        Token::SingleQuotedString(text) => format!("'{}'", text.replace('\'', "''")),
        token => token.to_string(),
    }
}

fn apply(
    args: &[Vec<TokenWithSpan>],
    span: Span,
    join: Token,
    prefix: bool,
) -> Result<Vec<TokenWithSpan>, String> {
    let (name, first, second) = match args {
        [name, first] => (name, items(first)?, None),
        [name, first, second] => (name, items(first)?, Some(items(second)?)),
        _ => return Err(format!("takes 2 or 3 arguments, {} were given", args.len())),
    };
    let made = |token: Token| TokenWithSpan { token, span };
    let count = second.as_ref().map_or(first.len(), |second| second.len().min(first.len()));
    if trimmed(name).len().saturating_mul(count) > MOST_TOKENS {
        return Err(TOO_MUCH.to_owned());
    }
    let mut out = Vec::new();
    for index in 0..count {
        if index > 0 || prefix {
            let space = || made(Token::Whitespace(Whitespace::Space));
            out.extend([space(), made(join.clone()), space()]);
        }
        out.extend(trimmed(name).iter().cloned());
        out.extend([made(Token::ExclamationMark), made(Token::LParen)]);
        out.extend(first[index].iter().cloned());
        if let Some(second) = &second {
            out.push(made(Token::Comma));
            out.extend(second[index].iter().cloned());
        }
        out.push(made(Token::RParen));
    }
    Ok(out)
}

/// The items of `(a, b, …)`.
fn items(list: &[TokenWithSpan]) -> Result<Vec<&[TokenWithSpan]>, String> {
    let list = trimmed(list);
    let inner = match list {
        [open, inner @ .., close]
            if open.token == Token::LParen && close.token == Token::RParen =>
        {
            inner
        }
        _ => return Err("expected a list in parentheses".into()),
    };
    let mut items = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, token) in inner.iter().enumerate() {
        match token.token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            Token::Comma if depth == 0 => {
                items.push(trimmed(&inner[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = trimmed(&inner[start..]);
    if !last.is_empty() {
        items.push(last);
    }
    Ok(items)
}
