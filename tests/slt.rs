//! Runs `tests/slt/**/*.slt`: SQL with the rows it must give, one trial for each file.
//!
//! The first line of a file names its trace (`# trace: testdata/sched.pftrace`), which is
//! imported anew for each file. Columns are `I` for integers, `R` for floats and `T` for text, and
//! are checked. NULL is written `NULL`, the empty string `(empty)`.

mod rows;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use rows::Kind;
use sqllogictest::{AsyncDB, DBOutput, DefaultColumnType, Runner, strict_column_validator};
use tpq::{ImportOptions, Trace};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let files = match files(&Path::new(ROOT).join("tests/slt")) {
        Ok(files) if !files.is_empty() => files,
        Ok(_) => return failure("there is no .slt file under tests/slt"),
        Err(error) => return failure(&error.to_string()),
    };
    let mut trials = vec![Trial::test("slt::wrong_expectations_fail", wrong_expectations_fail)];
    trials.extend(files.into_iter().map(|path| {
        let name = path.strip_prefix(ROOT).unwrap_or(&path).display().to_string();
        let name = name.trim_start_matches("tests/").trim_end_matches(".slt").replace('/', "::");
        Trial::test(name, move || run_file(&path))
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}

#[expect(clippy::print_stderr, reason = "there is no test to fail")]
fn failure(what: &str) -> ExitCode {
    eprintln!("{what}");
    ExitCode::FAILURE
}

/// Every .slt file under a folder, sorted.
fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "slt") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn run_file(path: &Path) -> Result<(), Failed> {
    let script = std::fs::read_to_string(path)?;
    let name = path.strip_prefix(ROOT).unwrap_or(path).display().to_string();
    run_script(&script, &name)
}

fn run_script(script: &str, name: &str) -> Result<(), Failed> {
    let trace = script
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("# trace: "))
        .ok_or_else(|| format!("{name}: the first line must be `# trace: PATH`"))?;
    let path = Path::new(ROOT).join(trace);
    if !path.exists() {
        return Err(format!("{name}: there is no trace {trace}").into());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build()?;
    runtime.block_on(async {
        let mut runner = Runner::new(|| Session::open(&path));
        runner.with_column_validator(strict_column_validator);
        runner
            .run_script_with_name_async(script, name)
            .await
            .map_err(|error| Failed::from(error.display(false).to_string()))
    })
}

/// One import, queried by one file.
struct Session {
    trace: Trace,
}

/// Errors, as texts that a file can match.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct SessionError(String);

impl Session {
    async fn open(path: &Path) -> Result<Self, SessionError> {
        let trace = Trace::open(&[path], ImportOptions::default())
            .await
            .map_err(|error| SessionError(error.to_string()))?;
        Ok(Self { trace })
    }
}

#[async_trait::async_trait]
impl AsyncDB for Session {
    type Error = SessionError;
    type ColumnType = DefaultColumnType;

    async fn run(&mut self, sql: &str) -> Result<DBOutput<DefaultColumnType>, SessionError> {
        let rows = rows::run(&self.trace, sql).await.map_err(SessionError)?;
        let Some(rows) = rows else { return Ok(DBOutput::StatementComplete(0)) };
        let types = rows.kinds.into_iter().map(column_type).collect();
        let rows = rows.cells.into_iter().map(|row| row.into_iter().map(cell).collect()).collect();
        Ok(DBOutput::Rows { types, rows })
    }

    fn engine_name(&self) -> &str {
        "tpq"
    }

    async fn shutdown(&mut self) {}
}

fn column_type(kind: Kind) -> DefaultColumnType {
    match kind {
        Kind::Integer => DefaultColumnType::Integer,
        Kind::Float => DefaultColumnType::FloatingPoint,
        Kind::Text => DefaultColumnType::Text,
        Kind::Other => DefaultColumnType::Any,
    }
}

fn cell(value: Option<String>) -> String {
    match value {
        None => "NULL".into(),
        Some(text) if text.is_empty() => "(empty)".into(),
        Some(text) => text,
    }
}

/// The runner itself: each of these must fail, and the last must not.
fn wrong_expectations_fail() -> Result<(), Failed> {
    const HEAD: &str = "# trace: testdata/sched.pftrace\n\n";
    let wrong = [
        ("a wrong value", "query I\nSELECT 1\n----\n2\n"),
        ("a row too few", "query I\nSELECT 1 UNION ALL SELECT 1\n----\n1\n"),
        ("rows where none are expected", "query I\nSELECT 1\n----\n"),
        ("a wrong column type", "query T\nSELECT 1\n----\n1\n"),
        ("a wrong number of columns", "query I\nSELECT 1, 2\n----\n1 2\n"),
        ("an error where none is expected", "statement ok\nSELECT * FROM no_such_table\n"),
        ("no error where one is expected", "statement error\nSELECT 1\n"),
        ("another error", "statement error .*no such words.*\nSELECT * FROM no_such_table\n"),
    ];
    for (what, script) in wrong {
        if run_script(&format!("{HEAD}{script}"), "wrong.slt").is_ok() {
            return Err(format!("{what} passed: {script}").into());
        }
    }
    if run_script("query I\nSELECT 1\n----\n1\n", "wrong.slt").is_ok() {
        return Err("a file that names no trace passed".into());
    }
    run_script(&format!("{HEAD}query IT\nSELECT 1, 'a b'\n----\n1 a b\n"), "right.slt")
}
