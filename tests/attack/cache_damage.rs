//! Ways in which a file of the cache may be other than it was written.

use std::fs;
use std::os::unix::fs::{chown, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use tpq_testkit::random::Random;

/// A page of memory, and of most disks.
const PAGE: usize = 4096;
/// The user `nobody` of most systems.
const NOBODY: u32 = 65_534;

/// Puts something else in place of a file; says what. `other` are the tables of another trace.
pub fn damage(random: &mut Random, file: &Path, whole: &[u8], other: &[u8]) -> String {
    remove(file);
    let mut bytes = whole.to_vec();
    let what = match random.below(20) {
        0..6 => flip(random, &mut bytes, 1),
        6 => {
            let count = 2 + random.below(100);
            flip(random, &mut bytes, count)
        }
        7..9 => fill(random, &mut bytes, 0),
        9 => {
            let byte = random.byte();
            fill(random, &mut bytes, byte)
        }
        10..12 => cut(random, &mut bytes),
        12 => extend(random, &mut bytes),
        13..15 => exchange(random, &mut bytes),
        15 => shift(random, &mut bytes),
        16 => {
            let at = random.below(bytes.len().min(other.len()) / 64) * 64;
            let end = (at + 64 * (1 + random.below(200))).min(bytes.len()).min(other.len());
            bytes[at..end].copy_from_slice(&other[at..end]);
            format!("{at}..{end} from the tables of another trace")
        }
        17 => {
            bytes = other.to_vec();
            "the tables of another trace".to_owned()
        }
        _ => return no_file_of_ours(random, file, other),
    };
    fs::write(file, bytes).unwrap();
    what
}

/// Removes whatever has the name of a file.
pub fn remove(path: &Path) {
    let Ok(metadata) = path.symlink_metadata() else { return };
    let removed = if metadata.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    removed.unwrap();
}

/// Anywhere in the file, or, now and then, where its beginning and its directory are.
fn place(random: &mut Random, len: usize) -> usize {
    match random.below(8) {
        0 => random.below(len.min(64)),
        1 => len - 1 - random.below(len.min(64)),
        2 => len - 1 - random.below(len.min(1 << 14)),
        _ => random.below(len),
    }
}

fn flip(random: &mut Random, bytes: &mut [u8], count: usize) -> String {
    let mut first = None;
    for _ in 0..count {
        let (at, bit) = (place(random, bytes.len()), random.below(8));
        bytes[at] ^= 1 << bit;
        first.get_or_insert((at, bit));
    }
    let (at, bit) = first.unwrap_or_default();
    format!("{count} bits flipped, the first {bit} of byte {at} of {}", bytes.len())
}

fn fill(random: &mut Random, bytes: &mut [u8], byte: u8) -> String {
    let at = random.below(bytes.len()) / PAGE * PAGE;
    let end = (at + PAGE * (1 + random.below(4))).min(bytes.len());
    bytes[at..end].fill(byte);
    format!("{at}..{end} filled with {byte}")
}

fn cut(random: &mut Random, bytes: &mut Vec<u8>) -> String {
    let whole = bytes.len();
    let len = match random.below(4) {
        0 => 0,
        1 => random.below(whole) / PAGE * PAGE,
        _ => random.below(whole),
    };
    bytes.truncate(len);
    format!("cut from {whole} to {len} bytes")
}

fn extend(random: &mut Random, bytes: &mut Vec<u8>) -> String {
    let count = 1 + random.below(3 * PAGE);
    let noise = random.below(2);
    bytes.extend((0..count).map(|_| random.byte() * noise as u8));
    format!("{count} bytes appended")
}

/// Two regions of the same size, where blobs may begin, change places.
fn exchange(random: &mut Random, bytes: &mut [u8]) -> String {
    let blocks = bytes.len() / 64;
    let len = 64 * (1 + random.below(64).min(blocks / 4));
    let one = 64 * random.below(blocks / 2 - len / 128);
    let other = 64 * (blocks / 2) + 64 * random.below(blocks / 2 - len / 64);
    for at in 0..len.min(other - one) {
        bytes.swap(one + at, other + at);
    }
    format!("{len} bytes at {one} and at {other} exchanged")
}

/// All that comes after a place moves on.
fn shift(random: &mut Random, bytes: &mut Vec<u8>) -> String {
    let at = random.below(bytes.len());
    let count = [1, 8, 64, PAGE][random.below(4)];
    bytes.splice(at..at, vec![0; count]);
    format!("{count} bytes inserted at {at}")
}

/// Something of that name that is no file of this user.
fn no_file_of_ours(random: &mut Random, file: &Path, other: &[u8]) -> String {
    match random.below(8) {
        0 => {
            assert!(Command::new("mkfifo").arg(file).status().unwrap().success());
            "a FIFO".to_owned()
        }
        1 => {
            fs::create_dir(file).unwrap();
            "a folder".to_owned()
        }
        2 => {
            fs::create_dir(file).unwrap();
            fs::write(file.join("something"), "in it").unwrap();
            "a folder with a file in it".to_owned()
        }
        3 => {
            drop(UnixListener::bind(file).unwrap());
            "a socket".to_owned()
        }
        4 => {
            fs::write(file, other).unwrap();
            // Only root may give files away; for others these are the tables of another trace.
            let _ = chown(file, Some(NOBODY), Some(NOBODY));
            "the tables of another trace, of another owner".to_owned()
        }
        kind => {
            let targets = ["/dev/zero", "/nothing/there", "/dev/full"];
            let target = targets[kind - 5];
            symlink(target, file).unwrap();
            format!("a link to {target}")
        }
    }
}
