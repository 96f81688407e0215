//! A process under attack: how it ended, its output, and its memory.

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::report::Fault;

/// How often a process is looked at.
const LOOK: Duration = Duration::from_millis(2);

/// How a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    Code(i32),
    Signal(i32),
    /// It did not end in time, and was killed.
    Hang,
}

/// A process that ended.
pub struct Ended {
    pub ending: Ending,
    pub stdout: String,
    pub stderr: String,
    /// The most resident memory it was seen with, in bytes.
    pub peak: u64,
}

/// A running process. Its output is read meanwhile.
pub struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Collected,
    stderr: Collected,
    peak: u64,
}

impl Running {
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stdout = Collected::from(child.stdout.take().unwrap());
        let stderr = Collected::from(child.stderr.take().unwrap());
        let stdin = child.stdin.take();
        Self { child, stdin, stdout, stderr, peak: 0 }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Writes to a stdin that is a pipe. A process that ended does not read it.
    pub fn tell(&mut self, text: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        let _ = stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush());
    }

    /// Its output to stdout so far.
    pub fn said(&self) -> String {
        self.stdout.text()
    }

    pub fn status(&mut self) -> Option<ExitStatus> {
        self.peak = self.peak.max(peak_of(self.child.id()).unwrap_or(0));
        self.child.try_wait().unwrap()
    }

    /// Ends it by SIGKILL; false where it had ended already.
    pub fn kill(&mut self) -> bool {
        self.status().is_none() && self.child.kill().is_ok()
    }

    /// Asks it to end by SIGTERM; false where it had ended already.
    pub fn terminate(&mut self) -> bool {
        let order = format!("kill -TERM {}", self.id());
        self.status().is_none()
            && Command::new("sh").args(["-c", &order]).status().is_ok_and(|status| status.success())
    }

    /// Waits until it ends, at most for so long.
    pub fn end(mut self, most: Duration) -> Ended {
        drop(self.stdin.take());
        let begun = Instant::now();
        let ending = loop {
            if let Some(status) = self.status() {
                break match status.code() {
                    Some(code) => Ending::Code(code),
                    None => Ending::Signal(status.signal().unwrap_or(0)),
                };
            }
            if begun.elapsed() > most {
                let _ = self.child.kill();
                let _ = self.child.wait();
                break Ending::Hang;
            }
            std::thread::sleep(LOOK);
        };
        let Self { stdout, stderr, peak, .. } = self;
        Ended { ending, stdout: stdout.finish(), stderr: stderr.finish(), peak }
    }
}

/// Runs a process to its end, at most for so long.
pub fn run(command: &mut Command, most: Duration) -> Ended {
    Running::start(command).end(most)
}

impl Ended {
    pub fn is_success(&self) -> bool {
        self.ending == Ending::Code(0)
    }

    /// Faults that no input may cause: signals, panics, hangs, and more than `most_memory`.
    pub fn faults(&self, most_memory: u64) -> Vec<(Fault, String)> {
        let mut faults = Vec::new();
        let last = self.stderr.lines().last().unwrap_or_default();
        match self.ending {
            Ending::Signal(number) => {
                faults.push((Fault::Signal, format!("signal {number} {last}")))
            }
            Ending::Hang => faults.push((Fault::Hang, format!("killed at last; {last}"))),
            Ending::Code(0..=2) => {}
            Ending::Code(code) => faults.push((Fault::WrongExit, format!("code {code}: {last}"))),
        }
        if let Some(line) = self.stderr.lines().find(|line| line.contains("panicked at")) {
            faults.push((Fault::Panic, line.to_owned()));
        }
        if self.peak > most_memory {
            faults.push((Fault::Memory, format!("{} MiB resident", self.peak >> 20)));
        }
        faults
    }
}

/// The data from a pipe, read on a thread of its own.
struct Collected {
    bytes: Arc<Mutex<Vec<u8>>>,
    thread: JoinHandle<()>,
}

impl Collected {
    fn from(mut pipe: impl Read + Send + 'static) -> Self {
        let bytes = Arc::<Mutex<Vec<u8>>>::default();
        let place = Arc::clone(&bytes);
        let thread = std::thread::spawn(move || {
            let mut piece = vec![0; 1 << 16];
            // A process that is killed in the middle of a line leaves half a line.
            while let Ok(count @ 1..) = pipe.read(&mut piece) {
                place.lock().unwrap().extend_from_slice(&piece[..count]);
            }
        });
        Self { bytes, thread }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes.lock().unwrap()).into_owned()
    }

    fn finish(self) -> String {
        let Self { bytes, thread } = self;
        thread.join().unwrap();
        String::from_utf8_lossy(&bytes.lock().unwrap()).into_owned()
    }
}

/// The most resident memory a process ever had, in bytes; `None` where the system does not report
/// it.
fn peak_of(process: u32) -> Option<u64> {
    peak_in(&std::fs::read_to_string(format!("/proc/{process}/status")).ok()?)
}

/// The largest resident memory in a status of Linux, in bytes.
pub fn peak_in(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}
