//! `like(pattern, text[, escape])`, also written `text LIKE pattern`: matches `%` and `_`, without
//! regard to the case of ASCII letters.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, exec_err};
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::logical_expr::{Expr, Like, cast, lit};

use super::per_row::{PerRow, is_text};
use super::steps::Steps;
use super::value::Value;

/// The maximum length of a pattern for DataFusion, which cannot be cancelled within a value.
pub(super) const LONGEST_SIMPLIFIED: usize = 1_000;

pub(super) fn functions() -> Vec<PerRow> {
    vec![PerRow::new("like", 2..=3, |_| DataType::Boolean, like).simplified(as_ilike)]
}

fn like<'a>(values: &[Value<'a>]) -> Result<Value<'a>> {
    let escape = match values.get(2).map(Value::as_text) {
        None => None,
        Some(None) => return Ok(Value::Null),
        Some(Some(escape)) => match (escape.chars().next(), escape.chars().count()) {
            (Some(only), 1) => Some(only),
            _ => return exec_err!("the value after ESCAPE must be one character"),
        },
    };
    let (Some(pattern), Some(text)) = (values[0].as_text(), values[1].as_text()) else {
        return Ok(Value::Null);
    };
    let pattern = parse(&pattern, escape);
    let text: Vec<char> = text.chars().collect();
    Ok(Value::Integer(i64::from(matches(&pattern, &text)?)))
}

/// An element of a pattern.
#[derive(Clone, Copy)]
enum Part {
    /// `%`: any text.
    AnyText,
    /// `_`: one character.
    AnyChar,
    Char(char),
    /// An escape at the end of the pattern: no text.
    Nothing,
}

fn parse(pattern: &str, escape: Option<char>) -> Vec<Part> {
    let mut characters = pattern.chars();
    let mut parts = Vec::new();
    while let Some(c) = characters.next() {
        parts.push(match c {
            c if Some(c) == escape => match characters.next() {
                Some(next) => Part::Char(next),
                None => Part::Nothing,
            },
            '%' => Part::AnyText,
            '_' => Part::AnyChar,
            c => Part::Char(c),
        });
    }
    parts
}

fn matches(pattern: &[Part], text: &[char]) -> Result<bool> {
    let (mut p, mut t) = (0, 0);
    // Where to retry with one more character for the last `%`: the position in the pattern after
    // it, and the position in the text after its match.
    let mut retry: Option<(usize, usize)> = None;
    let mut steps = Steps::default();
    while let Some(c) = text.get(t) {
        steps.take(1)?;
        let fits = match pattern.get(p) {
            Some(Part::AnyText) => {
                retry = Some((p + 1, t));
                p += 1;
                continue;
            }
            Some(Part::AnyChar) => true,
            Some(Part::Char(wanted)) => wanted.eq_ignore_ascii_case(c),
            Some(Part::Nothing) | None => false,
        };
        if fits {
            (p, t) = (p + 1, t + 1);
        } else if let Some((after, from)) = retry {
            retry = Some((after, from + 1));
            (p, t) = (after, from + 1);
        } else {
            return Ok(false);
        }
    }
    Ok(pattern.get(p..).unwrap_or_default().iter().all(|part| matches!(part, Part::AnyText)))
}

/// Replaces a pattern without backslashes and non-ASCII letters by DataFusion's ILIKE, which gives
/// the same result faster.
fn as_ilike(args: &[Expr], types: &[DataType], _: &SimplifyContext) -> Result<Option<Expr>> {
    let [Expr::Literal(pattern, _), text] = args else { return Ok(None) };
    let Some(Some(pattern)) = pattern.try_as_str() else { return Ok(None) };
    if pattern.len() > LONGEST_SIMPLIFIED || !pattern.is_ascii() || pattern.contains('\\') {
        return Ok(None);
    }
    let text = match &types[1] {
        DataType::Utf8View => text.clone(),
        other if is_text(other) => cast(text.clone(), DataType::Utf8View),
        DataType::Int64 => cast(text.clone(), DataType::Utf8View),
        _ => return Ok(None),
    };
    let pattern = datafusion::common::ScalarValue::Utf8View(Some(pattern.to_owned()));
    let like = Like::new(false, Box::new(text), Box::new(lit(pattern)), None, true);
    Ok(Some(Expr::Like(like)))
}
