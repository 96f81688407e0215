//! Compression of text formats.

use std::io::{self, Write};

use flate2::write::GzEncoder;

/// The compression of a text format. Arrow and Parquet are not compressed again, because readers of
/// these formats seek in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compression {
    /// gzip, at its default level.
    Gzip,
    /// zstd, at its default level.
    Zstd,
}

impl Compression {
    /// Every compression.
    pub const ALL: &'static [Self] = &[Self::Gzip, Self::Zstd];

    /// The file extension, without the dot.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Gzip => "gz",
            Self::Zstd => "zst",
        }
    }

    /// Splits the extension of a compression off a file name.
    pub(crate) fn split(name: &str) -> (&str, Option<Self>) {
        let found = Self::ALL.iter().find_map(|&compression| {
            let (stem, ending) = name.rsplit_once('.')?;
            ending.eq_ignore_ascii_case(compression.ending()).then_some((stem, Some(compression)))
        });
        found.unwrap_or((name, None))
    }
}

/// Compresses written data, or passes it through without compression.
pub enum Encoder<W: Write> {
    /// Bytes pass unchanged.
    Plain(W),
    /// One member of a gzip file.
    Gzip(GzEncoder<W>),
    /// One frame of a zstd file.
    Zstd(zstd::stream::write::Encoder<'static, W>),
}

impl<W: Write> Encoder<W> {
    /// Begins a stream.
    ///
    /// # Errors
    /// When zstd has no memory for its state.
    pub fn new(inner: W, compression: Option<Compression>) -> io::Result<Self> {
        Ok(match compression {
            None => Self::Plain(inner),
            Some(Compression::Gzip) => {
                Self::Gzip(GzEncoder::new(inner, flate2::Compression::default()))
            }
            Some(Compression::Zstd) => Self::Zstd(zstd::stream::write::Encoder::new(
                inner,
                zstd::DEFAULT_COMPRESSION_LEVEL,
            )?),
        })
    }

    /// Ends the stream and returns the inner writer. A stream that is dropped without this call is
    /// incomplete.
    ///
    /// # Errors
    /// When the last bytes cannot be written.
    pub fn finish(self) -> io::Result<W> {
        match self {
            Self::Plain(inner) => Ok(inner),
            Self::Gzip(encoder) => encoder.finish(),
            Self::Zstd(encoder) => encoder.finish(),
        }
    }
}

impl<W: Write> Write for Encoder<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(inner) => inner.write(bytes),
            Self::Gzip(encoder) => encoder.write(bytes),
            Self::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(inner) => inner.flush(),
            Self::Gzip(encoder) => encoder.flush(),
            Self::Zstd(encoder) => encoder.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    const TEXT: &[u8] = b"ts,name\n1,a\n2,b\n";

    fn encoded(compression: Option<Compression>) -> Vec<u8> {
        let mut encoder = Encoder::new(Vec::new(), compression).unwrap();
        encoder.write_all(TEXT).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn encoded_text_decodes_to_the_same() {
        assert_eq!(encoded(None), TEXT);
        let mut decoded = Vec::new();
        let gzip = encoded(Some(Compression::Gzip));
        flate2::read::GzDecoder::new(&gzip[..]).read_to_end(&mut decoded).unwrap();
        assert_eq!(decoded, TEXT);
        let zstd = encoded(Some(Compression::Zstd));
        assert_eq!(zstd::stream::decode_all(&zstd[..]).unwrap(), TEXT);
    }
}
