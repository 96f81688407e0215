//! Which requests are refused.

use std::io::{Read, Write};

use super::client::{TestServer, WebSocket, rows};
use crate::command::{run, tpq};

#[test]
fn unknown_paths_are_404() {
    let server = TestServer::start(&[]);
    for path in ["/nothing", "/query/x", "/..", "/%2e%2e/etc/passwd"] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
    assert_eq!(server.get("/query").status, 405);
    assert_eq!(server.get("/").status, 200);
}

#[test]
fn allowed_origins_get_cors_headers() {
    let server = TestServer::start(&["--cors-origin", "https://dash.example"]);
    let origin = |origin: &str| {
        let headers = format!("Origin: {origin}\r\n");
        let reply = server.request("POST", "/status", &headers, b"");
        assert_eq!((reply.status, reply.header("vary")), (200, Some("origin")));
        reply.header("access-control-allow-origin").map(str::to_owned)
    };
    for allowed in [
        "https://ui.perfetto.dev",
        "http://localhost:10000",
        "http://127.0.0.1:10000",
        "https://dash.example",
    ] {
        assert_eq!(origin(allowed).as_deref(), Some(allowed));
    }
    assert_eq!(origin("https://evil.example"), None);
    let headers = "Origin: https://evil.example\r\n";
    for path in ["/query", "/parse", "/rpc"] {
        assert_eq!(server.request("POST", path, headers, b"").status, 403, "{path}");
    }
    assert_eq!(server.request("GET", "/restore_initial_tables", headers, b"").status, 403);
}

#[test]
fn preflights_are_answered() {
    let server = TestServer::start(&[]);
    let preflight = |origin: &str| {
        let headers = format!(
            "Origin: {origin}\r\nAccess-Control-Request-Method: POST\r\n\
             Access-Control-Request-Private-Network: true\r\n"
        );
        server.request("OPTIONS", "/query", &headers, b"")
    };
    let reply = preflight("https://ui.perfetto.dev");
    assert_eq!(reply.status, 204);
    assert_eq!(reply.header("access-control-allow-origin"), Some("https://ui.perfetto.dev"));
    assert_eq!(reply.header("access-control-allow-private-network"), Some("true"));
    assert!(reply.header("access-control-allow-methods").unwrap().contains("post"));
    let reply = preflight("https://evil.example");
    assert_eq!(reply.header("access-control-allow-origin"), None);
    assert_eq!(reply.header("access-control-allow-private-network"), None);
}

/// Browsers send no `Origin` for images and links of a page, and say in another header that the
/// request is that of a page.
#[test]
fn requests_of_other_pages_without_an_origin_are_refused() {
    let server = TestServer::start(&[]);
    server.query("CREATE PERFETTO TABLE mine AS SELECT 7 AS x");
    let status = |path: &str, site: &str| {
        let headers = format!("Sec-Fetch-Site: {site}\r\nReferer: https://evil.example/\r\n");
        server.request("GET", path, &headers, b"").status
    };
    for path in [
        "/restore_initial_tables",
        "/notify_eof",
        "/enable_metatrace",
        "/disable_and_read_metatrace",
        "/api/overview",
    ] {
        assert_eq!(status(path, "cross-site"), 403, "{path}");
        assert_eq!(status(path, "same-site"), 403, "{path}");
    }
    assert_eq!(rows(&server.query("SELECT x FROM mine")), ["7"]);
    // A link to the page, and the requests of the page itself.
    assert_eq!(status("/", "cross-site"), 200);
    for site in ["same-origin", "none"] {
        assert_eq!(status("/api/overview", site), 200, "{site}");
    }
}

#[test]
fn other_names_of_the_host_are_refused() {
    let server = TestServer::start(&["--host-name", "devbox"]);
    let status =
        |host: &str| server.request("GET", "/status", &format!("Host: {host}\r\n"), b"").status;
    for own in ["localhost", "127.0.0.1:9001", "[::1]:9001", "devbox:9001"] {
        assert_eq!(status(own), 200, "{own}");
    }
    for other in ["evil.example", "evil.example:9001", "192.168.0.1"] {
        assert_eq!(status(other), 403, "{other}");
    }
}

#[test]
fn websockets_of_other_origins_are_refused() {
    let server = TestServer::start(&[]);
    let open = |origin: &str| {
        WebSocket::open(server.connect(), &format!("Origin: {origin}\r\n")).map(drop)
    };
    assert_eq!(open("http://127.0.0.1:10000"), Ok(()));
    assert_eq!(open("https://evil.example"), Err(403));
    assert_eq!(open("null"), Err(403));
}

#[test]
fn other_machines_need_a_token() {
    let refused = run(&["serve", "--address", "0.0.0.0", "--port", "0"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--token"));
    let mut command = tpq();
    let arguments = ["serve", "--address", "127.0.0.1", "--port", "0"];
    let server =
        TestServer::start_command(command.args(arguments).env("TPQ_TOKEN", "s3cret-s3cret"));
    assert_eq!(server.get("/status").status, 401);
    let with = |headers: &str| server.request("GET", "/status", headers, b"").status;
    assert_eq!(with("Authorization: Bearer s3cret-s3cret\r\n"), 200);
    assert_eq!(with("Authorization: Bearer s3cret-s3creT\r\n"), 401);
    assert_eq!(server.get("/status?token=s3cret-s3cret").status, 200);
    assert_eq!(WebSocket::open(server.connect(), "").map(drop), Err(401));
    // A client without the token does not keep a connection from others.
    let mut stream = server.connect();
    let request = format!("GET /status HTTP/1.1\r\nHost: localhost:{}\r\n\r\n", server.port);
    stream.write_all(request.as_bytes()).unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    assert!(reply.starts_with("HTTP/1.1 401"), "{reply}");
}

#[test]
fn statements_read_no_files_unless_allowed() {
    let sql = "SELECT count(*) FROM read_csv('tests/integration/server/rows.csv')";
    let server = TestServer::start(&[]);
    assert!(server.query(sql).error().contains("file"), "{}", server.query(sql).error());
    let server = TestServer::start(&["--allow-sql-file-access"]);
    assert_eq!(rows(&server.query(sql)), ["2"]);
}
