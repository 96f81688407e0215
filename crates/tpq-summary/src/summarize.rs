//! Computes a summary.

use futures::StreamExt;
use tpq_proto::message::trace_summary::Metadata;
use tpq_proto::message::{TraceMetricV2Bundle, TraceSummary};
use tpq_sql::{CancelToken, Session};

use crate::columns::{Cell, columns, positions};
use crate::error::QueryError;
use crate::interned::interned;
use crate::memory::SummaryMemory;
use crate::metrics::{MetricBundle, bundles};
use crate::query::SharedQueries;
use crate::rows::RowReader;
use crate::run::Runner;
use crate::{SummaryError, SummarySpecs};

/// The parts of a summary to compute.
#[derive(Clone, Debug, Default)]
pub struct SummaryOptions {
    /// The ids of metrics; all metrics if not given.
    pub metrics: Option<Vec<String>>,
    /// The id of the query with the metadata, which has the columns `key` and `value`.
    pub metadata_query: Option<String>,
    /// The maximum memory of the summary in bytes; 2 GiB if not given.
    pub memory_limit: Option<u64>,
    /// Stops the queries when it is cancelled.
    pub cancel: CancelToken,
}

impl SummarySpecs {
    /// Checks everything that can be checked without a trace.
    ///
    /// # Errors
    /// When a metric is not valid, or an id is used twice or unknown.
    pub fn check(&self, options: &SummaryOptions) -> Result<(), SummaryError> {
        bundles(self.spec(), options.metrics.as_deref())?;
        let shared = SharedQueries::of(&self.spec().query).map_err(|error| error.of("queries"))?;
        match &options.metadata_query {
            Some(id) => shared.get(id).map(drop).map_err(|error| error.of("metadata query")),
            None => Ok(()),
        }
    }
}

/// Computes the summary of a trace.
///
/// Modules that queries name are included in the session, and objects that their SQL creates stay.
///
/// # Errors
/// When a specification is not valid, a query fails, or its columns are not those of the metric.
pub async fn summarize(
    session: &Session,
    specs: &SummarySpecs,
    options: &SummaryOptions,
) -> Result<TraceSummary, SummaryError> {
    let spec = specs.spec();
    let bundles = bundles(spec, options.metrics.as_deref())?;
    let shared = SharedQueries::of(&spec.query).map_err(|error| error.of("queries"))?;
    let mut runner = Runner::new(session, shared, &options.cancel);
    let mut memory = SummaryMemory::new(options.memory_limit);
    let mut summary = TraceSummary::default();
    if let Some(id) = &options.metadata_query {
        summary.metadata = metadata(id, &mut runner, &mut memory).await?;
    }
    for bundle in bundles {
        summary.metric_bundles.push(compute(bundle, &mut runner, &mut memory).await?);
    }
    Ok(summary)
}

/// The values of a bundle.
async fn compute(
    bundle: MetricBundle,
    runner: &mut Runner<'_>,
    memory: &mut SummaryMemory,
) -> Result<TraceMetricV2Bundle, SummaryError> {
    let part = match bundle.metrics.as_slice() {
        [only] => format!("metric `{}`", only.id()),
        _ => format!("bundle `{}`", bundle.id),
    };
    let mut computed =
        TraceMetricV2Bundle { bundle_id: Some(bundle.id.clone()), ..Default::default() };
    // Each metric has a query, and those of a bundle have the same.
    let first = bundle.metrics.first();
    if let Some((metric, query)) = first.and_then(|metric| Some((metric, metric.query.as_ref()?))) {
        let reader = RowReader::new(&bundle);
        let rows = runner.rows(query, Some(&reader.column_names()), &part).await?;
        computed.row = reader.read(rows, &part, memory).await?;
        for spec in &metric.interned_dimension_specs {
            let part = format!("interned dimensions of {part}");
            let dimensions = interned(spec, runner, &part, memory).await?;
            computed.interned_dimension_bundles.push(dimensions);
        }
    }
    computed.specs = bundle.metrics;
    Ok(computed)
}

/// The rows of the metadata query.
async fn metadata(
    id: &str,
    runner: &mut Runner<'_>,
    memory: &mut SummaryMemory,
) -> Result<Vec<Metadata>, SummaryError> {
    let part = format!("metadata query `{id}`");
    let query = runner.shared(id).map_err(|error| error.of(&part))?;
    let mut result = runner.rows(query, None, &part).await?;
    let positions = positions(result.schema(), ["key", "value"]);
    let positions = positions.map_err(|error| error.of(&part))?;
    let mut all = Vec::new();
    while let Some(batch) = result.next().await {
        let batch = batch.map_err(|error| QueryError::from(error).of(&part))?;
        let columns = columns(&batch, &positions).map_err(|error| error.of(&part))?;
        for row in 0..batch.num_rows() {
            let mut texts = columns.iter().map(|column| text(column.cell(row)));
            let (key, value) = (texts.next().flatten(), texts.next().flatten());
            let texts = [&key, &value].into_iter().flatten().map(String::len);
            memory.add(size_of::<Metadata>() + texts.sum::<usize>())?;
            all.push(Metadata { key, value });
        }
    }
    Ok(all)
}

/// A value as text; `None` for NULL.
fn text(cell: Cell<'_>) -> Option<String> {
    match cell {
        Cell::Null => None,
        Cell::Integer(value) => Some(value.to_string()),
        Cell::Float(value) => Some(format!("{value:?}")),
        Cell::Text(text) => Some(text.to_owned()),
    }
}
