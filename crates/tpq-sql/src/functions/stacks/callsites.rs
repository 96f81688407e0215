//! `experimental_ancestor_stack_profile_callsite(id)`, also without `experimental_`: the callers of
//! a call site, the outermost first, with the columns of `stack_profile_callsite`.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, RecordBatch, RecordBatchOptions, UInt32Array};
use datafusion::arrow::datatypes::{DataType, Int64Type, SchemaRef};
use datafusion::common::{Result, exec_err, internal_err};
use tpq_tables::{Table, TraceTables};

use super::super::slices::columns::{StoredColumns, integers};
use super::super::stored_rows::Lazy;
use super::super::table_function::{CallArgument, CalledRows, TableFunction};

const NAMES: [&str; 2] =
    ["experimental_ancestor_stack_profile_callsite", "ancestor_stack_profile_callsite"];

pub(super) fn table(tables: &TraceTables) -> Vec<Arc<dyn TableFunction>> {
    let Some(table) = tables.get("stack_profile_callsite") else { return Vec::new() };
    let callsites = Arc::new(Callsites {
        columns: StoredColumns::new(table),
        table: Arc::clone(table),
        parents: Lazy::default(),
    });
    let function = |name| {
        let callsites = Arc::clone(&callsites);
        Arc::new(AncestorCallsites { name, callsites }) as Arc<dyn TableFunction>
    };
    NAMES.into_iter().map(function).collect()
}

/// The callsites of a trace.
struct Callsites {
    table: Arc<Table>,
    columns: StoredColumns,
    /// The parent of each, read on first use; -1 for none.
    parents: Lazy<Vec<i64>>,
}

impl Callsites {
    fn parents(&self) -> Result<&[i64]> {
        let parents = self.parents.get(|| {
            let [parents] = integers(&self.table, ["parent_id"])?;
            Ok(parents)
        })?;
        Ok(parents)
    }
}

struct AncestorCallsites {
    name: &'static str,
    callsites: Arc<Callsites>,
}

impl fmt::Debug for AncestorCallsites {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Adds the ancestors of a callsite, the outermost first. The id of a parent is smaller than that of
/// its child; the walk stops if it is not, so it always ends.
fn push_ancestors(parents: &[i64], callsite: usize, rows: &mut Vec<u32>) {
    let before = rows.len();
    let mut at = callsite;
    while let Some(parent) = parents.get(at).and_then(|&parent| usize::try_from(parent).ok())
        && parent < at
    {
        rows.push(parent as u32);
        at = parent;
    }
    rows[before..].reverse();
}

impl TableFunction for AncestorCallsites {
    fn name(&self) -> &str {
        self.name
    }

    fn arguments(&self) -> &[(&'static str, DataType)] {
        &[("id", DataType::Int64)]
    }

    fn schema(&self, _: &[CallArgument]) -> Result<SchemaRef> {
        Ok(Arc::clone(self.callsites.columns.schema()))
    }

    fn call(&self, args: &[ArrayRef], _: usize, wanted: &[usize]) -> Result<CalledRows> {
        let Some(ids) = args.first().and_then(|ids| ids.as_primitive_opt::<Int64Type>()) else {
            return internal_err!("{}() without an id", self.name);
        };
        let parents = self.callsites.parents()?;
        let (mut calls, mut rows) = (Vec::new(), Vec::new());
        for (call, id) in (0u32..).zip(ids) {
            let Some(id) = id else { continue };
            let Some(row) = usize::try_from(id).ok().filter(|row| *row < parents.len()) else {
                return exec_err!("{}(): there is no callsite with id {id}", self.name);
            };
            push_ancestors(parents, row, &mut rows);
            calls.resize(rows.len(), call);
        }
        let rows = UInt32Array::from(rows);
        let columns = &self.callsites.columns;
        let taken = wanted.iter().map(|&column| columns.take(column, &rows));
        let taken = taken.collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(calls.len()));
        let schema = Arc::new(columns.schema().project(wanted)?);
        let rows = RecordBatch::try_new_with_options(schema, taken, &options)?;
        Ok(CalledRows { calls: UInt32Array::from(calls), rows })
    }
}
