//! The directory of a ZIP archive.

use std::io;

use super::IN_EXTRA_FIELD;

const END: &[u8] = b"PK\x05\x06";
const END_LEN: usize = 22;
const END_64: &[u8] = b"PK\x06\x06";
const END_64_LEN: usize = 56;
const LOCATOR_64: &[u8] = b"PK\x06\x07";
const LOCATOR_64_LEN: usize = 20;
const ENTRY: &[u8] = b"PK\x01\x02";
const ENTRY_LEN: usize = 46;
/// The longest comment an archive can have.
const MAX_COMMENT_LEN: usize = 0xffff;

/// The id of the extra field with numbers of 64 bits.
const EXTRA_64: u64 = 1;
/// The systems with file attributes like those of Unix: Unix itself and macOS.
const UNIX: [u64; 2] = [3, 19];
const NAMES_ARE_UTF_8: u16 = 1 << 11;

/// The position of the directory, and the statements of the end record about it.
pub(super) struct Directory {
    /// The offset of its first byte.
    pub(super) start: usize,
    /// The offset of the first byte after it.
    end: usize,
    /// The number of bytes before the archive, for example a program that unpacks it. Offsets count
    /// from its end.
    before: usize,
    /// The number of files it states, and the width of that number in bits.
    count: u64,
    bits: u32,
    /// Whether the archive is split over several files.
    is_part: bool,
}

impl Directory {
    /// Finds the directory by the end record of the archive. Only a comment may follow the end
    /// record.
    ///
    /// # Errors
    /// When there is no end record, for example because the archive was cut off.
    pub(super) fn find(archive: &[u8]) -> io::Result<Self> {
        let first = archive.len().saturating_sub(END_LEN + MAX_COMMENT_LEN);
        let last = archive.len().saturating_sub(END_LEN);
        let ends = || (first..=last).rev().filter(|&at| archive[at..].starts_with(END));
        // An end record with a comment up to the end of the file is not part of another comment.
        let fits =
            |at: &usize| at + END_LEN + number(archive, at + 20, 2) as usize == archive.len();
        let whole = ends().filter(fits).find_map(|at| Self::before_end(archive, at));
        whole.or_else(|| ends().find_map(|at| Self::before_end(archive, at))).ok_or_else(|| {
            let message = "its directory, which is at its end, cannot be read; it may be cut off";
            io::Error::new(io::ErrorKind::InvalidData, message)
        })
    }

    /// Returns the directory before the end record at this offset, if there is one.
    fn before_end(archive: &[u8], end: usize) -> Option<Self> {
        let field = |at, len| number(archive, end + at, len);
        let small = (field(10, 2), field(12, 4), field(16, 4), 16);
        let is_part = field(4, 2) != 0 && field(4, 2) != 0xffff;
        let zip64_numbers = end_64(archive, end);
        let (end, (count, size, offset, bits)) = match zip64_numbers {
            Some((at, numbers)) => (at, numbers),
            None => (end, small),
        };
        let offset = usize::try_from(offset).ok()?;
        // The directory ends where its end record begins, even if other data precedes the archive.
        let start = end.checked_sub(usize::try_from(size).ok()?);
        let begins = |at: &usize| match count {
            0 => *at <= end,
            _ => archive.get(*at..).is_some_and(|bytes| bytes.starts_with(ENTRY)),
        };
        let start = start.filter(begins).or(Some(offset).filter(begins))?;
        let before = start.saturating_sub(offset);
        Some(Self { start, end: end.max(start), before, count, bits, is_part })
    }

    /// Returns an iterator over its files, as far as they can be read.
    pub(super) fn entries<'a>(&self, archive: &'a [u8]) -> Entries<'a> {
        Entries {
            rest: archive.get(self.start..self.end).unwrap_or_default(),
            before: self.before,
            count: self.count,
            bits: self.bits,
            is_part: self.is_part,
            read: 0,
        }
    }
}

/// The offset of the end record of a large archive, and its numbers: number of files, size and
/// offset of the directory, and width of the first.
fn end_64(archive: &[u8], end: usize) -> Option<(usize, (u64, u64, u64, u32))> {
    let locator = end.checked_sub(LOCATOR_64_LEN)?;
    if !archive[locator..].starts_with(LOCATOR_64) {
        return None;
    }
    let is_there = |at: &usize| archive.get(*at..).is_some_and(|bytes| bytes.starts_with(END_64));
    let stated = usize::try_from(number(archive, locator + 8, 8)).ok();
    // If other data precedes the archive, the record is directly before its locator.
    let at = stated.filter(is_there).or(locator.checked_sub(END_64_LEN).filter(is_there))?;
    let field = |field, len| number(archive, at + field, len);
    Some((at, (field(32, 8), field(40, 8), field(48, 8), 64)))
}

/// A file in the directory.
pub(super) struct DirectoryEntry {
    pub(super) name: String,
    pub(super) raw_name: Vec<u8>,
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) checksum: u32,
    /// Its size as stored, in bytes.
    pub(super) packed: u64,
    /// Its size unpacked, in bytes.
    pub(super) size: u64,
    pub(super) is_link: bool,
    /// The offset of its header.
    pub(super) header: usize,
}

impl DirectoryEntry {
    pub(super) fn is_folder(&self) -> bool {
        self.name.ends_with('/') && self.packed == 0
    }
}

/// An iterator over the files of a directory.
pub(super) struct Entries<'a> {
    rest: &'a [u8],
    before: usize,
    count: u64,
    bits: u32,
    is_part: bool,
    read: u64,
}

impl Entries<'_> {
    /// The damage of the directory, if any, once all readable files are read.
    pub(super) fn damage(&self) -> Option<io::Error> {
        let counted = match self.bits {
            // The number wraps around: programs without support for large archives write it like
            // this.
            16 => self.read & 0xffff,
            _ => self.read,
        };
        let message = match (self.is_part, counted == self.count) {
            (true, _) => {
                "it is one part of several; only the files of this part can be read".to_owned()
            }
            (false, true) => return None,
            (false, false) => {
                format!("its directory should list {} files and lists {}", self.count, self.read)
            }
        };
        Some(io::Error::new(io::ErrorKind::InvalidData, message))
    }
}

impl Iterator for Entries<'_> {
    type Item = DirectoryEntry;

    fn next(&mut self) -> Option<DirectoryEntry> {
        let entry = self.rest.get(..ENTRY_LEN).filter(|entry| entry.starts_with(ENTRY))?;
        let field = |at, len| number(entry, at, len);
        let [name, extra, comment] = [28, 30, 32].map(|at| field(at, 2) as usize);
        let raw_name = self.rest.get(ENTRY_LEN..ENTRY_LEN + name)?;
        let after = ENTRY_LEN + name;
        let extra_field = self.rest.get(after..after + extra)?;
        let flags = field(8, 2) as u16;
        let numbers = [field(24, 4), field(20, 4), field(42, 4)];
        let [size, packed, header] = zip64_numbers(numbers, extra_field);
        let is_unix = UNIX.contains(&field(5, 1));
        let listed = DirectoryEntry {
            name: name_of(raw_name, flags),
            raw_name: raw_name.to_vec(),
            flags,
            method: field(10, 2) as u16,
            checksum: field(16, 4) as u32,
            packed,
            size,
            is_link: is_unix && (field(38, 4) >> 16) & 0xf000 == 0xa000,
            header: usize::try_from(header).unwrap_or(usize::MAX).saturating_add(self.before),
        };
        self.rest = self.rest.get(after + extra + comment..).unwrap_or_default();
        self.read += 1;
        Some(listed)
    }
}

/// Replaces the unpacked size, the packed size and the header offset of a file by those of the
/// extra field, where they do not fit 32 bits.
fn zip64_numbers(mut numbers: [u64; 3], mut extra: &[u8]) -> [u64; 3] {
    while extra.len() >= 4 {
        let (id, len) = (number(extra, 0, 2), number(extra, 2, 2) as usize);
        let field = &extra[4..extra.len().min(4 + len)];
        if id == EXTRA_64 {
            let elsewhere = numbers.iter_mut().filter(|number| **number == IN_EXTRA_FIELD);
            for (value, bytes) in elsewhere.zip(field.chunks_exact(8)) {
                *value = number(bytes, 0, 8);
            }
        }
        extra = extra.get(4 + len..).unwrap_or_default();
    }
    numbers
}

/// Reads a little-endian number of `len` bytes; 0 if the bytes are not there.
pub(super) fn number(bytes: &[u8], at: usize, len: usize) -> u64 {
    let bytes = bytes.get(at..at.saturating_add(len)).unwrap_or_default();
    bytes.iter().rev().fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

/// Decodes a name: as UTF-8 if it is valid, whether the archive has the flag for this or not, else
/// in the code page of DOS.
pub(super) fn name_of(bytes: &[u8], flags: u16) -> String {
    match std::str::from_utf8(bytes) {
        Ok(name) => name.to_owned(),
        Err(_) if flags & NAMES_ARE_UTF_8 != 0 => String::from_utf8_lossy(bytes).into_owned(),
        Err(_) => bytes.iter().map(|byte| from_code_page_437(*byte)).collect(),
    }
}

fn from_code_page_437(byte: u8) -> char {
    const UPPER: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
                         └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";
    match byte.checked_sub(0x80) {
        None => char::from(byte),
        Some(upper) => UPPER.chars().nth(usize::from(upper)).unwrap_or('\u{fffd}'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_dos() {
        assert_eq!(name_of(b"a\x81\xe1\xff", 0), "aüß\u{a0}");
        assert_eq!(name_of("aü".as_bytes(), 0), "aü");
        assert_eq!(name_of(b"a\x81", NAMES_ARE_UTF_8), "a\u{fffd}");
    }

    #[test]
    fn numbers_that_are_too_large_for_32_bits_are_in_the_extra_field() {
        let mut extra = vec![7, 0, 1, 0, 0xff, 1, 0, 16, 0];
        extra.extend_from_slice(&5_000_000_000_u64.to_le_bytes());
        extra.extend_from_slice(&6_000_000_000_u64.to_le_bytes());
        assert_eq!(
            zip64_numbers([1, IN_EXTRA_FIELD, IN_EXTRA_FIELD], &extra),
            [1, 5_000_000_000, 6_000_000_000]
        );
        assert_eq!(zip64_numbers([1, 2, 3], &extra), [1, 2, 3]);
    }
}
