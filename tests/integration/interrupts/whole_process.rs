//! Signals to commands that have no prompt.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use nix::sys::signal::Signal;

use super::terminal::Terminal;
use super::{ENDLESS_JOIN, trace};
use crate::command::{Folder, sh, tpq};
use crate::running::{PATIENCE, Process, Running};

/// Time on processors by which a query is being executed: an import of the small trace and a plan
/// take a part of it.
const UNDER_WAY: Duration = Duration::from_secs(1);

fn endless() -> String {
    format!("SELECT sum(a.ts) {ENDLESS_JOIN} WHERE a.ts <> d.ts")
}

/// Starts a command. Its output is part of the message where a test fails.
fn start(command: &mut Command) -> Running {
    Running::start(command.stdout(Stdio::null()).stderr(Stdio::piped()))
}

/// Whether signals are received, and a query that has no end is being executed.
fn is_under_way(tpq: Process) -> bool {
    let signals = [Signal::SIGINT, Signal::SIGTERM];
    signals.into_iter().all(|signal| tpq.catches(signal)) && tpq.cpu_time() >= UNDER_WAY
}

/// How a command with an endless query ends that gets a signal.
fn code(arguments: &[&str], signal: Signal) -> Option<i32> {
    let mut tpq = start(tpq().args(arguments));
    tpq.wait_until("the query is under way", is_under_way);
    tpq.signal(signal);
    tpq.end().code()
}

#[test]
fn signals_end_a_query() {
    let signals = [(Signal::SIGINT, 130), (Signal::SIGTERM, 143), (Signal::SIGHUP, 129)];
    for (signal, expected) in signals {
        let sql = endless();
        let arguments = ["query", trace(), "-c", &sql];
        assert_eq!(code(&arguments, signal), Some(expected), "{signal}");
    }
}

#[test]
fn ctrl_c_ends_a_query_in_a_terminal() {
    let mut terminal = Terminal::start(&["query", trace(), "-c", &endless()]);
    terminal.wait_until("the query is under way", is_under_way);
    terminal.press_ctrl_c();
    assert_eq!(terminal.end().code(), Some(130));
}

#[test]
fn ctrl_c_ends_an_export() {
    let folder = Folder::of(&[]);
    let (sql, path) = (endless(), folder.path("out.parquet"));
    let path = path.to_str().unwrap();
    let arguments = ["export", trace(), "--query", &sql, "-o", path];
    assert_eq!(code(&arguments, Signal::SIGINT), Some(130));
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

/// Statements from stdin are waited for in a call that nothing interrupts.
#[test]
fn ctrl_c_ends_a_command_that_waits_for_its_input() {
    /// More than a pipe holds: once it is written, some of it was read.
    const BLANKS: usize = 1 << 20;
    let mut tpq = start(tpq().args(["query", trace(), "-f", "-"]).stdin(Stdio::piped()));
    let mut input = tpq.child().stdin.take().unwrap();
    let (written, is_written) = channel();
    std::thread::spawn(move || {
        input.write_all(&b" ".repeat(BLANKS)).unwrap();
        // Handed over, and not closed: there may always be more.
        written.send(input)
    });
    let _input = is_written.recv_timeout(PATIENCE).unwrap();
    tpq.wait_until("Ctrl-C is received", |tpq| tpq.catches(Signal::SIGINT));
    tpq.signal(Signal::SIGINT);
    assert_eq!(tpq.end().code(), Some(130));
}

/// A script that is piped into the shell ends with it.
#[test]
fn ctrl_c_ends_a_shell_that_runs_a_script() {
    let mut tpq = start(tpq().args(["shell", trace()]).stdin(Stdio::piped()));
    let mut input = tpq.child().stdin.take().unwrap();
    writeln!(input, "{};", endless()).unwrap();
    tpq.wait_until("the query is under way", |tpq| tpq.has_thread("query") && is_under_way(tpq));
    tpq.signal(Signal::SIGINT);
    assert_eq!(tpq.end().code(), Some(130));
}

/// A folder with `large.json`, an import of which takes seconds.
fn with_large_trace() -> Folder {
    const EVENT: &str =
        r#"{"name":"work","ph":"X","ts":1,"dur":2,"pid":1,"tid":1,"args":{"a":"b"}}"#;
    let folder = Folder::of(&[("tmp/x", b""), ("cache/x", b"")]);
    let mut file = BufWriter::new(File::create(folder.path("large.json")).unwrap());
    write!(file, "[{EVENT}").unwrap();
    let thousand = format!(",\n{EVENT}").repeat(1000);
    for _ in 0..2000 {
        file.write_all(thousand.as_bytes()).unwrap();
    }
    file.write_all(b"]").unwrap();
    file.flush().unwrap();
    folder
}

/// Has a command work in the folder, with temporary files and a cache there.
fn work_in(folder: &Folder, command: &mut Command) {
    command
        .current_dir(folder.path(""))
        .env("TMPDIR", folder.path("tmp"))
        .env("TPQ_CACHE_DIR", folder.path("cache"))
        .env_remove("TPQ_CACHE_SIZE");
}

fn assert_nothing_is_left(folder: &Folder) {
    assert_eq!(folder.names(), ["cache", "large.json", "tmp"]);
    for name in ["tmp", "cache"] {
        assert_eq!(std::fs::read_dir(folder.path(name)).unwrap().count(), 1, "{name}");
    }
}

/// In the shell, Ctrl-C is for queries only once there is a prompt.
#[test]
fn ctrl_c_ends_the_import_of_the_shell_and_leaves_no_file() {
    let folder = with_large_trace();
    let mut terminal =
        Terminal::start_with(&["shell", "large.json"], |command| work_in(&folder, command));
    terminal.wait_until("events are read", Process::imports);
    terminal.press_ctrl_c();
    assert_eq!(terminal.end().code(), Some(130));
    assert_nothing_is_left(&folder);
}

/// The packed files are imported before the file has its name.
#[test]
fn ctrl_c_ends_a_merge_and_leaves_no_file() {
    let folder = with_large_trace();
    let root = folder.path("").canonicalize().unwrap();
    let mut command = tpq();
    command.args(["merge", "-o", "both.tar", "large.json"]);
    work_in(&folder, &mut command);
    let mut tpq = start(&mut command);
    tpq.wait_until("what was packed is imported", |tpq| {
        tpq.imports() && tpq.unfinished_bytes(&root) > 0
    });
    tpq.signal(Signal::SIGINT);
    assert_eq!(tpq.end().code(), Some(130));
    assert_nothing_is_left(&folder);
}

/// As under `nohup`: what is ignored when tpq starts stays ignored.
#[test]
fn a_signal_that_is_ignored_stays_so() {
    let script = "trap '' HUP; exec \"$0\" query \"$1\" -c \"$2\"";
    let sql = endless();
    let mut tpq = start(sh(script).args([env!("CARGO_BIN_EXE_tpq"), trace(), &sql]));
    tpq.wait_until("the query is under way", is_under_way);
    assert!(tpq.process().ignores(Signal::SIGHUP) && !tpq.process().catches(Signal::SIGHUP));
    tpq.signal(Signal::SIGHUP);
    tpq.signal(Signal::SIGTERM);
    assert_eq!(tpq.end().code(), Some(143));
}
