//! The header that each member of a ZIP archive has before its bytes.

use super::directory::{name_of, number};
use super::{ELSEWHERE, HAS_DESCRIPTOR};

const SIGNATURE: &[u8] = b"PK\x03\x04";
const LEN: usize = 30;
/// How long what follows a member's bytes may be: sizes of 32 or 64 bits, with a signature or
/// without.
const DESCRIPTORS: [usize; 5] = [0, 12, 16, 20, 24];

/// What it says.
pub(super) struct LocalHeader {
    pub(super) name: String,
    /// Where the bytes of the member begin.
    pub(super) data: usize,
    pub(super) packed: u64,
    pub(super) size: u64,
    raw_name: Vec<u8>,
    flags: u16,
    method: u16,
    checksum: u32,
}

impl LocalHeader {
    /// The header at a place, if there is one.
    pub(super) fn read(archive: &[u8], at: usize) -> Option<Self> {
        let header = archive.get(at..at.checked_add(LEN)?)?;
        if !header.starts_with(SIGNATURE) {
            return None;
        }
        let number = |at, len| number(header, at, len);
        let flags = number(6, 2) as u16;
        let name_len = number(26, 2) as usize;
        let raw_name = archive.get(at + LEN..at + LEN + name_len)?;
        Some(Self {
            name: name_of(raw_name, flags),
            data: at + LEN + name_len + number(28, 2) as usize,
            packed: number(18, 4),
            size: number(22, 4),
            raw_name: raw_name.to_vec(),
            flags,
            method: number(8, 2) as u16,
            checksum: number(14, 4) as u32,
        })
    }

    /// Whether its size follows the bytes.
    pub(super) fn has_descriptor(&self) -> bool {
        self.flags & HAS_DESCRIPTOR != 0 || self.packed == ELSEWHERE
    }

    /// What the directory says in another way.
    pub(super) fn difference(
        &self,
        method: u16,
        checksum: u32,
        packed: u64,
        name: &[u8],
    ) -> Option<&'static str> {
        if self.raw_name != name {
            return Some("name");
        }
        if self.method != method {
            return Some("compression");
        }
        if self.has_descriptor() {
            return None;
        }
        match (self.packed == packed, self.checksum == checksum) {
            (false, _) => Some("size"),
            (true, false) => Some("checksum"),
            (true, true) => None,
        }
    }
}

/// The header that comes first between two members, perhaps behind what ends the one before.
pub(super) fn in_gap(archive: &[u8], at: usize, end: usize) -> Option<LocalHeader> {
    let places = DESCRIPTORS.iter().map_while(|len| at.checked_add(*len));
    let mut places = places.take_while(|place| *place < end);
    places.find_map(|place| LocalHeader::read(archive, place))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes of 64 bits may say that a file ends there.
    #[test]
    fn no_header_lies_where_memory_ends() {
        for at in [usize::MAX - 13, usize::MAX - 1] {
            assert!(in_gap(b"archive", at, usize::MAX).is_none());
        }
    }
}
