//! Requests for the pages that a scheduler has for probes, next to its other requests: `/healthz`
//! answers always, `/readyz` tells whether there are executors.

use std::io;
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

/// The time between two requests to a scheduler.
const LOOK: Duration = Duration::from_secs(5);

/// The most bytes of the first line of an answer.
const MOST_LINE: u64 = 1024;

/// The status of the answer to a request for a page, such as `200`. `address` is HOST:PORT.
///
/// # Errors
/// When there is no connection, or the answer is none of HTTP.
pub(crate) async fn status(address: &str, page: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!("GET {page} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut line = String::new();
    BufReader::new(stream.take(MOST_LINE)).read_line(&mut line).await?;
    let status = status_in(&line).ok_or(io::ErrorKind::InvalidData)?;
    Ok(status.to_owned())
}

/// The status in the first line of an answer.
fn status_in(line: &str) -> Option<&str> {
    line.strip_prefix("HTTP/")?.split_whitespace().nth(1)
}

/// Returns when a scheduler has not answered for the time `limit`.
pub(crate) async fn silence(address: &str, limit: Duration) {
    let mut answered = Instant::now();
    while answered.elapsed() < limit {
        sleep(LOOK).await;
        if let Ok(Ok(_)) = timeout(limit, status(address, "/healthz")).await {
            answered = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[test]
    fn the_first_line_has_the_status() {
        assert_eq!(status_in("HTTP/1.1 200 OK\r\n"), Some("200"));
        assert_eq!(status_in("HTTP/1.1 503 Service Unavailable\r\n"), Some("503"));
        for other in ["HTTP/1.1\r\n", "SSH-2.0-x 200 y\r\n", ""] {
            assert_eq!(status_in(other), None, "{other}");
        }
    }

    #[tokio::test]
    async fn a_page_is_asked_for_by_its_name() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let server = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                request.push(stream.read_u8().await.unwrap());
            }
            stream.write_all(b"HTTP/1.1 503 Service Unavailable\r\n\r\n").await.unwrap();
            String::from_utf8(request).unwrap()
        });
        assert_eq!(status(&address, "/readyz").await.unwrap(), "503");
        let request = server.await.unwrap();
        assert!(request.starts_with("GET /readyz HTTP/1.1\r\n"), "{request}");
        // The port is closed now.
        assert!(status(&address, "/readyz").await.is_err());
    }
}
