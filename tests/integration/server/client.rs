//! A server in a process of its own, and clients of it: HTTP, WebSocket and byte pipe.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use prost::Message;
use tpq_proto::message::query_result::cells_batch::CellType;
use tpq_proto::message::trace_processor_rpc::{Args, TraceProcessorMethod, Type};
use tpq_proto::message::{QueryArgs, QueryResult, TraceProcessorRpc, TraceProcessorRpcStream};

use crate::command::tpq;

/// No reply takes this long.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server on a free port. Dropped, it is killed.
pub struct TestServer {
    child: Child,
    pub port: u16,
    messages: Arc<Mutex<Vec<String>>>,
    /// The line that says where it listens.
    listening: String,
}

impl TestServer {
    /// Starts `tpq serve` with further arguments.
    pub fn start(arguments: &[&str]) -> Self {
        Self::start_command(tpq().args(["serve", "--port", "0"]).args(arguments))
    }

    pub fn start_command(command: &mut Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut said = Vec::new();
        let listening = loop {
            let Some(line) = lines.next() else { panic!("it ended: {said:?}") };
            let line = line.unwrap();
            if line.contains("http://127.0.0.1:") {
                break line;
            }
            said.push(line);
        };
        let messages: Arc<Mutex<Vec<String>>> = Arc::default();
        let said = Arc::clone(&messages);
        std::thread::spawn(move || {
            lines.for_each(|line| said.lock().unwrap().extend(line));
        });
        Self { child, port: port_in(&listening, "http"), listening, messages }
    }

    /// What the server has said since it listens.
    pub fn messages(&self) -> Vec<String> {
        self.messages.lock().unwrap().clone()
    }

    /// The port of another protocol.
    pub fn port_of(&self, scheme: &str) -> u16 {
        port_in(&self.listening, scheme)
    }

    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends a request and reads the whole reply.
    pub fn request(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Reply {
        let mut stream = self.connect();
        let host = if headers.to_ascii_lowercase().contains("host:") {
            String::new()
        } else {
            format!("Host: 127.0.0.1:{}\r\n", self.port)
        };
        let head = format!(
            "{method} {path} HTTP/1.1\r\n{host}Connection: close\r\nContent-Length: {}\r\n{headers}\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        // The server may answer, and close, before it has read all of a body.
        let _ = stream.write_all(body);
        Reply::read(stream)
    }

    pub fn get(&self, path: &str) -> Reply {
        self.request("GET", path, "", b"")
    }

    pub fn post(&self, path: &str, body: &[u8]) -> Reply {
        self.request("POST", path, "", body)
    }

    /// Runs statements by HTTP.
    pub fn query(&self, sql: &str) -> QueryResult {
        let args = QueryArgs { sql_query: Some(sql.to_owned()), tag: None };
        let reply = self.post("/query", &args.encode_to_vec());
        assert_eq!(reply.status, 200);
        QueryResult::decode(reply.body.as_slice()).unwrap()
    }

    pub fn websocket(&self) -> Pipe<WebSocket> {
        Pipe::new(WebSocket::open(self.connect(), "").unwrap())
    }
}

/// The port of an address in a text.
fn port_in(text: &str, scheme: &str) -> u16 {
    let (_, rest) = text.split_once(&format!("{scheme}://127.0.0.1:")).unwrap();
    rest.split(|letter: char| !letter.is_ascii_digit()).next().unwrap().parse().unwrap()
}

impl Drop for TestServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A reply of HTTP.
pub struct Reply {
    pub status: u16,
    pub headers: String,
    pub body: Vec<u8>,
}

impl Reply {
    fn read(mut stream: TcpStream) -> Self {
        let mut all = Vec::new();
        // A connection that is reset has sent its reply before.
        let _ = stream.read_to_end(&mut all);
        let end = all.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
        let headers = String::from_utf8_lossy(&all[..end]).to_ascii_lowercase();
        let status = headers.split(' ').nth(1).unwrap().parse().unwrap();
        let body = all[end + 4..].to_vec();
        let chunked = headers.contains("transfer-encoding: chunked");
        Self { status, body: if chunked { unchunked(&body) } else { body }, headers }
    }

    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let prefix = format!("{name}: ");
        self.headers.split("\r\n").find_map(|line| line.strip_prefix(&prefix))
    }

    pub fn message<M: Message + Default>(&self) -> M {
        assert_eq!(self.status, 200, "{}", self.headers);
        M::decode(self.body.as_slice()).unwrap()
    }
}

fn unchunked(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(line) = rest.windows(2).position(|bytes| bytes == b"\r\n") {
        let digits = std::str::from_utf8(&rest[..line]).unwrap();
        let length = usize::from_str_radix(digits, 16).unwrap();
        body.extend_from_slice(&rest[line + 2..line + 2 + length]);
        rest = &rest[line + 2 + length + 2..];
    }
    body
}

/// Moves bytes of the byte pipe.
pub trait Transport {
    fn send(&mut self, bytes: &[u8]);
    /// The next bytes; `None` at the end.
    fn receive(&mut self) -> Option<Vec<u8>>;
}

#[cfg(unix)]
impl Transport for std::os::unix::net::UnixStream {
    fn send(&mut self, bytes: &[u8]) {
        self.write_all(bytes).unwrap();
    }

    fn receive(&mut self) -> Option<Vec<u8>> {
        let mut buffer = vec![0; 1 << 16];
        match self.read(&mut buffer) {
            Ok(0) | Err(_) => None,
            Ok(length) => Some(buffer[..length].to_vec()),
        }
    }
}

/// A WebSocket over TCP.
pub struct WebSocket(pub TcpStream);

impl WebSocket {
    /// Opens one with further headers; the status of the reply if it is refused.
    pub fn open(mut stream: TcpStream, headers: &str) -> Result<Self, u16> {
        let port = stream.peer_addr().unwrap().port();
        let head = format!(
            "GET /websocket HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n\
             Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n{headers}\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut reply = Vec::new();
        while !reply.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            reply.push(byte[0]);
        }
        let status = String::from_utf8_lossy(&reply).split(' ').nth(1).unwrap().parse().unwrap();
        if status == 101 { Ok(Self(stream)) } else { Err(status) }
    }
}

impl Transport for WebSocket {
    fn send(&mut self, bytes: &[u8]) {
        // Binary, final; masked by zeros.
        let mut frame = vec![0x82];
        match bytes.len() {
            length @ 0..126 => frame.push(0x80 | length as u8),
            length @ 126..65536 => {
                frame.push(0x80 | 126);
                frame.extend_from_slice(&(length as u16).to_be_bytes());
            }
            length => {
                frame.push(0x80 | 127);
                frame.extend_from_slice(&(length as u64).to_be_bytes());
            }
        }
        frame.extend_from_slice(&[0; 4]);
        frame.extend_from_slice(bytes);
        self.0.write_all(&frame).unwrap();
    }

    fn receive(&mut self) -> Option<Vec<u8>> {
        let stream = &mut self.0;
        let mut head = [0; 2];
        stream.read_exact(&mut head).ok()?;
        if head[0] & 0x0f == 8 {
            return None;
        }
        // A ping, which is not answered: no test is silent for that long.
        if head == [0x89, 0] {
            return self.receive();
        }
        assert_eq!(head[0] & 0x0f, 2, "messages are binary");
        let length = match head[1] {
            126 => {
                let mut length = [0; 2];
                stream.read_exact(&mut length).ok()?;
                u64::from(u16::from_be_bytes(length))
            }
            127 => {
                let mut length = [0; 8];
                stream.read_exact(&mut length).ok()?;
                u64::from_be_bytes(length)
            }
            length => u64::from(length),
        };
        let mut payload = vec![0; length as usize];
        stream.read_exact(&mut payload).ok()?;
        Some(payload)
    }
}

/// A client of the byte pipe.
pub struct Pipe<T> {
    pub transport: T,
    seq: i64,
    received: Vec<u8>,
}

impl<T: Transport> Pipe<T> {
    pub fn new(transport: T) -> Self {
        Self { transport, seq: 0, received: Vec::new() }
    }

    /// Sends a request with the next number.
    pub fn send(&mut self, method: TraceProcessorMethod, args: Option<Args>) {
        let bytes = request(self.seq, method as i32, args);
        self.seq += 1;
        self.transport.send(&bytes);
    }

    /// The next message; `None` at the end.
    pub fn receive(&mut self) -> Option<TraceProcessorRpc> {
        loop {
            let mut rest = self.received.as_slice();
            if let [0x0a, after @ ..] = rest {
                rest = after;
                if let Ok(length) = prost::encoding::decode_varint(&mut rest)
                    && rest.len() >= length as usize
                {
                    let message = TraceProcessorRpc::decode(&rest[..length as usize]).unwrap();
                    self.received = rest[length as usize..].to_vec();
                    return Some(message);
                }
            }
            self.received.extend(self.transport.receive()?);
        }
    }

    /// Sends a request and returns its only reply.
    pub fn call(&mut self, method: TraceProcessorMethod, args: Option<Args>) -> Option<Args> {
        self.send(method, args);
        let reply = self.receive().unwrap();
        assert_eq!(reply.r#type, Some(Type::Response(method as i32)), "{:?}", reply.fatal_error);
        reply.args
    }

    pub fn send_query(&mut self, sql: &str) {
        let args = QueryArgs { sql_query: Some(sql.to_owned()), tag: None };
        self.send(TraceProcessorMethod::TpmQueryStreaming, Some(Args::QueryArgs(args)));
    }

    /// The result of a query, from all of its messages.
    pub fn receive_result(&mut self) -> QueryResult {
        let mut all = QueryResult::default();
        loop {
            let reply = self.receive().unwrap();
            let Some(Args::QueryResult(part)) = reply.args else { panic!("{reply:?}") };
            assert!(all.batch.is_empty() || part.column_names.is_empty(), "names come first");
            all.merge(part.encode_to_vec().as_slice()).unwrap();
            if all.batch.last().is_some_and(|batch| batch.is_last_batch()) {
                return all;
            }
            assert!(
                all.batch.iter().all(|batch| !batch.cells.is_empty()),
                "only the last is empty"
            );
        }
    }

    pub fn query(&mut self, sql: &str) -> QueryResult {
        self.send_query(sql);
        self.receive_result()
    }
}

/// A request as bytes of the stream.
pub fn request(seq: i64, method: i32, args: Option<Args>) -> Vec<u8> {
    let message = TraceProcessorRpc {
        seq: Some(seq),
        r#type: Some(Type::Request(method)),
        args,
        ..TraceProcessorRpc::default()
    };
    TraceProcessorRpcStream { msg: vec![message] }.encode_to_vec()
}

/// The rows of a result, a line each, with `|` between cells.
pub fn rows(result: &QueryResult) -> Vec<String> {
    assert_eq!(result.error, None);
    let mut cells = Vec::new();
    for batch in &result.batch {
        let mut integers = batch.varint_cells.iter();
        let mut reals = batch.float64_cells.iter();
        let mut blobs = batch.blob_cells.iter();
        let mut texts = batch.string_cells().split_terminator('\0');
        for &cell in &batch.cells {
            cells.push(match CellType::try_from(cell).unwrap() {
                CellType::CellNull => "NULL".to_owned(),
                CellType::CellVarint => integers.next().unwrap().to_string(),
                CellType::CellFloat64 => format!("{:?}", reals.next().unwrap()),
                CellType::CellString => texts.next().unwrap().to_owned(),
                CellType::CellBlob => format!("{:?}", blobs.next().unwrap()),
                CellType::CellInvalid => panic!("a cell has a type"),
            });
        }
        assert!(integers.next().is_none() && reals.next().is_none() && texts.next().is_none());
    }
    let columns = result.column_names.len().max(1);
    cells.chunks(columns).map(|row| row.join("|")).collect()
}
