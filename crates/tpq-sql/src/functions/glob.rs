//! `glob(pattern, text)`, also written `text GLOB pattern`: `*`, `?` and `[a-z]`, and upper and
//! lower case told apart.

use std::sync::Arc;

use datafusion::arrow::array::{AsArray, BooleanArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::{
    ColumnarValue, Expr, Like, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility, lit,
};

#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Glob {
    signature: Signature,
}

impl Default for Glob {
    fn default() -> Self {
        Self { signature: Signature::any(2, Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for Glob {
    fn name(&self) -> &str {
        "glob"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Boolean)
    }

    /// Where the pattern has only `*` and `?`, LIKE that tells case apart says the same, and
    /// DataFusion has fast ways for it.
    fn simplify(&self, mut args: Vec<Expr>, info: &SimplifyContext) -> Result<ExprSimplifyResult> {
        let pattern = match &args[..] {
            [Expr::Literal(pattern, _), text] => {
                let pattern = pattern.try_as_str().flatten().and_then(as_like);
                let text = info.get_data_type(text)?;
                // Of the type of the text: types are not made to fit again after this.
                pattern
                    .filter(|_| is_text(&text))
                    .and_then(|pattern| ScalarValue::Utf8(Some(pattern)).cast_to(&text).ok())
            }
            _ => None,
        };
        let Some(pattern) = pattern else { return Ok(ExprSimplifyResult::Original(args)) };
        let text = args.swap_remove(1);
        let like = Like::new(false, Box::new(text), Box::new(lit(pattern)), None, false);
        Ok(ExprSimplifyResult::Simplified(Expr::Like(like)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let patterns = cast(&arrays[0], &DataType::Utf8View)?;
        let texts = cast(&arrays[1], &DataType::Utf8View)?;
        let pairs = patterns.as_string_view().iter().zip(texts.as_string_view().iter());
        let matched: BooleanArray =
            pairs.map(|(pattern, text)| Some(matches(pattern?, text?))).collect();
        Ok(ColumnarValue::Array(Arc::new(matched)))
    }
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// The LIKE pattern that says the same, if there is one without escapes.
fn as_like(pattern: &str) -> Option<String> {
    if pattern.contains(['[', '%', '_', '\\']) {
        return None;
    }
    Some(pattern.replace('*', "%").replace('?', "_"))
}

/// Whether a pattern matches the whole of a text.
fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut p, mut t) = (0, 0);
    // Where to go on after the last `*`, letting it take one character more.
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&'*') {
            retry = Some((p + 1, t));
            p += 1;
        } else if let Some(next) = match_one(&pattern, p, text[t]) {
            p = next;
            t += 1;
        } else if let Some((after_star, from)) = retry {
            retry = Some((after_star, from + 1));
            p = after_star;
            t = from + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

/// Where the pattern goes on if the part of it at `p` matches one character.
fn match_one(pattern: &[char], p: usize, c: char) -> Option<usize> {
    match *pattern.get(p)? {
        '?' => Some(p + 1),
        '[' => match_set(pattern, p + 1, c),
        literal => (literal == c).then_some(p + 1),
    }
}

/// `[abc]`, `[a-z]`, `[^a-z]`, from after the bracket. A `]` that comes first is a member.
fn match_set(pattern: &[char], start: usize, c: char) -> Option<usize> {
    let negated = pattern.get(start) == Some(&'^');
    let first = start + usize::from(negated);
    let mut at = first;
    let mut found = false;
    loop {
        match *pattern.get(at)? {
            ']' if at > first => break,
            low => {
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
    (found != negated).then_some(at + 1)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_take_as_much_as_they_need() {
        assert!(matches("*", ""));
        assert!(matches("a*b*c", "a__b_b__c"));
        assert!(!matches("a*b*c", "a__c__b"));
        assert!(matches("ünï?öde*", "ünïcöde!"));
        assert!(!matches("Abc", "abc"));
    }

    #[test]
    fn sets_hold_ranges_brackets_and_their_opposite() {
        assert!(matches("[a-c]x[^0-9]", "bxz"));
        assert!(!matches("[a-c]x[^0-9]", "bx7"));
        assert!(matches("[]]", "]"));
        assert!(matches("[*]", "*"));
        assert!(!matches("[abc", "a"));
    }
}
