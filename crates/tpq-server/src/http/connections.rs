//! Connections of HTTP/1.1, the only version that is spoken: browsers have no other without
//! encryption, and checks of requests rely on the `Host` header, which version 2 does not have.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::serve::Listener;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::task::JoinSet;

use crate::limits::Limits;
use crate::listen::LimitedListener;

/// Serves connections until it is dropped. A client that does not send a request in time loses its
/// connection: others may wait for one. A client that has sent one may pause before the next for as
/// long as it likes, as some do not connect again; those that may not use the server are not kept.
pub(crate) async fn run(mut listener: LimitedListener, router: Router, limits: &Limits) {
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        let (stream, _) = listener.accept().await;
        let has_asked = Arc::new(AtomicBool::new(false));
        let (asks, router) = (Arc::clone(&has_asked), TowerToHyperService::new(router.clone()));
        let service = service_fn(move |request: Request<Incoming>| {
            asks.store(true, Ordering::Release);
            router.call(request)
        });
        let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
        let wait = tokio::time::sleep(limits.first_request);
        connections.spawn(async move {
            let mut connection = pin!(connection.with_upgrades());
            tokio::select! {
                // An error is that of a client, which has its answer or has gone.
                _ = connection.as_mut() => return,
                () = wait => {}
            }
            if has_asked.load(Ordering::Acquire) {
                let _ = connection.await;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::time::Duration;

    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};
    use tokio::sync::Semaphore;

    use super::*;

    /// A server with one connection at once.
    async fn serve(first_request: Duration) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let wait = Limits::default().write_timeout;
        let listener = LimitedListener::new(listener, Arc::new(Semaphore::new(1)), wait);
        let router = Router::new().route("/", get(|| async { "hello" }));
        tokio::spawn(async move {
            run(listener, router, &Limits { first_request, ..Limits::default() }).await;
        });
        address
    }

    /// What the server sends until it closes the connection.
    async fn reply(stream: &mut TcpStream) -> String {
        let mut reply = String::new();
        // A connection may be reset after the reply.
        let _ = stream.read_to_string(&mut reply).await;
        reply
    }

    #[tokio::test]
    async fn clients_that_send_nothing_keep_no_other_waiting() {
        let address = serve(Duration::from_millis(200)).await;
        for begin in ["", "GET / HTTP/1.1\r\nHost: a\r\n"] {
            let mut idle = TcpStream::connect(address).await.expect("a connection");
            idle.write_all(begin.as_bytes()).await.expect("it is sent");
            let mut other = TcpStream::connect(address).await.expect("a connection");
            let request = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
            other.write_all(request).await.expect("it is sent");
            assert!(reply(&mut other).await.ends_with("hello"));
            assert!(!reply(&mut idle).await.starts_with("HTTP/1.1 200"));
        }
    }

    /// The Python package has one connection, and its user may think for hours.
    #[tokio::test]
    async fn clients_may_pause_between_requests() {
        let address = serve(Duration::from_millis(100)).await;
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        for _ in 0..2 {
            stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await.expect("it is sent");
            let mut reply = Vec::new();
            while !reply.ends_with(b"hello") {
                reply.push(stream.read_u8().await.expect("a reply"));
            }
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    }

    #[tokio::test]
    async fn version_2_is_not_spoken() {
        let address = serve(Duration::from_secs(5)).await;
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        let settings = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
        stream.write_all(settings).await.expect("it is sent");
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes).await;
        // A frame of settings would have the type 4.
        assert!(bytes.is_empty() || bytes.starts_with(b"HTTP/1.1 400"), "{bytes:?}");
    }
}
