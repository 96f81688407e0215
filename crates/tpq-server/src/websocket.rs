//! The byte pipe over WebSockets: each binary message holds bytes of the stream.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use bytes::Bytes;
use futures::stream::{self, SplitStream};
use futures::{SinkExt, StreamExt};
use tokio::sync::mpsc::Receiver;
use tokio::time::timeout;

use crate::engine::Engine;
use crate::rpc::{EndOfInput, connect};

/// Pings that a client may leave without an answer.
const PINGS: u32 = 10;
/// Bytes of a message in addition to those of the request in it.
const HEADER: usize = 64;

/// Answers the request for a WebSocket.
pub(crate) fn upgrade(engine: Arc<Engine>, upgrade: WebSocketUpgrade) -> Response {
    let limit = engine.limits().message + HEADER;
    upgrade
        .max_message_size(limit)
        .max_frame_size(limit)
        .on_upgrade(move |socket| run(engine, socket))
}

/// Serves a WebSocket until one side closes it.
async fn run(engine: Arc<Engine>, socket: WebSocket) {
    let ping_wait = engine.limits().ping_wait;
    let (sink, messages) = socket.split();
    let input = stream::unfold(messages, move |messages| next_bytes(messages, ping_wait)).boxed();
    let (served, replies) = connect(engine, input, EndOfInput::Stop);
    tokio::join!(served, send_all(replies, sink, ping_wait / PINGS));
}

/// The bytes of the next message that has some; `None` when the client closes the connection, or
/// is silent for too long: it answers pings, unless it has gone.
async fn next_bytes(
    mut messages: SplitStream<WebSocket>,
    ping_wait: Duration,
) -> Option<(Bytes, SplitStream<WebSocket>)> {
    loop {
        let message = timeout(ping_wait, messages.next()).await.ok()??;
        // An error ends the connection, as a close message does.
        let message = message.ok().filter(|message| !is_close(message))?;
        if let Some(bytes) = bytes_of(message) {
            return Some((bytes, messages));
        }
    }
}

fn is_close(message: &Message) -> bool {
    matches!(message, Message::Close(_))
}

/// The bytes of the stream in a message.
fn bytes_of(message: Message) -> Option<Bytes> {
    match message {
        Message::Binary(bytes) => Some(bytes),
        // Not of the protocol: its bytes are no message, and the reply is an error.
        Message::Text(text) => Some(text.into()),
        Message::Ping(_) | Message::Pong(_) | Message::Close(_) => None,
    }
}

/// Sends replies, and pings meanwhile, until there are no more replies, or the client has gone, and
/// closes the connection.
async fn send_all(
    mut replies: Receiver<Bytes>,
    mut sink: impl SinkExt<Message, Error = axum::Error> + Unpin,
    ping_every: Duration,
) {
    loop {
        let message = match timeout(ping_every, replies.recv()).await {
            Ok(Some(reply)) => Message::Binary(reply),
            Ok(None) => break,
            Err(_) => Message::Ping(Bytes::new()),
        };
        if sink.send(message).await.is_err() {
            return;
        }
    }
    // A client that has gone does not read it.
    let _ = sink.close().await;
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::routing::any;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};
    use tokio::sync::Semaphore;

    use super::*;
    use crate::listen::LimitedListener;
    use crate::{Limits, http};

    const PING: [u8; 2] = [0x89, 0];
    /// With a mask of zeros.
    const PONG: [u8; 6] = [0x8a, 0x80, 0, 0, 0, 0];
    const CLOSE: u8 = 0x88;

    /// A WebSocket, after the handshake.
    async fn connect(ping_wait: Duration) -> TcpStream {
        let limits = Limits { ping_wait, ..Limits::default() };
        let engine = crate::engine::test_engine(limits.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let slots = Arc::new(Semaphore::new(1));
        let listener = LimitedListener::new(listener, slots, limits.write_timeout);
        let handler = move |request: WebSocketUpgrade| {
            std::future::ready(upgrade(Arc::clone(&engine), request))
        };
        let router = Router::new().route("/", any(handler));
        tokio::spawn(async move { http::run(listener, router, &limits).await });
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        let request = "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                       Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
        stream.write_all(request.as_bytes()).await.expect("it is sent");
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.expect("a reply"));
        }
        assert!(head.starts_with(b"HTTP/1.1 101"));
        stream
    }

    #[tokio::test]
    async fn a_client_that_answers_no_ping_loses_its_connection() {
        let mut stream = connect(Duration::from_millis(500)).await;
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes).await;
        assert!(bytes.starts_with(&PING) && bytes.contains(&CLOSE), "{bytes:?}");
    }

    #[tokio::test]
    async fn a_client_that_answers_pings_stays() {
        let mut stream = connect(Duration::from_millis(500)).await;
        for _ in 0..30 {
            let mut ping = [0; 2];
            stream.read_exact(&mut ping).await.expect("a ping");
            assert_eq!(ping, PING);
            stream.write_all(&PONG).await.expect("it is sent");
        }
    }
}
