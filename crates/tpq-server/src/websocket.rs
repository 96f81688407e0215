//! The byte pipe over WebSockets: each binary message holds bytes of the stream.

use std::sync::Arc;

use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use bytes::Bytes;
use futures::{SinkExt, StreamExt};
use tokio::sync::mpsc::{Receiver, channel};

use crate::engine::Engine;
use crate::rpc::{EndOfInput, serve};

/// Replies that may wait to be sent.
const MAX_WAITING: usize = 4;
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
    let (sink, messages) = socket.split();
    let input = messages
        // An error ends the connection, as a close message does.
        .take_while(|message| {
            std::future::ready(matches!(message, Ok(message) if !is_close(message)))
        })
        .filter_map(|message| std::future::ready(message.ok().and_then(bytes_of)))
        .boxed();
    let (sender, replies) = channel(MAX_WAITING);
    let served = serve(engine, input, sender, EndOfInput::Stop);
    tokio::join!(served, send_all(replies, sink));
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

/// Sends replies until there are no more, or the client has gone, and closes the connection.
async fn send_all(
    mut replies: Receiver<Bytes>,
    mut sink: impl SinkExt<Message, Error = axum::Error> + Unpin,
) {
    while let Some(reply) = replies.recv().await {
        if sink.send(Message::Binary(reply)).await.is_err() {
            return;
        }
    }
    // A client that has gone does not read it.
    let _ = sink.close().await;
}
