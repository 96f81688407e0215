//! Tables that people's queries name and that tpq does not fill yet.
//!
//! They are empty, as they are for every trace without such data, so that queries over many tables
//! run. Where a trace does have the data, naming the table is an error: no rows would be a wrong
//! answer.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::datasource::empty::EmptyTable;
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::TableSource;

use crate::catalog::{Relation, RelationColumn};
use crate::errors::{SqlError, SqlErrorKind};

/// One line for each table: its name, the packets that would fill it, its columns.
const TABLES: &str = include_str!("unread.tsv");

/// A table that is not filled.
pub(crate) struct Unread {
    name: &'static str,
    /// The payload fields of the packets that would fill it.
    packets: &'static str,
    columns: &'static str,
}

impl Unread {
    /// The table of that name, in lower case.
    pub(crate) fn find(name: &str) -> Option<Self> {
        TABLES.lines().find_map(|line| {
            let mut cells = line.split('\t');
            let (name_here, packets) = (cells.next()?, cells.next()?);
            let columns = cells.next()?;
            (name_here == name).then_some(Self { name: name_here, packets, columns })
        })
    }

    fn columns(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.columns.split(", ").filter_map(|column| column.split_once(' '))
    }

    /// The empty table.
    ///
    /// # Errors
    /// When the trace has any of the packets that would fill it, of those in `packets`.
    pub(crate) fn source(&self, packets: &[String]) -> Result<Arc<dyn TableSource>, SqlError> {
        let is_there = |kind: &&str| packets.iter().any(|packet| packet == kind);
        if let Some(kind) = self.packets.split(' ').find(is_there) {
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

    /// What is known of it.
    pub(crate) fn relation(&self) -> Relation {
        let column = |(name, kind): (&str, &str)| RelationColumn {
            name: name.to_owned(),
            kind: kind.to_owned(),
            doc: String::new(),
        };
        let columns = self.columns().map(column).collect();
        let doc = "Not filled yet: empty, and an error where the trace has such data.".to_owned();
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
            let found = Unread::find(name).map(|table| table.columns().count());
            assert!(found > Some(0), "{line}");
        }
    }

    #[test]
    fn a_table_whose_data_is_there_is_an_error() {
        let table = Unread::find("heap_graph_object").map(|table| {
            (table.source(&["track_event".into()]).is_ok(), table.source(&["heap_graph".into()]))
        });
        let Some((true, Err(error))) = table else { panic!("expected empty, then an error") };
        assert!(error.to_string().contains("`heap_graph` packets"), "{error}");
    }
}
