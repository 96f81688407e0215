//! Names, literals and raw SQL in generated statements.

use crate::error::{QueryError, invalid};

/// Whether a text is a name that needs no quotes, except for keywords.
pub(super) fn is_name(text: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
    text.starts_with(is_letter) && text.chars().all(|next| is_letter(next) || next.is_ascii_digit())
}

/// Checks that a field of a specification holds a name.
pub(super) fn name<'a>(text: &'a str, field: &str) -> Result<&'a str, QueryError> {
    match text {
        "" => invalid(format!("`{field}` is not set")),
        _ if is_name(text) => Ok(text),
        _ => invalid(format!("`{field}` is not a name: {text}")),
    }
}

/// A name in quotes. In double quotes, an unknown name would be text.
pub(super) fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// A column by its name, or any other expression in parentheses.
pub(super) fn column(text: &str) -> String {
    if is_name(text) { quoted(text) } else { in_parentheses(text) }
}

/// SQL of a specification in parentheses, on lines of its own as it can end with a comment.
pub(super) fn in_parentheses(sql: &str) -> String {
    format!("(\n{sql}\n)")
}

/// A text as a literal.
pub(super) fn string(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// An integer as a literal.
pub(super) fn integer(value: i64) -> String {
    match value {
        // Its digits alone are no 64-bit integer.
        i64::MIN => format!("({} - 1)", i64::MIN + 1),
        _ => value.to_string(),
    }
}

/// A floating-point number as a literal.
pub(super) fn float(value: f64) -> Result<String, QueryError> {
    match value.is_finite() {
        true => Ok(format!("{value:?}")),
        false => invalid(format!("{value} cannot be compared with")),
    }
}

/// Replaces `$alias` by the name of a relation, outside of strings and comments.
pub(super) fn with_relations(sql: &str, relations: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(sql.len());
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let len = match first {
            '\'' | '"' | '`' => rest[1..].find(first).map_or(rest.len(), |end| end + 2),
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
            '$' => 1 + rest[1..].find(ends_name).unwrap_or(rest.len() - 1),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(len);
        let alias = token.strip_prefix('$').unwrap_or_default();
        let relation = relations
            .iter()
            .find(|(known, _)| !alias.is_empty() && known.eq_ignore_ascii_case(alias));
        out.push_str(relation.map_or(token, |(_, relation)| relation));
        rest = after;
    }
    out
}

fn ends_name(next: char) -> bool {
    !next.is_ascii_alphanumeric() && next != '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_and_expressions_are_not() {
        assert_eq!(column("group"), "`group`");
        assert_eq!(column("dur / 2"), "(\ndur / 2\n)");
        assert_eq!(quoted("a`b"), "`a``b`");
        assert!(!is_name("") && !is_name("1a") && !is_name("a b") && is_name("_a1"));
    }

    #[test]
    fn literals_keep_their_values() {
        assert_eq!(string("it's"), "'it''s'");
        assert_eq!(integer(-5), "-5");
        assert_eq!(integer(i64::MIN), "(-9223372036854775807 - 1)");
        assert_eq!(float(2.0).ok().as_deref(), Some("2.0"));
        assert_eq!(float(-1.5e-9).ok().as_deref(), Some("-1.5e-9"));
        assert!(float(f64::NAN).is_err());
    }

    #[test]
    fn aliases_are_replaced_outside_of_strings_and_comments() {
        let sql = "SELECT '$a', \"$a\" -- $a\nFROM $A JOIN $ab /* $a */ ON $b = $";
        let expected = "SELECT '$a', \"$a\" -- $a\nFROM q0 JOIN $ab /* $a */ ON q1 = $";
        assert_eq!(with_relations(sql, &[("a", "q0"), ("b", "q1"), ("", "q2")]), expected);
        assert_eq!(with_relations("$a 'é", &[("a", "q0")]), "q0 'é");
    }
}
