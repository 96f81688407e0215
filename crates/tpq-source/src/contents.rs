//! Telling files apart by what is in them.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::iter;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread::{self, ScopedJoinHandle};

use xxhash_rust::xxh3::Xxh3;

/// Bytes read at once: few enough to stay in the processor's cache.
const BLOCK: usize = 256 * 1024;
/// Bytes that have a digest of their own, so that several threads can share a file.
const PIECE: u64 = 2 << 20;

/// A digest of what these files contain and, where there are several, of what they are called;
/// `None` where one is no plain file, so that it cannot be read twice. No more than `threads` work
/// on it, all cores when not given, which changes nothing of the digest.
///
/// It tells apart whatever files there are, but not those that someone made to look alike.
///
/// # Errors
/// When a file cannot be read.
pub fn digest(paths: &[PathBuf], threads: Option<usize>) -> io::Result<Option<u128>> {
    let cores = || thread::available_parallelism().map_or(1, NonZero::get);
    let threads = threads.unwrap_or_else(cores) as u64;
    let mut digest = Xxh3::new();
    for path in paths {
        if path == Path::new("-") || !path.is_file() {
            return Ok(None);
        }
        if paths.len() > 1 {
            digest.update(path.as_os_str().as_encoded_bytes());
        }
        let most = path.metadata()?.len().div_ceil(PIECE);
        let pieces = pieces_of(path, threads.clamp(1, most.max(1)))?;
        digest.update(&pieces.len().to_le_bytes());
        for piece in pieces {
            digest.update(&piece.len.to_le_bytes());
            digest.update(&piece.digest.to_le_bytes());
        }
    }
    Ok(Some(digest.digest128()))
}

/// A part of a file.
struct Piece {
    len: u64,
    digest: u128,
}

/// All pieces of a file in their order, the last of which may be shorter than the others.
fn pieces_of(path: &Path, threads: u64) -> io::Result<Vec<Piece>> {
    let shares = thread::scope(|scope| {
        let share = |first| move || every(path, first, threads);
        let start =
            |first| thread::Builder::new().name("digest".into()).spawn_scoped(scope, share(first));
        let others: Vec<_> = (1..threads).map(start).collect();
        let own = share(0)();
        // A share that has no thread, or has lost it, is worked out here instead.
        let worked_out = |(other, first): (io::Result<ScopedJoinHandle<'_, _>>, u64)| {
            let found = other.ok().and_then(|other| other.join().ok());
            found.unwrap_or_else(share(first))
        };
        let others = others.into_iter().zip(1..).map(worked_out);
        iter::once(own).chain(others).collect::<io::Result<Vec<_>>>()
    })?;
    let mut shares: Vec<_> = shares.into_iter().map(Vec::into_iter).collect();
    let turns = (0..shares.len()).cycle();
    Ok(turns.map_while(|turn| shares[turn].next()).collect())
}

/// The pieces `first`, `first + step` and so on of a file.
fn every(path: &Path, first: u64, step: u64) -> io::Result<Vec<Piece>> {
    let mut file = File::open(path)?;
    let mut block = vec![0; BLOCK];
    let mut pieces = Vec::new();
    for index in (first..).step_by(step as usize) {
        file.seek(SeekFrom::Start(index * PIECE))?;
        let piece = piece(&mut (&mut file).take(PIECE), &mut block)?;
        if piece.len == 0 {
            break;
        }
        pieces.push(piece);
    }
    Ok(pieces)
}

fn piece(bytes: &mut impl Read, block: &mut [u8]) -> io::Result<Piece> {
    let mut digest = Xxh3::new();
    let mut len = 0;
    loop {
        match bytes.read(block) {
            Ok(0) => return Ok(Piece { len, digest: digest.digest128() }),
            Ok(read) => {
                digest.update(&block[..read]);
                len += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{PIECE, digest};

    #[test]
    fn what_differs_is_told_apart() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("can be written");
            path
        };
        let (a, b, c) = (file("a", "one"), file("b", "two"), file("c", "one"));
        let of = |paths: &[&PathBuf]| {
            let paths: Vec<PathBuf> = paths.iter().copied().cloned().collect();
            digest(&paths, None).expect("can be read")
        };
        assert_eq!(of(&[&a]), of(&[&c]));
        assert_ne!(of(&[&a]), of(&[&b]));
        assert_ne!(of(&[&a, &b]), of(&[&b, &a]));
        // Several files are told apart by their names as well, which tables hold.
        assert_ne!(of(&[&a, &b]), of(&[&c, &b]));
        assert_eq!(of(&[&"-".into()]), None);
        assert_eq!(of(&[&a, &folder.path().into()]), None);
    }

    #[test]
    fn any_number_of_threads_finds_the_same() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        let mut seen = Vec::new();
        for len in [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 5 * PIECE + 7] {
            let bytes: Vec<u8> = (0..len).map(|at| (at / 1000) as u8).collect();
            std::fs::write(&path, &bytes).expect("can be written");
            let of = |threads| digest(std::slice::from_ref(&path), Some(threads)).expect("is read");
            let one = of(1);
            assert_eq!([of(2), of(3), of(64)], [one; 3], "{len}");
            seen.push(one);
            if let Some(last) = bytes.len().checked_sub(1) {
                let mut changed = bytes;
                changed[last] ^= 1;
                std::fs::write(&path, &changed).expect("can be written");
                seen.push(of(2));
            }
        }
        let found = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), found);
    }
}
