//! The directory of a ZIP archive.

use std::io;

use super::ELSEWHERE;

const END: &[u8] = b"PK\x05\x06";
const END_LEN: usize = 22;
const END_64: &[u8] = b"PK\x06\x06";
const END_64_LEN: usize = 56;
const LOCATOR_64: &[u8] = b"PK\x06\x07";
const LOCATOR_64_LEN: usize = 20;
const ENTRY: &[u8] = b"PK\x01\x02";
const ENTRY_LEN: usize = 46;
/// The longest comment an archive can have.
const LONGEST_COMMENT: usize = 0xffff;

/// The extra field that has numbers of 64 bits.
const EXTRA_64: u64 = 1;
/// The systems whose attributes of files are those of Unix: Unix itself and macOS.
const UNIX: [u64; 2] = [3, 19];
const NAMES_ARE_UTF_8: u16 = 1 << 11;

/// Where the directory lies, and what the end of the archive says of it.
pub(super) struct Directory {
    /// Its first byte.
    pub(super) start: usize,
    /// The first byte after it.
    end: usize,
    /// What precedes the archive, as a program that unpacks it: offsets count from behind it.
    before: usize,
    /// How many files it has, and of how many bits that number is.
    count: u64,
    bits: u32,
    /// Whether the archive goes on in another file.
    is_part: bool,
}

impl Directory {
    /// Finds it by what ends the archive, behind which only a comment may lie.
    ///
    /// # Errors
    /// When nothing ends the archive, as when it was cut off.
    pub(super) fn find(archive: &[u8]) -> io::Result<Self> {
        let first = archive.len().saturating_sub(END_LEN + LONGEST_COMMENT);
        let last = archive.len().saturating_sub(END_LEN);
        let ends = || (first..=last).rev().filter(|&at| archive[at..].starts_with(END));
        // One whose comment ends with the file is no part of another's comment.
        let fits =
            |at: &usize| at + END_LEN + number(archive, at + 20, 2) as usize == archive.len();
        let whole = ends().filter(fits).find_map(|at| Self::at(archive, at));
        whole.or_else(|| ends().find_map(|at| Self::at(archive, at))).ok_or_else(|| {
            let message = "its directory, which is at its end, cannot be read; it may be cut off";
            io::Error::new(io::ErrorKind::InvalidData, message)
        })
    }

    /// The directory before an end, if there is one.
    fn at(archive: &[u8], end: usize) -> Option<Self> {
        let field = |at, len| number(archive, end + at, len);
        let small = (field(10, 2), field(12, 4), field(16, 4), 16);
        let is_part = field(4, 2) != 0 && field(4, 2) != 0xffff;
        let large = end_64(archive, end);
        let (end, (count, size, offset, bits)) = match large {
            Some((at, numbers)) => (at, numbers),
            None => (end, small),
        };
        let offset = usize::try_from(offset).ok()?;
        // It ends where its end begins, even where something precedes the archive.
        let start = end.checked_sub(usize::try_from(size).ok()?);
        let begins = |at: &usize| match count {
            0 => *at <= end,
            _ => archive.get(*at..).is_some_and(|bytes| bytes.starts_with(ENTRY)),
        };
        let start = start.filter(begins).or(Some(offset).filter(begins))?;
        let before = start.saturating_sub(offset);
        Some(Self { start, end: end.max(start), before, count, bits, is_part })
    }

    /// Its files, as far as they can be read.
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

/// Where the end of a large archive lies, and its numbers: files, bytes and offset of the directory.
fn end_64(archive: &[u8], end: usize) -> Option<(usize, (u64, u64, u64, u32))> {
    let locator = end.checked_sub(LOCATOR_64_LEN)?;
    if !archive[locator..].starts_with(LOCATOR_64) {
        return None;
    }
    let is_there = |at: &usize| archive.get(*at..).is_some_and(|bytes| bytes.starts_with(END_64));
    let said = usize::try_from(number(archive, locator + 8, 8)).ok();
    // Where something precedes the archive, it is just before what says where it is.
    let at = said.filter(is_there).or(locator.checked_sub(END_64_LEN).filter(is_there))?;
    let field = |field, len| number(archive, at + field, len);
    Some((at, (field(32, 8), field(40, 8), field(48, 8), 64)))
}

/// A file, as the directory lists it.
pub(super) struct Listed {
    pub(super) name: String,
    pub(super) raw_name: Vec<u8>,
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) checksum: u32,
    /// Its size as it is stored.
    pub(super) packed: u64,
    /// Its size unpacked.
    pub(super) size: u64,
    pub(super) is_link: bool,
    /// Where its header lies.
    pub(super) header: usize,
}

impl Listed {
    pub(super) fn is_folder(&self) -> bool {
        self.name.ends_with('/') && self.packed == 0
    }
}

/// The files of a directory, one after the other.
pub(super) struct Entries<'a> {
    rest: &'a [u8],
    before: usize,
    count: u64,
    bits: u32,
    is_part: bool,
    read: u64,
}

impl Entries<'_> {
    /// What is wrong with the directory, once all of it that can be is read.
    pub(super) fn damage(&self) -> Option<io::Error> {
        let counted = match self.bits {
            // The number wraps around: programs without large archives write it so.
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
    type Item = Listed;

    fn next(&mut self) -> Option<Listed> {
        let entry = self.rest.get(..ENTRY_LEN).filter(|entry| entry.starts_with(ENTRY))?;
        let field = |at, len| number(entry, at, len);
        let [name, extra, comment] = [28, 30, 32].map(|at| field(at, 2) as usize);
        let raw_name = self.rest.get(ENTRY_LEN..ENTRY_LEN + name)?;
        let after = ENTRY_LEN + name;
        let extra_field = self.rest.get(after..after + extra)?;
        let flags = field(8, 2) as u16;
        let numbers = [field(24, 4), field(20, 4), field(42, 4)];
        let [size, packed, header] = large(numbers, extra_field);
        let is_unix = UNIX.contains(&field(5, 1));
        let listed = Listed {
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

/// The sizes of a file unpacked and packed and the place of its header, from the extra field where
/// 32 bits have no room for them.
fn large(mut numbers: [u64; 3], mut extra: &[u8]) -> [u64; 3] {
    while extra.len() >= 4 {
        let (id, len) = (number(extra, 0, 2), number(extra, 2, 2) as usize);
        let field = &extra[4..extra.len().min(4 + len)];
        if id == EXTRA_64 {
            let elsewhere = numbers.iter_mut().filter(|number| **number == ELSEWHERE);
            for (value, bytes) in elsewhere.zip(field.chunks_exact(8)) {
                *value = number(bytes, 0, 8);
            }
        }
        extra = extra.get(4 + len..).unwrap_or_default();
    }
    numbers
}

/// A number of so many bytes, the least first; of bytes that are not there, 0.
pub(super) fn number(bytes: &[u8], at: usize, len: usize) -> u64 {
    let bytes = bytes.get(at..at.saturating_add(len)).unwrap_or_default();
    bytes.iter().rev().fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

/// A name: UTF-8 where it can be, whether the archive says so or not, else of the code page that
/// DOS had.
pub(super) fn name_of(bytes: &[u8], flags: u16) -> String {
    match std::str::from_utf8(bytes) {
        Ok(name) => name.to_owned(),
        Err(_) if flags & NAMES_ARE_UTF_8 != 0 => String::from_utf8_lossy(bytes).into_owned(),
        Err(_) => bytes.iter().map(|byte| of_code_page_437(*byte)).collect(),
    }
}

fn of_code_page_437(byte: u8) -> char {
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
        assert_eq!(large([1, ELSEWHERE, ELSEWHERE], &extra), [1, 5_000_000_000, 6_000_000_000]);
        assert_eq!(large([1, 2, 3], &extra), [1, 2, 3]);
    }
}
