//! Tables of PerfettoSQL that tpq does not fill yet.
//!
//! They are empty, like in every trace without such data, so that queries over many tables run. If
//! the trace has such data, naming the table is an error: an empty table would be a wrong answer.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::datasource::empty::EmptyTable;
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::TableSource;

use crate::catalog::{Relation, RelationColumn};
use crate::errors::{SqlError, SqlErrorKind};

/// One line for each table: its name, the packets that would fill it, and its columns.
const TABLES: &str = include_str!("unfilled.tsv");

/// A table that tpq does not fill.
pub(crate) struct UnfilledTable {
    name: &'static str,
    /// The payload fields of the packets that would fill it.
    packets: &'static str,
    columns: &'static str,
}

impl UnfilledTable {
    /// The table with this name, in lower case.
    pub(crate) fn find(name: &str) -> Option<Self> {
        TABLES.lines().find_map(|line| {
            let mut cells = line.split('\t');
            let (table_name, packets) = (cells.next()?, cells.next()?);
            let columns = cells.next()?;
            (table_name == name).then_some(Self { name: table_name, packets, columns })
        })
    }

    fn columns(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.columns.split(", ").filter_map(|column| column.split_once(' '))
    }

    /// Returns the empty table; `packets` are the kinds of packets in the trace.
    ///
    /// # Errors
    /// When `packets` has a kind that would fill the table.
    pub(crate) fn source(&self, packets: &[String]) -> Result<Arc<dyn TableSource>, SqlError> {
        let is_in_trace = |kind: &&str| packets.iter().any(|packet| packet == kind);
        if let Some(kind) = self.packets.split(' ').find(is_in_trace) {
            let message = format!(
                "`{}` cannot be filled: this trace has `{kind}` packets, which tpq does not read yet",
                self.name
            );
            return Err(SqlError::new(SqlErrorKind::Unsupported, message));
        }
        let field = |(name, kind): (&str, &str)| {
            let data_type = match kind {
                "STRING" => DataType::Utf8View,
                "DOUBLE" => DataType::Float64,
                "BYTES" => DataType::BinaryView,
                _ => DataType::Int64,
            };
            Field::new(name, data_type, true)
        };
        let schema = Schema::new(self.columns().map(field).collect::<Vec<_>>());
        Ok(provider_as_source(Arc::new(EmptyTable::new(Arc::new(schema)))))
    }

    /// The description for `.schema`.
    pub(crate) fn relation(&self) -> Relation {
        let column = |(name, kind): (&str, &str)| RelationColumn {
            name: name.to_owned(),
            kind: kind.to_owned(),
            doc: String::new(),
        };
        let columns = self.columns().map(column).collect();
        let doc = "Not filled yet: the table is empty, and naming it is an error if the trace has \
                   such data."
            .to_owned();
        Relation { name: self.name.to_owned(), doc, columns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_table() {
        for line in TABLES.lines() {
            let name = line.split('\t').next().unwrap_or_default();
            let found = UnfilledTable::find(name).map(|table| table.columns().count());
            assert!(found > Some(0), "{line}");
        }
    }

    #[test]
    fn naming_a_table_is_an_error_if_the_trace_has_its_data() {
        let table = UnfilledTable { name: "a", packets: "etw_events x", columns: "id ID" };
        assert!(table.source(&["track_event".into()]).is_ok());
        let Err(error) = table.source(&["x".into()]) else { panic!("expected an error") };
        assert!(error.to_string().contains("`x` packets"), "{error}");
    }
}
