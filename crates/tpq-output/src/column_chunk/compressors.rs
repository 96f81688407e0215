//! The state of zstd, which takes long to allocate.

use std::sync::{Mutex, MutexGuard, PoisonError};

use datafusion::parquet::basic::Encoding;
use datafusion::parquet::errors::ParquetError;
use zstd::bulk::Compressor;

use crate::parquet::COMPRESSION_LEVEL;

/// The level for differences: they are packed into bits, in which a higher level finds no more.
const DIFFERENCES_LEVEL: i32 = 1;

/// Compressors that no thread uses at the moment.
pub(crate) struct Compressors {
    free: Mutex<Vec<Compressor<'static>>>,
}

impl Compressors {
    pub(crate) fn new() -> Self {
        Self { free: Mutex::new(Vec::new()) }
    }

    /// Compresses the bytes of a page with values of an encoding.
    ///
    /// # Errors
    /// When there is no memory.
    pub(crate) fn compress(
        &self,
        bytes: &[u8],
        encoding: Encoding,
    ) -> Result<Vec<u8>, ParquetError> {
        let level = match encoding {
            Encoding::DELTA_BINARY_PACKED => DIFFERENCES_LEVEL,
            _ => COMPRESSION_LEVEL,
        };
        let free = self.free().pop();
        let mut compressor = match free {
            Some(compressor) => compressor,
            None => Compressor::new(level)?,
        };
        compressor.set_compression_level(level)?;
        let mut compressed = compressor.compress(bytes)?;
        self.free().push(compressor);
        // It has room for bytes that cannot be compressed.
        compressed.shrink_to_fit();
        Ok(compressed)
    }

    fn free(&self) -> MutexGuard<'_, Vec<Compressor<'static>>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
