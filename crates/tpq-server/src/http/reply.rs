//! Replies of HTTP.

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::{Stream, StreamExt};
use prost::Message;

const PROTOBUF: HeaderValue = HeaderValue::from_static("application/x-protobuf");

/// A reply of one message.
pub(super) fn message(message: &impl Message) -> Response {
    bytes(message.encode_to_vec())
}

/// A reply of encoded messages.
pub(super) fn bytes(bytes: impl Into<Body>) -> Response {
    ([(CONTENT_TYPE, PROTOBUF)], bytes.into()).into_response()
}

/// A reply that is sent while it is made. Its client may go away, which drops the stream.
pub(super) fn stream(messages: impl Stream<Item = Bytes> + Send + 'static) -> Response {
    bytes(Body::from_stream(messages.map(Ok::<_, std::convert::Infallible>)))
}

/// A reply of JSON.
pub(super) fn json(text: String) -> Response {
    const JSON: HeaderValue = HeaderValue::from_static("application/json");
    ([(CONTENT_TYPE, JSON)], text).into_response()
}

/// A reply to what the server cannot do.
pub(super) fn unsupported(why: &str) -> Response {
    (StatusCode::NOT_IMPLEMENTED, format!("{why}\n")).into_response()
}
