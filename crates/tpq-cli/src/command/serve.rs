//! `tpq serve`: answers SQL of other programs.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use clap::Args;
use tpq_server::{Access, AllowedOrigin, Endpoint, Endpoints, Limits, socket_path};

use crate::args::ImportArgs;
use crate::exit::Usage;
use crate::serve;

/// The port at which clients look for a server.
const PORT: u16 = 9001;

const EXAMPLES: &str = "\
Examples:
  tpq serve trace.pftrace                  for ui.perfetto.dev on this machine
  tpq serve                                for a trace that a client sends
  tpq serve trace.pftrace --port 0         on any free port
  tpq serve trace.pftrace --socket mine    for the session `mine`: a Unix socket
  tpq serve trace.pftrace --postgres 5433  for psql -h localhost -p 5433, Grafana, DBeaver
  tpq serve trace.pftrace --flight-sql 8815  for ADBC, at grpc://localhost:8815
  tpq serve trace.pftrace --address 0.0.0.0 --token \"$TOKEN\"

Compatibility: tpq -D (or --httpd) with the options of trace_processor_shell is tpq serve, so
that the Python package perfetto can start it by TraceProcessorConfig(bin_path='tpq'). docs/server.md
explains the protocol, its limits and what keeps others out.";

#[derive(Args)]
#[command(after_help = EXAMPLES, mut_arg("traces", |traces| traces.required(false)))]
pub struct ServeArgs {
    #[command(flatten)]
    pub import: ImportArgs,

    /// TCP port; 0 is any free port [default: 9001, or none with --socket]
    #[arg(long, value_name = "N", alias = "http-port")]
    pub port: Option<u16>,

    /// Port for clients of PostgreSQL, such as psql, Grafana and DBeaver, which may only read; 0 is
    /// any free port. The password is the token
    #[arg(long, value_name = "PORT")]
    pub postgres: Option<u16>,

    /// Port for clients of Flight SQL, such as ADBC, which may only read; 0 is any free port
    #[arg(long, value_name = "PORT")]
    pub flight_sql: Option<u16>,

    /// IP address to listen on, which other machines may reach; needs --token unless it is of the
    /// loopback interface [default: 127.0.0.1 and ::1]
    #[arg(long, value_name = "ADDRESS", visible_alias = "host", alias = "http-ip-address",
        value_parser = parse_address)]
    pub address: Option<IpAddr>,

    /// Unix socket to listen on: a path that ends in .sock or is absolute, or the name of a session
    #[arg(long, value_name = "PATH|NAME")]
    pub socket: Option<String>,

    /// Secret that each request must have, as `Authorization: Bearer TOKEN` or ?token=TOKEN, and
    /// the password of clients of databases; also from the variable TPQ_TOKEN
    #[arg(long, value_name = "TOKEN", value_parser = parse_token)]
    pub token: Option<String>,

    /// Origin of web pages that may use the server, in addition to the Perfetto UI; can be repeated
    #[arg(
        long,
        value_name = "ORIGIN",
        value_delimiter = ',',
        alias = "additional-cors-origins",
        alias = "http-additional-cors-origins"
    )]
    pub cors_origin: Vec<AllowedOrigin>,

    /// Another name of this machine that requests may have as their Host; can be repeated
    #[arg(long, value_name = "NAME")]
    pub host_name: Vec<String>,

    /// Stop a query after this time, such as 30s, 500ms or 5m [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub query_timeout: Option<Duration>,

    /// Stop a query if its client reads nothing of its result for this time
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "10m")]
    pub read_timeout: Duration,

    /// Queries that run at once; others wait. A query does not count while its client reads
    #[arg(long, value_name = "N", default_value_t = Limits::default().queries)]
    pub max_queries: usize,

    /// Connections at once; others wait
    #[arg(long, value_name = "N", default_value_t = Limits::default().connections)]
    pub max_connections: usize,

    /// Let statements of clients read files, with the permissions of this process
    #[arg(long)]
    pub allow_sql_file_access: bool,

    /// Open no browser. The server never does
    #[arg(long)]
    pub no_browser: bool,

    /// Accepted for compatibility.
    #[arg(long, hide = true)]
    pub dev: bool,
}

impl ServeArgs {
    /// Where to listen.
    ///
    /// # Errors
    /// When the socket is neither a path nor a name, or there is no TCP and no socket to listen on.
    fn endpoints(&self) -> anyhow::Result<Endpoints> {
        let at = |port: u16| match self.address {
            None => Endpoint::Loopback(port),
            Some(address) => Endpoint::Address(SocketAddr::new(address, port)),
        };
        let mut http = Vec::new();
        if self.socket.is_none() || self.port.is_some() || self.address.is_some() {
            http.push(at(self.port.unwrap_or(PORT)));
        }
        if let Some(text) = &self.socket {
            if cfg!(not(unix)) {
                return Err(Usage("--socket needs Unix sockets".to_owned()).into());
            }
            let wrong = || {
                Usage(format!(
                    "--socket {text}: write a path that ends in .sock or is absolute, or a name \
                     of letters, digits, _ and -"
                ))
            };
            http.push(Endpoint::Socket(socket_path(text).ok_or_else(wrong)?));
        }
        let postgres = self.postgres.map(at).into_iter().collect();
        let flight_sql = self.flight_sql.map(at).into_iter().collect();
        Ok(Endpoints { http, postgres, flight_sql })
    }

    /// The rules of access to the server.
    ///
    /// # Errors
    /// When other machines could use it without a token.
    fn access(&self) -> anyhow::Result<Access> {
        let address = self.address.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
        let token = match &self.token {
            Some(token) => Some(token.clone()),
            None => token_of_environment()?,
        };
        if !address.is_loopback() && token.is_none() {
            let message = format!(
                "--address {address} lets other machines use the server; give a secret with --token"
            );
            return Err(Usage(message).into());
        }
        let mut names = self.host_name.clone();
        names.extend(serve::machine_name());
        Ok(Access::new(address, &names, &self.cors_origin, token))
    }

    fn limits(&self) -> Limits {
        Limits {
            connections: self.max_connections.max(1),
            queries: self.max_queries.max(1),
            query_time: self.query_timeout,
            read_timeout: self.read_timeout,
            ..Limits::default()
        }
    }
}

pub async fn run(args: ServeArgs) -> anyhow::Result<()> {
    let settings = serve::Settings {
        endpoints: args.endpoints()?,
        access: args.access()?,
        limits: args.limits(),
        allow_files: args.allow_sql_file_access,
    };
    serve::run(&args.import, settings).await
}

fn token_of_environment() -> anyhow::Result<Option<String>> {
    match std::env::var("TPQ_TOKEN") {
        Ok(token) if !token.is_empty() => {
            let wrong = |why| Usage(format!("TPQ_TOKEN: {why}"));
            Ok(Some(parse_token(&token).map_err(wrong)?))
        }
        _ => Ok(None),
    }
}

/// Parses an IP address; `localhost` is the loopback address.
fn parse_address(text: &str) -> Result<IpAddr, String> {
    match text {
        "localhost" => Ok(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        text => text.parse().map_err(|_| "not an IP address, such as 127.0.0.1".to_owned()),
    }
}

/// Parses a token, which has to fit into headers and URLs as it is.
fn parse_token(text: &str) -> Result<String, String> {
    /// Fewer letters can be guessed.
    const LEAST: usize = 8;
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "-._~".contains(letter);
    match text.chars().all(fits) {
        true if text.len() < LEAST => Err(format!("too short; the least is {LEAST} letters")),
        true => Ok(text.to_owned()),
        false => Err("a token has letters, digits, -, ., _ and ~ only".into()),
    }
}

/// Parses a time: a number with ms, s, m or h; without a unit, it is in seconds.
fn parse_time(text: &str) -> Result<Duration, String> {
    let wrong = || "not a time, such as 30s, 500ms or 5m".to_owned();
    let text = text.trim();
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "ms" => 1e-3,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    let number: f64 = digits.trim().parse().map_err(|_| wrong())?;
    match Duration::try_from_secs_f64(number * unit) {
        Ok(time) if !time.is_zero() => Ok(time),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(parse_time("30"), Ok(Duration::from_secs(30)));
        assert_eq!(parse_time("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse_time("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(parse_time("2m"), Ok(Duration::from_secs(120)));
        for wrong in ["", "0", "-1", "5 days", "inf", "s"] {
            assert!(parse_time(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_token_fits_into_a_url() {
        assert!(parse_token("abc-DEF_1.~").is_ok());
        assert!(parse_token("short").is_err());
        assert!(parse_token("with space").is_err());
    }
}
