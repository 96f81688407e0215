//! Ways to damage an input.

use std::ops::Range;

use tpq_testkit::mutate::edit;
use tpq_testkit::random::Random;

/// Most edits of one input.
const MOST_EDITS: usize = 8;
/// No input grows beyond this.
const MOST_BYTES: usize = 4 << 20;
/// How deep messages are looked through for numbers.
const MOST_NESTED: u32 = 6;

/// Damages an input in one to several places, of `others` taking parts now and then.
pub fn tamper(random: &mut Random, bytes: &mut Vec<u8>, others: &[&[u8]]) {
    for _ in 0..=random.below(MOST_EDITS) {
        if bytes.is_empty() {
            return edit(random, bytes, others);
        }
        match random.below(14) {
            0..4 => edit(random, bytes, others),
            4..7 => varint(random, bytes),
            7 => integer(random, bytes),
            8 => number(random, bytes),
            9 => repeat(random, bytes),
            10 => swap(random, bytes),
            11 => fill(random, bytes),
            12 => insert(random, bytes),
            _ => splice(random, bytes, others),
        }
    }
}

/// Numbers at which something may go over.
const EXTREMES: [u64; 16] = [
    0,
    1,
    2,
    0x7f,
    0x80,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    1 << 32,
    1 << 53,
    1 << 60,
    i64::MAX as u64,
    1 << 63,
    u64::MAX - 1,
    u64::MAX,
];

/// Writes another number in place of one of a message. Half of the time it takes as many bytes,
/// so that everything around it stays whole.
fn varint(random: &mut Random, bytes: &mut Vec<u8>) {
    let mut places = Vec::new();
    varints(bytes, 0..bytes.len(), 0, &mut places);
    if places.is_empty() {
        return edit(random, bytes, &[]);
    }
    let place = places[random.below(places.len())].clone();
    let old = read_varint(bytes, place.start).map_or(0, |(value, _)| value);
    let new = match random.below(4) {
        0 => old.wrapping_add(1),
        1 => old.wrapping_sub(1),
        2 => EXTREMES[random.below(EXTREMES.len())],
        _ => random.next_u64() >> random.below(64),
    };
    let width = if random.below(2) == 0 { place.len() } else { 1 + random.below(11) };
    bytes.splice(place, write_varint(new, width));
}

/// Where the numbers and lengths of a message lie, those of messages in it as well.
fn varints(bytes: &[u8], range: Range<usize>, depth: u32, places: &mut Vec<Range<usize>>) {
    let mut at = range.start;
    while let Some((tag, value)) = read_varint(bytes, at).filter(|(_, end)| *end <= range.end) {
        at = match tag & 7 {
            _ if tag >> 3 == 0 => return,
            0 | 2 => {
                let Some((number, end)) = read_varint(bytes, value) else { return };
                if end > range.end {
                    return;
                }
                places.push(value..end);
                let inner = if tag & 7 == 0 { 0 } else { number };
                let Some(next) = end.checked_add(inner as usize) else { return };
                if next > range.end {
                    return;
                }
                if inner > 1 && depth < MOST_NESTED {
                    varints(bytes, end..next, depth + 1, places);
                }
                next
            }
            1 => value + 8,
            5 => value + 4,
            _ => return,
        };
    }
}

/// A number, and where it ends.
fn read_varint(bytes: &[u8], start: usize) -> Option<(u64, usize)> {
    let mut value = 0;
    for (index, byte) in bytes.get(start..)?.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * index).min(63);
        if byte & 0x80 == 0 {
            return Some((value, start + index + 1));
        }
    }
    None
}

/// A number in `width` bytes, truncated to them.
fn write_varint(value: u64, width: usize) -> Vec<u8> {
    let group = |index: usize| value.checked_shr(7 * index as u32).unwrap_or(0) as u8 & 0x7f;
    let more = |index| if index + 1 < width { 0x80 } else { 0 };
    (0..width).map(|index| group(index) | more(index)).collect()
}

/// Writes an integer of 2, 4 or 8 bytes over whatever is there.
fn integer(random: &mut Random, bytes: &mut [u8]) {
    let value = EXTREMES[random.below(EXTREMES.len())];
    let width = [2, 4, 8][random.below(3)].min(bytes.len());
    let at = random.below(bytes.len() - width + 1);
    let little = value.to_le_bytes();
    bytes[at..at + width].copy_from_slice(&little[..width]);
    if random.below(3) == 0 {
        bytes[at..at + width].reverse();
    }
}

/// Texts in place of a number.
const NUMBERS: [&str; 20] = [
    "0",
    "-1",
    "1e400",
    "-1e400",
    "1e-400",
    "NaN",
    "null",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551616",
    "99999999999999999999999999999999999999999999",
    "0.0000000000000000000000000000000000000001",
    "4294967296",
    "-2147483649",
    "\"7\"",
    "[[[[[[[[[[[[[[[[[[[[",
    "{\"a\":{\"a\":{\"a\":{\"a\":",
    "\u{feff}",
];

/// Writes another number in place of one in a text.
fn number(random: &mut Random, bytes: &mut Vec<u8>) {
    let from = random.below(bytes.len());
    let Some(start) = (from..bytes.len()).find(|&at| bytes[at].is_ascii_digit()) else {
        return edit(random, bytes, &[]);
    };
    let end = (start..bytes.len()).find(|&at| !bytes[at].is_ascii_digit()).unwrap_or(bytes.len());
    bytes.splice(start..end, NUMBERS[random.below(NUMBERS.len())].bytes());
}

/// Any part, up to a fourth of all.
fn part(random: &mut Random, bytes: &[u8]) -> Range<usize> {
    let start = random.below(bytes.len());
    let most = 1 + random.below(1 + bytes.len() / 4);
    start..(start + 1 + random.below(most)).min(bytes.len())
}

/// Repeats a part, many times where it is small.
fn repeat(random: &mut Random, bytes: &mut Vec<u8>) {
    let part = part(random, bytes);
    let room = MOST_BYTES.saturating_sub(bytes.len()) / part.len();
    let times = (1 + random.below(64)).min(room);
    let copies = bytes[part.clone()].repeat(times);
    bytes.splice(part.end..part.end, copies);
}

/// Exchanges two parts.
fn swap(random: &mut Random, bytes: &mut Vec<u8>) {
    let (one, other) = (part(random, bytes), part(random, bytes));
    let (first, second) = if one.start < other.start { (one, other) } else { (other, one) };
    let second = second.start.max(first.end)..second.end.max(first.end);
    let (a, b) = (bytes[first.clone()].to_vec(), bytes[second.clone()].to_vec());
    bytes.splice(second, a);
    bytes.splice(first, b);
}

/// Writes one byte over a part, as a disk does that lost a block.
fn fill(random: &mut Random, bytes: &mut [u8]) {
    let part = part(random, bytes);
    bytes[part].fill([0x00, 0xff, b' ', b'0'][random.below(4)]);
}

/// Inserts bytes without meaning.
fn insert(random: &mut Random, bytes: &mut Vec<u8>) {
    let at = random.below(bytes.len() + 1);
    let count = 1 + random.below(600);
    let noise: Vec<u8> = (0..count).map(|_| random.byte()).collect();
    bytes.splice(at..at, noise);
}

/// Keeps the beginning and goes on with the rest of another input.
fn splice(random: &mut Random, bytes: &mut Vec<u8>, others: &[&[u8]]) {
    let other = others[random.below(others.len())];
    bytes.truncate(1 + random.below(bytes.len()));
    bytes.extend_from_slice(&other[random.below(other.len())..]);
    bytes.truncate(MOST_BYTES);
}
