//! Traces that clients send.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use tpq_proto::message::trace_processor_rpc::{Args, TraceProcessorMethod as Method};
use tpq_proto::message::{
    AppendTraceDataResult, FinalizeDataResult, ResetTraceProcessorArgs, StatusResult,
};

use tpq_testkit::{FtraceBundle, FtraceEvent, Packet, Task, TraceBuilder};

use super::client::{TestServer, rows};
use crate::command::tpq;

fn testdata(name: &str) -> Vec<u8> {
    fs::read(Path::new(crate::ROOT).join("testdata").join(name)).unwrap()
}

#[test]
fn a_trace_in_chunks_replaces_the_current_one() {
    let server = TestServer::start(&["testdata/track_events.pftrace"]);
    assert_eq!(rows(&server.query("SELECT count(*) > 0 FROM slice")), ["1"]);
    let trace = testdata("sched.pftrace");
    let mut total = 0;
    for chunk in trace.chunks(100) {
        let appended: AppendTraceDataResult = server.post("/parse", chunk).message();
        total += chunk.len() as i64;
        assert_eq!((appended.error, appended.total_bytes_parsed), (None, Some(total)));
    }
    assert!(server.query("SELECT 1").error().contains("not complete"));
    let end = server.get("/notify_eof");
    assert_eq!((end.status, end.body.as_slice()), (200, &b""[..]));
    assert_eq!(rows(&server.query("SELECT count(*) > 0 FROM sched")), ["1"]);
    assert_eq!(rows(&server.query("SELECT count(*) FROM slice WHERE name = 'Load page'")), ["0"]);
    let status: StatusResult = server.get("/status").message();
    assert!(status.loaded_trace_name().starts_with("trace of "));
}

#[test]
fn compressed_traces_and_the_byte_pipe_work_as_well() {
    let server = TestServer::start(&[]);
    let mut pipe = server.websocket();
    let trace = testdata("track_events.pftrace.gz");
    let appended = pipe.call(Method::TpmAppendTraceData, Some(Args::AppendTraceData(trace.into())));
    assert!(matches!(appended, Some(Args::AppendResult(result)) if result.error.is_none()));
    let end = pipe.call(Method::TpmFinalizeTraceData, None);
    assert_eq!(end, Some(Args::FinalizeDataResult(FinalizeDataResult { error: None })));
    assert_eq!(rows(&pipe.query("SELECT count(*) > 0 FROM slice")), ["1"]);
    let reset = ResetTraceProcessorArgs {
        ingest_ftrace_in_raw_table: Some(false),
        ..ResetTraceProcessorArgs::default()
    };
    let reset = Some(Args::ResetTraceProcessorArgs(reset));
    assert_eq!(pipe.call(Method::TpmResetTraceProcessor, reset), None);
    assert_eq!(rows(&pipe.query("SELECT count(*) FROM slice")), ["0"]);
    let trace = testdata("sched.pftrace");
    pipe.call(Method::TpmAppendTraceData, Some(Args::AppendTraceData(trace.into())));
    pipe.call(Method::TpmFinalizeTraceData, None);
    let counts = "SELECT (SELECT count(*) > 0 FROM sched), (SELECT count(*) FROM ftrace_event)";
    assert_eq!(rows(&pipe.query(counts)), ["1|0"]);
}

#[test]
fn bytes_that_are_no_trace_are_an_error_and_the_next_trace_is_read() {
    let server = TestServer::start(&[]);
    let _: AppendTraceDataResult = server.post("/parse", b"no trace at all").message();
    let end: FinalizeDataResult = server.get("/notify_eof").message();
    assert!(end.error().contains("not a trace"), "{:?}", end.error);
    assert!(server.query("SELECT 1").error().contains("not a trace"));
    let _: AppendTraceDataResult = server.post("/parse", &testdata("sched.pftrace")).message();
    assert!(server.get("/notify_eof").body.is_empty());
    assert_eq!(rows(&server.query("SELECT count(*) > 0 FROM sched")), ["1"]);
}

#[test]
fn a_long_upload_that_is_no_trace_ends_early() {
    let server = TestServer::start(&[]);
    let text = b"no trace\n".repeat(2_000_000);
    let appended: AppendTraceDataResult = server.post("/parse", &text).message();
    assert!(appended.error().contains("not a trace"), "{:?}", appended.error);
}

/// Sends a part of the body of a request, and goes away.
fn break_off(server: &TestServer, path: &str, part: &[u8]) {
    let mut stream = server.connect();
    let length = part.len() + 500;
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost:{}\r\nContent-Length: {length}\r\n\r\n",
        server.port
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(part).unwrap();
    // The server has read it.
    wait_until(|| server.messages().iter().any(|line| line.contains("a client sends a trace")));
}

/// The bytes of the next client are not a part of a trace that was broken off.
#[test]
fn an_upload_that_breaks_off_is_abandoned() {
    let trace = testdata("sched.pftrace");
    for path in ["/parse", "/websocket"] {
        let server = TestServer::start(&[]);
        if path == "/parse" {
            break_off(&server, path, &trace[..300]);
        } else {
            let mut pipe = server.websocket();
            let part = Some(Args::AppendTraceData(trace[..300].to_vec().into()));
            pipe.call(Method::TpmAppendTraceData, part);
        }
        wait_until(|| server.query("SELECT 1").error().contains("went away before its end"));
        let appended: AppendTraceDataResult = server.post("/parse", &trace).message();
        let total = Some(trace.len() as i64);
        assert_eq!((appended.error, appended.total_bytes_parsed), (None, total), "{path}");
        assert!(server.get("/notify_eof").body.is_empty());
        let status: StatusResult = server.get("/status").message();
        let clean = TestServer::start(&[]);
        let _: AppendTraceDataResult = clean.post("/parse", &trace).message();
        clean.get("/notify_eof");
        assert_eq!(
            status.loaded_trace_name,
            clean.get("/status").message::<StatusResult>().loaded_trace_name
        );
    }
}

/// Names in an archive are chosen by a client, and the messages of the server are on a terminal.
#[test]
fn messages_have_no_control_characters() {
    let mut header = tar::Header::new_ustar();
    let name = b"a\x1b]0;pwned\x07b.pftrace";
    header.as_old_mut().name[..name.len()].copy_from_slice(name);
    header.set_size(5);
    header.set_mode(0o644);
    header.set_cksum();
    let mut archive = header.as_bytes().to_vec();
    archive.extend([b"trace".as_slice(), &[0; 507 + 1024]].concat());
    let server = TestServer::start(&[]);
    let _: AppendTraceDataResult = server.post("/parse", &archive).message();
    let end: FinalizeDataResult = server.get("/notify_eof").message();
    assert!(end.error().contains("pwned"), "{:?}", end.error);
    wait_until(|| server.messages().iter().any(|line| line.contains("not imported")));
    let messages = server.messages().join("\n");
    assert!(
        messages.contains("pwned") && !messages.contains("\x1b]") && !messages.contains('\x07')
    );
}

/// A kernel trace of a few MiB.
fn long_trace() -> Vec<u8> {
    const EVENTS: u64 = 1000;
    let threads = [Task::new("one", 11), Task::new("two", 12)];
    let bundle = |part: u64| {
        let switch = |index: u64| {
            let (from, to) = (index % 2, (index + 1) % 2);
            let at = (part * EVENTS + index) * 1000;
            FtraceEvent::sched_switch(at, threads[from as usize], 1, threads[to as usize])
        };
        let bundle = (0..EVENTS).map(switch).fold(FtraceBundle::new(0), FtraceBundle::event);
        Packet::new().sequence(2).ftrace(bundle)
    };
    TraceBuilder::new().packets((0..100).map(bundle)).build()
}

/// The second time, the tables are found by the digest of the bytes, however they are cut.
#[test]
fn a_trace_that_is_sent_again_is_in_the_cache() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = tpq();
    command.args(["serve", "--port", "0"]).env("TPQ_CACHE_DIR", folder.path());
    let server = TestServer::start_command(command.env("TPQ_CACHE_SIZE", "1G"));
    let trace = long_trace();
    assert!(trace.len() > 1 << 20);
    let send = |piece: usize| {
        for chunk in trace.chunks(piece) {
            let appended: AppendTraceDataResult = server.post("/parse", chunk).message();
            assert_eq!(appended.error, None);
        }
        assert!(server.get("/notify_eof").body.is_empty());
        rows(&server.query("SELECT count(*), sum(dur) FROM sched"))
    };
    let found = || server.messages().iter().any(|line| line.contains("in the cache"));
    let first = send(1 << 20);
    // 100,000 switches, 1 µs apart; the last has no end, which is a duration of -1.
    assert_eq!(first, ["100000|99998999"]);
    assert!(!found(), "{:?}", server.messages());
    // The entry is complete when the trace is replaced.
    let _: AppendTraceDataResult = server.post("/parse", &testdata("sched.pftrace")).message();
    server.get("/notify_eof");
    wait_until(|| {
        let files = fs::read_dir(folder.path()).unwrap();
        files.flatten().any(|file| file.path().extension().is_some_and(|end| end == "tables"))
    });
    assert_eq!(send(333_333), first);
    wait_until(found);
}

/// Waits for what another thread or process does soon.
fn wait_until(is_done: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_done() {
        assert!(begin.elapsed() < Duration::from_secs(60), "it is not done");
        std::thread::sleep(Duration::from_millis(20));
    }
}
