//! A digest of the contents of files.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::iter;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, ScopedJoinHandle};

use xxhash_rust::xxh3::Xxh3;

/// Number of bytes read at once: few enough to stay in the cache of the processor.
const BLOCK: usize = 256 * 1024;
/// Number of bytes with a digest of their own, so that several threads can share a file.
const CHUNK: u64 = 2 << 20;

/// Returns a digest of the contents of these files and, if there are several, of their paths.
/// `None` if one of them is not a regular file, because it could not be read twice. At most
/// `threads` threads compute it, by default one for each core; their number does not change the
/// digest.
///
/// The digest distinguishes any files, except files that were made to collide.
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
        let most = path.metadata()?.len().div_ceil(CHUNK);
        let chunks = chunks_of(path, threads.clamp(1, most.max(1)))?;
        add_file(&mut digest, &chunks);
    }
    Ok(Some(digest.digest128()))
}

/// Adds the parts of a file to a digest of files.
fn add_file(digest: &mut Xxh3, chunks: &[Chunk]) {
    digest.update(&chunks.len().to_le_bytes());
    for chunk in chunks {
        digest.update(&chunk.len.to_le_bytes());
        digest.update(&chunk.digest.to_le_bytes());
    }
}

/// The length and digest of a part of a file.
struct Chunk {
    len: u64,
    digest: u128,
}

/// Computes the digest of one file while its bytes arrive. It is that of [`digest`].
#[derive(Default)]
pub(crate) struct ArrivingDigest {
    chunks: Vec<Chunk>,
    current: Xxh3,
    /// The number of bytes of the current part.
    len: u64,
}

impl ArrivingDigest {
    /// Adds the next bytes.
    pub(crate) fn push(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let missing = (CHUNK - self.len).min(bytes.len() as u64);
            let (part, rest) = bytes.split_at(missing as usize);
            self.current.update(part);
            self.len += missing;
            bytes = rest;
            if self.len == CHUNK {
                self.end_chunk();
            }
        }
    }

    /// The digest of all bytes.
    pub(crate) fn finish(mut self) -> u128 {
        if self.len > 0 {
            self.end_chunk();
        }
        let mut digest = Xxh3::new();
        add_file(&mut digest, &self.chunks);
        digest.digest128()
    }

    fn end_chunk(&mut self) {
        let len = std::mem::take(&mut self.len);
        let digest = std::mem::take(&mut self.current).digest128();
        self.chunks.push(Chunk { len, digest });
    }
}

/// All parts of a file in their order. The last one may be shorter than the others. Each thread
/// takes the next part when it is done with one: a thread that starts late, or that shares its core
/// with other work, computes fewer.
fn chunks_of(path: &Path, threads: u64) -> io::Result<Vec<Chunk>> {
    let next = AtomicU64::new(0);
    let work = || share_of(path, &next);
    let (own, others) = thread::scope(|scope| {
        let start = |_| thread::Builder::new().name("digest".into()).spawn_scoped(scope, work);
        let others: Vec<_> = (1..threads).map(start).collect();
        let own = work();
        // A thread that could not be started has taken no part.
        let others: Vec<_> = others.into_iter().flatten().map(ScopedJoinHandle::join).collect();
        (own, others)
    });
    let mut chunks: Vec<(u64, Chunk)> = match others.into_iter().collect::<thread::Result<Vec<_>>>()
    {
        Ok(others) => {
            let shares = iter::once(own).chain(others).collect::<io::Result<Vec<_>>>()?;
            shares.into_iter().flatten().collect()
        }
        // The parts of a thread that panicked are missing.
        Err(_) => share_of(path, &AtomicU64::new(0))?,
    };
    chunks.sort_unstable_by_key(|(index, _)| *index);
    Ok(chunks.into_iter().map(|(_, chunk)| chunk).collect())
}

/// The parts of a file that `next` gives to this thread, with their numbers.
fn share_of(path: &Path, next: &AtomicU64) -> io::Result<Vec<(u64, Chunk)>> {
    let mut file = File::open(path)?;
    let mut block = vec![0; BLOCK];
    let mut chunks = Vec::new();
    loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        file.seek(SeekFrom::Start(index * CHUNK))?;
        let chunk = chunk(&mut (&mut file).take(CHUNK), &mut block)?;
        if chunk.len == 0 {
            return Ok(chunks);
        }
        chunks.push((index, chunk));
    }
}

fn chunk(bytes: &mut impl Read, block: &mut [u8]) -> io::Result<Chunk> {
    let mut digest = Xxh3::new();
    let mut len = 0;
    loop {
        match bytes.read(block) {
            Ok(0) => return Ok(Chunk { len, digest: digest.digest128() }),
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

    use super::{ArrivingDigest, CHUNK, digest};

    #[test]
    fn different_files_have_different_digests() {
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
        // Several files are also distinguished by their names, because tables contain them.
        assert_ne!(of(&[&a, &b]), of(&[&c, &b]));
        assert_eq!(of(&[&"-".into()]), None);
        assert_eq!(of(&[&a, &folder.path().into()]), None);
    }

    #[test]
    fn any_number_of_threads_finds_the_same() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        let mut seen = Vec::new();
        for len in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 5 * CHUNK + 7] {
            let bytes: Vec<u8> = (0..len).map(|at| (at / 1000) as u8).collect();
            std::fs::write(&path, &bytes).expect("can be written");
            let of = |threads| digest(std::slice::from_ref(&path), Some(threads)).expect("is read");
            let one = of(1);
            assert_eq!([of(2), of(3), of(64)], [one; 3], "{len}");
            for pieces in [1000, CHUNK as usize, usize::MAX] {
                let mut arriving = ArrivingDigest::default();
                bytes.chunks(pieces).for_each(|piece| arriving.push(piece));
                assert_eq!(Some(arriving.finish()), one, "{len} in pieces of {pieces}");
            }
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
