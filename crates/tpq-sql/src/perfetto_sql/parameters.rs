//! Parameters of a statement: `$name` and `:name` stand for values.
//!
//! The tokens of a value take the place of the parameter before parsing, so that a value is always
//! a literal, whatever its text is.

use std::collections::BTreeMap;

use datafusion::sql::sqlparser::tokenizer::{Span, Token, TokenWithSpan};

use super::command::{Command, FunctionDeclaration};
use super::source::Text;
use crate::errors::{SqlError, SqlErrorKind};
use crate::parameters::{ParameterValue, Parameters};

/// A parameter among tokens.
struct Use {
    /// In lower case.
    name: String,
    /// As it is written, with its sign.
    written: String,
    span: Span,
    /// The number of tokens.
    len: usize,
}

/// The statement with values in place of its parameters. The arguments of a function that it
/// declares stay, and so does the declaration of a macro.
///
/// # Errors
/// When a parameter has no value.
pub(crate) fn with_parameters(text: Text, parameters: &Parameters) -> Result<Text, SqlError> {
    let has_parameters = (0..text.tokens.len()).any(|at| parameter(&text.tokens[at..]).is_some());
    if !has_parameters || Command::declares_macro(&text) {
        return Ok(text);
    }
    let arguments = match Command::declares_function(&text) {
        true => match Command::parse(&text)? {
            Command::CreateFunction(FunctionDeclaration { args, .. }) => args,
            _ => Vec::new(),
        },
        false => Vec::new(),
    };
    let is_argument = |found: &Use| {
        found.written.starts_with('$') && arguments.iter().any(|arg| arg.name.text == found.name)
    };
    let values = parameters.all();
    let mut tokens = Vec::with_capacity(text.tokens.len());
    let mut at = 0;
    while let Some(token) = text.tokens.get(at) {
        match parameter(&text.tokens[at..]).filter(|found| !is_argument(found)) {
            Some(found) => {
                let value = value_of(&found, &values, &text)?;
                tokens.extend(literal(value).map(|token| TokenWithSpan::new(token, found.span)));
                at += found.len;
            }
            None => {
                tokens.push(token.clone());
                at += 1;
            }
        }
    }
    Ok(Text { tokens, ..text })
}

/// The names of the parameters of a statement, in lower case, in the order of their first use.
pub(super) fn parameter_names(tokens: &[TokenWithSpan]) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = tokens;
    while !rest.is_empty() {
        let length = match parameter(rest) {
            Some(found) => {
                if !names.contains(&found.name) {
                    names.push(found.name);
                }
                found.len
            }
            None => 1,
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    names
}

/// The parameter that tokens begin with.
fn parameter(tokens: &[TokenWithSpan]) -> Option<Use> {
    let first = tokens.first()?;
    match &first.token {
        Token::Placeholder(written) => {
            let name = written.strip_prefix('$').filter(|name| !name.is_empty())?;
            let written = written.clone();
            Some(Use { name: name.to_lowercase(), written, span: first.span, len: 1 })
        }
        Token::Colon => {
            let next = tokens.get(1).filter(|next| next.span.start == first.span.end)?;
            let Token::Word(word) = &next.token else { return None };
            if word.quote_style.is_some() {
                return None;
            }
            let written = format!(":{}", word.value);
            let span = first.span.union(&next.span);
            Some(Use { name: word.value.to_lowercase(), written, span, len: 2 })
        }
        _ => None,
    }
}

fn value_of<'a>(
    found: &Use,
    values: &'a BTreeMap<String, ParameterValue>,
    text: &Text,
) -> Result<&'a ParameterValue, SqlError> {
    let Use { name, written, span, .. } = found;
    values.get(name).ok_or_else(|| {
        let message = format!("the parameter `{written}` has no value");
        let hint = format!(
            "give one with --param {name}=VALUE, or with .param set {name} VALUE in the shell"
        );
        SqlError::new(SqlErrorKind::Invalid, message)
            .at(text.sources.location(*span))
            .hint(Some(hint))
    })
}

/// The tokens of a literal: a sign, if there is one, and a value.
fn literal(value: &ParameterValue) -> impl Iterator<Item = Token> + use<> {
    let number = |digits: String, is_negative: bool| {
        (is_negative.then_some(Token::Minus), Token::Number(digits, false))
    };
    let (sign, value) = match value {
        ParameterValue::Null => (None, Token::make_keyword("NULL")),
        ParameterValue::Integer(value) => number(value.unsigned_abs().to_string(), *value < 0),
        ParameterValue::Real(value) if value.is_finite() => {
            number(format!("{:?}", value.abs()), value.is_sign_negative())
        }
        // SQL has no literal for an infinite real.
        ParameterValue::Real(value) => (None, Token::SingleQuotedString(value.to_string())),
        ParameterValue::Text(text) => (None, Token::SingleQuotedString(text.clone())),
    };
    sign.into_iter().chain([value])
}
