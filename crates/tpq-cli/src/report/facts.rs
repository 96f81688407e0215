//! What a trace is: its format, size, length and machines.

use tpq::Trace;

use crate::layout::{bytes, counted, duration, grouped, rows};

const MACHINES: &str = "SELECT concat_ws(' ', name, sysname, release, arch), num_cpus FROM machine \
    ORDER BY id";

/// Names and values, in the order of the report.
pub async fn facts(trace: &Trace, length: i64) -> anyhow::Result<Vec<(&'static str, String)>> {
    let summary = trace.summary();
    let files: Vec<String> = trace.paths().iter().map(|path| path.display().to_string()).collect();
    let mut size = bytes(summary.file_bytes);
    if summary.trace_bytes != summary.file_bytes {
        size.push_str(&format!(" ({} unpacked)", bytes(summary.trace_bytes)));
    }
    let mut facts = vec![
        (if files.len() == 1 { "File" } else { "Files" }, files.join(", ")),
        ("Format", summary.format.clone()),
        ("Size", size),
        ("Duration", duration(length.unsigned_abs())),
    ];
    for row in rows(trace, MACHINES).await? {
        let Ok([system, cpus]) = <[String; 2]>::try_from(row) else { continue };
        let cpus = cpus.parse().ok().map(|cpus| counted(cpus, "CPU", "CPUs"));
        let parts: Vec<String> =
            [Some(system), cpus].into_iter().flatten().filter(|part| !part.is_empty()).collect();
        if !parts.is_empty() {
            facts.push(("Machine", parts.join(", ")));
        }
    }
    let mut tables: Vec<(usize, &str)> =
        trace.tables().iter().map(|table| (table.num_rows(), table.decl().name)).collect();
    tables.retain(|&(rows, name)| rows > 0 && name != "stats" && !name.starts_with('_'));
    tables.sort_by_key(|&(rows, name)| (std::cmp::Reverse(rows), name));
    let table = |&(rows, name): &(usize, &str)| format!("{name} {}", grouped(rows as u64));
    let largest: Vec<String> = tables.iter().take(8).map(table).collect();
    facts.push(("Rows", largest.join(", ")));
    Ok(facts)
}
