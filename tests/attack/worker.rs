//! A process that imports many damaged inputs, one after the other, and says on stdout how each
//! went. This program starts itself again for it: an input that ends the process by a signal ends
//! only the worker.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tpq::Trace;
use tpq_testkit::testdata;

use crate::areas::{AREAS, left_out};
use crate::left_out_tables;
use crate::mutated_inputs::{Input, Inputs};
use crate::process::peak_in;

/// Set for workers: seed, first case, end of cases, step between cases, and the number of the area if
/// there is one.
const JOB: &str = "TPQ_ATTACK_WORKER_JOB";
/// One in this number of inputs is not only imported: all its rows are read by SQL.
const QUERIED: u64 = 256;
/// One in this number of inputs is imported without the tables that can be left out as well, and all
/// inputs of their area.
const LEFT_OUT: u64 = 32;
/// A worker that has more resident memory ends, before the machine suffers.
const MOST_MEMORY: u64 = 3 << 30;
/// The exit code of a worker that did.
pub const OUT_OF_MEMORY: i32 = 3;

/// The cases of a worker.
#[derive(Clone, Copy)]
pub struct Job {
    pub seed: u64,
    pub first: u64,
    pub end: u64,
    pub step: u64,
    /// The area of the inputs; all formats without one.
    pub area: Option<usize>,
}

impl Job {
    /// The process that does it; it writes its input to a folder.
    pub fn command(self, folder: &Path) -> Command {
        let Self { seed, first, end, step, area } = self;
        let area = area.map(|area| format!(" {area}")).unwrap_or_default();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .env(JOB, format!("{seed} {first} {end} {step}{area}"))
            .env("TMPDIR", folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        command
    }

    fn from_env() -> Option<Self> {
        let text = std::env::var(JOB).ok()?;
        let numbers: Vec<u64> = text.split(' ').map(|number| number.parse().unwrap()).collect();
        let [seed, first, end, step, ref area @ ..] = numbers[..] else { return None };
        Some(Self { seed, first, end, step, area: area.first().map(|&area| area as usize) })
    }
}

/// A message of a worker.
pub enum Word {
    Began(u64),
    /// The faults of the case that began, if any; its time, and the largest resident memory
    /// meanwhile, in bytes.
    Done {
        panic: Option<String>,
        took: Duration,
        peak: u64,
        is_imported: bool,
    },
}

impl Word {
    pub fn parse(line: &str) -> Option<Self> {
        let mut words = line.splitn(5, ' ');
        match words.next()? {
            "began" => Some(Self::Began(words.next()?.parse().ok()?)),
            "done" => {
                let took = Duration::from_millis(words.next()?.parse().ok()?);
                let peak = words.next()?.parse().ok()?;
                let is_imported = words.next()? == "imported";
                let panic = words.next().map(str::to_owned);
                Some(Self::Done { panic, took, peak, is_imported })
            }
            _ => None,
        }
    }
}

/// Whether this process is a worker.
pub fn is_one() -> bool {
    std::env::var_os(JOB).is_some()
}

/// The case that runs.
static CASE: AtomicU64 = AtomicU64::new(0);
/// The first panic of the case that runs, on whichever thread.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Does the job.
pub fn run() {
    let job = Job::from_env().unwrap();
    std::panic::set_hook(Box::new(|info| {
        let text = info.to_string().replace('\n', " ");
        PANIC.lock().unwrap().get_or_insert(text);
    }));
    std::thread::spawn(watch_memory);
    let inputs = Inputs::of(job.area);
    let path = std::env::temp_dir().join("input");
    let mut case = job.first;
    while case < job.end {
        CASE.store(case, Ordering::Relaxed);
        let input = inputs.input(job.seed, case);
        std::fs::write(&path, &input.bytes).unwrap();
        say(&format!("began {case}"));
        reset_peak();
        let begun = Instant::now();
        let worked = catch_unwind(AssertUnwindSafe(|| import(&path, input, job.area, case)));
        let took = begun.elapsed().as_millis();
        let imported = if matches!(worked, Ok(true)) { "imported" } else { "refused" };
        let panic = PANIC.lock().unwrap().take().map(|text| format!(" {text}")).unwrap_or_default();
        say(&format!("done {took} {} {imported}{panic}", peak()));
        case += job.step;
    }
}

/// Whether it is a trace that can be imported.
fn import(path: &Path, input: Input, area: Option<usize>, case: u64) -> bool {
    let mut paths: Vec<PathBuf> = vec![path.to_owned()];
    if input.is_merged {
        paths.push(testdata::folder().join("relay.pftrace"));
    }
    let area = area.and_then(|area| AREAS.get(area)).map(|area| area.name);
    if area == Some(left_out::NAME) || case % LEFT_OUT == 1 {
        return left_out_tables::compare(&paths, &input.options);
    }
    if !case.is_multiple_of(QUERIED) {
        return tpq::import(&paths, &input.options).is_ok();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    runtime.block_on(async {
        let Ok(trace) = Trace::open(&paths, input.options).await else { return false };
        for table in trace.tables().iter().filter(|table| table.num_rows() > 0) {
            let name = table.decl().name;
            let rows = trace.sql(&format!("SELECT * FROM {name}")).await;
            let rows: usize = rows.unwrap().iter().map(|batch| batch.num_rows()).sum();
            match name {
                // The view leaves out CPUs that a trace skips.
                "cpu" => assert!(rows <= table.num_rows(), "rows of {name}"),
                _ => assert_eq!(rows, table.num_rows(), "rows of {name}"),
            }
        }
        true
    })
}

fn say(line: &str) {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{line}").and_then(|()| stdout.flush()).unwrap();
}

/// Makes the most resident memory what it is now, on Linux.
fn reset_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

fn peak() -> u64 {
    std::fs::read_to_string("/proc/self/status").ok().and_then(|text| peak_in(&text)).unwrap_or(0)
}

fn watch_memory() {
    loop {
        std::thread::sleep(Duration::from_millis(50));
        if peak() > MOST_MEMORY {
            std::process::exit(OUT_OF_MEMORY);
        }
    }
}
