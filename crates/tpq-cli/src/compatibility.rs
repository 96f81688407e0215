//! Calls of `trace_processor_shell`, as commands of tpq.
//!
//! Other programs start `trace_processor_shell` by its options: the Python package with `-D
//! --http-port N`, scripts with `-q FILE.sql TRACE`. Where tpq uses a letter for something else, the
//! rest of the call decides. Options with other names are aliases, declared with the arguments.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The arguments of a process, with calls of `trace_processor_shell` as commands of tpq.
pub fn arguments(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    let Some(first) = arguments.get(1) else { return arguments };
    if first == "server" {
        return server(arguments);
    }
    // A call of `trace_processor_shell` has no command, so it begins with an option or a file.
    let options = arguments.iter().position(|argument| argument == "--").unwrap_or(arguments.len());
    let serves = |argument: &OsString| argument == "-D" || argument == "--httpd";
    let known = [
        "query",
        "serve",
        "shell",
        "export",
        "summarize",
        "info",
        "check",
        "clocks",
        "merge",
        "completions",
        "man",
    ];
    if known.iter().any(|command| first == *command) {
        return arguments;
    }
    if arguments.iter().take(options).skip(1).any(serves) {
        let program = arguments.remove(0);
        let rest = arguments.into_iter().filter(|argument| !serves(argument));
        return [program, "serve".into()].into_iter().chain(rest).collect();
    }
    query_file(arguments)
}

/// `server http …` and `server unix --name NAME …`.
fn server(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is_unix = arguments.get(2).is_some_and(|kind| kind == "unix");
    let is_http = arguments.get(2).is_some_and(|kind| kind == "http");
    if !is_unix && !is_http {
        return arguments;
    }
    arguments.splice(1..3, ["serve".into()]);
    if is_unix {
        for argument in arguments.iter_mut().skip(2) {
            if argument == "--name" || argument == "--path" {
                *argument = "--socket".into();
            } else if let Some(name) =
                argument.to_str().and_then(|text| text.strip_prefix("--name="))
            {
                *argument = format!("--socket={name}").into();
            }
        }
    }
    arguments
}

/// `-q FILE.sql`: with such a file behind it, `-q` is not `--quiet`.
fn query_file(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is_sql = |file: &OsString| Path::new(file).extension() == Some(OsStr::new("sql"));
    let at = arguments
        .iter()
        .zip(arguments.iter().skip(1))
        .position(|(option, file)| option == "-q" && is_sql(file));
    if let Some(option) = at.and_then(|at| arguments.get_mut(at)) {
        *option = "-f".into();
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(call: &str) -> String {
        let words = arguments(call.split(' ').map(OsString::from));
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        words.join(" ")
    }

    #[test]
    fn calls_become_commands() {
        for (call, command) in [
            (
                "tpq -D --http-port 9001 --no-ftrace-raw --dev",
                "tpq serve --http-port 9001 --no-ftrace-raw --dev",
            ),
            ("tpq trace --httpd", "tpq serve trace"),
            ("tpq -q a.sql trace", "tpq -f a.sql trace"),
            ("tpq trace -q a.sql", "tpq trace -f a.sql"),
            ("tpq server http --port 9002 trace", "tpq serve --port 9002 trace"),
            ("tpq server unix --name mine trace", "tpq serve --socket mine trace"),
            ("tpq server unix --name=mine", "tpq serve --socket=mine"),
        ] {
            assert_eq!(translated(call), command);
        }
    }

    #[test]
    fn calls_of_tpq_stay() {
        for call in [
            "tpq",
            "tpq -q trace",
            "tpq query -q trace -f a.sql",
            "tpq trace -- -D",
            "tpq serve trace -D",
            "tpq server",
            "tpq -c SELECT trace",
        ] {
            assert_eq!(translated(call), call);
        }
    }
}
