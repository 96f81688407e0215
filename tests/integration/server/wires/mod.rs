//! Clients of databases: PostgreSQL's protocol and Flight SQL.

mod catalogs;
mod flight_sql;
mod hostile;
mod postgres;
mod psql;

use tpq_testkit::{Packet, STATE_CLEARED, TraceBuilder, TrackDescriptor, TrackEvent};

use super::client::TestServer;
use crate::command::Folder;

/// A server of a trace with three slices on one thread: `long` of 1,000 ns at 100, in it `it's` of
/// 200 ns at 300, and `short` of 50 ns at 5,000,000,000.
struct WireServer {
    server: TestServer,
    _folder: Folder,
}

const TRACK: u64 = 1;

fn trace() -> Vec<u8> {
    let packet =
        |ts: u64, event: TrackEvent| Packet::new().sequence(1).timestamp(ts).track_event(event);
    let begin = |name: &str| TrackEvent::begin(TRACK).name(name);
    let end = || TrackEvent::end(TRACK);
    let thread = TrackDescriptor::new(TRACK).thread(100, 101, "worker");
    let first = Packet::new().sequence(1).flags(STATE_CLEARED).first_on_sequence();
    TraceBuilder::new()
        .packets([
            first.track_descriptor(thread),
            packet(100, begin("long")),
            packet(300, begin("it's")),
            packet(500, end()),
            packet(1_100, end()),
            packet(5_000_000_000, begin("short")),
            packet(5_000_000_050, end()),
        ])
        .build()
}

impl WireServer {
    fn start(arguments: &[&str]) -> Self {
        Self::start_with(arguments, None)
    }

    /// With a token in the environment.
    fn start_with(arguments: &[&str], token: Option<&str>) -> Self {
        let folder = Folder::of(&[("wires.pftrace", &trace())]);
        let path = folder.path("wires.pftrace");
        let mut command = crate::command::tpq();
        command.args(["serve", "--port", "0", "--postgres", "0", "--flight-sql", "0"]);
        command.arg(&path).args(arguments);
        if let Some(token) = token {
            command.env("TPQ_TOKEN", token);
        }
        Self { server: TestServer::start_command(&mut command), _folder: folder }
    }

    /// The port of PostgreSQL.
    fn postgres(&self) -> u16 {
        self.server.port_of("postgres")
    }

    /// The port of Flight SQL.
    fn flight_sql(&self) -> u16 {
        self.server.port_of("grpc")
    }
}
