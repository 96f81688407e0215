//! Compares answers on real traces with recorded answers of Perfetto's trace processor.
//!
//! Traces, queries and answers are not part of this repository; they lie in the folder `shared`
//! beside it, and a trial says so when they are absent. The rules of comparison are those of
//! `oracle/compare.py` there.

mod rows;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use tpq::{ImportOptions, Trace};

/// The questions every trace must answer alike.
const QUERIES: &[&str] = &[
    "bounds",
    "sched_by_thread",
    "sched_rows",
    "sched_end_states",
    "threads",
    "processes",
    "thread_states",
    "slice_rows",
    "slices_by_name",
    "machines",
    "clock_snapshots",
    "stats",
];

/// What differs on purpose, as query and first cell of the row; the reasons are in
/// `docs/compatibility.md`.
const ON_PURPOSE: &[(&str, &str)] =
    &[("stats", "clock_sync_cache_miss"), ("stats", "ftrace_events_before_all_cpus")];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let trials = match traces(&shared.join("oracle/answers")) {
        Some(names) => names.into_iter().map(|name| trial(&shared, name)).collect(),
        None => {
            let reason = format!("skipped: no recorded answers at {}", shared.display());
            vec![Trial::ignorable_test("oracle", move || Ok(Completion::ignored_with(reason)))]
        }
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The traces with answers that this test covers, sorted.
fn traces(answers: &Path) -> Option<Vec<String>> {
    let mut names: Vec<String> = fs::read_dir(answers)
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.starts_with("linux") || name.starts_with("chromium"))
        .collect();
    names.sort();
    (!names.is_empty()).then_some(names)
}

fn trial(shared: &Path, name: String) -> Trial {
    let trace = shared.join("traces").join(&name);
    let oracle = shared.join("oracle");
    Trial::ignorable_test(format!("oracle::{name}"), move || {
        if !trace.exists() {
            return Ok(Completion::ignored_with(format!("skipped: no {}", trace.display())));
        }
        compare_trace(&trace, &oracle, &name)
    })
}

fn compare_trace(path: &Path, oracle: &Path, name: &str) -> Result<Completion, Failed> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build()?;
    let trace = runtime
        .block_on(Trace::open(&[path], ImportOptions::default()))
        .map_err(|error| error.to_string())?;
    let mut compared = 0;
    let mut differences = Vec::new();
    for query in QUERIES {
        let answer = oracle.join(format!("answers/{name}/core/{query}.csv.gz"));
        if !answer.exists() {
            continue;
        }
        let mut want = parse_csv(&read_gzip(&answer)?);
        want.retain(|row| !on_purpose(query, row.first().map(String::as_str)));
        let sql = fs::read_to_string(oracle.join(format!("queries/core/{query}.sql")))?;
        let found = runtime.block_on(rows::query(&trace, sql.trim().trim_end_matches(';')));
        let difference = match found {
            Ok(mut rows) => {
                let first = |row: &[Option<String>]| row.first().cloned().flatten();
                rows.cells.retain(|row| !on_purpose(query, first(row).as_deref()));
                difference(&want, &rows)
            }
            Err(error) => Some(error),
        };
        compared += 1;
        if let Some(difference) = difference {
            differences.push(format!("{query}: {difference}"));
        }
    }
    if compared == 0 {
        return Err(format!("no answers under {}", oracle.display()).into());
    }
    if differences.is_empty() {
        return Ok(Completion::Completed);
    }
    let count = differences.len();
    Err(format!("{count} of {compared} answers differ\n{}", differences.join("\n")).into())
}

/// Whether a row differs on purpose.
fn on_purpose(query: &str, first: Option<&str>) -> bool {
    first.is_some_and(|first| ON_PURPOSE.contains(&(query, first)))
}

fn read_gzip(path: &PathBuf) -> std::io::Result<String> {
    let mut text = String::new();
    flate2::read::GzDecoder::new(fs::File::open(path)?).read_to_string(&mut text)?;
    Ok(text)
}

/// Rows of cells of RFC 4180 text.
fn parse_csv(text: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut row = Vec::new();
    let mut cell = String::new();
    let mut quoted = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                cell.push('"');
                characters.next();
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !quoted => {}
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            other => cell.push(other),
        }
    }
    if !cell.is_empty() || !row.is_empty() {
        row.push(cell);
        rows.push(row);
    }
    rows
}

/// The first difference between recorded rows, with their header, and ours.
fn difference(want: &[Vec<String>], got: &rows::Rows) -> Option<String> {
    let (header, want) = want.split_first()?;
    let alike = |(want, got): (&String, &String)| want.eq_ignore_ascii_case(got);
    if header.len() != got.names.len() || !header.iter().zip(&got.names).all(alike) {
        return Some(format!("columns {header:?} expected, {:?} found", got.names));
    }
    for (number, (want, got)) in want.iter().zip(&got.cells).enumerate() {
        let got: Vec<&str> = got.iter().map(|cell| cell.as_deref().unwrap_or("[NULL]")).collect();
        for (column, (want_cell, got_cell)) in want.iter().zip(&got).enumerate() {
            if !same(want_cell, got_cell) {
                let name = &header[column];
                let (want, got) = (short(want), short(&got));
                return Some(format!(
                    "row {number}, column {name}\n    want {want}\n    got  {got}"
                ));
            }
        }
    }
    (want.len() != got.cells.len())
        .then(|| format!("{} rows expected, {} found", want.len(), got.cells.len()))
}

/// A row as text, long cells cut.
fn short(cells: &[impl AsRef<str>]) -> String {
    const LONGEST: usize = 60;
    let cut = |cell: &str| match cell.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &cell[..end]),
        None => cell.to_owned(),
    };
    cells.iter().map(|cell| cut(cell.as_ref())).collect::<Vec<_>>().join(" | ")
}

/// Equal as text, or as numbers to a millionth.
fn same(want: &str, got: &str) -> bool {
    if want == got {
        return true;
    }
    match (want.trim().parse::<f64>(), got.trim().parse::<f64>()) {
        (Ok(want), Ok(got)) => (want - got).abs() <= 1e-6 * want.abs().max(got.abs()).max(1.0),
        _ => false,
    }
}
