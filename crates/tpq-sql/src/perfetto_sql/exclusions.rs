//! EXCLUDE in the frames of windows, which sqlparser does not read.
//!
//! `(PARTITION BY a ROWS 1 PRECEDING EXCLUDE TIES)` becomes
//! `(PARTITION BY __excluded_rows('ties'), a ROWS 1 PRECEDING)`. The planner of window functions
//! takes the call out of there again.

use datafusion::sql::sqlparser::tokenizer::{Span, Token, TokenWithSpan};

use super::cursor::is_word;
use super::macros::is_blank;
use crate::functions::EXCLUDED_ROWS;

/// What can follow EXCLUDE. `NO OTHERS` is the same as nothing.
const EXCLUSIONS: [&[&str]; 4] = [&["CURRENT", "ROW"], &["GROUP"], &["TIES"], &["NO", "OTHERS"]];

/// The words that a frame can end with.
const ENDS_OF_FRAMES: [&str; 3] = ["ROW", "PRECEDING", "FOLLOWING"];

/// The words that a window can begin with, where it is built on no other.
const STARTS_OF_WINDOWS: [&str; 5] = ["PARTITION", "ORDER", "ROWS", "RANGE", "GROUPS"];

/// The tokens with a call of a function in place of each EXCLUDE.
pub(super) fn mark_exclusions(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    if !tokens.iter().any(|token| is_word(token, "EXCLUDE")) {
        return tokens;
    }
    let mut marked: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    // Where the brackets are that are open.
    let mut open = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        if let Some((words, behind)) = exclusion(token, &tokens, at).filter(|_| ends_frame(&marked))
            && let Some(&bracket) = open.last()
        {
            mark(&mut marked, bracket, words, token.span);
            at = behind;
            continue;
        }
        match token.token {
            Token::LParen => open.push(marked.len()),
            Token::RParen => _ = open.pop(),
            _ => {}
        }
        marked.push(token.clone());
    }
    marked
}

/// What EXCLUDE takes out, and where the bracket behind it is; `token` stands before `at`.
fn exclusion(
    token: &TokenWithSpan,
    tokens: &[TokenWithSpan],
    at: usize,
) -> Option<(&'static [&'static str], usize)> {
    if !is_word(token, "EXCLUDE") {
        return None;
    }
    EXCLUSIONS.into_iter().find_map(|words| {
        let mut found = (at..tokens.len()).filter(|&at| !is_blank(&tokens[at]));
        let has_words =
            words.iter().all(|word| found.next().is_some_and(|at| is_word(&tokens[at], word)));
        let behind = found.next().filter(|&at| tokens[at].token == Token::RParen)?;
        has_words.then_some((words, behind))
    })
}

fn ends_frame(tokens: &[TokenWithSpan]) -> bool {
    let last = tokens.iter().rfind(|token| !is_blank(token));
    last.is_some_and(|last| ENDS_OF_FRAMES.iter().any(|word| is_word(last, word)))
}

/// Puts the call into PARTITION BY of the window in the bracket at `bracket`.
fn mark(tokens: &mut Vec<TokenWithSpan>, bracket: usize, words: &[&str], span: Span) {
    if words == ["NO", "OTHERS"] {
        return;
    }
    let solid: Vec<usize> =
        (bracket + 1..tokens.len()).filter(|&at| !is_blank(&tokens[at])).collect();
    let is = |nth: usize, word: &str| solid.get(nth).is_some_and(|&at| is_word(&tokens[at], word));
    // A window can begin with the name of the one that it is built on.
    let first = usize::from(!STARTS_OF_WINDOWS.iter().any(|word| is(0, word)));
    let has_partitions = is(first, "PARTITION") && is(first + 1, "BY");
    let place = if has_partitions { first + 2 } else { first };
    let Some(&place) = solid.get(place) else { return };
    let call = [
        Token::make_word(EXCLUDED_ROWS, None),
        Token::LParen,
        Token::SingleQuotedString(words.join(" ").to_lowercase()),
        Token::RParen,
    ];
    let mut inserted = Vec::new();
    if !has_partitions {
        inserted.extend([Token::make_keyword("PARTITION"), Token::make_keyword("BY")]);
    }
    inserted.extend(call);
    if has_partitions {
        inserted.push(Token::Comma);
    }
    let inserted = inserted.into_iter().map(|token| TokenWithSpan::new(token, span));
    tokens.splice(place..place, inserted);
}

#[cfg(test)]
mod tests {
    use super::super::script::tokenize;
    use super::*;

    fn marked(sql: &str) -> String {
        let tokens = mark_exclusions(tokenize(sql).unwrap());
        let solid = tokens.iter().filter(|token| !is_blank(token) && token.token != Token::EOF);
        solid.map(|token| token.token.to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn an_exclusion_becomes_a_call_in_partition_by() {
        for (sql, expected) in [
            (
                "sum(a) OVER (ORDER BY b ROWS 1 PRECEDING exclude current row)",
                "sum ( a ) OVER ( PARTITION BY __excluded_rows ( 'current row' ) \
                 ORDER BY b ROWS 1 PRECEDING )",
            ),
            (
                "OVER (PARTITION BY f(a) GROUPS BETWEEN 1 PRECEDING AND 2 FOLLOWING EXCLUDE TIES)",
                "OVER ( PARTITION BY __excluded_rows ( 'ties' ) , f ( a ) \
                 GROUPS BETWEEN 1 PRECEDING AND 2 FOLLOWING )",
            ),
            (
                "OVER (w RANGE CURRENT ROW EXCLUDE GROUP)",
                "OVER ( w PARTITION BY __excluded_rows ( 'group' ) RANGE CURRENT ROW )",
            ),
            ("OVER (ROWS 1 PRECEDING EXCLUDE NO OTHERS)", "OVER ( ROWS 1 PRECEDING )"),
            // Two windows, one within a subquery of the other.
            (
                "OVER (ORDER BY (SELECT max(x) OVER (ROWS 1 PRECEDING EXCLUDE TIES)) \
                 ROWS 2 PRECEDING EXCLUDE GROUP)",
                "OVER ( PARTITION BY __excluded_rows ( 'group' ) ORDER BY ( SELECT max ( x ) \
                 OVER ( PARTITION BY __excluded_rows ( 'ties' ) ROWS 1 PRECEDING ) ) \
                 ROWS 2 PRECEDING )",
            ),
        ] {
            assert_eq!(marked(sql), expected, "{sql}");
        }
    }

    #[test]
    fn other_uses_of_the_word_stay() {
        for sql in ["SELECT * EXCLUDE ( a ) FROM t", "SELECT ( exclude ) , row exclude FROM t"] {
            assert_eq!(marked(sql), sql);
        }
    }
}
