//! HTTP: the paths, and the checks before them.

mod connections;
mod guard;
mod handlers;
mod reply;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{any, get, post};

use crate::engine::Engine;
use crate::origin::Access;

pub(crate) use self::connections::run;

/// What handlers need.
#[derive(Clone)]
pub(crate) struct App {
    pub(crate) engine: Arc<Engine>,
    pub(crate) access: Arc<Access>,
}

/// The paths of the server.
pub(crate) fn router(app: App) -> Router {
    Router::new()
        .route("/", get(handlers::page))
        .route("/api/overview", get(handlers::overview))
        .route("/api/query", post(handlers::page_query))
        // The Perfetto UI asks for the status by POST.
        .route("/status", get(handlers::status).post(handlers::status))
        .route("/parse", post(handlers::parse))
        .route("/notify_eof", get(handlers::notify_eof).post(handlers::notify_eof))
        .route("/query", post(handlers::query))
        .route("/compute_metric", post(handlers::compute_metric))
        .route("/trace_summary", post(handlers::trace_summary))
        .route(
            "/restore_initial_tables",
            get(handlers::restore_initial_tables).post(handlers::restore_initial_tables),
        )
        .route(
            "/enable_metatrace",
            get(handlers::enable_metatrace).post(handlers::enable_metatrace),
        )
        .route(
            "/disable_and_read_metatrace",
            get(handlers::disable_and_read_metatrace).post(handlers::disable_and_read_metatrace),
        )
        .route("/export", post(handlers::export))
        .route("/rpc", post(handlers::rpc))
        .route("/websocket", any(handlers::websocket))
        // Handlers have their own limits; the bytes of a trace have none.
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn_with_state(app.clone(), guard::check))
        .with_state(app)
}
