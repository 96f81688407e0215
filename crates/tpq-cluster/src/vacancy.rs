//! Whether a scheduler has executors.
//!
//! Ballista lets a query of a cluster that is empty from the start wait for ever. None of its
//! requests tells whether there are executors, but its page for probes does: `/readyz` is ready with
//! one executor that lives, see [`crate::scheduler`].

use std::io;
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// From one look to the next, and from the begin of a query to the first: most queries end earlier.
const LOOK: Duration = Duration::from_secs(1);

/// The longest time until the scheduler answers.
const ANSWER: Duration = Duration::from_secs(10);

/// The most bytes of the first line of an answer.
const MOST_LINE: u64 = 1024;

/// How long a query has been without executors.
pub(crate) struct Vacancy<'a> {
    /// The scheduler, as HOST:PORT.
    address: &'a str,
    limit: Duration,
    looked: Instant,
    /// Since when there is no executor.
    since: Option<Instant>,
}

impl<'a> Vacancy<'a> {
    /// Begins to look after a query of the scheduler at `address`, which may be without executors
    /// for `limit`.
    pub(crate) fn new(address: &'a str, limit: Duration) -> Self {
        Self { address, limit, looked: Instant::now(), since: None }
    }

    /// Whether there was no executor for the whole limit.
    pub(crate) async fn is_too_long(&mut self) -> bool {
        if self.looked.elapsed() < LOOK {
            return false;
        }
        self.looked = Instant::now();
        let answer = timeout(ANSWER, status_line(self.address)).await;
        // A scheduler that does not answer fails the requests for the query.
        match answer.ok().and_then(Result::ok).and_then(|line| is_ready(&line)) {
            Some(false) => self.since.get_or_insert_with(Instant::now).elapsed() >= self.limit,
            Some(true) | None => {
                self.since = None;
                false
            }
        }
    }
}

/// The first line of the answer to a request for `/readyz`.
async fn status_line(address: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!("GET /readyz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut line = String::new();
    BufReader::new(stream.take(MOST_LINE)).read_line(&mut line).await?;
    Ok(line)
}

/// Whether the first line of an answer says that there are executors. `None` when it says neither.
fn is_ready(line: &str) -> Option<bool> {
    match line.split(' ').nth(1)?.trim_end() {
        "200" => Some(true),
        "503" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_tells_whether_there_are_executors() {
        assert_eq!(is_ready("HTTP/1.1 200 OK\r\n"), Some(true));
        assert_eq!(is_ready("HTTP/1.1 503 Service Unavailable\r\n"), Some(false));
        for other in ["HTTP/1.1 404 Not Found\r\n", "HTTP/1.1\r\n", ""] {
            assert_eq!(is_ready(other), None, "{other}");
        }
    }
}
