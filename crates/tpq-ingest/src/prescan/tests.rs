//! A scan from two offsets finds the same as a scan from one.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::*;

/// More than half of the least size of a file that is scanned from two offsets.
const HALF: usize = 5 << 20;

fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value > 0x7f {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// A field of bytes.
fn bytes(number: u32, value: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    varint(u64::from(number << 3 | 2), &mut out);
    varint(value.len() as u64, &mut out);
    out.extend_from_slice(value);
    out
}

/// A packet of a sequence, with a payload.
fn packet(kind: u32, payload: &[u8]) -> Vec<u8> {
    let mut fields = vec![8 << 3, 100, 10 << 3, 1];
    fields.extend(bytes(kind, payload));
    bytes(1, &fields)
}

/// Packets of the given sizes, with a snapshot of clocks now and then.
fn packets(len: usize) -> Vec<u8> {
    let clocks: Vec<u8> =
        [[8, 6, 16, 40], [8, 3, 16, 30]].iter().flat_map(|it| bytes(1, it)).collect();
    let mut out = Vec::new();
    for number in 0_u32.. {
        if out.len() >= len {
            break;
        }
        out.extend(match number % 1000 {
            7 => packet(trace_packet::CLOCK_SNAPSHOT, &clocks),
            _ => packet(trace_packet::TRACK_EVENT, &[b'.'; 100][..(number % 90) as usize]),
        });
    }
    out
}

/// The whole result of a prescan, as text.
fn described(file: &[u8], two: bool, start: Option<PrescanStart>) -> String {
    let prescan = prescan(file, 0, PrescanMemory::in_memory(1 << 20), &|_| (), two, start);
    let mut prescan = prescan.expect("there are packets");
    let segments = prescan.bytes.take_segments();
    let Prescan { snapshots, primary_clock, machines, kinds, packets, end, losses, budget, .. } =
        prescan;
    let losses: Vec<_> = losses.iter().collect();
    format!(
        "{segments:?} {primary_clock:?} {machines:?} {kinds:?} {packets} {end} {losses:?} {budget} {snapshots:?}"
    )
}

fn same(file: &[u8]) -> String {
    let usual = described(file, true, None);
    let check = |other: String| {
        assert!(usual == other, "{}\n{}", &usual[..300], &other[..300]);
    };
    check(described(file, false, None));
    // While it arrives, in pieces that end within packets.
    for piece in [777_777, 5_000_001] {
        check(described(file, false, Some(arrived(file, piece))));
    }
    check(described(file, true, Some(arrived(&file[..file.len() / 3], 777_777))));
    usual
}

/// What is found while a file arrives in pieces.
fn arrived(file: &[u8], piece: usize) -> PrescanStart {
    let mut start = PrescanStart::default();
    (piece..=file.len()).step_by(piece).for_each(|end| start.advance(&file[..end]));
    start
}

#[test]
fn the_halves_of_a_file_are_put_together() {
    let file = packets(2 * HALF);
    assert!(middle_of(&file).is_some());
    let described = same(&file);
    assert!(described.matches("SnapshotPacket").count() > 100);
    // The end may be cut off.
    same(&file[..file.len() - 3]);
}

#[test]
fn a_place_that_only_looks_like_the_middle_is_none() {
    let mut file = packets(HALF);
    file.extend(packet(trace_packet::TRACK_EVENT, &packets(4 << 20)));
    file.extend(packets(HALF));
    assert!(middle_of(&file).is_some_and(|middle| middle < HALF + (4 << 20)));
    same(&file);
}

#[test]
fn compressed_packets_are_read_in_their_order() {
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
    zlib.write_all(&packets(300_000)).expect("memory takes all");
    let inner = packet(trace_packet::COMPRESSED_PACKETS, &zlib.finish().expect("memory takes all"));
    let damaged = packet(trace_packet::COMPRESSED_PACKETS, b"no zlib");
    for first in [HALF / 2, 3 * HALF / 2] {
        let mut file = packets(first);
        file.extend(&damaged);
        // More than there is room for.
        (0..5).for_each(|_| file.extend(&inner));
        file.extend(packets(2 * HALF - first));
        let described = same(&file);
        assert!(
            described.contains("InflateFailed, 3") && described.matches("), (").count() > 3,
            "{}",
            &described[..300]
        );
    }
}

#[test]
fn damage_ends_the_prescan() {
    for damaged_at in [HALF / 2, 3 * HALF / 2] {
        let mut file = packets(2 * HALF);
        let at = middle_of(&file[..]).map_or(0, |middle| middle * damaged_at / HALF);
        file[at..at + 200].fill(0xff);
        assert!(same(&file).contains("TruncatedBytes"));
    }
}

/// Every ninth byte looks like the beginning of a large packet, with fields that can be read to its
/// end.
#[test]
fn to_find_the_middle_takes_no_longer_for_what_looks_like_packets_everywhere() {
    let mut file = packets(HALF);
    let mut payload = [0x11, 0x0a, 0x80, 0x80, 0x80, 0x01, 0x10, 0x80, 0x01].repeat(1 << 17);
    payload.extend([0x10, 0].repeat(2 << 20));
    file.extend(packet(trace_packet::TRACK_EVENT, &payload));
    assert_eq!(middle_of(&file), None);
    same(&file);
}

/// A packet that never ends is looked at again each time the file is twice as long.
#[test]
fn what_is_no_packet_is_not_scanned_again_and_again() {
    let mut file = packets(1000);
    let end = file.len();
    file.extend([0x10, 0].repeat(1 << 20));
    let start = arrived(&file, 1000);
    assert!(start.at() <= end && start.at() > end - 200, "{} of {end}", start.at());
    // The pieces end up to 1,000 bytes before the file.
    assert!(start.next() > file.len() - 1000, "{} of {}", start.next(), file.len());
}

#[test]
fn nearly_all_of_a_file_is_reported_once() {
    let file = packets(2 * HALF);
    let described = std::sync::Mutex::new(Vec::new());
    let on_scanned = |range| described.lock().expect("no thread panics").push(range);
    assert!(prescan(&file, 0, PrescanMemory::in_memory(0), &on_scanned, true, None).is_ok());
    let mut described: Vec<Range<usize>> = described.into_inner().expect("no thread panics");
    described.sort_unstable_by_key(|range| range.start);
    assert!(
        described.len() >= 2 && described.windows(2).all(|pair| pair[0].end <= pair[1].start),
        "{described:?}"
    );
}
