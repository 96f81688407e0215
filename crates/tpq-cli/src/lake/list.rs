//! The traces of a lake.

use tpq::{Lake, LakeOptions, SessionOptions};
use tpq_output::{OutputOptions, writer};

use crate::command::lake::ListArgs;
use crate::output::{Destination, Output};
use crate::results;

/// The columns that a list shows before those that ingests chose.
const COLUMNS: &str = "trace_path, trace_uuid, recorded_at, device, dur, size, losses, tpq_version, \
                       ingested_at";

/// Writes the traces with what the catalogue says of them.
///
/// # Errors
/// When the lake cannot be read, or the rows cannot be written.
pub async fn list(args: &ListArgs) -> anyhow::Result<()> {
    let destination = Destination::of(args.output.as_deref())?;
    let format = destination.format(args.format)?;
    let lake = Lake::open(&args.address.lake, &LakeOptions::default()).await?;
    let output = Output::create(&destination, format)?;
    let session = lake.session_of_all(args.filter.as_deref(), &SessionOptions::default()).await?;
    let catalog = lake.catalog().await?;
    let chosen: String =
        catalog.layout().columns.iter().map(|name| format!(", \"{name}\"")).collect();
    let sql = format!("SELECT {COLUMNS}{chosen}, trace_digest FROM lake.traces ORDER BY 1, 2");
    let mut writer = writer(format.format, output.sink(), OutputOptions::default());
    results::write(session.query(&sql).await?, writer.as_mut()).await?;
    output.finish()
}
