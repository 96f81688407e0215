//! The rows of `SHOW`, `DESCRIBE` and `PRAGMA table_info`.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::compute::filter_record_batch;
use datafusion::arrow::compute::kernels::comparison::ilike;
use datafusion::arrow::error::ArrowError;
use datafusion::common::Result;
use datafusion::execution::SessionState;
use datafusion::physical_plan::memory::MemoryStream;

use crate::cancel::{CancelOnDrop, CancelToken};
use crate::catalog::{RelationColumn, pragma_rows, type_name};
use crate::errors::{Names, SqlError, translate, unknown_table};
use crate::files::open_wanted;
use crate::perfetto_sql::{Name, Planned, Planner, Show, Shown, Text};
use crate::result::ResultSet;
use crate::session::Session;

/// Prefix of names that are not for users.
const INTERNAL_PREFIX: &str = "__";

impl Session {
    /// Runs `SHOW` or `DESCRIBE`. Files that views read are opened first.
    pub(crate) async fn show(
        &self,
        state: &SessionState,
        show: &Show,
        text: Text,
    ) -> Result<ResultSet, SqlError> {
        let listed = loop {
            let listed = self.listed(state, show, &text);
            if listed.is_ok() || !open_wanted(state).await {
                break listed?;
            }
        };
        let failed = |error| translate(error, &text, &Names::none());
        let rows = matching(&listed, show).map_err(failed)?;
        of_batch(rows, &text).map_err(failed)
    }

    fn listed(
        &self,
        state: &SessionState,
        show: &Show,
        text: &Text,
    ) -> Result<RecordBatch, SqlError> {
        let planner = Planner::new(state, self.catalog());
        let listed = match &show.what {
            Shown::Tables => self.listed_tables(),
            Shown::Columns(table) => {
                let found = self.catalog().relation(&table.text, &planner)?;
                let relation = found.ok_or_else(|| missing(table, &planner, text))?;
                columns(relation.columns)
            }
            Shown::ColumnsOfQuery(query) => {
                let sources = text.sources.clone();
                let planned = planner.plan(&Text { sources, tokens: query.clone() })?;
                columns_of_query(planned)
            }
            Shown::TableInfo(table) => {
                let rows = pragma_rows(self.catalog(), &planner, &table.text);
                let rows = rows.map_err(|error| planner.error(error, text))?;
                return rows.ok_or_else(|| missing(table, &planner, text));
            }
            Shown::Functions => self.listed_functions(),
            Shown::Modules => self.listed_modules(),
        };
        listed.map_err(|error| planner.error(error.into(), text))
    }

    fn listed_tables(&self) -> Result<RecordBatch, ArrowError> {
        let mut names = self.table_names();
        names.retain(|name| !name.starts_with(INTERNAL_PREFIX));
        let doc = |name: &String| {
            self.describe(name).map_or(String::new(), |relation| one_line(&relation.doc))
        };
        let docs = names.iter().map(doc).collect();
        RecordBatch::try_from_iter([("name", texts(names)), ("description", texts(docs))])
    }

    fn listed_functions(&self) -> Result<RecordBatch, ArrowError> {
        let (mut names, mut kinds, mut arguments) = (Vec::new(), Vec::new(), Vec::new());
        for function in self.functions() {
            names.push(function.name);
            kinds.push(function.kind.to_owned());
            arguments.push(function.arguments);
        }
        let arguments: ArrayRef = Arc::new(StringArray::from(arguments));
        let columns = [("name", texts(names)), ("kind", texts(kinds)), ("arguments", arguments)];
        RecordBatch::try_from_iter_with_nullable(
            columns.map(|(name, column)| (name, column, name == "arguments")),
        )
    }

    fn listed_modules(&self) -> Result<RecordBatch, ArrowError> {
        let names = self.module_names();
        let included = self.included_modules();
        let is_included = names.iter().map(|name| i64::from(included.contains(name)));
        let is_included: ArrayRef = Arc::new(Int64Array::from_iter_values(is_included));
        RecordBatch::try_from_iter([("name", texts(names)), ("included", is_included)])
    }
}

/// The error that there is no such table.
fn missing(table: &Name, planner: &Planner, text: &Text) -> SqlError {
    unknown_table(&table.text, &planner.names()).at(text.sources.location(table.span))
}

fn columns(columns: Vec<RelationColumn>) -> Result<RecordBatch, ArrowError> {
    let (mut names, mut kinds, mut docs) = (Vec::new(), Vec::new(), Vec::new());
    for column in columns {
        names.push(column.name);
        kinds.push(column.kind);
        docs.push(one_line(&column.doc));
    }
    RecordBatch::try_from_iter([
        ("name", texts(names)),
        ("type", texts(kinds)),
        ("description", texts(docs)),
    ])
}

fn columns_of_query(planned: Planned) -> Result<RecordBatch, ArrowError> {
    let kinds = planned.plan.schema().fields().iter();
    let kinds = kinds.map(|field| type_name(field.data_type()).to_owned()).collect();
    RecordBatch::try_from_iter([("name", texts(planned.names)), ("type", texts(kinds))])
}

/// The rows that match the statement's pattern.
fn matching(rows: &RecordBatch, show: &Show) -> Result<RecordBatch> {
    let Some(pattern) = &show.like else { return Ok(rows.clone()) };
    let pattern = StringArray::new_scalar(pattern);
    Ok(filter_record_batch(rows, &ilike(rows.column(0), &pattern)?)?)
}

/// The result set of one batch.
pub(crate) fn of_batch(rows: RecordBatch, text: &Text) -> Result<ResultSet> {
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
