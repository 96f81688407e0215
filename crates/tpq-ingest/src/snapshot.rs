//! Packets with the readings of several clocks at one moment.

use tpq_clock::{BOOTTIME, TSC};
use tpq_proto::fields::clock_snapshot::{self, clock};
use tpq_proto::fields::remote_clock_sync::{self, synced_clocks};
use tpq_proto::wire::{Field, Fields};

use crate::ftrace_clock::FtraceReading;
use crate::packet::PacketHeader;

/// One clock of a snapshot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SnapshotClock {
    /// The machine it was read on, as packets name it.
    pub machine: u32,
    /// The clock's id.
    pub id: u32,
    /// Its value: ns, or ticks where their length is not known.
    pub value: i64,
    /// The length of one tick of its timestamps, in ns.
    pub multiplier: u64,
    /// Whether its timestamps are differences from the one before.
    pub incremental: bool,
    /// Whether it counts ticks of unknown length.
    pub ticks: bool,
}

impl SnapshotClock {
    fn ns(machine: u32, id: u32, value: i64) -> Self {
        Self { machine, id, value, multiplier: 1, incremental: false, ticks: false }
    }
}

/// The origin of a snapshot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SnapshotOrigin {
    /// A clock snapshot.
    Snapshot,
    /// The exchange of messages by which two machines compared their clocks.
    RemoteSync,
    /// A bundle of kernel events, of its own clock.
    Ftrace,
}

impl SnapshotOrigin {
    /// Its name in the `origin` column of `clock_snapshot`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Snapshot => "snapshot",
            Self::RemoteSync => "remote_clock_sync",
            Self::Ftrace => "ftrace",
        }
    }
}

/// Values of clocks at one moment.
#[derive(Clone, Debug)]
pub struct SnapshotPacket {
    /// The number of the packet in its file.
    pub position: u32,
    /// Where the packet begins.
    pub addr: u64,
    /// The writer sequence; these can be its own clocks.
    pub sequence: u32,
    /// Its origin.
    pub origin: SnapshotOrigin,
    /// The readings.
    pub clocks: Vec<SnapshotClock>,
}

/// A clock snapshot: its readings and the clock it declares the timeline to be.
pub(crate) fn clocks_of(machine: u32, snapshot: &[u8]) -> (Vec<SnapshotClock>, Option<u32>) {
    let (mut clocks, mut primary) = (Vec::new(), None);
    for field in Fields::new(snapshot) {
        match field.number {
            clock_snapshot::CLOCKS => clocks.push(clock_of(machine, field.as_bytes())),
            clock_snapshot::PRIMARY_TRACE_CLOCK => {
                primary = Some(field.as_u32()).filter(|&id| id != 0);
            }
            _ => {}
        }
    }
    (clocks, primary)
}

fn clock_of(machine: u32, message: &[u8]) -> SnapshotClock {
    let (mut id, mut ticks, mut incremental, mut multiplier) = (0, 0, false, 1);
    for field in Fields::new(message) {
        match field.number {
            clock::CLOCK_ID => id = field.as_u32(),
            clock::TIMESTAMP => ticks = field.as_i64(),
            clock::IS_INCREMENTAL => incremental = field.as_bool(),
            clock::UNIT_MULTIPLIER_NS => multiplier = field.as_u64().max(1),
            _ => {}
        }
    }
    let value = ticks.saturating_mul(i64::try_from(multiplier).unwrap_or(i64::MAX));
    SnapshotClock { machine, id, value, multiplier, incremental, ticks: id == TSC }
}

/// The readings a bundle makes of its own clock.
pub(crate) fn clocks_of_bundle(
    header: &PacketHeader,
    reading: FtraceReading,
) -> Vec<SnapshotClock> {
    let own = SnapshotClock::ns(header.machine, reading.id, reading.value);
    let boottime = SnapshotClock::ns(header.machine, BOOTTIME, reading.boottime);
    vec![SnapshotClock { ticks: reading.ticks, ..own }, boottime]
}

/// One exchange of a clock's readings: the client's, then the host's on receiving it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Exchange {
    client: i64,
    host: i64,
}

/// Readings that a client machine and its host took of each other's clocks: for each clock that
/// both read, a reading of the client's and what the host's clock read then.
///
/// A message takes time on its way. The client read its clock before the host did in each exchange,
/// and the exchanges alternate, so between any two of them the host's reading lies in the middle of
/// the client's two, and the client's second in the middle of the host's two; the mean over all
/// such middles cancels the way.
pub(crate) fn clocks_of_remote_sync(
    machine: u32,
    sync: &[u8],
) -> Vec<(SnapshotClock, SnapshotClock)> {
    const HOST: u32 = 0;
    let mut exchanges: Vec<(Vec<SnapshotClock>, Vec<SnapshotClock>)> = Vec::new();
    let is_synced = |field: &Field<'_>| field.number == remote_clock_sync::SYNCED_CLOCKS;
    for synced in Fields::new(sync).filter(is_synced) {
        let (mut client, mut host) = (Vec::new(), Vec::new());
        for field in Fields::new(synced.as_bytes()) {
            match field.number {
                synced_clocks::CLIENT_CLOCKS => client = clocks_of(machine, field.as_bytes()).0,
                synced_clocks::HOST_CLOCKS => host = clocks_of(HOST, field.as_bytes()).0,
                _ => {}
            }
        }
        exchanges.push((client, host));
    }
    let Some((first, _)) = exchanges.first() else { return Vec::new() };
    let of_clock = |id: u32| -> Vec<Exchange> {
        let value = |clocks: &[SnapshotClock]| {
            clocks.iter().find(|clock| clock.id == id).map(|clock| clock.value)
        };
        let both = |(client, host): &(Vec<_>, Vec<_>)| {
            Some(Exchange { client: value(client)?, host: value(host)? })
        };
        exchanges.iter().filter_map(both).collect()
    };
    // More clocks than there are would be damage.
    let ids = first.iter().filter(|clock| !clock.ticks).map(|clock| clock.id).take(64);
    ids.filter_map(|id| {
        let exchanges = of_clock(id);
        let client = exchanges.first()?.client;
        let host = client.saturating_sub(client_ahead(&exchanges)?);
        Some((SnapshotClock::ns(machine, id, client), SnapshotClock::ns(HOST, id, host)))
    })
    .collect()
}

/// Offset of the client's clock from the host's, ns.
fn client_ahead(exchanges: &[Exchange]) -> Option<i64> {
    let middles: Vec<i128> = exchanges
        .windows(2)
        .flat_map(|pair| {
            let [c1, h1, c2, h2] =
                [pair[0].client, pair[0].host, pair[1].client, pair[1].host].map(i128::from);
            [(c1 + c2) / 2 - h1, c2 - (h1 + h2) / 2]
        })
        .collect();
    match middles.len() {
        0 => exchanges.first().map(|only| only.client.saturating_sub(only.host)),
        count => i64::try_from(middles.iter().sum::<i128>() / count as i128).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_of_messages_cancels() {
        // The client is 1000 ahead; each message takes 10.
        let exchanges = [(1_100, 110), (1_120, 130), (1_140, 150)];
        let exchanges = exchanges.map(|(client, host)| Exchange { client, host });
        assert_eq!(client_ahead(&exchanges), Some(1_000));
        assert_eq!(client_ahead(&exchanges[..1]), Some(990));
        assert_eq!(client_ahead(&[]), None);
    }
}
