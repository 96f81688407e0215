//! The relations over all traces: `lake.slice`, `lake.traces` and so on.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, StringViewArray};
use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::catalog::TableProvider;
use datafusion::datasource::MemTable;
use tpq_tables::Tables;

use crate::catalog::{INTERNAL_COLUMNS, TRACES, batch, column_in};
use crate::failures::FAILURES;
use crate::lake::Lake;
use crate::scan::front_of;
use crate::{LakeCatalog, LakeError, LakeLayout, LakeTrace, TRACE_DIGEST};

impl Lake {
    /// The relations over traces: each table of tpq with the columns of the catalogue in front,
    /// `traces` and `failures`.
    ///
    /// # Errors
    /// When the list of failures cannot be read.
    pub async fn relations(
        &self,
        catalog: &LakeCatalog,
        traces: &[Arc<LakeTrace>],
    ) -> Result<HashMap<String, Arc<dyn TableProvider>>, LakeError> {
        let mut relations: HashMap<String, Arc<dyn TableProvider>> = HashMap::new();
        let columns = columns_in_front(catalog.layout(), traces);
        let lake_traces: Arc<[Arc<LakeTrace>]> = catalog.traces().into();
        for decl in Tables::DECLS.iter().copied() {
            let own = columns.iter().map(|(name, values)| {
                let name = column_in(decl.name, name);
                (Field::new(name, DataType::Utf8View, true), Arc::clone(values))
            });
            let front = front_of(own, traces.len())?;
            let scan = self.scan_of_all((traces, &lake_traces), &front, decl)?;
            relations.insert(decl.name.to_owned(), scan);
        }
        let catalog = catalog_rows(catalog.layout(), traces)?;
        relations.insert(TRACES.to_owned(), table(catalog)?);
        relations.insert(FAILURES.to_owned(), table(self.failures().await?)?);
        Ok(relations)
    }
}

/// The rows of the catalogue, without those that only tpq reads.
pub(crate) fn catalog_rows(
    layout: &LakeLayout,
    traces: &[Arc<LakeTrace>],
) -> Result<RecordBatch, LakeError> {
    let traces: Vec<LakeTrace> = traces.iter().map(|trace| trace.as_ref().clone()).collect();
    let rows = batch(&traces, &layout.columns)?;
    let schema = rows.schema();
    let is_shown = |name: &str| !INTERNAL_COLUMNS.contains(&name);
    let fields = schema.fields().iter().enumerate();
    let shown: Vec<usize> =
        fields.filter(|(_, field)| is_shown(field.name())).map(|(at, _)| at).collect();
    Ok(rows.project(&shown)?)
}

/// A table in memory.
pub(crate) fn table(rows: RecordBatch) -> Result<Arc<dyn TableProvider>, LakeError> {
    Ok(Arc::new(MemTable::try_new(rows.schema(), vec![vec![rows]])?))
}

/// Gives the value of a trace in a column.
type Of<'a> = Box<dyn for<'b> Fn(&'b LakeTrace) -> Option<&'b str> + 'a>;

/// The columns in front of those of a table, with a value for each trace.
fn columns_in_front(layout: &LakeLayout, traces: &[Arc<LakeTrace>]) -> Vec<(String, ArrayRef)> {
    let mut columns: Vec<(&str, Of)> = vec![
        ("trace_path", Box::new(|trace| Some(trace.facts.path.as_str()))),
        ("trace_uuid", Box::new(|trace| trace.facts.uuid.as_deref())),
        (TRACE_DIGEST, Box::new(|trace| Some(trace.facts.digest.as_str()))),
    ];
    let chosen = ["day", "device"].into_iter().chain(layout.columns.iter().map(String::as_str));
    columns.extend(chosen.map(|name| (name, value(name))));
    let column = |(name, of): (&str, Of)| {
        let values = traces.iter().map(|trace| of(trace)).collect::<StringViewArray>();
        (name.to_owned(), Arc::new(values) as ArrayRef)
    };
    columns.into_iter().map(column).collect()
}

/// The values of a column that an ingest chose.
fn value(name: &str) -> Of<'_> {
    Box::new(move |trace| trace.value(name))
}
