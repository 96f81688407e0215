//! Checks each request before a handler sees it, and adds the headers that all replies have.

use axum::extract::{Request, State};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_MAX_AGE, AUTHORIZATION, CACHE_CONTROL, CONNECTION, HOST, HeaderName, ORIGIN,
    VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::App;
use crate::origin::RequestOrigin;

/// Headers of a private network preflight: a public page asks for an address of this machine.
const REQUEST_PRIVATE_NETWORK: HeaderName =
    HeaderName::from_static("access-control-request-private-network");
const ALLOW_PRIVATE_NETWORK: HeaderName =
    HeaderName::from_static("access-control-allow-private-network");

/// Browsers say here from where a page sends a request, also where they send no `Origin`: for an
/// image, a frame, or a link.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Paths that only read what any client may know, and at no cost. A page of a foreign origin gets
/// an answer that its browser does not show it; other paths refuse it, because they act.
const HARMLESS: [&str; 2] = ["/", "/status"];

/// Refuses a request or hands it on.
pub(super) async fn check(State(app): State<App>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let host = text(headers, &HOST);
    let site = text(headers, &SEC_FETCH_SITE);
    let origin = app.access.origin(text(headers, &ORIGIN), host, site);
    let allowed = headers.get(ORIGIN).filter(|_| origin == RequestOrigin::Allowed).cloned();
    let mut response = match refusal(&app, &request, origin) {
        Some((status, why)) => {
            app.engine.log().refused(&format!(
                "{} {}: {why}",
                request.method(),
                request.uri().path()
            ));
            // Its connection is not kept, as others may wait for one.
            (status, [(CONNECTION, "close")], format!("{why}\n")).into_response()
        }
        None if request.method() == Method::OPTIONS => preflight(headers, allowed.is_some()),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(VARY, HeaderValue::from_static("Origin"));
    if let Some(origin) = allowed {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    }
    response
}

/// The reason to refuse a request, if there is one.
fn refusal(
    app: &App,
    request: &Request,
    origin: RequestOrigin,
) -> Option<(StatusCode, &'static str)> {
    let headers = request.headers();
    if !app.access.is_own_host(text(headers, &HOST)) {
        return Some((StatusCode::FORBIDDEN, "the Host header does not name this server"));
    }
    // Neither has a preflight a token, nor a reply that tells anything.
    if request.method() == Method::OPTIONS {
        return None;
    }
    if origin == RequestOrigin::Foreign && !HARMLESS.contains(&request.uri().path()) {
        return Some((StatusCode::FORBIDDEN, "pages of this origin may not use this server"));
    }
    if !app.access.has_token(text(headers, &AUTHORIZATION), request.uri().query()) {
        return Some((StatusCode::UNAUTHORIZED, "this server needs a token"));
    }
    None
}

/// The answer to a browser that asks whether a page may send a request.
fn preflight(request: &HeaderMap, is_allowed: bool) -> Response {
    // It needs no token, so its connection is not kept.
    let mut response = (StatusCode::NO_CONTENT, [(CONNECTION, "close")]).into_response();
    if is_allowed {
        let headers = response.headers_mut();
        let value = HeaderValue::from_static;
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, value("POST, GET, OPTIONS"));
        // The star does not stand for Authorization.
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, value("*, Authorization"));
        headers.insert(ACCESS_CONTROL_MAX_AGE, value("86400"));
        if request.contains_key(REQUEST_PRIVATE_NETWORK) {
            headers.insert(ALLOW_PRIVATE_NETWORK, value("true"));
        }
    }
    response
}

/// The text of a header.
fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    // A header that is no text names nothing that is known.
    headers.get(name).map(|value| value.to_str().unwrap_or("\u{fffd}"))
}
