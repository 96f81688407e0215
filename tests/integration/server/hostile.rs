//! Messages that are wrong, clients that go away, and queries that never end.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use prost::Message;
use tpq_proto::message::trace_processor_rpc::{Args, TraceProcessorMethod as Method};
use tpq_proto::message::trace_summary_args::ComputationSpec;
use tpq_proto::message::{
    CreateSummarizerArgs, QuerySummarizerArgs, TraceSummaryArgs, TraceSummaryResult,
    UpdateSummarizerSpecArgs,
};

use super::client::{Pipe, TestServer, Transport, WebSocket, request, rows};

/// Rows that take hours to count.
const ENDLESS: &str = "SELECT count(*) FROM generate_series(1, 10000000) AS a(x), \
                       generate_series(1, 10000000) AS b(y) WHERE x * y = 7";
/// Ten million rows of text.
const LONG: &str =
    "SELECT x, x || ' is a text of some length' FROM generate_series(1, 10000000) AS a(x)";

#[test]
fn a_gap_in_the_numbers_ends_the_connection() {
    let server = TestServer::start(&[]);
    let mut pipe = server.websocket();
    pipe.call(Method::TpmGetStatus, None);
    pipe.transport.send(&request(5, Method::TpmGetStatus as i32, None));
    let message = pipe.receive().unwrap();
    assert!(message.fatal_error().contains("expected the message of number 1 or 0, found 5"));
    assert!(pipe.receive().is_none(), "it is closed");
    // A number of 0 begins again.
    let mut pipe = server.websocket();
    for _ in 0..3 {
        pipe.transport.send(&request(0, Method::TpmGetStatus as i32, None));
        assert!(pipe.receive().unwrap().fatal_error.is_none());
    }
}

#[test]
fn bytes_that_are_no_messages_end_the_connection() {
    let server = TestServer::start(&[]);
    let wrong: [&[u8]; 5] = [
        b"hello",
        &[0x0a, 0xff, 0xff, 0xff, 0xff, 0x7f],
        &[0x0a, 2, 0xff, 0xff],
        &[0x0a, 0],
        &[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    ];
    for bytes in wrong {
        let mut pipe = server.websocket();
        pipe.transport.send(bytes);
        assert!(pipe.receive().unwrap().fatal_error.is_some(), "{bytes:?}");
        assert!(pipe.receive().is_none());
    }
    assert_eq!(rows(&server.query("SELECT 1")), ["1"]);
}

/// Ten thousand damaged requests: the server answers each or closes the connection, and lives.
#[test]
fn damaged_messages_do_no_harm() {
    let server = TestServer::start(&[]);
    let mut runner = TestRunner::new(Config { cases: 200, ..Config::default() });
    let damage = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6);
    let requests = prop::collection::vec((0..22_i32, damage), 50);
    runner
        .run(&requests, |requests| {
            let mut body = Vec::new();
            for (method, damage) in requests {
                let text =
                    tpq_proto::message::QueryArgs { sql_query: Some("SELECT 1".into()), tag: None };
                let mut bytes = request(0, method, Some(Args::QueryArgs(text)));
                for (at, value) in damage {
                    let at = at.index(bytes.len());
                    bytes[at] = value;
                }
                body.extend(bytes);
            }
            let reply = server.post("/rpc", &body);
            prop_assert_eq!(reply.status, 200);
            Ok(())
        })
        .unwrap();
    // A damaged method may have begun a trace.
    server.get("/notify_eof");
    assert_eq!(server.get("/status").status, 200);
}

#[test]
fn bodies_that_are_too_long_are_refused() {
    let server = TestServer::start(&[]);
    let mut stream = server.connect();
    let head = format!(
        "POST /query HTTP/1.1\r\nHost: localhost:{}\r\nContent-Length: {}\r\n\r\n",
        server.port,
        1_u64 << 40
    );
    stream.write_all(head.as_bytes()).unwrap();
    let chunk = vec![b'x'; 1 << 20];
    let mut sent = 0;
    while sent < 80 && stream.write_all(&chunk).is_ok() {
        sent += 1;
    }
    let mut reply = Vec::new();
    let _ = stream.read_to_end(&mut reply);
    assert!(reply.is_empty() || reply.starts_with(b"HTTP/1.1 413"));
    assert_eq!(server.get("/status").status, 200);
}

/// Waits until the server is idle: it uses no processor for a while.
#[cfg(target_os = "linux")]
fn becomes_idle(server: &mut TestServer) -> bool {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(60) {
        let before = processor_ticks(server);
        std::thread::sleep(Duration::from_millis(500));
        if processor_ticks(server) - before < 5 {
            return true;
        }
    }
    false
}

/// The time of the processor that the server has used, in ticks of 10 ms.
#[cfg(target_os = "linux")]
fn processor_ticks(server: &mut TestServer) -> u64 {
    let path = format!("/proc/{}/stat", server.child().id());
    let stat = std::fs::read_to_string(path).unwrap();
    // After the name, which may have spaces: the fields from the third on.
    let (_, fields) = stat.rsplit_once(')').unwrap();
    let fields: Vec<&str> = fields.split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

/// Sends a query by HTTP and reads nothing.
fn begin_query(server: &TestServer, sql: &str) -> TcpStream {
    let mut stream = server.connect();
    let args = tpq_proto::message::QueryArgs { sql_query: Some(sql.into()), tag: None };
    let body = Message::encode_to_vec(&args);
    let head = format!(
        "POST /query HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\n\
         Content-Length: {}\r\n\r\n",
        server.port,
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&body).unwrap();
    stream
}

/// Nothing goes on for a client that was killed: neither a query that computes, nor one in the
/// middle of a result of ten million rows.
#[cfg(target_os = "linux")]
#[test]
fn a_client_that_goes_away_ends_its_query() {
    let mut server = TestServer::start(&["--max-queries", "1"]);
    for sql in [ENDLESS, LONG] {
        let mut pipe = server.websocket();
        pipe.send_query(sql);
        if sql == LONG {
            // In the middle of the result.
            assert!(pipe.receive().is_some());
        } else {
            std::thread::sleep(Duration::from_millis(200));
        }
        drop(pipe);
        assert!(becomes_idle(&mut server), "{sql}");
        let mut stream = begin_query(&server, sql);
        if sql == LONG {
            stream.read_exact(&mut [0; 1 << 16]).unwrap();
        } else {
            std::thread::sleep(Duration::from_millis(200));
        }
        drop(stream);
        assert!(becomes_idle(&mut server), "{sql}");
        assert_eq!(rows(&server.query("SELECT 1")), ["1"]);
    }
}

/// Clients that read nothing of their results keep none of the slots for queries, and keep no other
/// client from changing what the session has.
#[test]
fn clients_that_do_not_read_keep_no_other_waiting() {
    let server = TestServer::start(&["--max-queries", "1"]);
    // More than the buffers of a connection hold.
    let sql = LONG.replace("10000000", "1000000");
    let stalled: Vec<TcpStream> = (0..3).map(|_| begin_query(&server, &sql)).collect();
    std::thread::sleep(Duration::from_millis(500));
    let mut pipe = server.websocket();
    pipe.query("CREATE PERFETTO TABLE mine AS SELECT 7 AS x");
    assert_eq!(rows(&pipe.query("SELECT x FROM mine")), ["7"]);
    pipe.call(Method::TpmRestoreInitialTables, None);
    assert!(pipe.query("SELECT x FROM mine").error.is_some());
    // A client that reads on gets all rows.
    let mut reply = Vec::new();
    stalled.into_iter().next().unwrap().read_to_end(&mut reply).unwrap();
    let last = b"1000000 is a text of some length\0";
    assert!(reply.windows(last.len()).any(|text| text == last));
}

#[test]
fn a_result_that_is_not_read_has_an_end() {
    let server = TestServer::start(&["--read-timeout", "300ms"]);
    let mut pipe = server.websocket();
    pipe.send_query(LONG);
    std::thread::sleep(Duration::from_millis(2000));
    let result = pipe.receive_result();
    assert!(result.error().contains("was not read for 0.3 s"), "{}", result.error());
    assert_eq!(rows(&pipe.query("SELECT 1")), ["1"]);
}

#[test]
fn a_query_has_a_time() {
    let server = TestServer::start(&["--query-timeout", "300ms"]);
    let result = server.query(ENDLESS);
    assert!(result.error().contains("0.3 s"), "{}", result.error());
    assert_eq!(rows(&server.query("SELECT 1")), ["1"]);
}

/// Summaries, summarizers, exports and what the page asks have the time of a query, and no more.
#[test]
fn what_is_no_query_has_the_time_of_a_query() {
    let server = TestServer::start(&["--query-timeout", "300ms", "testdata/sched.pftrace"]);
    let structured =
        format!("query {{ id: \"q\" sql {{ sql: \"{ENDLESS}\" column_names: \"n\" }} }}");
    let spec = format!("metric_spec {{ id: \"m\" value: \"n\" {structured} }}")
        .replace("SELECT count(*)", "SELECT count(*) AS n");
    let all = ComputationSpec { run_all_metrics: Some(true), ..ComputationSpec::default() };
    let args = TraceSummaryArgs {
        textproto_specs: vec![spec],
        computation_spec: Some(all),
        ..TraceSummaryArgs::default()
    };
    let result: TraceSummaryResult = server.post("/trace_summary", &args.encode_to_vec()).message();
    assert!(result.error().contains("0.3 s, the limit"), "{:?}", result.error);
    let body = serde_json::json!({ "sql": ENDLESS }).to_string();
    let reply = server.post("/api/query", body.as_bytes());
    let answer = String::from_utf8_lossy(&reply.body);
    assert!(answer.contains("0.3 s, the limit"), "{answer}");
    let mut pipe = server.websocket();
    let created = CreateSummarizerArgs { summarizer_id: Some("mine".into()) };
    pipe.call(Method::TpmCreateSummarizer, Some(Args::CreateSummarizerArgs(created)));
    let spec = structured.replace("SELECT count(*)", "SELECT count(*) AS n");
    let args = UpdateSummarizerSpecArgs {
        summarizer_id: Some("mine".into()),
        spec: Some(tpq_proto::text::parse(&spec).unwrap()),
    };
    pipe.call(Method::TpmUpdateSummarizerSpec, Some(Args::UpdateSummarizerSpecArgs(args)));
    let args =
        QuerySummarizerArgs { summarizer_id: Some("mine".into()), query_id: Some("q".into()) };
    let reply = pipe.call(Method::TpmQuerySummarizer, Some(Args::QuerySummarizerArgs(args)));
    let Some(Args::QuerySummarizerResult(result)) = reply else { panic!("{reply:?}") };
    assert!(result.error().contains("0.3 s, the limit"), "{:?}", result.error);
}

/// A summary of a client that has gone stops, and leaves the slot for queries to others.
#[cfg(target_os = "linux")]
#[test]
fn a_summary_ends_with_its_client() {
    let mut server = TestServer::start(&["--max-queries", "1"]);
    let sql = ENDLESS.replace("SELECT count(*)", "SELECT count(*) AS n");
    let spec = format!(
        "metric_spec {{ id: \"m\" value: \"n\" query {{ sql {{ sql: \"{sql}\" column_names: \"n\" }} }} }}"
    );
    let args = TraceSummaryArgs { textproto_specs: vec![spec], ..TraceSummaryArgs::default() };
    let mut pipe = server.websocket();
    pipe.send(Method::TpmSummarizeTrace, Some(Args::TraceSummaryArgs(args)));
    std::thread::sleep(Duration::from_millis(500));
    drop(pipe);
    assert!(becomes_idle(&mut server));
    assert_eq!(rows(&server.query("SELECT 1")), ["1"]);
}

/// A page is answered while queries of others keep all threads busy.
#[test]
fn the_status_does_not_wait_for_queries() {
    let server = TestServer::start(&[]);
    let mut pipes: Vec<Pipe<WebSocket>> = (0..8).map(|_| server.websocket()).collect();
    pipes.iter_mut().for_each(|pipe| pipe.send_query(ENDLESS));
    std::thread::sleep(Duration::from_millis(200));
    let begin = Instant::now();
    assert_eq!(server.get("/status").status, 200);
    assert!(begin.elapsed() < Duration::from_secs(5));
}

#[test]
fn connections_above_the_limit_wait() {
    let server = TestServer::start(&["--max-connections", "2"]);
    let first = server.websocket();
    let second = server.websocket();
    let mut third = server.connect();
    let head = format!("GET /status HTTP/1.1\r\nHost: localhost:{}\r\n\r\n", server.port);
    third.write_all(head.as_bytes()).unwrap();
    third.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    let mut byte = [0];
    assert!(third.read(&mut byte).is_err(), "nothing arrives");
    drop(first);
    third.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    third.read_exact(&mut byte).unwrap();
    drop(second);
}
