//! Interned dimensions: further columns for the values of one dimension.

use std::collections::HashSet;

use futures::StreamExt;
use prost::Message;
use tpq_proto::message::trace_metric_v2_bundle::InternedDimensionBundle;
use tpq_proto::message::trace_metric_v2_bundle::interned_dimension_bundle::InternedDimensionRow;
use tpq_proto::message::trace_metric_v2_spec::InternedDimensionSpec;

use crate::SummaryError;
use crate::columns::{columns, positions};
use crate::error::{QueryError, invalid};
use crate::memory::SummaryMemory;
use crate::rows::dimension;
use crate::run::Runner;

/// Computes the rows of interned dimensions, one for each key.
///
/// # Errors
/// When the query is missing or fails, a column is missing or of the wrong type, or two rows have
/// the same key.
pub(crate) async fn interned(
    spec: &InternedDimensionSpec,
    runner: &mut Runner<'_>,
    part: &str,
    memory: &mut SummaryMemory,
) -> Result<InternedDimensionBundle, SummaryError> {
    let specs = spec.key_column_spec.iter().chain(&spec.data_column_specs);
    let specs: Vec<_> = specs.map(|column| (column.name(), column.r#type())).collect();
    let Some(query) = &spec.query else {
        return invalid("`interned_dimension_specs.query` is not set")
            .map_err(|error: QueryError| error.of(part));
    };
    let wanted: Vec<String> = specs.iter().map(|&(name, _)| name.to_owned()).collect();
    let mut result = runner.rows(query, Some(&wanted), part).await?;
    let positions = positions(result.schema(), specs.iter().map(|&(name, _)| name));
    let positions = positions.map_err(|error| error.of(part))?;
    let mut bundle = InternedDimensionBundle::default();
    let mut keys = HashSet::new();
    while let Some(batch) = result.next().await {
        let batch = batch.map_err(|error| QueryError::from(error).of(part))?;
        let columns = columns(&batch, &positions).map_err(|error| error.of(part))?;
        for row in 0..batch.num_rows() {
            let cells = columns.iter().zip(&specs);
            let values =
                cells.map(|(column, &(name, kind))| dimension(column.cell(row), kind, name));
            let mut values =
                values.collect::<Result<Vec<_>, _>>().map_err(|error| error.of(part))?.into_iter();
            let key = values.next();
            let bytes = key.as_ref().map(Message::encode_to_vec).unwrap_or_default();
            let row = InternedDimensionRow {
                key_dimension_value: key,
                interned_dimension_values: values.collect(),
            };
            memory.add(size_of::<InternedDimensionRow>() + bytes.len() + row.encoded_len())?;
            if !keys.insert(bytes) {
                let name = specs.first().map_or("", |&(name, _)| name);
                return invalid(format!("two rows have the same key `{name}`"))
                    .map_err(|error: QueryError| error.of(part));
            }
            bundle.interned_dimension_rows.push(row);
        }
    }
    Ok(bundle)
}
