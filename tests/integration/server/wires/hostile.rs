//! Bytes that are no protocol, in PostgreSQL's port and in that of Flight SQL.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::WireServer;
use super::postgres::{connect, simple};

/// Begins a session without a password, and reads up to the first `ReadyForQuery`.
pub(super) fn begin(stream: &mut TcpStream) {
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream.write_all(&message(None, b"\0\x03\0\0user\0me\0\0")).unwrap();
    assert!(read_to(stream, b'Z'), "a session begins");
}

pub(super) fn send_query(stream: &mut TcpStream, sql: &str) {
    stream.write_all(&message(Some(b'Q'), format!("{sql}\0").as_bytes())).unwrap();
}

fn message(kind: Option<u8>, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u32 + 4).to_be_bytes();
    [kind.as_slice(), &length, body].concat()
}

/// Reads messages up to one of a type; whether there was one.
fn read_to(stream: &mut TcpStream, kind: u8) -> bool {
    loop {
        let mut head = [0; 5];
        if stream.read_exact(&mut head).is_err() {
            return false;
        }
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        let mut body = vec![0; length - 4];
        stream.read_exact(&mut body).unwrap();
        if head[0] == kind {
            return true;
        }
    }
}

fn open(port: u16) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream
}

/// Whether the other end closes the connection.
fn is_closed(mut stream: TcpStream) -> bool {
    let mut rest = Vec::new();
    match stream.read_to_end(&mut rest) {
        Ok(_) => true,
        Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
    }
}

#[test]
fn bytes_that_begin_no_session_end_the_connection() {
    let server = WireServer::start(&[]);
    for bytes in [
        &b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"[..],
        b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03",
        b"\0\0\0\0",
        b"\0\0\0\x03",
        b"\xff\xff\xff\xff",
        b"\0\0\0\x08\0\x02\0\0",
        b"\0\0\0\x09\0\x03\0\0a",
        b"\0\0\0\x0b\0\x03\0\0\xff\0\0",
    ] {
        let mut stream = open(server.postgres());
        stream.write_all(bytes).unwrap();
        assert!(is_closed(stream), "{bytes:?}");
    }
    assert_eq!(simple(&mut connect(&server), "SELECT 1").unwrap(), ["1"]);
}

#[test]
fn damaged_requests_end_the_connection() {
    let server = WireServer::start(&[]);
    for (kind, body) in [
        (b'Q', &b"SELECT 1"[..]),
        (b'Q', b"SELECT 1\0 and more"),
        (b'Q', b"\xff\xfe\0"),
        (b'P', b"\0SELECT 1\0\xff\xff"),
        (b'B', b"\0\0\0\x01"),
        (b'B', b"\0\0\0\0\0\x01\x7f\xff\xff\xff"),
        (b'D', b"X\0"),
        (b'E', b"\0"),
        (b'!', b""),
    ] {
        let mut stream = open(server.postgres());
        begin(&mut stream);
        stream.write_all(&message(Some(kind), body)).unwrap();
        assert!(read_to(&mut stream, b'E'), "{kind} {body:?}: an error");
        assert!(is_closed(stream), "{kind} {body:?}");
    }
    // A length of 2 GiB, of which nothing follows.
    let mut stream = open(server.postgres());
    begin(&mut stream);
    stream.write_all(b"Q\x7f\xff\xff\xff").unwrap();
    assert!(read_to(&mut stream, b'E') && is_closed(stream));
    assert_eq!(simple(&mut connect(&server), "SELECT 1").unwrap(), ["1"]);
}

/// Replies are sent although the client asks for none of them, so that they do not fill the memory.
#[test]
fn replies_do_not_wait_for_a_sync() {
    let server = WireServer::start(&[]);
    let mut stream = open(server.postgres());
    begin(&mut stream);
    let columns: Vec<String> = (0..60).map(|number| format!("1 AS column_{number}")).collect();
    let parse = format!("s\0SELECT {}\0\0\0", columns.join(", "));
    stream.write_all(&message(Some(b'P'), parse.as_bytes())).unwrap();
    // Each reply has 1,700 bytes, and the server gathers 64 KiB.
    stream.write_all(&message(Some(b'D'), b"Ss\0").repeat(200)).unwrap();
    for _ in 0..100 {
        assert!(read_to(&mut stream, b'T'), "columns");
    }
    stream.write_all(&message(Some(b'S'), b"")).unwrap();
    assert!(read_to(&mut stream, b'Z'), "the next request may come");
}

#[test]
fn requests_about_nothing_are_errors_that_a_sync_ends() {
    let server = WireServer::start(&[]);
    let mut stream = open(server.postgres());
    begin(&mut stream);
    for (kind, body) in [
        (b'B', &b"\0nothing\0\0\0\0\0\0\0"[..]),
        (b'D', b"Pnothing\0"),
        (b'D', b"Snothing\0"),
        (b'E', b"nothing\0\0\0\0\0"),
        (b'P', b"\0SELECT 1; SELECT 2\0\0\0"),
        (b'p', b"password\0"),
    ] {
        stream.write_all(&message(Some(kind), body)).unwrap();
        // Skipped.
        stream.write_all(&message(Some(b'P'), b"\0SELECT 1\0\0\0")).unwrap();
        stream.write_all(&message(Some(b'S'), b"")).unwrap();
        assert!(read_to(&mut stream, b'E'), "{kind} {body:?}");
        assert!(read_to(&mut stream, b'Z'));
    }
    // Two formats for one column.
    stream.write_all(&message(Some(b'P'), b"\0SELECT 1\0\0\0")).unwrap();
    stream.write_all(&message(Some(b'B'), b"\0\0\0\0\0\0\0\x02\0\0\0\0")).unwrap();
    stream.write_all(&message(Some(b'D'), b"P\0")).unwrap();
    stream.write_all(&message(Some(b'S'), b"")).unwrap();
    assert!(read_to(&mut stream, b'E') && read_to(&mut stream, b'Z'));
}

#[test]
fn other_protocols_are_none_of_flight_sql() {
    let server = WireServer::start(&[]);
    for bytes in [&b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"[..], b"\0\0\0\x08\x04\xd2\x16\x2f"]
    {
        let mut stream = open(server.flight_sql());
        stream.write_all(bytes).unwrap();
        // The server may have closed the connection by now.
        let _ = stream.shutdown(std::net::Shutdown::Write);
        assert!(is_closed(stream), "{bytes:?}");
    }
}

/// The text of the next error.
fn error(stream: &mut TcpStream) -> String {
    loop {
        let mut head = [0; 5];
        stream.read_exact(&mut head).unwrap();
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        let mut body = vec![0; length - 4];
        stream.read_exact(&mut body).unwrap();
        if head[0] == b'E' {
            return String::from_utf8_lossy(&body).into_owned();
        }
    }
}

fn parse(stream: &mut TcpStream, name: &str, sql: &str) {
    let body = format!("{name}\0{sql}\0\0\0");
    stream.write_all(&message(Some(b'P'), body.as_bytes())).unwrap();
}

#[test]
fn a_parameter_of_a_high_number_is_an_error() {
    let server = WireServer::start(&[]);
    let mut stream = open(server.postgres());
    begin(&mut stream);
    for number in
        ["65536", "70000", "900000000000000", "18446744073709551615", "99999999999999999999"]
    {
        parse(&mut stream, "", &format!("SELECT ${number}"));
        stream.write_all(&message(Some(b'D'), b"S\0")).unwrap();
        stream.write_all(&message(Some(b'S'), b"")).unwrap();
        let error = error(&mut stream);
        assert!(error.contains("54023") && error.contains("the last one is $65535"), "{error}");
        assert!(read_to(&mut stream, b'Z'));
    }
    assert_eq!(simple(&mut connect(&server), "SELECT 1").unwrap(), ["1"]);
}

#[test]
fn a_long_query_of_catalogs_is_an_error() {
    let server = WireServer::start(&[]);
    let mut client = connect(&server);
    for sql in [
        format!("SELECT pg_backend_pid(){}", "+1".repeat(100_000)),
        format!("SELECT pg_backend_pid(){}", "+1".repeat(20_000)),
        format!("SELECT 1 FROM pg_class WHERE {}", "array(select ".repeat(16_000)),
    ] {
        let error = simple(&mut client, &sql).unwrap_err();
        assert_eq!(error.code().unwrap().code(), "0A000", "{error}");
    }
    assert_eq!(simple(&mut client, "SELECT 1").unwrap(), ["1"]);
}

/// Statements with a length that is a few bytes and words that are many, and values of portals.
#[test]
fn memory_of_a_connection_has_a_limit() {
    let server = WireServer::start(&[]);
    let mut stream = open(server.postgres());
    begin(&mut stream);
    parse(&mut stream, "words", &format!("SELECT 1{}", ",1".repeat(1 << 19)));
    stream.write_all(&message(Some(b'S'), b"")).unwrap();
    assert!(error(&mut stream).contains("54000") && read_to(&mut stream, b'Z'));
    send_query(&mut stream, "BEGIN");
    assert!(read_to(&mut stream, b'Z'));
    parse(&mut stream, "text", "SELECT length($1)");
    let value = vec![b'x'; 30 << 20];
    for portal in ["a", "b", "c"] {
        let length = (value.len() as u32).to_be_bytes();
        let start = format!("{portal}\0text\0\0\0\0\x01");
        let body = [start.as_bytes(), &length, &value, b"\0\0"].concat();
        stream.write_all(&message(Some(b'B'), &body)).unwrap();
    }
    stream.write_all(&message(Some(b'S'), b"")).unwrap();
    assert!(error(&mut stream).contains("the values are too long"));
    assert!(read_to(&mut stream, b'Z'));
}
