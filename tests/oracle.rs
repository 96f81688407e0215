//! Compares answers on real traces with recorded answers of Perfetto's trace processor.
//!
//! Traces, queries and answers are not part of this repository; they lie in the folder `shared`
//! next to it, and a trial says so when they are absent. The rules of comparison are those of
//! `oracle/compare.py` there.

mod rows;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use rows::Kind;
use tpq::{ImportOptions, Trace};

/// Questions, each by the folder it lies in and its name.
type Questions = &'static [(&'static str, &'static str)];

/// Queries with equal answers for traces of Linux and of Chromium.
const CORE: Questions = &[
    ("core", "bounds"),
    ("core", "sched_by_thread"),
    ("core", "sched_rows"),
    ("core", "sched_end_states"),
    ("core", "threads"),
    ("core", "processes"),
    ("core", "thread_states"),
    ("core", "slice_rows"),
    ("core", "slices_by_name"),
    ("core", "machines"),
    ("core", "clock_snapshots"),
    ("core", "stats"),
];

/// Queries about the system with equal answers for traces of Linux and Android.
const SYSTEM: Questions = &[
    ("core", "counts"),
    ("core", "counters"),
    ("core", "args_by_key"),
    ("system", "ftrace_events"),
    ("system", "ftrace_args"),
    ("system", "thread_state_rows"),
    ("system", "spurious_wakeups"),
    ("system", "wakers"),
    ("system", "cpus"),
    ("system", "tracks"),
    ("system", "android_logs"),
];

/// Queries about data of programs with equal answers for their traces.
const PROGRAMS: Questions =
    &[("core", "counts"), ("core", "counters"), ("core", "args_by_key"), ("system", "tracks")];

/// Queries about slices, instants, flows and their args with equal answers for every trace.
const TRACK_EVENTS: Questions = &[
    ("track_events", "flows"),
    ("track_events", "instants"),
    ("track_events", "process_slices"),
    ("track_events", "slice_args"),
    ("track_events", "thread_slices"),
    ("track_events", "unfinished"),
];

/// Queries about losses with equal answers for every trace.
const LOSSES: Questions = &[("losses", "buffers"), ("losses", "dropped")];

/// Queries about files, machines and clocks with equal answers for every trace.
const CLOCKS: Questions = &[("clocks", "files"), ("clocks", "machines"), ("clocks", "snapshots")];

/// Queries about samples, call stacks and heaps with equal answers for every trace.
const PROFILES: Questions =
    &[("profiles", "allocations"), ("profiles", "counts"), ("profiles", "leaf_frames")];

/// Queries as people write them, with equal answers for every trace.
const SQL: Questions =
    &[("sql", "span_join"), ("sql", "sqlite_habits"), ("sql", "windows_and_ctes")];

/// Intended differences, as query and first cell of the row; the reasons are in
/// `docs/compatibility.md`.
const ON_PURPOSE: &[(&str, &str)] = &[
    ("stats", "clock_sync_cache_miss"),
    ("stats", "clock_sync_doubtful_same_boot"),
    ("stats", "ftrace_events_before_all_cpus"),
    ("stats", "json_events_not_read"),
    // Forks and exits of `perf.data`, which are unknown records there.
    ("dropped", "perf_record_skipped"),
    // How long something took there.
    ("stats", "guess_trace_type_duration_ns"),
    ("stats", "parse_trace_duration_ns"),
];

const NAMES_AS_IDS: &str = "ids that are names are other numbers there";
const OLDEST_JSON: &str = "events S, T and F are slices here; of one moment, what begins comes \
    before what is told whole, so that nothing is cut";
const TIES: &str = "a switch and a wakeup at the same nanosecond on two CPUs go by lane here";

/// Questions that are not asked of a trace, and why.
const NOT_ASKED: &[(&str, &[&str], &str)] = &[
    (
        "android12_cpu_sched_stacks",
        &[
            "thread_states",
            "counts",
            "system/thread_state_rows",
            "system/spurious_wakeups",
            "system/wakers",
        ],
        TIES,
    ),
    (
        "android_binder_spam",
        &["thread_states", "counts", "system/spurious_wakeups", "system/wakers"],
        TIES,
    ),
    (
        "android_wakelocks",
        &["thread_states", "counts", "system/spurious_wakeups", "system/wakers"],
        TIES,
    ),
    ("linux_sched_heavy", &["system/wakers"], TIES),
    (
        "android_long_trace_battery",
        &[
            "slices_by_name",
            "slice_rows",
            "sql/sqlite_habits",
            "track_events/instants",
            "track_events/slice_args",
        ],
        "names that hold quotes cannot be read back from the recorded answers",
    ),
    (
        "chromium_10s",
        &["counts", "args_by_key"],
        "which thread is the writer of a slice with nineteen args is by chance there",
    ),
    (
        "merge_json_pinned",
        &["threads", "processes", "track_events/thread_slices"],
        "ids that are names, and command lines that a JSON file removes there",
    ),
    (
        "ss_firefox63",
        &[
            "bounds",
            "counts",
            "processes",
            "threads",
            "clocks/files",
            "clocks/machines",
            "profiles/counts",
        ],
        "a profile that developer tools wrap is taken for JSON without events there",
    ),
    (
        "cat_perf_sampling",
        &["bounds", "counters", "threads"],
        "the samples of a JSON file, which are passed over there",
    ),
    ("ms_perf", &["profiles/counts"], "the last sample, which has no empty line behind it"),
    ("sp_", &["stats"], "a clock that is the timeline is counted as unrelatable there"),
    ("ss_simple", &["profiles/counts"], "locations without a mapping share one"),
    ("hta_", &["threads", "processes", "track_events/thread_slices"], NAMES_AS_IDS),
    ("tl_", &["threads", "processes", "track_events/thread_slices"], NAMES_AS_IDS),
    (
        "cat_",
        &[
            "args_by_key",
            "counts",
            "slice_rows",
            "slices_by_name",
            "sql/sqlite_habits",
            "stats",
            "system/tracks",
            "track_events/flows",
            "track_events/instants",
            "track_events/slice_args",
            "track_events/thread_slices",
            "track_events/unfinished",
        ],
        OLDEST_JSON,
    ),
];

/// Rows of `clock_snapshot` that the recorded answers of merges have. Here every edge of the
/// graph has its rows; there those are missing which could not be placed when they were read: the
/// snapshots of a later file before it was related to the first, and a manifest's offset between
/// files that were not read yet.
const SNAPSHOTS_OF_MERGES: &[(&str, &str)] = &[
    ("merge_same_boot", OF_THE_FIRST_FILE_OR_ASSUMED),
    ("merge_named_machines", OF_THE_FIRST_FILE_OR_ASSUMED),
    ("merge_two_devices_realtime", OF_THE_FIRST_FILE_OR_ASSUMED),
    ("merge_offset", "origin = 'snapshot'"),
];
const OF_THE_FIRST_FILE_OR_ASSUMED: &str =
    "origin <> 'snapshot' OR trace_id = (SELECT min(trace_id) FROM clock_snapshot)";

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
        .filter(|name| !questions(name).is_empty())
        .collect();
    names.sort();
    (!names.is_empty()).then_some(names)
}

/// The queries for a trace.
fn questions(trace: &str) -> Vec<(&'static str, &'static str)> {
    let mut questions = match trace.split('_').next() {
        Some("linux" | "android") => {
            [CORE, SYSTEM, TRACK_EVENTS, LOSSES, CLOCKS, PROFILES, SQL].concat()
        }
        Some("chromium") => [CORE, PROGRAMS, TRACK_EVENTS, LOSSES, CLOCKS, PROFILES, SQL].concat(),
        Some("merge") => [CORE, TRACK_EVENTS, CLOCKS, SQL].concat(),
        Some("ms" | "rec" | "sp" | "ss") => [CORE, CLOCKS, LOSSES, PROFILES].concat(),
        _ if trace.contains(".json") => [CORE, PROGRAMS, TRACK_EVENTS, SQL].concat(),
        _ => Vec::new(),
    };
    let not_asked = NOT_ASKED.iter().filter(|(merge, ..)| trace.starts_with(merge));
    for query in not_asked.flat_map(|(_, queries, _)| *queries) {
        let (group, query) = query.split_once('/').unwrap_or(("core", query));
        questions.retain(|question| *question != (group, query));
    }
    questions
}

/// The query for a merge in place of one for a trace.
fn of_merge(trace: &str, sql: &str) -> String {
    match SNAPSHOTS_OF_MERGES.iter().find(|(merge, _)| trace.starts_with(merge)) {
        Some((_, rows)) => sql.replace(
            "FROM clock_snapshot",
            &format!("FROM (SELECT * FROM clock_snapshot WHERE {rows}) AS clock_snapshot"),
        ),
        None => sql.to_owned(),
    }
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
    for (group, query) in questions(name) {
        let answer = oracle.join(format!("answers/{name}/{group}/{query}.csv.gz"));
        if !answer.exists() {
            continue;
        }
        let mut want = parse_csv(&read_gzip(&answer)?);
        want.retain(|row| !on_purpose(query, row.first().map(String::as_str)));
        let sql = fs::read_to_string(oracle.join(format!("queries/{group}/{query}.sql")))?;
        let sql = of_merge(name, sql.trim().trim_end_matches(';'));
        let difference = match runtime.block_on(rows::query(&trace, &sql)) {
            Ok(rows) => {
                let mut got = shown(rows);
                got.retain(|row| !on_purpose(query, row.first().map(String::as_str)));
                // Queries that order by columns that one machine distinguishes leave the order of
                // others open where several machines or files say the same.
                if name.starts_with("merge_") {
                    want[1..].sort_unstable();
                    got[1..].sort_unstable();
                }
                difference(&want, &got)
            }
            Err(error) => Some(error),
        };
        compared += 1;
        if let Some(difference) = difference {
            differences.push(format!("{group}/{query}: {difference}"));
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

/// A header and rows as recorded answers have them: whether something is so is 1 or 0.
fn shown(rows: rows::Rows) -> Vec<Vec<String>> {
    let cell = |(cell, kind): (Option<String>, &Kind)| match (cell, kind) {
        (None, _) => "[NULL]".to_owned(),
        (Some(truth), Kind::Other) if truth == "true" => "1".to_owned(),
        (Some(truth), Kind::Other) if truth == "false" => "0".to_owned(),
        (Some(text), _) => text,
    };
    let row = |row: Vec<Option<String>>| row.into_iter().zip(&rows.kinds).map(cell).collect();
    std::iter::once(rows.names.clone()).chain(rows.cells.into_iter().map(row)).collect()
}

/// The first difference between recorded rows and ours, each after a header.
fn difference(want: &[Vec<String>], got: &[Vec<String>]) -> Option<String> {
    let ((header, want), (names, got)) = (want.split_first()?, got.split_first()?);
    let alike = |(want, got): (&String, &String)| want.eq_ignore_ascii_case(got);
    if header.len() != names.len() || !header.iter().zip(names).all(alike) {
        return Some(format!("columns {header:?} expected, {names:?} found"));
    }
    for (number, (want, got)) in want.iter().zip(got).enumerate() {
        let differs = |(want, got): (&String, &String)| !same(want, got);
        if let Some(column) = want.iter().zip(got).position(differs) {
            let (name, want, got) = (&header[column], short(want), short(got));
            return Some(format!("row {number}, column {name}\n    want {want}\n    got  {got}"));
        }
    }
    (want.len() != got.len()).then(|| format!("{} rows expected, {} found", want.len(), got.len()))
}

/// A row as text, long cells cut.
fn short(cells: &[String]) -> String {
    const LONGEST: usize = 60;
    let cut = |cell: &str| match cell.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &cell[..end]),
        None => cell.to_owned(),
    };
    cells.iter().map(|cell| cut(cell)).collect::<Vec<_>>().join(" | ")
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
