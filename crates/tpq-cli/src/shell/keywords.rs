//! SQL keywords, for completion and highlighting.

const KEYWORDS: &[&str] = &[
    "ALL",
    "ANALYZE",
    "AND",
    "AS",
    "ASC",
    "ATTACH",
    "BETWEEN",
    "BY",
    "CASE",
    "CAST",
    "COLLATE",
    "CROSS",
    "CURRENT",
    "DESC",
    "DESCRIBE",
    "DETACH",
    "DISTINCT",
    "ELSE",
    "END",
    "ESCAPE",
    "EXCEPT",
    "EXCLUDE",
    "EXISTS",
    "EXPLAIN",
    "FALSE",
    "FILTER",
    "FIRST",
    "FOLLOWING",
    "FROM",
    "FULL",
    "GLOB",
    "GROUP",
    "HAVING",
    "IN",
    "INNER",
    "INTERSECT",
    "IS",
    "ISNULL",
    "JOIN",
    "LAST",
    "LEFT",
    "LIKE",
    "LIMIT",
    "NATURAL",
    "NOT",
    "NOTNULL",
    "NULL",
    "NULLS",
    "OFFSET",
    "ON",
    "OR",
    "ORDER",
    "OUTER",
    "OVER",
    "PARTITION",
    "PRECEDING",
    "RANGE",
    "RECURSIVE",
    "REPLACE",
    "RIGHT",
    "ROW",
    "ROWS",
    "SELECT",
    "SHOW",
    "SUMMARIZE",
    "THEN",
    "TRUE",
    "UNBOUNDED",
    "UNION",
    "USING",
    "VALUES",
    "WHEN",
    "WHERE",
    "WINDOW",
    "WITH",
];

/// Every keyword, in capitals.
pub fn all() -> impl Iterator<Item = &'static str> {
    KEYWORDS.iter().copied()
}

/// Whether a word is a keyword.
pub fn is_keyword(word: &str) -> bool {
    KEYWORDS.binary_search(&word.to_ascii_uppercase().as_str()).is_ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn keywords_are_in_order() {
        assert!(super::KEYWORDS.is_sorted());
    }
}
