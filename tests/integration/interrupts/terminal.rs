//! The binary in a terminal: what is typed, and what is on the screen.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Command, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use nix::pty::{Winsize, openpty};
use nix::sys::signal::Signal;

use crate::command::at_home;
use crate::running::{PATIENCE, Process, Running};

/// Time on processors by which a statement is being executed: to plan one takes a small part of it.
const UNDER_WAY: Duration = Duration::from_millis(500);

/// A terminal with tpq in it.
pub struct Terminal {
    /// Our end: writing to it is typing.
    keys: File,
    tpq: Running,
    screen: Receiver<Vec<u8>>,
    /// All that was ever on the screen.
    shown: String,
    /// Up to where `wait_for` has passed it.
    passed: usize,
    /// Keeps the history of what is typed.
    _home: tempfile::TempDir,
}

impl Terminal {
    /// Starts tpq with a new terminal as its controlling one, so that Ctrl-C is a signal.
    pub fn start(arguments: &[&str]) -> Self {
        Self::start_with(arguments, |_| ())
    }

    /// The same with a command that is adapted before it is run.
    pub fn start_with(arguments: &[&str], adapt: impl FnOnce(&mut Command)) -> Self {
        let size = Winsize { ws_row: 40, ws_col: 400, ws_xpixel: 0, ws_ypixel: 0 };
        let ends = openpty(Some(&size), None).unwrap();
        let (keys, theirs) = (File::from(ends.master), File::from(ends.slave));
        let home = tempfile::tempdir().unwrap();
        let mut command = at_home("setsid", home.path());
        command
            .args(["--ctty", env!("CARGO_BIN_EXE_tpq")])
            .args(arguments)
            .env("TERM", "xterm")
            .env("PAGER", "cat")
            .stdin(theirs.try_clone().unwrap())
            .stdout(theirs.try_clone().unwrap())
            .stderr(theirs);
        adapt(&mut command);
        let tpq = Running::start(&mut command);
        // With the command goes our copy of their end.
        drop(command);
        let (send, screen) = channel();
        let mut output = keys.try_clone().unwrap();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // The terminal is gone with the last process that has it open.
            while let Ok(read @ 1..) = output.read(&mut buffer) {
                if send.send(buffer[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { keys, tpq, screen, shown: String::new(), passed: 0, _home: home }
    }

    /// The shell on a small trace, at its prompt.
    pub fn shell() -> Self {
        let mut terminal = Self::start(&["shell", super::trace(), "--threads", "2"]);
        terminal.wait_for_prompt();
        terminal
    }

    pub fn type_keys(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    pub fn press_ctrl_c(&mut self) {
        self.type_keys("\x03");
    }

    /// Types a line that runs for long, and waits until it does.
    pub fn run_long(&mut self, line: &str) {
        self.type_keys(line);
        // The end of it, as each key draws the line anew.
        self.wait_for(&line[line.len() - 8..]);
        let before = self.tpq.process().cpu_time();
        self.type_keys("\r");
        // Statements that take long have nothing to say before their end. This thread is started
        // once Ctrl-C is for the statement.
        self.wait_until("a query is under way", |tpq| {
            tpq.has_thread("query") && tpq.cpu_time() >= before + UNDER_WAY
        });
    }

    /// Waits until something holds of tpq, which must not end before.
    pub fn wait_until(&mut self, what: &str, holds: impl FnMut(Process) -> bool) {
        self.tpq.wait_until(what, holds);
    }

    /// Presses Ctrl-C while no line is read, and waits until the thread that receives signals has
    /// dealt with it.
    pub fn press_ctrl_c_and_wait(&mut self) {
        let mut before = None;
        self.wait_until("signals are waited for", |tpq| {
            before = tpq.waits("signals");
            before.is_some()
        });
        self.press_ctrl_c();
        self.wait_until("the signal is received", |tpq| tpq.waits("signals") > before);
    }

    /// Waits until a text is on the screen, and gives how long that took.
    pub fn wait_for(&mut self, text: &str) -> Duration {
        let begin = Instant::now();
        assert!(self.shows(text, PATIENCE), "no {text:?} on the screen");
        begin.elapsed()
    }

    /// Whether a text appears on the screen within some time.
    fn shows(&mut self, text: &str, patience: Duration) -> bool {
        let begin = Instant::now();
        loop {
            if let Some(at) = self.shown[self.passed..].find(text) {
                self.passed += at + text.len();
                return true;
            }
            let left = patience.saturating_sub(begin.elapsed());
            match self.screen.recv_timeout(left) {
                Ok(bytes) => self.shown.push_str(&String::from_utf8_lossy(&bytes)),
                Err(RecvTimeoutError::Timeout) => return false,
                Err(RecvTimeoutError::Disconnected) => panic!("it ended without {text:?}"),
            }
        }
    }

    /// Sends SIGINT while a line is read, until there is a new prompt. The line editor notices a
    /// signal only if its read is interrupted, not one that arrives just before the read.
    pub fn interrupt_line(&mut self) {
        for _ in 0..10 {
            self.wait_until("a line is read", |tpq| tpq.waits("tpq").is_some());
            self.signal(Signal::SIGINT);
            if self.shows("\x1b[?2004h", Duration::from_secs(10)) {
                self.wait_for("tpq> ");
                return;
            }
        }
        panic!("signals do not end the line");
    }

    /// Waits until there is a new prompt. A line that is drawn anew begins with the prompt as well;
    /// the request to mark pasted text is sent once for each line that is read.
    pub fn wait_for_prompt(&mut self) {
        self.wait_for("\x1b[?2004h");
        self.wait_for("tpq> ");
    }

    /// The text on the screen up to the last text that `wait_for` found.
    pub fn passed(&self) -> &str {
        &self.shown[..self.passed]
    }

    /// Whether a text is on what `wait_for` has waited for, or before it.
    pub fn has_shown(&self, text: &str) -> bool {
        self.passed().contains(text)
    }

    /// Whether statements are answered.
    pub fn answers(&mut self) {
        self.type_keys("SELECT 41000 + 1000 + 42;\r");
        self.wait_for("42042");
        self.wait_for("1 row");
        self.wait_for_prompt();
    }

    /// Sends a signal to tpq itself.
    pub fn signal(&self, signal: Signal) {
        self.tpq.signal(signal);
    }

    /// The text on the screen after the last text that `wait_for` found.
    fn unpassed(&mut self) -> &str {
        for bytes in self.screen.try_iter() {
            self.shown.push_str(&String::from_utf8_lossy(&bytes));
        }
        &self.shown[self.passed..]
    }

    /// Waits for the end of tpq.
    pub fn end(&mut self) -> ExitStatus {
        self.tpq.end()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the screen, from what was waited for last: {:?}", self.unpassed());
        }
    }
}
