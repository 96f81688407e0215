//! The header that each member of a ZIP archive has before its bytes.

use super::directory::{name_of, number};
use super::{HAS_DESCRIPTOR, IN_EXTRA_FIELD};

const SIGNATURE: &[u8] = b"PK\x03\x04";
const LEN: usize = 30;
/// The possible lengths of the descriptor after the bytes of a member: with sizes of 32 or 64 bits,
/// with or without a signature, or none.
const DESCRIPTORS: [usize; 5] = [0, 12, 16, 20, 24];

/// The header of a member.
pub(super) struct LocalHeader {
    pub(super) name: String,
    /// The offset of the bytes of the member.
    pub(super) data: usize,
    pub(super) packed: u64,
    pub(super) size: u64,
    raw_name: Vec<u8>,
    flags: u16,
    method: u16,
    checksum: u32,
}

impl LocalHeader {
    /// Reads the header at this offset, if there is one.
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

    /// Whether its size is after the bytes.
    pub(super) fn has_descriptor(&self) -> bool {
        self.flags & HAS_DESCRIPTOR != 0 || self.packed == IN_EXTRA_FIELD
    }

    /// The first property that differs from the directory, if any.
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

/// Finds the first header between two members. The descriptor of the member before may precede it.
pub(super) fn find_in_gap(archive: &[u8], at: usize, end: usize) -> Option<LocalHeader> {
    let offsets = DESCRIPTORS.iter().map_while(|len| at.checked_add(*len));
    let mut offsets = offsets.take_while(|offset| *offset < end);
    offsets.find_map(|offset| LocalHeader::read(archive, offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A size of 64 bits may place the end of a file there.
    #[test]
    fn offsets_at_the_end_of_memory_have_no_header() {
        for at in [usize::MAX - 13, usize::MAX - 1] {
            assert!(find_in_gap(b"archive", at, usize::MAX).is_none());
        }
    }
}
