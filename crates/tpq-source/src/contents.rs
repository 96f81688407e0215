//! Telling files apart by what is in them.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

/// Bytes read at once: few enough to stay in the processor's cache.
const BLOCK: usize = 256 * 1024;

/// A digest of what these files contain and, where there are several, of what they are called;
/// `None` where one is no plain file, so that it cannot be read twice.
///
/// It tells apart whatever files there are, but not those that someone made to look alike.
///
/// # Errors
/// When a file cannot be read.
pub fn digest(paths: &[PathBuf]) -> io::Result<Option<u128>> {
    let mut digest = Xxh3::new();
    let mut block = vec![0; BLOCK];
    for path in paths {
        if path == Path::new("-") || !path.is_file() {
            return Ok(None);
        }
        if paths.len() > 1 {
            digest.update(path.as_os_str().as_encoded_bytes());
        }
        let len = update(&mut digest, File::open(path)?, &mut block)?;
        digest.update(&len.to_le_bytes());
    }
    Ok(Some(digest.digest128()))
}

fn update(digest: &mut Xxh3, mut file: File, block: &mut [u8]) -> io::Result<u64> {
    let mut len = 0;
    loop {
        match file.read(block) {
            Ok(0) => return Ok(len),
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

    use super::digest;

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
            digest(&paths).expect("can be read")
        };
        assert_eq!(of(&[&a]), of(&[&c]));
        assert_ne!(of(&[&a]), of(&[&b]));
        assert_ne!(of(&[&a, &b]), of(&[&b, &a]));
        // Several files are told apart by their names as well, which tables hold.
        assert_ne!(of(&[&a, &b]), of(&[&c, &b]));
        assert_eq!(of(&[&"-".into()]), None);
        assert_eq!(of(&[&a, &folder.path().into()]), None);
    }
}
