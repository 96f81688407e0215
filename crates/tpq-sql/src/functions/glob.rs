//! `glob(pattern, text)`, also written `text GLOB pattern`: matches `*`, `?` and `[a-z]`,
//! case-sensitive.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::logical_expr::{Expr, Like, lit};

use super::pattern::LONGEST_SIMPLIFIED;
use super::per_row::PerRow;
use super::steps::Steps;
use super::value::Value;

pub(super) fn functions() -> Vec<PerRow> {
    let returns = |_: &[DataType]| DataType::Boolean;
    vec![PerRow::new("glob", 2..=2, returns, glob).simplified(simplified)]
}

fn glob<'a>(values: &[Value<'a>]) -> Result<Value<'a>> {
    let (Some(pattern), Some(text)) = (values[0].as_text(), values[1].as_text()) else {
        return Ok(Value::Null);
    };
    Ok(Value::Integer(i64::from(matches(&pattern, &text)?)))
}

/// Replaces a pattern with only `*` and `?` by a case-sensitive LIKE, which DataFusion evaluates
/// faster.
fn simplified(args: &[Expr], types: &[DataType], _: &SimplifyContext) -> Result<Option<Expr>> {
    let ([Expr::Literal(pattern, _), text], [_, text_type]) = (args, types) else {
        return Ok(None);
    };
    let pattern = pattern.try_as_str().flatten().and_then(as_like);
    let Some(pattern) = pattern.filter(|_| is_text(text_type)) else { return Ok(None) };
    // The pattern gets the type of the text, because type coercion does not run again after this.
    let pattern = ScalarValue::Utf8(Some(pattern)).cast_to(text_type)?;
    let like = Like::new(false, Box::new(text.clone()), Box::new(lit(pattern)), None, false);
    Ok(Some(Expr::Like(like)))
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// The equivalent LIKE pattern, if there is one without escapes.
fn as_like(pattern: &str) -> Option<String> {
    if pattern.len() > LONGEST_SIMPLIFIED || pattern.contains(['[', '%', '_', '\\']) {
        return None;
    }
    Some(pattern.replace('*', "%").replace('?', "_"))
}

/// Whether a pattern matches the whole of a text.
pub(crate) fn matches(pattern: &str, text: &str) -> Result<bool> {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut p, mut t) = (0, 0);
    // Where to retry with one more character for the last `*`: the position in the pattern after
    // it, and the position in the text after its match.
    let mut retry: Option<(usize, usize)> = None;
    let mut steps = Steps::default();
    while t < text.len() {
        if pattern.get(p) == Some(&'*') {
            retry = Some((p + 1, t));
            p += 1;
            continue;
        }
        steps.take(1)?;
        if let Some(next) = match_one(&pattern, p, text[t], &mut steps)? {
            p = next;
            t += 1;
        } else if let Some((after_star, from)) = retry {
            retry = Some((after_star, from + 1));
            p = after_star;
            t = from + 1;
        } else {
            return Ok(false);
        }
    }
    Ok(pattern[p..].iter().all(|&c| c == '*'))
}

/// Matches one character with the element of the pattern at `p`. Returns the position of the next
/// element, or `None` if the character does not match.
fn match_one(pattern: &[char], p: usize, c: char, steps: &mut Steps) -> Result<Option<usize>> {
    match pattern.get(p) {
        Some('[') => match_set(pattern, p + 1, c, steps),
        Some(one) => Ok((*one == '?' || *one == c).then_some(p + 1)),
        None => Ok(None),
    }
}

/// Matches one character with `[abc]`, `[a-z]` or `[^a-z]`; `start` is the position after `[`. A
/// `]` at the start is a member of the set.
fn match_set(pattern: &[char], start: usize, c: char, steps: &mut Steps) -> Result<Option<usize>> {
    let negated = pattern.get(start) == Some(&'^');
    let first = start + usize::from(negated);
    let mut at = first;
    let mut found = false;
    loop {
        steps.take(1)?;
        match pattern.get(at) {
            None => return Ok(None),
            Some(']') if at > first => break,
            Some(&low) => {
                let high = match (pattern.get(at + 1), pattern.get(at + 2)) {
                    (Some('-'), Some(&high)) if high != ']' => high,
                    _ => low,
                };
                let range = high != low
                    || pattern.get(at + 1) == Some(&'-') && pattern.get(at + 2) == Some(&low);
                found |= (low..=high).contains(&c);
                at += if range { 3 } else { 1 };
            }
        }
    }
    Ok((found != negated).then_some(at + 1))
}

#[cfg(test)]
mod tests {
    use crate::cancel::{CancelToken, under};

    fn matches(pattern: &str, text: &str) -> bool {
        super::matches(pattern, text).unwrap()
    }

    #[test]
    fn stars_match_any_text() {
        assert!(matches("*", ""));
        assert!(matches("a*b*c", "a__b_b__c"));
        assert!(!matches("a*b*c", "a__c__b"));
        assert!(matches("ünï?öde*", "ünïcöde!"));
        assert!(!matches("Abc", "abc"));
    }

    #[test]
    fn a_long_match_stops_when_its_statement_is_cancelled() {
        let token = CancelToken::default();
        token.cancel();
        let set = format!("*[{}]x", "b".repeat(10_000));
        under(token, || {
            assert!(super::matches("*ab", &"a".repeat(70_000)).is_err());
            assert!(super::matches(&set, "aaaaaaaaaa").is_err());
        });
    }

    #[test]
    fn sets_can_have_ranges_brackets_and_negation() {
        assert!(matches("[a-c]x[^0-9]", "bxz"));
        assert!(!matches("[a-c]x[^0-9]", "bx7"));
        assert!(matches("[]]", "]"));
        assert!(matches("[*]", "*"));
        assert!(!matches("[abc", "a"));
    }
}
