//! The compression formats of a trace or a part of it.

use std::io::Write;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};

/// Compresses with zlib, like `compressed_packets`.
#[must_use]
pub fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    finished(encoder.write_all(bytes).and_then(|()| encoder.finish()))
}

/// Compresses like `gzip`, without name or time.
#[must_use]
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    finished(encoder.write_all(bytes).and_then(|()| encoder.finish()))
}

/// Compresses with zstd, like `zstd_compressed_packets`.
#[must_use]
pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    finished(zstd::encode_all(bytes, 3))
}

#[expect(clippy::expect_used, reason = "compressing in memory cannot fail")]
fn finished(result: std::io::Result<Vec<u8>>) -> Vec<u8> {
    result.expect("compressing in memory")
}
