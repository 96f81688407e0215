//! Messages that are wrong, clients that go away, and queries that never end.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tpq_proto::message::trace_processor_rpc::{Args, TraceProcessorMethod as Method};

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

/// Waits until no query runs: the only place for one is free.
fn is_free(server: &TestServer) -> bool {
    let begin = Instant::now();
    rows(&server.query("SELECT 1")) == ["1"] && begin.elapsed() < Duration::from_secs(60)
}

#[test]
fn a_client_that_goes_away_ends_its_query() {
    let server = TestServer::start(&["--max-queries", "1"]);
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
        assert!(is_free(&server), "{sql}");
        let mut stream = server.connect();
        let args = tpq_proto::message::QueryArgs { sql_query: Some(sql.into()), tag: None };
        let body = prost::Message::encode_to_vec(&args);
        let head = format!(
            "POST /query HTTP/1.1\r\nHost: localhost:{}\r\nContent-Length: {}\r\n\r\n",
            server.port,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&body).unwrap();
        std::thread::sleep(Duration::from_millis(200));
        drop(stream);
        assert!(is_free(&server), "{sql}");
    }
}

#[test]
fn a_query_has_a_time() {
    let server = TestServer::start(&["--query-timeout", "300ms"]);
    let result = server.query(ENDLESS);
    assert!(result.error().contains("0.3 s"), "{}", result.error());
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
