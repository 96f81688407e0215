//! Imports thousands of damaged traces: it may refuse them or count what is wrong, but it must
//! not panic and must not hang.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tpq::ImportOptions;
use tpq_testkit::mutate::mutate;
use tpq_testkit::random::Random;
use tpq_testkit::testdata;

const MUTATIONS: u64 = 10_000;
const WORKERS: u64 = 2;
/// An import of a few hundred bytes takes less than a millisecond.
const HANG: Duration = Duration::from_secs(30);

/// Ends the process when one import takes too long, after saying which.
struct Watchdog {
    started: Instant,
    /// When the current import of each worker began, in ms since `started`.
    began: Arc<Vec<AtomicU64>>,
    done: Arc<AtomicBool>,
}

impl Watchdog {
    fn new() -> Self {
        let began: Vec<AtomicU64> = (0..WORKERS).map(|_| AtomicU64::new(0)).collect();
        Self { started: Instant::now(), began: Arc::new(began), done: Arc::default() }
    }

    fn now(&self) -> u64 {
        self.started.elapsed().as_millis() as u64
    }

    fn watch(&self, folder: &Path) {
        while !self.done.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(200));
            for (worker, began) in self.began.iter().enumerate() {
                let began = began.load(Ordering::Relaxed);
                if began != u64::MAX && self.now().saturating_sub(began) > HANG.as_millis() as u64 {
                    let kept = keep(&input(folder, worker as u64), &format!("hang-{worker}"));
                    eprintln!("an import hangs; its input is {}", kept.display());
                    std::process::abort();
                }
            }
        }
    }
}

/// Where a worker puts its current input.
fn input(folder: &Path, worker: u64) -> PathBuf {
    folder.join(format!("mutation-{worker}.pftrace"))
}

/// Copies an input that broke something to where it outlives the test.
fn keep(input: &Path, name: &str) -> PathBuf {
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.pftrace"));
    let _ = std::fs::copy(input, &kept);
    kept
}

/// One in this number is imported together with a whole trace, on one timeline.
const MERGED: u64 = 5;

/// Imports every `WORKERS`th mutation; gives the numbers of those that panicked.
fn work(worker: u64, folder: &Path, watchdog: &Watchdog) -> Vec<u64> {
    let files = testdata::files();
    let seeds: Vec<&[u8]> = files.iter().map(|(_, bytes)| bytes.as_slice()).collect();
    let path = input(folder, worker);
    let other = testdata::folder().join("relay.pftrace");
    let mut panicked = Vec::new();
    for number in (worker..MUTATIONS).step_by(WORKERS as usize) {
        let bytes = mutate(&mut Random::new(number), &seeds);
        std::fs::write(&path, bytes).unwrap();
        let options = ImportOptions { threads: Some(1), ..ImportOptions::default() };
        watchdog.began[worker as usize].store(watchdog.now(), Ordering::Relaxed);
        let paths = match number % MERGED {
            0 => vec![path.clone(), other.clone()],
            _ => vec![path.clone()],
        };
        let import = || tpq::import(&paths, &options).map(drop);
        if catch_unwind(AssertUnwindSafe(import)).is_err() {
            keep(&path, &format!("panic-{number}"));
            panicked.push(number);
        }
    }
    watchdog.began[worker as usize].store(u64::MAX, Ordering::Relaxed);
    panicked
}

#[test]
fn damaged_traces_neither_panic_nor_hang() {
    let folder = tempfile::tempdir().unwrap();
    let watchdog = Watchdog::new();
    let panicked: Vec<u64> = std::thread::scope(|scope| {
        scope.spawn(|| watchdog.watch(folder.path()));
        let workers: Vec<_> = (0..WORKERS)
            .map(|worker| {
                let (folder, watchdog) = (folder.path(), &watchdog);
                scope.spawn(move || work(worker, folder, watchdog))
            })
            .collect();
        let panicked = workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect();
        watchdog.done.store(true, Ordering::Relaxed);
        panicked
    });
    assert!(
        panicked.is_empty(),
        "{} of {MUTATIONS} imports panicked; inputs panic-N.pftrace in {}; the first: {:?}",
        panicked.len(),
        env!("CARGO_TARGET_TMPDIR"),
        &panicked[..panicked.len().min(10)]
    );
}
