//! The whole process: `tpq` imports traces and counts their rows.
//!
//! Run: `cargo bench --bench import -- TRACE...`
//!
//! For each trace, five times in turns: `gzip -dc` of the trace, then `tpq` on the same trace
//! uncompressed. The ratio printed is the median of the five, which carries over between machines
//! where seconds do not. Peak memory is that of one more run, read every millisecond from
//! `/proc/<pid>/status` (Linux only), beside the size of the trace.
//!
//! `TPQ_BENCH_BINARY` names another binary to measure. `gzip` must be installed.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is what it is for")]

use std::error::Error;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// Times each is run.
const PAIRS: usize = 5;
/// How often memory is looked at.
const POLL: Duration = Duration::from_millis(1);
/// Rows of the tables that hold events.
const QUERY: &str = "SELECT sum(n) AS events FROM (SELECT count(*) AS n FROM sched_slice \
                     UNION ALL SELECT count(*) FROM thread_state \
                     UNION ALL SELECT count(*) FROM slice UNION ALL SELECT count(*) FROM counter)";

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    // Cargo adds an option of its own.
    let traces: Vec<PathBuf> =
        std::env::args().skip(1).filter(|argument| argument != "--bench").map(Into::into).collect();
    if traces.is_empty() {
        eprintln!("usage: cargo bench --bench import -- TRACE...");
        return ExitCode::SUCCESS;
    }
    let tpq = match std::env::var_os("TPQ_BENCH_BINARY") {
        Some(path) => PathBuf::from(path),
        None => PathBuf::from(env!("CARGO_BIN_EXE_tpq")),
    };
    println!("| trace | MB | rows | MB/s | rows/s | time, gzip -dc = 1 | peak memory, trace = 1 |");
    println!("|---|---|---|---|---|---|---|");
    for trace in traces {
        match measure(&tpq, &trace) {
            Ok(row) => println!("{row}"),
            Err(error) => {
                eprintln!("{}: {error}", trace.display());
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

/// A row of the table.
fn measure(tpq: &Path, trace: &Path) -> Result<String> {
    let folder = Folder::new()?;
    let (plain, packed) = (folder.0.join("trace"), folder.0.join("trace.gz"));
    if trace.extension().is_some_and(|extension| extension == "gz") {
        gzip("-dc", trace, &plain)?;
    } else {
        fs::copy(trace, &plain)?;
    }
    gzip("-6c", &plain, &packed)?;
    let rows = rows(tpq, &plain)?;
    let (mut ratios, mut seconds) = (Vec::new(), Vec::new());
    for _ in 0..PAIRS {
        let unpacking = timed(Command::new("gzip").arg("-dc").arg(&packed))?;
        let importing = timed(&mut import(tpq, &plain))?;
        ratios.push(importing / unpacking);
        seconds.push(importing);
    }
    let (ratio, seconds) = (median(ratios), median(seconds));
    let bytes = fs::metadata(&plain)?.len() as f64;
    let peak = match peak_memory(&mut import(tpq, &plain))? {
        Some(peak) => format!("{:.2}", peak as f64 / bytes),
        None => "?".to_owned(),
    };
    let megabytes = bytes / 1e6;
    let name = trace.file_name().unwrap_or_default().display();
    let (speed, rate) = (megabytes / seconds, rows as f64 / seconds);
    Ok(format!(
        "| {name} | {megabytes:.1} | {rows} | {speed:.1} | {rate:.0} | {ratio:.2} | {peak} |"
    ))
}

fn import(tpq: &Path, trace: &Path) -> Command {
    let mut command = Command::new(tpq);
    command.arg("query").arg(trace).args(["--format", "csv", "-c", QUERY]);
    command
}

/// Rows of the trace's tables; also the run that warms the caches.
fn rows(tpq: &Path, trace: &Path) -> Result<u64> {
    let output = import(tpq, trace).stderr(Stdio::inherit()).output()?;
    let text = String::from_utf8(output.stdout)?;
    let rows = text.lines().last().and_then(|line| line.parse().ok());
    rows.ok_or_else(|| format!("tpq ({}) counted no rows: {text}", output.status).into())
}

fn gzip(options: &str, from: &Path, to: &Path) -> Result<()> {
    let status = Command::new("gzip").arg(options).arg(from).stdout(File::create(to)?).status()?;
    if status.success() { Ok(()) } else { Err(format!("gzip {options}: {status}").into()) }
}

/// Seconds a process takes.
fn timed(command: &mut Command) -> Result<f64> {
    let start = Instant::now();
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    let seconds = start.elapsed().as_secs_f64();
    if status.success() { Ok(seconds) } else { Err(format!("{command:?}: {status}").into()) }
}

/// Peak resident memory of a process, where the system reports it.
fn peak_memory(command: &mut Command) -> Result<Option<u64>> {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = None;
    loop {
        // Gone once the process has ended, so the last value seen stands.
        peak = fs::read_to_string(&status).ok().and_then(|text| high_water(&text)).max(peak);
        if child.try_wait()?.is_some() {
            return Ok(peak);
        }
        std::thread::sleep(POLL);
    }
}

/// Bytes of the line `VmHWM:    1234 kB`.
fn high_water(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A folder that is gone after use.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Self> {
        let path = std::env::temp_dir().join(format!("tpq-bench-{}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Nothing depends on whether it worked.
        fs::remove_dir_all(&self.0).ok();
    }
}
