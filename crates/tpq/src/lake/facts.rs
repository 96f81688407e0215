//! What the catalogue of a lake says of a trace.

use std::collections::BTreeMap;
use std::path::Path;

use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use tpq_lake::TraceFacts;
use tpq_sql::SqlError;

use crate::Trace;
use crate::each::losses_of;

/// The longest value of `metadata` in the catalogue, in bytes. Some are whole files.
const LONGEST_VALUE: usize = 256;

/// The facts of a trace with this digest and size in bytes.
pub(super) async fn facts_of(
    trace: &Trace,
    path: &Path,
    digest: String,
    size: u64,
) -> Result<TraceFacts, SqlError> {
    let of_trace = "SELECT substr(abs_time_str(trace_start()), 1, 19), trace_dur()";
    let (recorded, duration) = match rows(trace, of_trace).await?.pop() {
        Some((recorded, duration)) => (recorded, duration),
        None => (None, None),
    };
    let values = "SELECT name, coalesce(str_value, CAST(int_value AS TEXT)) FROM metadata \
                  ORDER BY id DESC";
    let metadata: BTreeMap<String, String> = rows(trace, values)
        .await?
        .into_iter()
        .filter_map(|(name, value)| Some((name?, value?)))
        .filter(|(_, value)| value.len() <= LONGEST_VALUE)
        .collect();
    let kinds = trace.summary().packet_kinds.iter();
    Ok(TraceFacts {
        digest,
        uuid: metadata.get("trace_uuid").cloned(),
        path: path.to_string_lossy().into_owned(),
        size,
        recorded_at: recorded.map(|at| format!("{at}Z")),
        duration: duration.and_then(|duration| duration.parse().ok()).unwrap_or_default(),
        device: device(&metadata),
        losses: losses_of(trace).await?,
        metadata,
        packets: kinds.map(|packets| packets.kind.clone()).collect(),
    })
}

/// Brand and product of an Android device, or system and architecture of another machine.
fn device(metadata: &BTreeMap<String, String>) -> Option<String> {
    if let Some(fingerprint) = metadata.get("android_build_fingerprint") {
        let parts: Vec<&str> = fingerprint.split('/').take(2).collect();
        return Some(parts.join("/")).filter(|device| !device.is_empty());
    }
    let parts = ["system_name", "system_machine"].map(|name| metadata.get(name));
    let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// The rows of two columns, as texts.
async fn rows(trace: &Trace, sql: &str) -> Result<Vec<(Option<String>, Option<String>)>, SqlError> {
    let mut rows = Vec::new();
    for batch in trace.sql(sql).await? {
        let column = |at: usize| cast(batch.column(at), &DataType::Utf8View);
        let (Ok(first), Ok(second)) = (column(0), column(1)) else { continue };
        let (first, second) = (first.as_string_view(), second.as_string_view());
        let text = |texts: &datafusion::arrow::array::StringViewArray, row: usize| {
            texts.is_valid(row).then(|| texts.value(row).to_owned())
        };
        rows.extend((0..batch.num_rows()).map(|row| (text(first, row), text(second, row))));
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_a_product_or_a_machine() {
        let of = |entries: &[(&str, &str)]| {
            let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
            device(&entries.iter().map(owned).collect())
        };
        let fingerprint = ("android_build_fingerprint", "google/raven/raven:14/AP1A/1:user/keys");
        assert_eq!(of(&[fingerprint]).as_deref(), Some("google/raven"));
        let machine = [("system_name", "Linux"), ("system_machine", "x86_64")];
        assert_eq!(of(&machine).as_deref(), Some("Linux x86_64"));
        assert_eq!(of(&[]), None);
    }
}
