//! What is in `deploy/`.

use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Stdio;

use nix::sys::signal::Signal;

use super::{each, text, traces};
use crate::command::{describe, run, sh};
use crate::running::Running;

/// The commands of the services in `deploy/compose.yaml`, as lists of arguments.
fn commands() -> Vec<Vec<String>> {
    let file = Path::new(crate::ROOT).join("deploy/compose.yaml");
    let text = std::fs::read_to_string(file).unwrap();
    let mut commands: Vec<Vec<String>> = Vec::new();
    let mut folded = false;
    for line in text.lines() {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        if let Some(command) = line.trim().strip_prefix("command:") {
            folded = command.trim() == ">-";
            commands.push(if folded { Vec::new() } else { words(command) });
        } else if folded {
            // The lines of a folded text are deeper than its key.
            folded = line.starts_with("      ");
            commands.last_mut().unwrap().extend(if folded { words(line) } else { Vec::new() });
        }
    }
    commands
}

#[test]
fn the_services_have_commands_of_the_binary() {
    let commands = commands();
    let roles: Vec<&str> = commands.iter().map(|command| command[1].as_str()).collect();
    assert_eq!(roles, ["scheduler", "executor", "executor", "executor"]);
    for command in commands {
        // Wrong arguments before --help are an error.
        let arguments: Vec<&str> = command.iter().map(String::as_str).chain(["--help"]).collect();
        let output = run(&arguments);
        assert!(output.status.success(), "{command:?}: {}", describe(&output));
        let wrong: Vec<&str> =
            arguments.iter().map(|&word| if word == "--bind" { "--bound" } else { word }).collect();
        assert_eq!(run(&wrong).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn the_script_starts_and_stops_a_cluster() {
    let folder = traces(3);
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = format!("127.0.0.1:{port}");
    let mut command = sh(r#"exec sh deploy/local.sh "$0""#);
    command.arg(env!("CARGO_BIN_EXE_tpq")).env("PORT", port.to_string()).env("EXECUTORS", "2");
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut script = Running::start(&mut command);
    let stderr = BufReader::new(script.child().stderr.take().unwrap());
    let mut lines = stderr.lines().map(Result::unwrap);
    let mut started = Vec::new();
    while started.len() < 4 {
        started.push(lines.next().unwrap_or_else(|| panic!("{started:?}")));
    }
    started.sort();
    let [cluster, first, second, scheduler] = &started[..] else { panic!("{started:?}") };
    assert_eq!(*cluster, format!("cluster on {address}; Ctrl-C stops it"));
    assert!(first.starts_with("executor on ") && second.starts_with("executor on "), "{started:?}");
    assert_eq!(*scheduler, format!("scheduler on {address}"));

    let sql = ["-c", "SELECT count(*) AS n FROM slice"];
    let there = each(&folder, &[&sql[..], &["--cluster", &address]].concat());
    assert!(there.status.success(), "{}", describe(&there));
    assert_eq!(text(&there), text(&each(&folder, &sql)));

    script.signal(Signal::SIGTERM);
    script.end();
    assert!(TcpStream::connect(&address).is_err(), "the scheduler runs on");
    // The pipe closes when the last process has ended.
    assert!(!lines.any(|line| line.contains("panic")));
}
