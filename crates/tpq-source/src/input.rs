//! One trace as bytes.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use crate::decompress::decompress;
use crate::{Compression, Format};

/// Why there are no bytes to import.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The file cannot be opened or read.
    #[error("cannot open {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is a directory.
    #[error("{} is a directory; name the trace files in it", .0.display())]
    Directory(PathBuf),
    /// It holds nothing.
    #[error("{} is empty: the recording may have failed or not been written yet", .0.display())]
    Empty(PathBuf),
    /// It is compressed, and nothing could be decompressed.
    #[error("{}: not valid {compression}: {source}", path.display())]
    Decompress {
        /// The file.
        path: PathBuf,
        /// What it claimed to be.
        compression: &'static str,
        /// What is wrong with it.
        source: io::Error,
    },
    /// It is in no format tpq reads.
    #[error("{}: {what}, not a trace that tpq reads (Perfetto protobuf, plain, gzip or zstd)", path.display())]
    NotATrace {
        /// The file.
        path: PathBuf,
        /// What it looks like.
        what: &'static str,
    },
}

enum Bytes {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

/// The bytes of one trace.
pub struct Input {
    path: PathBuf,
    file_bytes: u64,
    compression: Compression,
    format: Format,
    bytes: Bytes,
    cut: Option<io::Error>,
}

impl Input {
    /// Opens a trace: a file, or `-` for standard input. `limit` bounds what a compressed file
    /// may unpack to; `progress` is told of compressed bytes read.
    ///
    /// # Errors
    /// When there is nothing to import: see [`SourceError`].
    pub fn open(path: &Path, limit: u64, progress: impl FnMut(u64)) -> Result<Self, SourceError> {
        let bytes = read(path)?;
        let file_bytes = bytes.as_ref().len() as u64;
        if file_bytes == 0 {
            return Err(SourceError::Empty(path.to_owned()));
        }
        let compression = Compression::of(bytes.as_ref());
        let mut input = Self {
            path: path.to_owned(),
            file_bytes,
            compression,
            format: Format::Unknown,
            bytes,
            cut: None,
        };
        if let Some(name) = compression.name() {
            input.unpack(name, limit, progress)?;
        }
        input.format = Format::of(input.bytes());
        let what = match input.format {
            Format::Perfetto => return Ok(input),
            Format::Text => "text",
            Format::Unknown => "unknown data",
        };
        Err(SourceError::NotATrace { path: input.path, what })
    }

    fn unpack(
        &mut self,
        compression: &'static str,
        limit: u64,
        progress: impl FnMut(u64),
    ) -> Result<(), SourceError> {
        let unpacked = decompress(self.bytes(), self.compression, limit, progress);
        if unpacked.bytes.is_empty() {
            let path = self.path.clone();
            return Err(match unpacked.error {
                Some(source) => SourceError::Decompress { path, compression, source },
                None => SourceError::Empty(path),
            });
        }
        self.bytes = Bytes::Owned(unpacked.bytes);
        self.cut = unpacked.error;
        Ok(())
    }

    /// The decompressed bytes.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.as_ref()
    }

    /// The size of the file as it is stored.
    pub fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// How the file is compressed.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// What the bytes are.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Why decompression ended before the file did, if so: what came before it is kept.
    pub fn cut(&self) -> Option<&io::Error> {
        self.cut.as_ref()
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Owned(bytes) => bytes,
        }
    }
}

fn read(path: &Path) -> Result<Bytes, SourceError> {
    let failed = |source| SourceError::Read { path: path.to_owned(), source };
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map_err(failed)?;
        return Ok(Bytes::Owned(bytes));
    }
    let mut file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if metadata.is_dir() {
        return Err(SourceError::Directory(path.to_owned()));
    }
    if !metadata.is_file() || metadata.len() == 0 {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        return Ok(Bytes::Owned(bytes));
    }
    // SAFETY: the map is only read. A file that another process shortens while it is mapped
    // raises SIGBUS, as it does for every program that maps its input; reading a multi-gigabyte
    // trace into memory instead doubled the import's peak.
    let map = unsafe { Mmap::map(&file) }.map_err(failed)?;
    Ok(Bytes::Mapped(map))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn open(bytes: &[u8]) -> Result<Input, SourceError> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        Input::open(file.path(), 1 << 20, |_| ())
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    const PACKETS: &[u8] = &[0x0a, 4, 0x40, 1, 0x50, 1, 0x0a, 4, 0x40, 2, 0x50, 1];

    #[test]
    fn plain_and_compressed_files_give_the_same_bytes() {
        assert_eq!(open(PACKETS).unwrap().bytes(), PACKETS);
        assert_eq!(open(&gzip(PACKETS)).unwrap().bytes(), PACKETS);
        assert_eq!(open(&zstd::encode_all(PACKETS, 1).unwrap()).unwrap().bytes(), PACKETS);
    }

    #[test]
    fn a_cut_gzip_keeps_what_came_before() {
        let whole: Vec<u8> = PACKETS.iter().copied().cycle().take(600_000).collect();
        let compressed = gzip(&whole);
        let input = open(&compressed[..compressed.len() - 20]).unwrap();
        assert!(input.cut().is_some());
        assert!(whole.starts_with(input.bytes()));
    }

    #[test]
    fn what_is_no_trace_says_so() {
        assert!(matches!(open(b""), Err(SourceError::Empty(_))));
        assert!(matches!(open(b"hello\n"), Err(SourceError::NotATrace { what: "text", .. })));
        assert!(matches!(open(&[0; 64]), Err(SourceError::NotATrace { .. })));
        assert!(matches!(open(&[0x1f, 0x8b, 1, 2]), Err(SourceError::Decompress { .. })));
        let directory = Input::open(Path::new("/"), 1, |_| ());
        assert!(matches!(directory, Err(SourceError::Directory(_))));
    }
}
