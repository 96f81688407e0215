//! The rows of `SHOW` and `DESCRIBE`.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::compute::filter_record_batch;
use datafusion::arrow::compute::kernels::comparison::ilike;
use datafusion::common::Result;
use datafusion::physical_plan::memory::MemoryStream;

use crate::cancel::{CancelOnDrop, CancelToken};
use crate::errors::{Names, SqlError, translate, unknown_table};
use crate::perfetto_sql::{Name, Planner, Show, Shown, Text};
use crate::result::ResultSet;
use crate::session::Session;

/// Prefix of names that are not for users.
const INTERNAL_PREFIX: &str = "__";

impl Session {
    /// Runs `SHOW` or `DESCRIBE`.
    pub(crate) fn show(&self, show: &Show, text: Text) -> Result<ResultSet, SqlError> {
        let listed = match &show.what {
            Shown::Tables => self.listed_tables(),
            Shown::Columns(table) => self.listed_columns(table, &text)?,
            Shown::Functions => {
                RecordBatch::try_from_iter([("name", texts(self.function_names()))])
            }
            Shown::Modules => self.listed_modules(),
        };
        let rows = listed.map_err(Into::into).and_then(|rows| result(&rows, show, &text));
        rows.map_err(|error| translate(error, &text, &Names::none()))
    }

    fn listed_tables(&self) -> Result<RecordBatch, datafusion::arrow::error::ArrowError> {
        let mut names = self.table_names();
        names.retain(|name| !name.starts_with(INTERNAL_PREFIX));
        let doc = |name: &String| {
            self.describe(name).map_or(String::new(), |relation| one_line(&relation.doc))
        };
        let docs = names.iter().map(doc).collect();
        RecordBatch::try_from_iter([("name", texts(names)), ("description", texts(docs))])
    }

    fn listed_columns(
        &self,
        table: &Name,
        text: &Text,
    ) -> Result<Result<RecordBatch, datafusion::arrow::error::ArrowError>, SqlError> {
        let state = self.state();
        let planner = Planner::new(&state, self.catalog());
        let found = self.catalog().relation(&table.text, &planner)?;
        let Some(relation) = found else {
            let error = unknown_table(&table.text, &planner.names());
            return Err(error.at(text.sources.location(table.span)));
        };
        let (mut names, mut kinds, mut docs) = (Vec::new(), Vec::new(), Vec::new());
        for column in relation.columns {
            names.push(column.name);
            kinds.push(column.kind);
            docs.push(one_line(&column.doc));
        }
        let columns =
            [("name", texts(names)), ("type", texts(kinds)), ("description", texts(docs))];
        Ok(RecordBatch::try_from_iter(columns))
    }

    fn listed_modules(&self) -> Result<RecordBatch, datafusion::arrow::error::ArrowError> {
        let names = self.module_names();
        let included = self.included_modules();
        let is_included = names.iter().map(|name| i64::from(included.contains(name)));
        let is_included: ArrayRef = Arc::new(Int64Array::from_iter_values(is_included));
        RecordBatch::try_from_iter([("name", texts(names)), ("included", is_included)])
    }
}

/// Makes the result set of the rows that match the statement's pattern.
fn result(rows: &RecordBatch, show: &Show, text: &Text) -> Result<ResultSet> {
    let rows = match &show.like {
        None => rows.clone(),
        Some(pattern) => {
            let pattern = StringArray::new_scalar(pattern);
            filter_record_batch(rows, &ilike(rows.column(0), &pattern)?)?
        }
    };
    let schema = rows.schema();
    let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    let stream = MemoryStream::try_new(vec![rows], schema, None)?;
    let stop = CancelOnDrop(CancelToken::default());
    Ok(ResultSet::new(Box::pin(stream), &names, text.clone(), stop))
}

fn texts(texts: Vec<String>) -> ArrayRef {
    Arc::new(StringArray::from(texts))
}

fn one_line(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}
