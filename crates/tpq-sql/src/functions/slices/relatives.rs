//! `ancestor_slice(id)` and `descendant_slice(id)`: the ancestors or the descendants of a slice,
//! with the columns of `slice`.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, RecordBatch, RecordBatchOptions, UInt32Array};
use datafusion::arrow::datatypes::{DataType, Field, Int64Type, Schema, SchemaRef};
use datafusion::common::{Result, internal_err};

use super::columns::StoredColumns;
use super::index::SliceIndex;
use super::unknown_slice;
use crate::functions::{CallArgument, CalledRows, TableFunction};

/// Columns that the view `slice` has in addition to those of the table: pairs of the additional
/// name and the name in the table.
const ALIASES: [(&str, &str); 2] = [("cat", "category"), ("slice_id", "id")];

/// The slices that a function returns.
#[derive(Clone, Copy)]
pub(super) enum Relation {
    /// The slices that the slice is nested in.
    Ancestors,
    /// The slices that are nested in the slice.
    Descendants,
}

/// `ancestor_slice` or `descendant_slice`.
pub(super) struct Relatives {
    relation: Relation,
    slices: Arc<SliceIndex>,
    columns: Arc<StoredColumns>,
    schema: SchemaRef,
    /// The position in the table of each column of `schema`.
    stored: Vec<usize>,
}

impl Relatives {
    pub(super) fn new(
        relation: Relation,
        slices: Arc<SliceIndex>,
        columns: Arc<StoredColumns>,
    ) -> Self {
        let table = columns.schema();
        let mut fields: Vec<Arc<Field>> = table.fields().iter().cloned().collect();
        let mut stored: Vec<usize> = (0..fields.len()).collect();
        for (alias, name) in ALIASES {
            if let Some((index, field)) = table.column_with_name(name) {
                fields.push(Arc::new(field.clone().with_name(alias)));
                stored.push(index);
            }
        }
        let schema = Arc::new(Schema::new(fields));
        Self { relation, slices, columns, schema, stored }
    }
}

impl fmt::Debug for Relatives {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl TableFunction for Relatives {
    fn name(&self) -> &str {
        match self.relation {
            Relation::Ancestors => "ancestor_slice",
            Relation::Descendants => "descendant_slice",
        }
    }

    fn arguments(&self) -> &[(&'static str, DataType)] {
        &[("id", DataType::Int64)]
    }

    fn schema(&self, _: &[CallArgument]) -> Result<SchemaRef> {
        Ok(Arc::clone(&self.schema))
    }

    fn call(&self, args: &[ArrayRef], _: usize, columns: &[usize]) -> Result<CalledRows> {
        let Some(ids) = args.first().and_then(|ids| ids.as_primitive_opt::<Int64Type>()) else {
            return internal_err!("{}() without an id", self.name());
        };
        let nesting = self.slices.nesting()?;
        let (mut calls, mut rows) = (Vec::new(), Vec::new());
        for (call, id) in (0u32..).zip(ids) {
            let Some(id) = id else { continue };
            let row = nesting.row(id).ok_or_else(|| unknown_slice(self.name(), id))?;
            match self.relation {
                Relation::Ancestors => nesting.ancestors(row, &mut rows),
                Relation::Descendants => nesting.descendants(row, &mut rows),
            }
            calls.resize(rows.len(), call);
        }
        let rows = UInt32Array::from(rows);
        let schema = Arc::new(self.schema.project(columns)?);
        let taken = columns.iter().map(|&column| {
            let stored = self.stored.get(column).copied().unwrap_or(column);
            self.columns.take(stored, &rows)
        });
        let taken = taken.collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(calls.len()));
        let rows = RecordBatch::try_new_with_options(schema, taken, &options)?;
        Ok(CalledRows { calls: calls.into(), rows })
    }
}
