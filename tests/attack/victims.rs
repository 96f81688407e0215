//! Commands that write files, and what they write when nothing disturbs them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use tpq_testkit::random::Random;

use crate::effort::Effort;
use crate::process::Running;
use crate::report::Fault;
use crate::sandbox::{Sandbox, entries};
use crate::traces;

/// No command here takes as long.
pub const HANG: Duration = Duration::from_secs(300);
pub const MOST_MEMORY: u64 = 2 << 30;
/// How often a process is looked at until it does what it is to be disturbed at.
pub const LOOK: Duration = Duration::from_micros(300);

/// A command that is killed, or has no room on its disk.
pub struct Victim {
    pub name: &'static str,
    pub trace: Trace,
    pub arguments: &'static [&'static str],
    /// The command after a kill; the same command if not given.
    pub next: &'static [&'static str],
    /// In which folder something appears when it does what it is to be killed at.
    pub works_in: &'static str,
}

/// The trace that is called `trace`.
pub enum Trace {
    /// The number of bundles of events.
    Rich(u64),
    /// The number in the small run; the long run has ten times as many.
    Growing(u64),
    /// One that unpacks to more than is unpacked in memory.
    Packed,
}

impl Trace {
    pub fn bytes(&self, effort: Effort) -> Vec<u8> {
        match *self {
            Self::Rich(bundles) => traces::rich(bundles, 0),
            Self::Growing(bundles) => {
                traces::rich(if effort.is_long() { 10 * bundles } else { bundles }, 0)
            }
            Self::Packed => traces::padded(48),
        }
    }
}

/// Sorts five columns of more rows than fit into [`SPILL_LIMIT`], and gives one of them.
const SORT: &str = "SELECT k FROM (SELECT a.ts * 7919 % 1000003 AS k, a.ts AS x, a.cpu AS y, \
    a.id AS z, b.v FROM ftrace_event a CROSS JOIN (SELECT id AS v FROM ftrace_event LIMIT 20) b) \
    ORDER BY k, x, y, z, v";
/// Enough for an import.
const SPILL_LIMIT: &str = "64M";

pub const VICTIMS: &[Victim] = &[
    Victim {
        name: "kills::import",
        trace: Trace::Packed,
        arguments: &["query", "trace", "--no-cache", "-c", "SELECT count(*) FROM sched"],
        next: &[],
        works_in: "tmp",
    },
    Victim {
        name: "kills::cache_write",
        trace: Trace::Growing(1_000),
        arguments: &["query", "trace", "-c", "SELECT count(*), sum(dur), sum(utid) FROM sched"],
        next: &[],
        works_in: "cache",
    },
    Victim {
        name: "kills::export_folder",
        trace: Trace::Growing(300),
        arguments: &["export", "trace", "--no-cache", "-o", "out/tables"],
        next: &[],
        works_in: "out",
    },
    Victim {
        name: "kills::export_folder_csv",
        trace: Trace::Growing(300),
        arguments: &["export", "trace", "--no-cache", "-o", "out/tables", "--format", "csv"],
        next: &[],
        works_in: "out",
    },
    Victim {
        name: "kills::export_file",
        trace: Trace::Growing(300),
        arguments: &[
            "export",
            "trace",
            "--no-cache",
            "-o",
            "out/rows.parquet",
            "--format",
            "parquet",
            "--query",
            "SELECT * FROM ftrace_event ORDER BY id",
        ],
        next: &[],
        works_in: "out",
    },
    Victim {
        name: "kills::query_output",
        trace: Trace::Growing(300),
        arguments: &[
            "query",
            "trace",
            "--no-cache",
            "-o",
            "out/rows.csv",
            "-c",
            "SELECT * FROM ftrace_event ORDER BY id",
        ],
        next: &[],
        works_in: "out",
    },
    Victim {
        name: "kills::merge",
        trace: Trace::Growing(300),
        arguments: &["merge", "trace", "other", "-o", "out/merged.tar"],
        next: &[],
        works_in: "out",
    },
    Victim {
        name: "kills::spill",
        trace: Trace::Rich(3_000),
        arguments: &[
            "query",
            "trace",
            "--no-cache",
            "--threads",
            "1",
            "--memory-limit",
            SPILL_LIMIT,
            "-o",
            "out/sorted.csv",
            "-c",
            SORT,
        ],
        next: &["query", "trace", "--no-cache", "-c", "SELECT count(*) FROM sched"],
        works_in: "tmp",
    },
];

/// A place with the trace, and a second one to merge with.
pub fn sandbox(trace: &[u8]) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("trace", trace);
    sandbox.write("other", &traces::rich(10, 1));
    sandbox
}

/// A victim's work when nothing disturbs it.
pub struct Whole {
    /// Files below `out`, by path.
    pub files: BTreeMap<PathBuf, Vec<u8>>,
    pub stdout: String,
    /// Until it began what it is to be killed at.
    pub until_work: Duration,
    pub took: Duration,
}

impl Whole {
    /// # Errors
    /// When the command fails, or never does what it is to be killed at.
    pub fn of(victim: &Victim, trace: &[u8]) -> Result<Self, Failed> {
        let sandbox = sandbox(trace);
        let watch = Watch::new(victim, &sandbox);
        let begun = Instant::now();
        let mut running = Running::start(&mut sandbox.tpq(victim.arguments));
        let mut until_work = None;
        while running.status().is_none() && begun.elapsed() < HANG {
            if until_work.is_none() && watch.is_at_work(&running) {
                until_work = Some(begun.elapsed());
            }
            std::thread::sleep(LOOK);
        }
        let took = begun.elapsed();
        let ended = running.end(HANG);
        if !ended.is_success() {
            return Err(format!("tpq {}: {}", victim.arguments.join(" "), ended.stderr).into());
        }
        // Work that is done between two looks is hardly ever met, but the end is known.
        let until_work = until_work.unwrap_or(took.mul_f64(0.8));
        let files = files(&sandbox.path("out"));
        Ok(Self { files, stdout: ended.stdout, until_work, took })
    }
}

/// Sees when a process does what it is to be disturbed at.
pub struct Watch {
    folder: PathBuf,
    /// Files of the folder before the run.
    before: Vec<PathBuf>,
}

impl Watch {
    /// To be made before the process is started.
    pub fn new(victim: &Victim, sandbox: &Sandbox) -> Self {
        let folder = sandbox.path(victim.works_in);
        Self { before: entries(&folder), folder }
    }

    /// Whether there are new names in the folder of its work.
    pub fn sees_names(&self) -> bool {
        entries(&self.folder) != self.before
    }

    /// Whether it has a file in the folder of its work: a new one, or one that is open, which may
    /// have no name.
    pub fn is_at_work(&self, running: &Running) -> bool {
        let open = entries(Path::new(&format!("/proc/{}/fd", running.id())));
        let is_inside =
            |path: PathBuf| fs::read_link(path).is_ok_and(|to| to.starts_with(&self.folder));
        self.sees_names() || open.into_iter().any(is_inside)
    }
}

/// Contents of an output file of an earlier run.
pub const PREVIOUS: &[u8] = b"what was there before\n";

/// Puts files of an earlier run in the place of some outputs, half of the time; gives them.
pub fn previous(random: &mut Random, sandbox: &Sandbox, whole: &Whole) -> Vec<PathBuf> {
    if random.below(2) == 0 {
        return Vec::new();
    }
    let some = whole.files.keys().filter(|_| random.below(2) == 0 || whole.files.len() == 1);
    let some: Vec<PathBuf> = some.cloned().collect();
    for path in &some {
        let path = sandbox.path("out").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, PREVIOUS).unwrap();
    }
    some
}

/// Files under final names that are neither whole nor what they were before.
pub fn torn(sandbox: &Sandbox, whole: &Whole, before: &[PathBuf]) -> Vec<(Fault, String)> {
    let found = files(&sandbox.path("out"));
    let mut faults = Vec::new();
    for (path, expected) in &whole.files {
        let what = match found.get(path) {
            None if before.contains(path) => "is gone".to_owned(),
            Some(bytes) if bytes != expected && bytes != PREVIOUS => {
                format!("has {} of {} bytes", bytes.len(), expected.len())
            }
            _ => continue,
        };
        faults.push((Fault::Torn, format!("{} {what}", path.display())));
    }
    faults
}

/// All files below a folder, by their paths in it.
pub fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for path in entries(&next) {
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(bytes) = fs::read(&path) {
                found.insert(path.strip_prefix(folder).unwrap().to_owned(), bytes);
            }
        }
    }
    found
}
