//! What each method answers.

use tpq_proto::message::register_sql_package_args::Module;
use tpq_proto::message::trace_processor_rpc::{Args, TraceProcessorMethod as Method, Type};
use tpq_proto::message::trace_summary_args::ComputationSpec;
use tpq_proto::message::trace_summary_result::Summary;
use tpq_proto::message::{
    AppendTraceDataResult, ComputeMetricResult, CreateSummarizerArgs, DestroySummarizerArgs,
    DisableAndReadMetatraceResult, ExportArgs, QuerySummarizerArgs, RegisterSqlPackageArgs,
    StatementArgs, StatusResult, TraceSummaryArgs, TraceSummaryResult, UpdateSummarizerSpecArgs,
};

use prost::Message;

use super::client::{TestServer, Transport, request, rows};
use crate::command::tpq;

const SCHED: &str = "testdata/sched.pftrace";

#[test]
fn http_answers_status_and_queries() {
    let server = TestServer::start(&[SCHED]);
    for status in [server.get("/status"), server.post("/status", b"")] {
        assert_eq!(status.header("content-type"), Some("application/x-protobuf"));
        assert_eq!(status.header("cache-control"), Some("no-cache"));
        let status: StatusResult = status.message();
        assert_eq!(status.loaded_trace_name(), "sched.pftrace");
        assert_eq!(status.api_version(), 14);
        assert!(status.human_readable_version().starts_with("tpq v"));
    }
    let result = server.query(
        "SELECT 1; SELECT ts, dur, 1.5 AS real, NULL AS nothing, 'ä' AS text, \
                               x'00ff' AS blob FROM sched ORDER BY ts LIMIT 1",
    );
    assert_eq!(result.column_names, ["ts", "dur", "real", "nothing", "text", "blob"]);
    assert_eq!((result.statement_count(), result.statement_with_output_count()), (2, 2));
    assert!(result.last_statement_sql().starts_with("SELECT ts"));
    assert!(result.elapsed_time_ms.is_some());
    let row = &rows(&result)[0];
    assert!(row.ends_with("|1.5|NULL|ä|[0, 255]"), "{row}");
}

#[test]
fn an_error_is_a_part_of_the_result() {
    let server = TestServer::start(&[SCHED]);
    for (sql, error) in [
        ("SELECT * FROM nothing", "no table or view is called `nothing`"),
        ("SELECT", "syntax error"),
        ("SELECT 1; SELECT 'open", "syntax error"),
    ] {
        let result = server.query(sql);
        assert!(result.error().contains(error), "{sql}: {}", result.error());
        assert!(result.batch.last().unwrap().is_last_batch());
    }
    assert!(server.post("/query", b"\xff\xff").status == 200, "an error of the message as well");
    assert_eq!(rows(&server.query("SELECT 1")), ["1"]);
}

#[test]
fn a_statement_without_columns_has_none() {
    let server = TestServer::start(&[SCHED]);
    let result = server.query("CREATE PERFETTO TABLE t AS SELECT 1 AS a");
    assert!(result.column_names.is_empty() && result.error.is_none());
    assert!(result.batch.len() == 1 && result.batch[0].cells.is_empty());
    let empty = server.query("SELECT a FROM t WHERE a > 1");
    assert_eq!(empty.column_names, ["a"]);
    assert!(rows(&empty).is_empty());
    let nothing = server.query("-- only a comment");
    assert!(nothing.error.is_none() && nothing.statement_count() == 0);
}

#[test]
fn what_a_query_creates_is_shared_until_it_is_forgotten() {
    let server = TestServer::start(&[SCHED]);
    server.query("CREATE PERFETTO FUNCTION twice(x LONG) RETURNS LONG AS SELECT $x * 2");
    let mut other = server.websocket();
    assert_eq!(rows(&other.query("SELECT twice(21)")), ["42"]);
    assert_eq!(other.call(Method::TpmRestoreInitialTables, None), None);
    assert!(other.query("SELECT twice(21)").error().contains("twice"));
    server.query("CREATE TABLE t AS SELECT 1 AS a");
    assert_eq!(server.get("/restore_initial_tables").status, 200);
    assert!(server.query("SELECT * FROM t").error.is_some());
}

#[test]
fn requests_of_a_connection_are_answered_in_order() {
    let server = TestServer::start(&[SCHED]);
    let mut pipe = server.websocket();
    for number in 0..50 {
        pipe.send_query(&format!("SELECT {number}, count(*) FROM sched"));
    }
    for number in 0..50 {
        assert!(rows(&pipe.receive_result())[0].starts_with(&format!("{number}|")));
    }
}

#[test]
fn replies_count_up() {
    let server = TestServer::start(&[SCHED]);
    let mut pipe = server.websocket();
    for expected in 0..3 {
        pipe.send(Method::TpmGetStatus, None);
        assert_eq!(pipe.receive().unwrap().seq(), expected);
    }
}

#[test]
fn a_statement_at_a_time() {
    let server = TestServer::start(&[SCHED]);
    let mut pipe = server.websocket();
    let sql = "SELECT 1 AS a; -- first\nSELECT 2 AS a";
    let mut start = 0;
    let mut found = Vec::new();
    loop {
        let args = StatementArgs { sql: Some(sql.into()), start_offset: Some(start), tag: None };
        let reply = pipe.call(Method::TpmStatementStreaming, Some(Args::StatementArgs(args)));
        let Some(Args::StatementResult(result)) = reply else { panic!("{reply:?}") };
        start = result.tail_offset();
        if !result.statement_executed() {
            break;
        }
        found.push((rows(&result.result.unwrap()), start));
    }
    assert_eq!(found, [(vec!["1".to_owned()], 14), (vec!["2".to_owned()], sql.len() as u32)]);
}

#[test]
fn a_package_adds_modules() {
    let server = TestServer::start(&[SCHED]);
    let mut pipe = server.websocket();
    let package = |sql: &str, allow: bool| {
        let module = Module { name: Some("mine.one".into()), sql: Some(sql.into()) };
        Some(Args::RegisterSqlPackageArgs(RegisterSqlPackageArgs {
            package_name: Some("mine".into()),
            modules: vec![module],
            allow_override: Some(allow),
        }))
    };
    let mut register = |args| match pipe.call(Method::TpmRegisterSqlPackage, args) {
        Some(Args::RegisterSqlPackageResult(result)) => result.error,
        other => panic!("{other:?}"),
    };
    assert_eq!(register(package("CREATE PERFETTO VIEW v AS SELECT 1 AS a;", false)), None);
    let include = "INCLUDE PERFETTO MODULE mine.one; SELECT a FROM v";
    assert_eq!(rows(&server.query(include)), ["1"]);
    let changed = "CREATE PERFETTO VIEW v AS SELECT 2 AS a;";
    assert!(register(package(changed, false)).is_some_and(|error| error.contains("exists")));
    assert_eq!(register(package(changed, true)), None);
    assert_eq!(rows(&server.query(include)), ["2"]);
}

const SPEC: &str = "metric_spec { id: \"slices\" dimensions: \"name\" value: \"dur\" \
                    query { table { table_name: \"slice\" } } }";

#[test]
fn a_summary_is_computed() {
    let server = TestServer::start(&["testdata/track_events.pftrace"]);
    let args = |spec: &str| TraceSummaryArgs {
        textproto_specs: vec![spec.to_owned()],
        computation_spec: Some(ComputationSpec {
            run_all_metrics: Some(true),
            ..ComputationSpec::default()
        }),
        output_format: Some(1),
        ..TraceSummaryArgs::default()
    };
    let body = args(SPEC).encode_to_vec();
    let result: TraceSummaryResult = server.post("/trace_summary", &body).message();
    assert_eq!(result.error, None);
    let Some(Summary::TextprotoSummary(text)) = result.summary else { panic!("no text") };
    assert!(text.contains("Load page"), "{text}");
    let body = args("metric_spec {").encode_to_vec();
    let result: TraceSummaryResult = server.post("/trace_summary", &body).message();
    assert!(result.error.is_some() && result.summary.is_none());
}

#[test]
fn what_is_not_supported_says_so() {
    let server = TestServer::start(&[SCHED]);
    let metric: ComputeMetricResult = server.post("/compute_metric", b"").message();
    assert!(metric.error().contains("not supported"));
    let mut pipe = server.websocket();
    pipe.transport.send(&request(0, 99, None));
    assert_eq!(pipe.receive().unwrap().r#type, Some(Type::InvalidRequest(99)));
    assert_eq!(rows(&pipe.query("SELECT 1")), ["1"]);
}

#[test]
fn the_byte_pipe_over_http_answers_all_requests_of_a_body() {
    let server = TestServer::start(&[SCHED]);
    let mut body = request(0, Method::TpmGetStatus as i32, None);
    body.extend(request(1, Method::TpmRestoreInitialTables as i32, None));
    let reply = server.post("/rpc", &body);
    let stream = tpq_proto::message::TraceProcessorRpcStream::decode(reply.body.as_slice());
    let messages = stream.unwrap().msg;
    assert_eq!(messages.iter().map(|message| message.seq()).collect::<Vec<_>>(), [0, 1]);
    assert!(matches!(messages[0].args, Some(Args::Status(_))));
    let cut = server.post("/rpc", &body[..body.len() - 1]);
    let stream = tpq_proto::message::TraceProcessorRpcStream::decode(cut.body.as_slice());
    assert!(stream.unwrap().msg.last().unwrap().fatal_error().contains("within a message"));
}

#[cfg(unix)]
#[test]
fn a_unix_socket_has_the_byte_pipe() {
    use std::os::unix::fs::PermissionsExt;

    use super::client::Pipe;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.sock");
    // Left by a server that was killed.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let server = TestServer::start(&[SCHED, "--socket", path.to_str().unwrap()]);
    let connect = || std::os::unix::net::UnixStream::connect(&path).unwrap();
    let mut pipe = Pipe::new(connect());
    assert_eq!(rows(&pipe.query("SELECT count(*) > 0 FROM sched")), ["1"]);
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let second = tpq().args(["serve", "--socket", path.to_str().unwrap()]).output().unwrap();
    assert!(!second.status.success());
    assert!(String::from_utf8_lossy(&second.stderr).contains("already"));
    drop(server);
}

#[test]
fn a_port_in_use_is_an_error_that_says_so() {
    let server = TestServer::start(&[]);
    let port = server.port.to_string();
    let second = tpq().args(["serve", "--port", &port]).output().unwrap();
    assert_eq!(second.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&second.stderr);
    assert!(stderr.contains(&format!("port {port} of 127.0.0.1 is in use")), "{stderr}");
}

#[test]
fn calls_of_the_python_package_start_a_server() {
    let mut command = tpq();
    let server = TestServer::start_command(command.args([
        "-D",
        "--http-port",
        "0",
        "--no-ftrace-raw",
        "--dev",
    ]));
    assert_eq!(server.get("/status").message::<StatusResult>().loaded_trace_name(), "");
    assert_eq!(rows(&server.query("SELECT count(*) FROM slice")), ["0"]);
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_server() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.sock");
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let mut server = TestServer::start(&[SCHED, "--socket", path.to_str().unwrap()]);
        let _open = server.websocket();
        kill(Pid::from_raw(server.child().id() as i32), signal).unwrap();
        assert_eq!(server.child().wait().unwrap().code(), Some(0), "{signal}");
        assert!(!path.exists());
    }
}

#[test]
fn the_server_records_itself() {
    let server = TestServer::start(&[SCHED]);
    server.get("/enable_metatrace");
    server.query("SELECT 1");
    let read =
        || -> DisableAndReadMetatraceResult { server.get("/disable_and_read_metatrace").message() };
    let recording = read();
    assert!(read().error.is_some());
    let _: AppendTraceDataResult = server.post("/parse", recording.metatrace()).message();
    server.get("/notify_eof");
    assert_eq!(rows(&server.query("SELECT count(*) FROM slice WHERE name = 'query'")), ["1"]);
}

#[test]
fn a_summarizer_stores_the_rows_of_queries() {
    let server = TestServer::start(&["testdata/track_events.pftrace"]);
    let mut pipe = server.websocket();
    let id = Some("mine".to_owned());
    let created = CreateSummarizerArgs { summarizer_id: id.clone() };
    pipe.call(Method::TpmCreateSummarizer, Some(Args::CreateSummarizerArgs(created)));
    let mut update = |table: &str| {
        let spec = format!("query {{ id: \"q\" table {{ table_name: \"{table}\" }} }}");
        let spec = tpq_proto::text::parse(&spec).unwrap();
        let args = UpdateSummarizerSpecArgs { summarizer_id: id.clone(), spec: Some(spec) };
        let args = Some(Args::UpdateSummarizerSpecArgs(args));
        match pipe.call(Method::TpmUpdateSummarizerSpec, args) {
            Some(Args::UpdateSummarizerSpecResult(result)) => result.queries[0].was_updated(),
            other => panic!("{other:?}"),
        }
    };
    assert!(update("slice") && !update("slice") && update("thread"));
    let query = |query: &str| {
        Some(Args::QuerySummarizerArgs(QuerySummarizerArgs {
            summarizer_id: Some("mine".into()),
            query_id: Some(query.into()),
        }))
    };
    let mut ask = |id| match pipe.call(Method::TpmQuerySummarizer, query(id)) {
        Some(Args::QuerySummarizerResult(result)) => result,
        other => panic!("{other:?}"),
    };
    let stored = ask("q");
    assert_eq!(stored.error, None);
    assert!(stored.exists() && stored.columns.contains(&"tid".to_owned()));
    assert!(stored.standalone_sql().contains("thread") && stored.textproto().contains("thread"));
    let sql = format!("SELECT count(*) FROM {}", stored.table_name());
    assert_eq!(rows(&server.query(&sql)), [stored.row_count().to_string()]);
    assert_eq!(ask("q"), stored, "it is stored once");
    assert!(!ask("other").exists());
    let destroy = DestroySummarizerArgs { summarizer_id: Some("mine".into()) };
    let destroy = Some(Args::DestroySummarizerArgs(destroy));
    pipe.call(Method::TpmDestroySummarizer, destroy);
}

#[test]
fn an_export_is_a_tar_of_arrow_files() {
    let server = TestServer::start(&[SCHED]);
    let format = Some(tpq_proto::message::export_args::Format::ArrowTar as i32);
    let reply = server.post("/export", &ExportArgs { format }.encode_to_vec());
    assert_eq!(reply.status, 200);
    let mut archive = tar::Archive::new(reply.body.as_slice());
    let mut names = Vec::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        names.push(entry.path().unwrap().display().to_string());
        let mut start = [0; 6];
        std::io::Read::read_exact(&mut entry, &mut start).unwrap();
        assert_eq!(&start, b"ARROW1");
    }
    assert!(names.contains(&"sched_slice.arrow".to_owned()), "{names:?}");
    let mut pipe = server.websocket();
    let args = ExportArgs { format };
    pipe.send(Method::TpmExport, Some(Args::ExportArgs(args)));
    let mut data = Vec::new();
    loop {
        let Some(Args::ExportResult(part)) = pipe.receive().unwrap().args else { panic!("a part") };
        data.extend_from_slice(part.data());
        if !part.has_more() {
            assert_eq!(part.error, None);
            break;
        }
    }
    assert_eq!(data.len(), reply.body.len());
    assert_eq!(server.post("/export", b"").status, 501);
}
