//! A server of SQL on traces, for the clients of Perfetto's trace processor and for those of
//! databases.
//!
//! ```text
//!  HTTP ──┐                                        ┌─▶ Engine ──▶ Session (tpq_sql)
//!  /rpc ──┤                                        │     │  ▲
//!  WebSocket ──▶ rpc: bytes ─▶ requests ─▶ methods ┘     │  └── TraceLoader (of the binary)
//!  Unix socket ─▶                                        ▼
//!             ◀── rpc: replies ◀── query_result ◀── record batches
//!                                                        │ ▲
//!  PostgreSQL ──▶ postgres ──────────────────────────────┘ │ only statements that read
//!  Flight SQL ──▶ flight_sql ──────────────────────────────┘
//! ```
//!
//! The crate owns the protocol, its transports and their limits, and which trace is loaded. It does
//! not know how a trace is imported: the binary gives it a [`TraceLoader`]. It prints nothing;
//! events for people go to a [`ServerLog`].
//!
//! Requests of a connection are answered in order; connections are served concurrently. A query
//! runs as a task on the runtime for queries, so that the runtime for connections stays free.

mod engine;
mod flight_sql;
mod http;
mod limits;
mod listen;
mod loader;
mod log;
mod origin;
pub mod page;
mod postgres;
mod query_result;
mod relations;
mod rpc;
mod server;
mod session_name;
mod status;
mod summary;
#[cfg(unix)]
mod unix_socket;
mod websocket;

pub use engine::{Engine, EngineError, ExportError, PackageError};
pub use limits::Limits;
pub use listen::{Endpoint, ListenError};
pub use loader::{
    ImportChoices, LoadError, LoadedTrace, Metatrace, MetatraceSpan, TraceLoader, TraceStream,
};
pub use log::ServerLog;
pub use origin::{Access, AllowedOrigin, OriginError};
pub use server::{Addresses, Endpoints, Server};
pub use session_name::socket_path;
