//! Runs the binary.

use std::fmt::Write;
use std::process::{Command, Output, Stdio};

/// The binary, to be run in the root of the repository without anything of the user's.
pub fn tpq() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tpq"));
    command
        .current_dir(crate::ROOT)
        .env_remove("RUST_LOG")
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        .stdin(Stdio::null());
    command
}

/// Runs the binary to its end.
pub fn run(arguments: &[&str]) -> Output {
    tpq().args(arguments).output().unwrap()
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
