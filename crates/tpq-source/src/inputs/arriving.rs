//! An input that arrives as a stream. It is unpacked, and its digest computed, meanwhile.

use std::cell::RefCell;
use std::io::Read;
use std::path::Path;

use super::unpack::Unpack;
use super::{Inputs, add, refuse_no_trace, shown};
use crate::decompress::Codec;
use crate::prefix::{OnPrefix, Prefix};
use crate::stream::{self, Arriving};
use crate::{Format, SourceError};

/// The number of bytes that show whether an input is compressed.
const HEAD: u64 = 4 << 10;

/// An input that was read from a stream.
pub struct ReadInputs {
    /// Its files.
    pub inputs: Inputs,
    /// The digest of its bytes, as [`digest`](crate::digest()) computes it of a file with them.
    /// `None` if it was not read to its end.
    pub digest: Option<u128>,
    /// The number of its bytes that were read.
    pub bytes: u64,
}

impl Inputs {
    /// Reads one input to its end. `path` is its name in messages. `limit` and `progress` are those
    /// of [`Inputs::open`]. `on_prefix` receives the part of the input, unpacked if it is
    /// compressed, that has arrived so far: it is called every few MiB, each time with all bytes.
    ///
    /// # Errors
    /// As [`Inputs::open`], and the errors of `input`.
    pub fn read(
        path: &Path,
        input: impl Read,
        limit: u64,
        progress: impl FnMut(u64),
        on_prefix: OnPrefix<'_>,
    ) -> Result<ReadInputs, SourceError> {
        let failed = |source| SourceError::Read { path: path.to_owned(), source };
        let progress = RefCell::new(progress);
        let report = |read| (progress.borrow_mut())(read);
        let mut arriving = Arriving::new(input, report);
        let head = arriving.head(HEAD).map_err(failed)?;
        let mut prefix = Prefix::new(on_prefix);
        let mut on_unpacked = report;
        let mut unpack = Unpack::new(limit, &mut on_unpacked);
        let mut nodes = Vec::new();
        let codec = match Format::of(&head) {
            Format::Gzip => Some(Codec::Gzip),
            Format::Zstd => Some(Codec::Zstd),
            _ => None,
        };
        match codec {
            Some(codec) => {
                let input = head.as_slice().chain(&mut arriving);
                let unpacked = unpack.compressed_stream(&shown(path), input, codec, &mut prefix)?;
                let size = arriving.drain().map_err(failed)?;
                let node = unpack.container_of(shown(path), size, Format::of(&head), unpacked)?;
                refuse_no_trace(path, &node)?;
                nodes.push(node);
            }
            None => {
                let read = stream::read(path, head.as_slice().chain(&mut arriving), &mut prefix)?;
                add(&mut unpack, &mut nodes, path, None, read)?;
            }
        }
        let inputs = Self::arranged(unpack, nodes)?;
        Ok(ReadInputs { inputs, bytes: arriving.bytes_read(), digest: arriving.digest() })
    }
}
