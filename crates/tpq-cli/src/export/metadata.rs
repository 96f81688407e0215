//! Metadata about the trace and the columns, for Parquet and Arrow files.

use tpq::{Relation, RelationColumn, Trace};
use tpq_output::{FileFormat, FileMetadata};

use crate::layout::rows;
use crate::names::domain_name;

/// The metadata of any file: the clock and unit of trace time, the trace, and tpq's version.
pub async fn of_query(trace: &Trace, format: FileFormat) -> anyhow::Result<FileMetadata> {
    if !format.format.is_binary() {
        return Ok(FileMetadata::default());
    }
    let fact = |name: &str| {
        format!(
            "SELECT DISTINCT coalesce(str_value, CAST(int_value AS VARCHAR)) FROM metadata \
             WHERE name = '{name}' ORDER BY 1"
        )
    };
    let clocks = rows(trace, &fact("trace_time_clock_id")).await?.into_iter().flatten();
    let clocks: Vec<String> = clocks.filter_map(|id| id.parse().ok()).map(domain_name).collect();
    let uuids: Vec<String> =
        rows(trace, &fact("trace_uuid")).await?.into_iter().flatten().collect();
    let mut file = vec![
        ("tpq.version", env!("CARGO_PKG_VERSION").to_owned()),
        ("tpq.time_unit", "ns".to_owned()),
    ];
    file.extend((!clocks.is_empty()).then(|| ("tpq.clock", clocks.join(","))));
    file.extend((!uuids.is_empty()).then(|| ("tpq.trace_uuid", uuids.join(","))));
    let file = file.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    Ok(FileMetadata { file, ..FileMetadata::default() })
}

/// The metadata of a table's file: in addition, the meaning of the table and its columns.
pub fn of_table(trace: &Trace, name: &str, common: &FileMetadata) -> FileMetadata {
    let mut metadata = common.clone();
    let Some(Relation { name, doc, columns }) = trace.session().describe(name) else {
        return metadata;
    };
    let mut add = |key: String, value: String| {
        if !value.is_empty() {
            metadata.file.push((key, value));
        }
    };
    add("tpq.table".to_owned(), name);
    add("tpq.description".to_owned(), one_line(&doc));
    for column in &columns {
        let text = format!("{}: {}", column.kind, one_line(&column.doc));
        add(format!("tpq.column.{}", column.name), text.trim_end_matches(": ").to_owned());
    }
    metadata.columns = columns.into_iter().map(of_column).collect();
    metadata
}

fn of_column(column: RelationColumn) -> (String, Vec<(String, String)>) {
    let RelationColumn { name, kind, doc } = column;
    let mut entries = vec![("description".to_owned(), one_line(&doc))];
    if ["TIMESTAMP", "DURATION"].contains(&kind.as_str()) {
        entries.push(("unit".to_owned(), "ns".to_owned()));
    }
    entries.push(("tpq.type".to_owned(), kind));
    (name, entries)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
