//! Runs the binary.

use std::fmt::Write;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Once;

const BINARY: &str = env!("CARGO_BIN_EXE_tpq");

/// The binary, to be run in the root of the repository without anything of the user's.
pub fn tpq() -> Command {
    without_terminal(BINARY)
}

/// A script for `sh`, to be run as the binary is. Further arguments are `$0`, `$1` and so on.
#[cfg(unix)]
pub fn sh(script: &str) -> Command {
    let mut command = without_terminal("sh");
    command.args(["-c", script]);
    command
}

fn without_terminal(program: &str) -> Command {
    const HOME: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/home");
    static EMPTIED: Once = Once::new();
    EMPTIED.call_once(|| {
        // There is none the first time.
        let _ = std::fs::remove_dir_all(HOME);
        std::fs::create_dir_all(HOME).unwrap();
    });
    let mut command = at_home(program, Path::new(HOME));
    command.env("COLUMNS", "100").stdin(Stdio::null());
    command
}

/// A program of a user without settings, with this home.
pub fn at_home(program: &str, home: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(crate::ROOT)
        .env_remove("RUST_LOG")
        .env_remove("TPQ_CACHE_DIR")
        .env("TPQ_CACHE_SIZE", "0")
        .env("HOME", home)
        .env("NO_COLOR", "1");
    for kind in ["CACHE", "CONFIG", "DATA", "STATE"] {
        command.env(format!("XDG_{kind}_HOME"), home.join(kind));
    }
    command
}

/// Runs the binary to its end.
pub fn run(arguments: &[&str]) -> Output {
    tpq().args(arguments).output().unwrap()
}

/// Runs the binary to its end with a text on stdin.
pub fn fed(arguments: &[&str], text: &str) -> Output {
    feed(tpq().args(arguments), text)
}

/// Runs a command to its end with a text on stdin.
pub fn feed(command: &mut Command, text: &str) -> Output {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let input = child.stdin.take();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // It may end before it has read everything.
            let _ = input.unwrap().write_all(text.as_bytes());
        });
        child.wait_with_output().unwrap()
    })
}

/// A folder to run the binary in, with files of a test's own.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn of(files: &[(&str, &[u8])]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for (name, bytes) in files {
            std::fs::create_dir_all(folder.path(name).parent().unwrap()).unwrap();
            std::fs::write(folder.path(name), bytes).unwrap();
        }
        folder
    }

    pub fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// The names of all that lies in it.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<String> =
            entries.map(|entry| name(entry).into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs the binary to its end.
    pub fn run(&self, arguments: &[&str]) -> Output {
        tpq().current_dir(self.0.path()).args(arguments).output().unwrap()
    }

    /// Output and exit status of a run.
    pub fn tell(&self, arguments: &[&str]) -> String {
        describe(&self.run(arguments))
    }
}

/// Output and exit status of a run, as one text.
pub fn describe(output: &Output) -> String {
    let mut text = String::new();
    let code = output.status.code().map_or("none".into(), |code| code.to_string());
    writeln!(text, "exit code: {code}").unwrap();
    for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        if !bytes.is_empty() {
            write!(text, "----- {name}\n{}", String::from_utf8_lossy(bytes)).unwrap();
        }
    }
    text
}
