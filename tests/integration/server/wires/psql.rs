//! psql, where it is installed. `tests/python/` has psycopg and ADBC.

use std::process::Command;

use super::WireServer;

/// Runs `psql` with commands, as text without lines around it.
fn psql(server: &WireServer, commands: &[&str]) -> Option<String> {
    let mut command = Command::new("psql");
    command.args(["-X", "-h", "127.0.0.1", "-p", &server.postgres().to_string(), "-U", "me"]);
    command.args(["-d", "tpq", "-P", "pager=off", "-v", "ON_ERROR_STOP=1"]);
    for text in commands {
        command.args(["-c", text]);
    }
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => {
            eprintln!("skipped: psql cannot be started: {error}");
            return None;
        }
    };
    let (out, err) = (output.stdout, String::from_utf8_lossy(&output.stderr).into_owned());
    assert!(output.status.success(), "{commands:?}: {err}");
    Some(String::from_utf8(out).unwrap())
}

/// The cells of the lines of a table that have one of them, trimmed.
fn line(table: &str, cell: &str) -> Vec<String> {
    let cells = |line: &str| -> Vec<String> {
        line.split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let mut lines = table.lines().map(cells).filter(|cells| cells.iter().any(|it| it == cell));
    lines.next().unwrap_or_else(|| panic!("no `{cell}` in {table}"))
}

#[test]
fn psql_describes_and_queries() {
    let server = WireServer::start(&[]);
    let Some(rows) = psql(&server, &["SELECT ts, name FROM slice ORDER BY ts"]) else { return };
    assert_eq!(line(&rows, "300"), ["300", "it's"]);
    assert!(rows.contains("(3 rows)"), "{rows}");
    let all = psql(&server, &["\\d"]).unwrap();
    assert_eq!(line(&all, "slice")[..3], ["public", "slice", "view"]);
    let views = psql(&server, &["\\dv"]).unwrap();
    assert_eq!(line(&views, "trace_bounds")[..3], ["public", "trace_bounds", "view"]);
    let tables = psql(&server, &["\\dt"]).unwrap();
    assert!(!tables.contains(" view "), "{tables}");
    let columns = psql(&server, &["\\d trace_bounds"]).unwrap();
    assert!(columns.contains("View \"public.trace_bounds\""), "{columns}");
    assert_eq!(line(&columns, "start_ts")[..2], ["start_ts", "bigint"]);
    assert_eq!(line(&columns, "end_ts")[..2], ["end_ts", "bigint"]);
    let functions = psql(&server, &["\\df"]).unwrap();
    assert!(functions.contains("List of functions"), "{functions}");
    // Reals as PostgreSQL writes them.
    let reals = psql(&server, &["SELECT 300 * 2.0 AS a, 0.5 AS b, 1e15 AS c FROM slice LIMIT 1"]);
    assert_eq!(line(&reals.unwrap(), "600"), ["600", "0.5", "1e+15"]);
    for command in [
        "\\l",
        "\\dn",
        "\\du",
        "\\dT",
        "\\conninfo",
        "\\d slice",
        "\\d+ slice",
        "\\dt+",
        "\\dv+",
        "\\df+",
        "\\dn+",
        "\\dT+",
    ] {
        let shown = psql(&server, &[command]).unwrap();
        assert!(!shown.is_empty(), "{command}");
    }
    // There are none, which psql says as an error of its own.
    for command in ["\\di", "\\di+"] {
        psql(&server, &[command]).unwrap();
    }
}
