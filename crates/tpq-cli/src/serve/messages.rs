//! Messages of the server to its operator, on stderr.

use std::io::Write;
use tpq_server::{Addresses, Endpoint, Endpoints, ServerLog};

use crate::terminal::Style;

/// Prints messages, unless they are not wanted.
pub struct Messages {
    quiet: bool,
}

impl Messages {
    pub fn new(quiet: bool) -> Self {
        Self { quiet }
    }

    /// Says where the server listens.
    pub fn listening(&self, addresses: &Addresses, endpoints: &Endpoints, has_token: bool) {
        let Addresses { http, postgres, flight_sql } = addresses;
        let protocols = [("http", http), ("postgres", postgres), ("grpc", flight_sql)];
        let urls = protocols.into_iter().flat_map(|(scheme, addresses)| {
            addresses.iter().map(move |address| format!("{scheme}://{address}"))
        });
        let mut places: Vec<String> = urls.collect();
        places.extend(endpoints.http.iter().filter_map(|endpoint| match endpoint {
            Endpoint::Socket(path) => Some(path.display().to_string()),
            Endpoint::Loopback(_) | Endpoint::Address(_) => None,
        }));
        let token = if has_token { "; requests need the token" } else { "" };
        self.print(&format!("listening on {}{token}; Ctrl-C ends it", places.join(" and ")));
    }

    /// Says that a trace of a client was imported before.
    pub fn found_in_cache(&self) {
        self.print("its tables are in the cache");
    }

    /// Says that the server has ended.
    pub fn ended(&self) {
        self.print("the server has ended");
    }

    /// Prints a line. Clients choose a part of some texts, so control characters, by which a
    /// terminal can be told anything, are replaced.
    fn print(&self, text: &str) {
        if !self.quiet {
            let visible = |letter: char| if letter.is_control() { '\u{fffd}' } else { letter };
            let text: String = text.chars().map(visible).collect();
            let text = Style::of_stderr().dim(&text);
            // A message that cannot be printed is not an error.
            let _ = writeln!(std::io::stderr(), "{text}");
        }
    }
}

impl ServerLog for Messages {
    fn trace_begins(&self) {
        self.print("a client sends a trace");
    }

    fn trace_ends(&self, outcome: Result<&str, &str>) {
        match outcome {
            Ok(name) => self.print(&format!("imported: {name}")),
            Err(why) => self.print(&format!("not imported: {why}")),
        }
    }

    fn refused(&self, why: &str) {
        self.print(&format!("refused: {why}"));
    }
}
