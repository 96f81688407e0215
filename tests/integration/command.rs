//! Runs the binary.

use std::fmt::Write;
use std::process::{Command, Output, Stdio};

/// The binary, to be run in the root of the repository without anything of the user's.
pub fn tpq() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tpq"));
    command
        .current_dir(crate::ROOT)
        .env_remove("RUST_LOG")
        .env("TPQ_CACHE_SIZE", "0")
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        .stdin(Stdio::null());
    command
}

/// Runs the binary to its end.
pub fn run(arguments: &[&str]) -> Output {
    tpq().args(arguments).output().unwrap()
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

    /// What a run printed and how it ended.
    pub fn tell(&self, arguments: &[&str]) -> String {
        describe(&self.run(arguments))
    }
}

/// What a run printed and how it ended, as one text.
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
