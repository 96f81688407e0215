//! The names that statements and commands of a shell can use.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use tpq::{LAKE_SCHEMA, Session, Trace};

use super::dot::DotCommand;

/// The relations over all traces of a lake, by their names without `lake.`.
pub type LakeRelations = BTreeMap<String, SchemaRef>;

/// The names that words can become.
#[derive(Clone)]
pub struct Vocabulary {
    /// A trace with the tables, functions and modules.
    pub trace: Arc<Trace>,
    /// The commands.
    pub commands: &'static [DotCommand],
    /// The relations over all traces, in the shell on a lake.
    pub lake: Arc<LakeRelations>,
}

impl Vocabulary {
    pub fn session(&self) -> &Session {
        self.trace.session()
    }

    /// The names of tables and views, in alphabetical order.
    pub fn table_names(&self) -> Vec<String> {
        self.session().table_names()
    }

    /// The names of tables after `schema.`; `None` if there is no such schema.
    pub fn tables_in_schema(&self, schema: &str) -> Option<Vec<String>> {
        let is_lake = schema.eq_ignore_ascii_case(LAKE_SCHEMA) && !self.lake.is_empty();
        is_lake.then(|| self.lake.keys().cloned().collect())
    }

    /// Whether there is a table `lake.NAME`.
    pub fn has_lake_table(&self, name: &str) -> bool {
        self.lake.contains_key(name)
    }

    /// The columns of a table or view, such as `slice` or `lake.slice`; none if it does not exist.
    pub fn columns(&self, table: &str) -> Vec<String> {
        if let Some((schema, name)) = table.split_once('.') {
            let relation = self.lake.get(name).filter(|_| schema == LAKE_SCHEMA);
            let fields = relation.into_iter().flat_map(|relation| relation.fields());
            return fields.map(|field| field.name().clone()).collect();
        }
        let relation = self.session().describe(table);
        relation.map_or_else(Vec::new, |relation| {
            relation.columns.into_iter().map(|column| column.name).collect()
        })
    }
}
