//! Inputs that are no proper traces: an error or a stat, never a crash, and never at the cost of
//! what came before the damage.

use std::path::{Path, PathBuf};

use tpq::{ImportOptions, Trace};

use crate::command::{describe, run};
use crate::rows;

/// The expected outcome of an input.
enum Outcome {
    /// No trace at all; the message says so in these words.
    Refused(&'static str),
    /// Imported, and something is counted as lost or as an error.
    Counted,
    /// Imported, and something is counted, be it only as information.
    Noted,
    /// Imported; either counted, or this query for what was in the odd part is true.
    CountedOr(&'static str),
    /// Either refused or counted: nothing in it means anything.
    Meaningless,
}

struct Case {
    file: &'static str,
    outcome: Outcome,
    /// A query for what must have survived, and its only cell.
    survivors: Option<(&'static str, &'static str)>,
}

const OK_SLICE: Option<(&str, &str)> =
    Some(("SELECT ts || '+' || dur FROM slice WHERE name = 'ok'", "1000+500"));

const CASES: &[Case] = &[
    Case { file: "empty.pftrace", outcome: Outcome::Refused("empty"), survivors: None },
    Case { file: "text.pftrace", outcome: Outcome::Refused("text"), survivors: None },
    Case { file: "random.pftrace", outcome: Outcome::Meaningless, survivors: None },
    Case {
        file: "truncated.pftrace",
        outcome: Outcome::Counted,
        survivors: Some(("SELECT count(*) FROM slice WHERE ts < 2100", "7")),
    },
    Case {
        file: "truncated.pftrace.gz",
        outcome: Outcome::Counted,
        survivors: Some(("SELECT count(*) >= 1 FROM slice WHERE name = 'Load page'", "1")),
    },
    Case { file: "huge_length.pftrace", outcome: Outcome::Counted, survivors: OK_SLICE },
    Case { file: "nested_annotations.pftrace", outcome: Outcome::Noted, survivors: OK_SLICE },
    Case {
        file: "nested_compression.pftrace",
        outcome: Outcome::CountedOr("SELECT count(*) > 0 FROM slice WHERE name = 'inside'"),
        survivors: OK_SLICE,
    },
    Case {
        file: "unknown_iids.pftrace",
        outcome: Outcome::Noted,
        survivors: Some(("SELECT dur FROM slice WHERE name = 'known'", "400")),
    },
    Case { file: "bomb.pftrace", outcome: Outcome::CountedOr("SELECT true"), survivors: OK_SLICE },
    Case { file: "broken_zlib.pftrace", outcome: Outcome::Counted, survivors: OK_SLICE },
];

const COUNTED: &str = "SELECT count(*) FROM stats WHERE value != 0 AND source = 'analysis' \
                       AND severity IN ('error', 'data_loss')";
const NOTED: &str = "SELECT count(*) FROM stats WHERE value != 0 AND source = 'analysis'";

fn path(file: &str) -> PathBuf {
    Path::new(crate::ROOT).join("testdata/corrupt").join(file)
}

/// The only cell a query gives.
async fn cell(trace: &Trace, sql: &str) -> String {
    let rows = rows::query(trace, sql).await.unwrap();
    assert_eq!(rows.cells.len(), 1, "{sql}");
    rows.cells[0][0].clone().unwrap_or_default()
}

async fn check(case: &Case) {
    let file = case.file;
    let trace = Trace::open(&[path(file)], ImportOptions::default()).await;
    let trace = match (trace, &case.outcome) {
        (Err(error), Outcome::Refused(words)) => {
            let message = error.to_string();
            assert!(message.contains(words), "{file}: {message}");
            assert!(message.contains(file), "{file}: the message does not name it: {message}");
            return;
        }
        (Err(_), Outcome::Meaningless) => return,
        (Err(error), _) => panic!("{file} was refused: {error}"),
        (Ok(_), Outcome::Refused(_)) => panic!("{file} was imported"),
        (Ok(trace), _) => trace,
    };
    if let Some((sql, expected)) = case.survivors {
        assert_eq!(cell(&trace, sql).await, expected, "{file}: what survived");
    }
    let fine = match case.outcome {
        Outcome::Counted | Outcome::Meaningless => cell(&trace, COUNTED).await != "0",
        Outcome::Noted => cell(&trace, NOTED).await != "0",
        Outcome::CountedOr(sql) => {
            cell(&trace, COUNTED).await != "0" || cell(&trace, sql).await == "true"
        }
        Outcome::Refused(_) => false,
    };
    assert!(fine, "{file}: what could not be read was not counted");
}

#[test]
fn every_corrupt_file_has_a_case() {
    let mut files: Vec<String> = std::fs::read_dir(path(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let mut cases: Vec<&str> = CASES.iter().map(|case| case.file).collect();
    cases.sort_unstable();
    assert_eq!(files, cases);
}

#[test]
fn through_the_library() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for case in CASES {
        runtime.block_on(check(case));
    }
}

#[test]
fn through_the_binary() {
    for case in CASES {
        let file = path(case.file);
        let file = file.to_str().unwrap();
        let output = run(&["query", file, "-c", "SELECT 1 AS one", "--format", "csv"]);
        let text = describe(&output);
        let refused = match case.outcome {
            Outcome::Refused(_) => true,
            Outcome::Counted | Outcome::Noted | Outcome::CountedOr(_) => false,
            Outcome::Meaningless => output.status.code() != Some(0),
        };
        if refused {
            assert_eq!(output.status.code(), Some(1), "{file}: {text}");
            assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{file}: {text}");
        } else {
            assert_eq!(output.status.code(), Some(0), "{file}: {text}");
            assert_eq!(output.stdout, b"one\n1\n", "{file}: {text}");
        }
        if matches!(case.outcome, Outcome::Counted) {
            let output = run(&["query", file, "-c", "SELECT 1 AS one", "--strict"]);
            let text = describe(&output);
            assert_eq!(output.status.code(), Some(1), "{file} with --strict: {text}");
            assert!(!output.stderr.is_empty(), "{file} with --strict: {text}");
        }
    }
}
