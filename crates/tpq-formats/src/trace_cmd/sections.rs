//! Sections of a file of version 7, compressed or not.

use std::borrow::Cow;

use tpq_ingest::{ZstdStream, unpack_zlib};

use super::numbers::{ByteOrder, Numbers};

/// Bytes of the number of chunks.
pub(super) const COUNT_LEN: usize = 4;
/// The flag of a compressed section.
const COMPRESSED: u16 = 1;

/// How the sections of a file are compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Codec {
    None,
    Zlib,
    Zstd,
    /// One that is not read.
    Unknown,
}

impl Codec {
    pub(super) fn of_name(name: &[u8]) -> Self {
        match name {
            b"none" => Self::None,
            b"zlib" => Self::Zlib,
            b"zstd" => Self::Zstd,
            _ => Self::Unknown,
        }
    }

    /// Unpacks a piece that has `size` bytes; `None` if it is damaged.
    pub(super) fn unpack(self, piece: &[u8], size: usize) -> Option<Vec<u8>> {
        match self {
            Self::Zlib => unpack_zlib(piece, size),
            Self::Zstd => {
                let mut bytes = Vec::new();
                ZstdStream::new()?.unpack(piece, &mut bytes, size).then_some(bytes)
            }
            Self::None | Self::Unknown => None,
        }
    }
}

/// A section.
#[derive(Clone, Debug)]
pub(super) struct Section<'a> {
    pub(super) id: u16,
    /// Contents, unpacked.
    pub(super) data: Cow<'a, [u8]>,
}

/// Reads the section at an offset. `most` is the number of bytes that it may unpack to.
pub(super) fn section<'a>(
    file: &'a [u8],
    offset: u64,
    order: ByteOrder,
    codec: Codec,
    most: usize,
) -> Option<Section<'a>> {
    let mut numbers = Numbers::new(file, order);
    numbers.at = usize::try_from(offset).ok()?;
    let (id, flags, _description) = (numbers.u16()?, numbers.u16()?, numbers.u32()?);
    let size = usize::try_from(numbers.u64()?).ok()?;
    if flags & COMPRESSED == 0 {
        let start = numbers.at;
        let end = start.saturating_add(size).min(file.len());
        let data = Cow::Borrowed(file.get(start..end)?);
        return Some(Section { id, data });
    }
    let (packed, unpacked) = (numbers.u32()? as usize, numbers.u32()? as usize);
    let piece = numbers.take(packed)?;
    let data = Cow::Owned(codec.unpack(piece, unpacked.min(most))?);
    Some(Section { id, data })
}

/// Whether the section at an offset is compressed.
pub(super) fn is_compressed(file: &[u8], offset: u64, order: ByteOrder) -> bool {
    let mut numbers = Numbers::new(file, order);
    let Ok(at) = usize::try_from(offset) else { return false };
    numbers.at = at;
    let _id = numbers.u16();
    numbers.u16().is_some_and(|flags| flags & COMPRESSED != 0)
}

/// The chunks of compressed trace data: the piece and the unpacked size of each. The list ends at
/// damage, which `None` states.
pub(super) fn chunks(
    data: &[u8],
    order: ByteOrder,
) -> impl Iterator<Item = Option<(&[u8], usize)>> {
    let mut numbers = Numbers::new(data, order);
    let count = numbers.u32();
    let mut left = count.unwrap_or(1);
    std::iter::from_fn(move || {
        left = left.checked_sub(1)?;
        let mut next = || {
            let (packed, unpacked) = (numbers.u32()? as usize, numbers.u32()? as usize);
            Some((numbers.take(packed)?, unpacked))
        };
        let chunk = count.and_then(|_| next());
        if chunk.is_none() {
            left = 0;
        }
        Some(chunk)
    })
}
