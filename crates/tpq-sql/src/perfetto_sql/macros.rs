//! Macros: `name!(argument, …)` stands for the macro's tokens with the arguments in their places.
//!
//! Expansion is on tokens, before anything is parsed, so that an argument may be a name, an
//! expression or a query in parentheses.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::sql::sqlparser::tokenizer::{Span, Token, TokenWithSpan};

use super::command::MacroDeclaration;
use super::source::{Script, Sources, Text, numbered};
use super::token_macros;
use crate::errors::{SqlError, SqlErrorKind, nearest};

/// Macros in macros in macros: beyond this one calls itself.
const DEEPEST: usize = 64;

/// More than any statement needs; macros that double with each call would fill the memory.
pub(super) const MOST_TOKENS: usize = 4_000_000;

/// The error of more.
pub(super) const TOO_MUCH: &str = "the macros here expand to too much text";

/// A macro that was created.
#[derive(Debug)]
pub(crate) struct Macro {
    pub declaration: MacroDeclaration,
    /// The text its tokens are of.
    pub script: Arc<Script>,
}

/// Looks up a macro by its name in lower case.
pub(crate) trait Macros {
    fn find(&self, name: &str) -> Option<Arc<Macro>>;

    /// The names of all macros, for proposals.
    fn names(&self) -> Vec<String>;

    /// The module to include for a macro that is not known.
    fn module_of(&self, name: &str) -> Option<String>;
}

/// The statement with every macro replaced by what it stands for.
pub(crate) fn expand(text: Text, macros: &dyn Macros) -> Result<Text, SqlError> {
    if !text.tokens.iter().any(|token| token.token == Token::ExclamationMark) {
        return Ok(text);
    }
    let mut expander = Expander { sources: text.sources, macros, depth: 0 };
    let tokens = expander.expand(&text.tokens)?;
    Ok(Text { sources: expander.sources, tokens })
}

/// Whether a call begins here: a name and a mark, perhaps with a blank between.
fn begins_call(tokens: &[TokenWithSpan]) -> bool {
    let is_name = tokens.first().is_some_and(|name| matches!(name.token, Token::Word(_)));
    let mut rest = tokens.iter().skip(1).filter(|token| !is_blank(token));
    is_name && rest.next().is_some_and(|mark| mark.token == Token::ExclamationMark)
}

pub(super) struct Expander<'a> {
    sources: Sources,
    macros: &'a dyn Macros,
    depth: usize,
}

/// A call found among tokens.
struct Call<'a> {
    name: String,
    span: Span,
    args: Vec<&'a [TokenWithSpan]>,
    /// How many tokens it takes.
    len: usize,
}

impl Expander<'_> {
    pub(super) fn expand(
        &mut self,
        tokens: &[TokenWithSpan],
    ) -> Result<Vec<TokenWithSpan>, SqlError> {
        let mut out = Vec::with_capacity(tokens.len());
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            if begins_call(&tokens[at..]) {
                let call = self.call(&tokens[at..])?;
                out.extend(self.value(&call)?);
                at += call.len;
            } else {
                out.push(token.clone());
                at += 1;
            }
            if out.len() > MOST_TOKENS {
                return Err(self.too_much(token.span));
            }
        }
        Ok(out)
    }

    /// The call that `tokens` begins with.
    fn call<'a>(&self, tokens: &'a [TokenWithSpan]) -> Result<Call<'a>, SqlError> {
        let (name, span) = (tokens[0].token.to_string(), tokens[0].span);
        let mut solid = (1..tokens.len()).filter(|&at| !is_blank(&tokens[at]));
        let open = solid.nth(1);
        let open = open.filter(|&at| tokens[at].token == Token::LParen);
        let Some(open) = open else {
            return Err(self.error(span, &format!("`{name}!` needs arguments in parentheses")));
        };
        let mut depth = 0_usize;
        let mut start = open + 1;
        let mut args = Vec::new();
        for (at, token) in tokens.iter().enumerate().skip(open) {
            match token.token {
                Token::LParen => depth += 1,
                Token::RParen => depth -= 1,
                Token::Comma if depth == 1 => {
                    args.push(trimmed(&tokens[start..at]));
                    start = at + 1;
                }
                _ => {}
            }
            if depth == 0 {
                let last = trimmed(&tokens[start..at]);
                if !last.is_empty() || !args.is_empty() {
                    args.push(last);
                }
                return Ok(Call { name, span, args, len: at + 1 });
            }
        }
        Err(self.error(span, &format!("the parenthesis of `{name}!` is never closed")))
    }

    /// The expansion of a call.
    fn value(&mut self, call: &Call) -> Result<Vec<TokenWithSpan>, SqlError> {
        if self.depth >= DEEPEST {
            let message = format!("`{}!` calls itself, or macros are nested too deeply", call.name);
            return Err(self.error(call.span, &message));
        }
        let args = call.args.iter().map(|arg| self.expand(arg));
        let args = args.collect::<Result<Vec<_>, _>>()?;
        let name = call.name.to_lowercase();
        let tokens = match token_macros::find(&name) {
            Some(intrinsic) => intrinsic(&args, call.span)
                .map_err(|message| self.error(call.span, &format!("`{name}!`: {message}")))?,
            None => self.body(&name, call, args)?,
        };
        self.depth += 1;
        let expanded = self.expand(&tokens);
        self.depth -= 1;
        expanded
    }

    /// The tokens of a macro with the arguments in their places.
    fn body(
        &mut self,
        name: &str,
        call: &Call,
        args: Vec<Vec<TokenWithSpan>>,
    ) -> Result<Vec<TokenWithSpan>, SqlError> {
        let Some(found) = self.macros.find(name) else {
            return Err(self.unknown(name, call.span));
        };
        let wanted = &found.declaration.args;
        if wanted.len() != args.len() {
            let list: Vec<String> = wanted
                .iter()
                .map(|arg| format!("{} {}", arg.name.text, arg.kind.written))
                .collect();
            let message =
                format!("`{name}!` takes {} arguments, {} were given", wanted.len(), args.len());
            let hint = format!("it is called as {name}!({})", list.join(", "));
            return Err(self.error(call.span, &message).hint(Some(hint)));
        }
        let number = self.sources.add_expansion(&found.script, &call.name, call.span);
        let names = wanted.iter().map(|arg| arg.name.text.as_str());
        let values: HashMap<&str, Vec<TokenWithSpan>> = names.zip(args).collect();
        let value_of = |token| argument(token).and_then(|name| values.get(name.as_str()));
        // A body may name a long argument any number of times.
        let lengths =
            found.declaration.body.iter().map(|token| value_of(token).map_or(1, Vec::len));
        if lengths.fold(0, usize::saturating_add) > MOST_TOKENS {
            return Err(self.too_much(call.span));
        }
        let mut out = Vec::new();
        for token in &found.declaration.body {
            match value_of(token) {
                Some(value) => out.extend(value.iter().cloned()),
                None => {
                    let span = numbered(token.span, number);
                    out.push(TokenWithSpan { token: token.token.clone(), span });
                }
            }
        }
        Ok(out)
    }

    fn unknown(&self, name: &str, span: Span) -> SqlError {
        let names = self.macros.names();
        let hint = match self.macros.module_of(name) {
            Some(module) => Some(format!("it is in a module: INCLUDE PERFETTO MODULE {module};")),
            None => nearest(name, names.iter().map(String::as_str))
                .map(|near| format!("did you mean `{near}!`?")),
        };
        SqlError::new(SqlErrorKind::UnknownFunction, format!("no macro is called `{name}`"))
            .at(self.sources.location(span))
            .hint(hint)
    }

    fn too_much(&self, span: Span) -> SqlError {
        self.error(span, TOO_MUCH)
    }

    fn error(&self, span: Span, message: &str) -> SqlError {
        SqlError::new(SqlErrorKind::Syntax, message).at(self.sources.location(span))
    }
}

/// The name in `$name`, in lower case.
pub(super) fn argument(token: &TokenWithSpan) -> Option<String> {
    match &token.token {
        Token::Placeholder(name) => name.strip_prefix('$').map(str::to_lowercase),
        _ => None,
    }
}

pub(super) fn is_blank(token: &TokenWithSpan) -> bool {
    matches!(token.token, Token::Whitespace(_))
}

/// Without the blanks at both ends.
pub(super) fn trimmed(tokens: &[TokenWithSpan]) -> &[TokenWithSpan] {
    let start = tokens.iter().position(|token| !is_blank(token)).unwrap_or(tokens.len());
    let end = tokens.iter().rposition(|token| !is_blank(token)).map_or(start, |last| last + 1);
    &tokens[start..end]
}
