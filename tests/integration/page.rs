//! The endpoints of the server's page.

use insta::assert_snapshot;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tpq::{CancelToken, ImportOptions, Trace};
use tpq_server::page::{QueryRequest, overview, query_json};

struct Opened {
    runtime: Runtime,
    trace: Trace,
}

impl Opened {
    fn of(name: &str) -> Self {
        let runtime = Runtime::new().unwrap();
        let path = format!("{}/testdata/{name}", crate::ROOT);
        let trace = runtime.block_on(Trace::open(&[path], ImportOptions::default())).unwrap();
        Self { runtime, trace }
    }

    fn overview(&self) -> Value {
        self.runtime
            .block_on(overview(self.trace.session(), "trace", &CancelToken::default()))
            .unwrap()
    }

    /// The answer to a query, without its time.
    fn query(&self, request: Value) -> Value {
        self.query_until(request, &CancelToken::default())
    }

    fn query_until(&self, request: Value, cancel: &CancelToken) -> Value {
        let request = QueryRequest::parse(request.to_string().as_bytes()).unwrap();
        let answer = query_json(self.trace.session(), &request, cancel);
        let mut answer: Value = serde_json::from_str(&self.runtime.block_on(answer)).unwrap();
        assert!(answer["elapsed_ms"].as_f64().unwrap() > 0.0);
        answer.as_object_mut().unwrap().remove("elapsed_ms");
        answer
    }
}

#[test]
fn the_overview_has_all_that_the_page_shows() {
    let overview = Opened::of("sched.pftrace").overview();
    let table = |name: &str| {
        let tables = overview["tables"].as_array().unwrap();
        tables.iter().find(|table| table["name"] == name).unwrap().clone()
    };
    let mut thread = table("thread");
    thread["columns"].as_array_mut().unwrap().truncate(2);
    let shown = json!({
        "traces": overview["traces"],
        "bounds": [overview["start_ts"], overview["end_ts"]],
        "health": overview["health"],
        "machines": overview["machines"],
        "clocks": overview["clocks"],
        "thread": thread,
        "sched": { "rows": table("sched")["rows"], "kind": table("sched")["kind"] },
    });
    assert_snapshot!(format!("{shown:#}"));
    let functions = overview["functions"].as_array().unwrap();
    assert!(functions.iter().any(|function| function["name"] == "ancestor_slice"));
    assert!(overview["modules"].as_array().unwrap().contains(&"slices.with_context".into()));
}

#[test]
fn the_overview_states_losses() {
    let overview = Opened::of("losses.pftrace").overview();
    assert_snapshot!(format!("{:#}", overview["health"]));
}

#[test]
fn each_trace_has_an_overview() {
    for name in ["atrace.pftrace", "clocks.pftrace", "relay.pftrace", "corrupt/empty.pftrace"] {
        let path = format!("{}/testdata/{name}", crate::ROOT);
        let runtime = Runtime::new().unwrap();
        // What cannot be opened has none.
        let Ok(trace) = runtime.block_on(Trace::open(&[path], ImportOptions::default())) else {
            continue;
        };
        let overview =
            runtime.block_on(overview(trace.session(), name, &CancelToken::default())).unwrap();
        assert!(overview["tables"].as_array().unwrap().len() > 50, "{name}");
    }
}

#[test]
fn rows_have_exact_values() {
    let sql = "SELECT 9223372036854775807 AS big, 1.5 AS float, NULL AS none, '</b>' AS text, \
         x'00ff' AS blob";
    let expected = json!({
        "columns": [
            { "name": "big", "type": "INTEGER" }, { "name": "float", "type": "DOUBLE" },
            { "name": "none", "type": "NULL" }, { "name": "text", "type": "TEXT" },
            { "name": "blob", "type": "BLOB" },
        ],
        "rows": [["9223372036854775807", 1.5, null, "</b>", "00ff"]],
        "row_count": 1,
        "truncated": false,
    });
    assert_eq!(Opened::of("sched.pftrace").query(json!({ "sql": sql })), expected);
}

/// A statement may fail while its rows are read, also if they are not shown.
#[test]
fn statements_before_the_last_are_run_to_their_end() {
    let opened = Opened::of("sched.pftrace");
    let fails = "SELECT sum(x) FROM (VALUES (9223372036854775807),(1)) AS t(x)";
    let hidden = fails.replace("sum(x)", "sum(x) AS suppress_query_output");
    for first in [fails, hidden.as_str()] {
        let answer = opened.query(json!({ "sql": format!("{first}; SELECT 2") }));
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("integer overflow"), "{first}: {answer}");
    }
}

/// A view of a client may take hours to count.
#[test]
fn views_that_statements_created_are_not_counted() {
    let opened = Opened::of("sched.pftrace");
    opened.query(
        json!({ "sql": "CREATE VIEW slow AS SELECT a.x FROM generate_series(1, 10000000) \
         AS a(x), generate_series(1, 10000000) AS b(y) WHERE a.x * b.y = 7; \
         CREATE PERFETTO TABLE kept AS SELECT 1 AS x UNION ALL SELECT 2" }),
    );
    let overview = opened.overview();
    let rows = |name: &str| {
        let tables = overview["tables"].as_array().unwrap();
        tables.iter().find(|table| table["name"] == name).unwrap()["rows"].clone()
    };
    assert_eq!(rows("slow"), Value::Null);
    assert_eq!(rows("kept"), json!(2));
    assert!(rows("thread").is_u64() && rows("sched").is_u64());
}

#[test]
fn rows_are_limited() {
    let opened = Opened::of("sched.pftrace");
    let sql = "SELECT id FROM sched ORDER BY id";
    let answer = opened.query(json!({ "sql": sql, "limit": 2 }));
    assert_eq!(answer["rows"], json!([[0], [1]]));
    assert_eq!((&answer["row_count"], &answer["truncated"]), (&json!(2), &json!(true)));
    let all = opened.query(json!({ "sql": sql, "limit": 8 }));
    assert_eq!((&all["row_count"], &all["truncated"]), (&json!(8), &json!(false)));
}

#[test]
fn the_last_statement_with_rows_answers() {
    let opened = Opened::of("sched.pftrace");
    let sql = "SELECT 1 AS a; CREATE PERFETTO TABLE t AS SELECT 7 AS x; SELECT x FROM t; \
         CREATE PERFETTO TABLE u AS SELECT 1 AS y";
    assert_eq!(opened.query(json!({ "sql": sql }))["rows"], json!([[7]]));
    let none = opened.query(json!({ "sql": "DROP TABLE t" }));
    assert_eq!((&none["columns"], &none["rows"]), (&json!([]), &json!([])));
    assert!(none.get("error").is_none(), "{none}");
}

#[test]
fn errors_have_a_location_and_a_hint() {
    let answer = Opened::of("sched.pftrace").query(json!({ "sql": "SELECT *\nFROM slices2" }));
    assert_snapshot!(format!("{answer:#}"));
}

#[test]
fn a_cancelled_query_is_an_error() {
    let cancel = CancelToken::default();
    cancel.cancel();
    let request = json!({ "sql": "SELECT count(*) FROM range(100000000000)" });
    let answer = Opened::of("sched.pftrace").query_until(request, &cancel);
    assert!(answer["error"]["message"].is_string(), "{answer}");
}
