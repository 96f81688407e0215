//! What the Perfetto UI asks, in its order.

use std::fs;
use std::path::Path;

use tpq_proto::message::StatusResult;
use tpq_proto::message::trace_processor_rpc::{Args, TraceProcessorMethod as Method};

use super::client::{Pipe, TestServer, WebSocket, rows};

const ORIGIN: &str = "Origin: http://127.0.0.1:10000\r\n";

/// The status by POST, and then a WebSocket, as the page opens them.
fn open_page(server: &TestServer) -> Pipe<WebSocket> {
    let status = server.request("POST", "/status", ORIGIN, b"");
    assert_eq!(status.header("access-control-allow-origin"), Some("http://127.0.0.1:10000"));
    let status: StatusResult = status.message();
    assert!(status.api_version() >= 14 && status.version_code.is_none());
    let headers = format!("{ORIGIN}Sec-WebSocket-Extensions: permessage-deflate\r\n");
    Pipe::new(WebSocket::open(server.connect(), &headers).unwrap())
}

/// Statements of the start of a page, which need rows even of an empty trace.
const START: [&str; 6] = [
    "select start_ts as startTs, end_ts as endTs from trace_bounds",
    "select ts, clock_value as clockValue, clock_name as clockName from clock_snapshot \
     where snapshot_id = 0 AND clock_name in ('REALTIME', 'REALTIME_COARSE')",
    "select sum(value) as errors from stats where severity in ('error', 'data_loss')",
    "INCLUDE PERFETTO MODULE viz.summary.slices",
    "create perfetto function __max_layout_depth(track_count INT, track_ids STRING) returns INT \
     as select max(layout_depth) from experimental_slice_layout($track_ids)",
    "CREATE VIRTUAL TABLE __temp_1 USING __intrinsic_slice_mipmap((select id, ts, dur, 0 as depth \
     from slice where dur > 0))",
];

#[test]
fn a_page_loads_twice() {
    for traces in [&[][..], &["testdata/track_events.pftrace"]] {
        let server = TestServer::start(traces);
        for _ in 0..2 {
            let mut page = open_page(&server);
            assert_eq!(page.call(Method::TpmRestoreInitialTables, None), None);
            for sql in START {
                page.send_query(sql);
            }
            for sql in START {
                let result = page.receive_result();
                assert_eq!(result.error, None, "{sql}");
                let creates = sql.starts_with('c') || sql.starts_with("CREATE");
                let has_columns = !creates && !sql.starts_with("INCLUDE");
                assert_eq!(!result.column_names.is_empty(), has_columns, "{sql}");
            }
            let mipmap = page.query("SELECT ts, count, dur FROM __temp_1(0, 1000, 1024)");
            assert_eq!(mipmap.column_names, ["ts", "count", "dur"]);
        }
    }
}

#[test]
fn a_file_opened_in_the_page_is_sent_without_a_reset() {
    let server = TestServer::start(&["testdata/track_events.pftrace"]);
    let mut page = open_page(&server);
    let trace = fs::read(Path::new(crate::ROOT).join("testdata/sched.pftrace")).unwrap();
    page.call(Method::TpmAppendTraceData, Some(Args::AppendTraceData(trace.into())));
    page.call(Method::TpmFinalizeTraceData, None);
    assert_eq!(rows(&page.query("select count(*) > 0 as n from sched")), ["1"]);
}

/// The calls that a page made, where they were recorded. A statement that names what the recorded
/// trace had may find nothing, but runs.
#[test]
fn recorded_calls_are_answered() {
    let folder = Path::new(crate::ROOT).join("../shared/ui/queries");
    if !folder.exists() {
        eprintln!("skipped: no recorded calls at {}", folder.display());
        return;
    }
    let server = TestServer::start(&["testdata/track_events.pftrace"]);
    for name in ["load-empty.jsonl", "load-rich.jsonl"] {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        let mut page = open_page(&server);
        let mut failed = Vec::new();
        for line in text.lines() {
            let call: serde_json::Value = serde_json::from_str(line).unwrap();
            match call["rpc"].as_str().unwrap() {
                "RESTORE_INITIAL_TABLES" => {
                    page.call(Method::TpmRestoreInitialTables, None);
                }
                "QUERY_STREAMING" => {
                    let sql = call["sql"].as_str().unwrap();
                    let result = page.query(sql);
                    // A track that was made up has no number, and one module is not public.
                    let may_fail = sql.contains("NaN") || sql.contains("google3.");
                    if let Some(error) = result.error.filter(|_| !may_fail) {
                        failed.push(format!("{sql}\n  {error}"));
                    }
                }
                other => panic!("{name} calls {other}"),
            }
        }
        assert!(failed.is_empty(), "{name}: {} calls fail:\n{}", failed.len(), failed.join("\n"));
    }
}
