//! Where the statements of a script end, for clients that run it statement by statement and send
//! the whole of it each time.

use tpq_sql::Session;

/// The ends of the statements of one script.
#[derive(Debug)]
pub(super) struct StatementCut {
    sql: String,
    /// The byte at which the script was cut from.
    start: usize,
    /// The bytes behind the statements, in their order.
    ends: Vec<usize>,
}

impl StatementCut {
    /// Cuts a script from a byte on; `None` if its text cannot be cut.
    pub(super) fn new(session: &Session, sql: String, start: usize) -> Option<Self> {
        let statements = session.statements(sql.get(start..).unwrap_or_default()).ok()?;
        let ends = statements.iter().map(|statement| start + statement.end()).collect();
        Some(Self { sql, start, ends })
    }

    /// Whether the end of the statement from a byte on is known.
    pub(super) fn has(&self, sql: &str, start: usize) -> bool {
        (self.start == start || self.ends.binary_search(&start).is_ok()) && self.sql == sql
    }

    /// The end of the first statement from a byte on; `None` if no more follow.
    pub(super) fn end_after(&self, start: usize) -> Option<usize> {
        self.ends.get(self.ends.partition_point(|&end| end <= start)).copied()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tpq_sql::SessionOptions;
    use tpq_tables::Tables;

    use super::*;

    #[test]
    fn ends_are_found_from_the_end_before() {
        let tables = Arc::new(Tables::default().finish());
        let session = Session::new(tables, &SessionOptions::default()).expect("a session");
        let sql = "SELECT 'ä;' ; SELECT 2;;SELECT 3 -- end";
        let cut = StatementCut::new(&session, sql.to_owned(), 0).expect("statements");
        let mut found = Vec::new();
        let mut start = 0;
        while let Some(end) = cut.end_after(start) {
            assert!(cut.has(sql, start));
            found.push(&sql[start..end]);
            start = end;
        }
        assert_eq!(found, ["SELECT 'ä;' ;", " SELECT 2;", ";SELECT 3 -- end"]);
        assert!(!cut.has(sql, 3) && !cut.has("SELECT 1", 0));
        assert!(StatementCut::new(&session, "SELECT 'open".to_owned(), 0).is_none());
        let rest = StatementCut::new(&session, sql.to_owned(), 14).expect("statements");
        assert_eq!((rest.end_after(14), rest.has(sql, 0)), (cut.end_after(14), false));
    }
}
