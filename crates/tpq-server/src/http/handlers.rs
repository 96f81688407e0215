//! What each path does.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, BodyDataStream, to_bytes};
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::{StreamExt, stream};
use prost::Message;
use tokio::time::timeout;
use tpq_proto::message::{
    ComputeMetricResult, ExportArgs, FinalizeDataResult, QueryArgs, TraceSummaryArgs,
    TraceSummaryResult,
};

use super::{App, reply};
use crate::engine::UploadClient;
use crate::page::{PAGE, PAGE_HEADERS, QueryRequest};
use crate::query_result::error_message;
use crate::rpc::{self, EndOfInput, NO_METRICS, appended};
use crate::websocket;

/// The page for people.
pub(super) async fn page() -> Response {
    let mut response = PAGE.into_response();
    for (name, value) in PAGE_HEADERS {
        let (name, value) = (HeaderName::from_static(name), HeaderValue::from_static(value));
        response.headers_mut().insert(name, value);
    }
    response
}

/// What the page shows first.
pub(super) async fn overview(State(app): State<App>) -> Response {
    match app.engine.overview().await {
        Ok(overview) => reply::json(overview),
        Err(why) => (StatusCode::CONFLICT, format!("{why}\n")).into_response(),
    }
}

/// Runs the statements of the page.
pub(super) async fn page_query(State(app): State<App>, body: Body) -> Response {
    let body = match limited(&app, body).await {
        Ok(body) => body,
        Err(response) => return response,
    };
    match QueryRequest::parse(&body) {
        Ok(request) => reply::json(app.engine.page_query(request).await),
        Err(error) => (StatusCode::BAD_REQUEST, format!("{error}\n")).into_response(),
    }
}

pub(super) async fn status(State(app): State<App>) -> Response {
    reply::message(&app.engine.status())
}

/// Takes a part of a trace, while its bytes arrive.
pub(super) async fn parse(State(app): State<App>, body: Body) -> Response {
    let mut chunks = body.into_data_stream();
    let mut client = UploadClient::new(Arc::clone(&app.engine));
    let mut outcome = client.append(Bytes::new()).await;
    loop {
        match timeout(app.engine.limits().read_timeout, chunks.next()).await {
            // After an error, the rest is read and dropped: a client that sends reads no reply.
            Ok(Some(Ok(chunk))) if outcome.is_ok() => outcome = client.append(chunk).await,
            Ok(Some(Ok(_))) => {}
            Ok(None) => break,
            Ok(Some(Err(_))) => return StatusCode::BAD_REQUEST.into_response(),
            Err(_) => return StatusCode::REQUEST_TIMEOUT.into_response(),
        }
    }
    // Another request sends the next part, or ends the trace.
    client.release();
    reply::message(&appended(outcome))
}

/// Ends a trace. The reply is empty, unless the trace could not be imported.
pub(super) async fn notify_eof(State(app): State<App>) -> Response {
    let error = app.engine.finalize().await.err().map(|error| error.to_string());
    reply::message(&FinalizeDataResult { error })
}

pub(super) async fn query(State(app): State<App>, body: Body) -> Response {
    let failed = |why: String| reply::message(&error_message(why));
    let body = match limited(&app, body).await {
        Ok(body) => body,
        Err(response) => return response,
    };
    match QueryArgs::decode(body) {
        Ok(args) => reply::stream(app.engine.query(args.sql_query.unwrap_or_default())),
        Err(error) => failed(format!("the request is not a QueryArgs: {error}")),
    }
}

pub(super) async fn compute_metric() -> Response {
    let error = Some(NO_METRICS.to_owned());
    reply::message(&ComputeMetricResult { error, ..ComputeMetricResult::default() })
}

pub(super) async fn trace_summary(State(app): State<App>, body: Body) -> Response {
    let body = match limited(&app, body).await {
        Ok(body) => body,
        Err(response) => return response,
    };
    let result = match TraceSummaryArgs::decode(body) {
        Ok(args) => app.engine.summarize(args).await,
        Err(error) => TraceSummaryResult {
            error: Some(format!("the request is not a TraceSummaryArgs: {error}")),
            ..TraceSummaryResult::default()
        },
    };
    reply::message(&result)
}

pub(super) async fn restore_initial_tables(State(app): State<App>) -> Response {
    // Without a trace, nothing was created.
    let _ = app.engine.restore_initial_tables().await;
    reply::bytes(Bytes::new())
}

pub(super) async fn enable_metatrace(State(app): State<App>) -> Response {
    app.engine.enable_metatrace();
    reply::bytes(Bytes::new())
}

pub(super) async fn disable_and_read_metatrace(State(app): State<App>) -> Response {
    reply::message(&app.engine.disable_and_read_metatrace().await)
}

/// Exports all tables. An error after the first bytes closes the connection.
pub(super) async fn export(State(app): State<App>, body: Body) -> Response {
    let body = match limited(&app, body).await {
        Ok(body) => body,
        Err(response) => return response,
    };
    let args = ExportArgs::decode(body).unwrap_or_default();
    match app.engine.export(args.format()) {
        Ok(parts) => reply::bytes(Body::from_stream(parts)),
        Err(error) => reply::unsupported(&error.to_string()),
    }
}

/// The byte pipe: the body has requests, the reply the replies to them.
pub(super) async fn rpc(State(app): State<App>, body: Body) -> Response {
    let wait = app.engine.limits().read_timeout;
    let chunks = body.into_data_stream();
    let input = stream::unfold(chunks, move |chunks| next_chunk(chunks, wait)).boxed();
    let (served, replies) = rpc::connect(app.engine, input, EndOfInput::Answer);
    tokio::spawn(served);
    reply::stream(stream::unfold(replies, async |mut replies| {
        replies.recv().await.map(|reply| (reply, replies))
    }))
}

/// The next bytes of a body; `None` at its end, when the client has gone, and when it sends nothing
/// for too long.
async fn next_chunk(mut chunks: BodyDataStream, wait: Duration) -> Option<(Bytes, BodyDataStream)> {
    let chunk = timeout(wait, chunks.next()).await.ok()??.ok()?;
    Some((chunk, chunks))
}

/// The byte pipe as a WebSocket.
pub(super) async fn websocket(
    State(app): State<App>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    match upgrade {
        Ok(upgrade) => websocket::upgrade(app.engine, upgrade),
        Err(rejection) => rejection.into_response(),
    }
}

/// The bytes of a body that is not too long, and does not take too long.
async fn limited(app: &App, body: Body) -> Result<Bytes, Response> {
    let limits = app.engine.limits();
    match timeout(limits.read_timeout, to_bytes(body, limits.message)).await {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(_)) => {
            let why = format!("the body exceeds {} bytes or ends early\n", limits.message);
            Err((StatusCode::PAYLOAD_TOO_LARGE, why).into_response())
        }
        Err(_) => Err(StatusCode::REQUEST_TIMEOUT.into_response()),
    }
}
