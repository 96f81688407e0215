//! A running process, as `/proc` shows it. Tests wait for its state there instead of for a time.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// How long a test waits for what must come. Far longer than it takes, as machines can be busy.
pub const PATIENCE: Duration = Duration::from_secs(120);
/// From one look at a process to the next.
const LOOK: Duration = Duration::from_millis(5);

/// A process of a test. Dropped, it is killed.
pub struct Running(Child);

impl Running {
    pub fn start(command: &mut Command) -> Self {
        Self(command.spawn().unwrap())
    }

    pub fn child(&mut self) -> &mut Child {
        &mut self.0
    }

    pub fn process(&self) -> Process {
        Process(self.0.id())
    }

    pub fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.0.id() as i32), signal).unwrap();
    }

    /// Waits until something holds of the process, which must not end before.
    pub fn wait_until(&mut self, what: &str, mut holds: impl FnMut(Process) -> bool) {
        let begin = Instant::now();
        while !holds(self.process()) {
            if let Some(status) = self.0.try_wait().unwrap() {
                panic!("{status} before {what}: {}", self.stderr());
            }
            if begin.elapsed() > PATIENCE {
                self.kill();
                panic!("never {what}: {}", self.stderr());
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Waits for the end.
    pub fn end(&mut self) -> ExitStatus {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status;
            }
            assert!(begin.elapsed() < PATIENCE, "it does not end");
            std::thread::sleep(LOOK);
        }
    }

    fn kill(&mut self) {
        // Has ended where the test went well.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }

    /// The output of an ended process, where stderr is a pipe to the test.
    fn stderr(&mut self) -> String {
        let mut text = Vec::new();
        if let Some(mut stderr) = self.0.stderr.take() {
            stderr.read_to_end(&mut text).unwrap();
        }
        String::from_utf8_lossy(&text).into_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The visible state of a process; that of an ended one is empty.
#[derive(Clone, Copy)]
pub struct Process(u32);

impl Process {
    fn path(self, name: &str) -> PathBuf {
        format!("/proc/{}/{name}", self.0).into()
    }

    /// Whether it has a handler for a signal.
    pub fn catches(self, signal: Signal) -> bool {
        self.has_in_mask("SigCgt:", signal)
    }

    /// Whether a signal passes it by.
    pub fn ignores(self, signal: Signal) -> bool {
        self.has_in_mask("SigIgn:", signal)
    }

    fn has_in_mask(self, name: &str, signal: Signal) -> bool {
        let mask = field(&self.path("status"), name);
        let mask = mask.and_then(|mask| u64::from_str_radix(&mask, 16).ok());
        mask.is_some_and(|mask| mask & (1 << (signal as i32 - 1)) != 0)
    }

    /// The folder of a thread of this name.
    fn thread(self, name: &str) -> Option<PathBuf> {
        let threads = std::fs::read_dir(self.path("task")).ok()?;
        let mut threads = threads.flatten().map(|thread| thread.path());
        threads.find(|thread| {
            std::fs::read_to_string(thread.join("comm")).is_ok_and(|comm| comm.trim() == name)
        })
    }

    pub fn has_thread(self, name: &str) -> bool {
        self.thread(name).is_some()
    }

    /// Whether the events of a trace are being read. The first of these threads is there for one
    /// file of JSON, the other for any trace.
    pub fn imports(self) -> bool {
        ["events", "sorter"].into_iter().any(|name| self.has_thread(name))
    }

    /// How often a thread waited for something, if it does now. A thread that waits and has waited
    /// once more has done what it was woken for.
    pub fn waits(self, thread: &str) -> Option<u64> {
        let status = self.thread(thread)?.join("status");
        let waits = || field(&status, "voluntary_ctxt_switches:")?.parse::<u64>().ok();
        let before = waits()?;
        let sleeps = field(&status, "State:")?.starts_with('S');
        (sleeps && waits() == Some(before)).then_some(before)
    }

    /// The time that all its threads took on processors.
    pub fn cpu_time(self) -> Duration {
        /// Linux counts in this everywhere, whatever its clock does.
        const TICK: Duration = Duration::from_millis(10);
        let stat = std::fs::read_to_string(self.path("stat")).unwrap_or_default();
        // The name may hold anything; the fields after it begin with the third.
        let fields = stat.rsplit_once(") ").map(|(_, fields)| fields).unwrap_or_default();
        let ticks = fields.split(' ').skip(11).take(2).flat_map(str::parse::<u32>);
        TICK * ticks.sum::<u32>()
    }

    /// Bytes in files that it has open below a folder and that have no name of their own yet: none
    /// at all, or that of an unfinished file.
    pub fn unfinished_bytes(self, folder: &Path) -> u64 {
        let Ok(descriptors) = std::fs::read_dir(self.path("fd")) else { return 0 };
        let is_unfinished = |path: &PathBuf| {
            let Ok(file) = std::fs::read_link(path) else { return false };
            let name = file.to_string_lossy();
            file.starts_with(folder)
                && (name.ends_with(" (deleted)") || name.ends_with(".unfinished"))
        };
        let files = descriptors.flatten().map(|entry| entry.path()).filter(is_unfinished);
        files.filter_map(|path| Some(path.metadata().ok()?.len())).sum()
    }
}

/// The first word of the line with this name in a file of `/proc`.
fn field(file: &Path, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next().map(str::to_owned)
}
