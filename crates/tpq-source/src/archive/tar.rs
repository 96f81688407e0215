//! Members of a TAR archive.
//!
//! The crate's own iterator reads through a reader; here members stay slices of what is mapped,
//! so only the understanding of headers is taken from it.

use std::collections::HashMap;
use std::io;

use tar::{EntryType, GnuHeader, Header, PaxExtensions};

use super::{Archive, Member, is_hidden, too_many};

const BLOCK: usize = 512;
/// The byte that tells whether the map of a sparse file goes on in the next block.
const SPARSE_MAP_GOES_ON: usize = 504;
/// Longer names are cut: no system has them.
const LONGEST_NAME: usize = 1 << 16;

/// Lists the members, up to the end of the archive or the first header that is damaged.
pub(super) fn list(archive: &[u8], room: usize) -> Archive {
    let mut members: Vec<Member> = Vec::new();
    let mut places = HashMap::new();
    let mut walk = Walk { archive, at: 0 };
    let damage = loop {
        let member = match walk.next_member() {
            Ok(Some(member)) if is_hidden(&member.name) => continue,
            Ok(Some(member)) => member,
            Ok(None) => break None,
            Err(error) => break Some(error),
        };
        // A file that was added again replaces the earlier one, as it does when unpacked.
        if let Some(&place) = places.get(&member.name) {
            members[place] = member;
        } else if members.len() < room {
            places.insert(member.name.clone(), members.len());
            members.push(member);
        } else {
            break Some(too_many(room));
        }
    };
    Archive { members, damage }
}

struct Walk<'a> {
    archive: &'a [u8],
    /// Where the next header lies.
    at: usize,
}

/// What headers before the one of a member say of it.
#[derive(Default)]
struct Ahead {
    name: Option<Vec<u8>>,
    size: Option<u64>,
    sparse: bool,
}

impl<'a> Walk<'a> {
    /// The next regular file.
    fn next_member(&mut self) -> io::Result<Option<Member>> {
        let mut ahead = Ahead::default();
        while let Some(header) = self.header()? {
            let kind = header.entry_type();
            // What is said ahead is said of a file, not of another header before it.
            let size = match ahead.size.filter(|_| !is_about_another(kind)) {
                Some(size) => size,
                None => header.entry_size()?,
            };
            let start = self.skip(header, size);
            match kind {
                EntryType::GNULongName => ahead.name = Some(self.text(start, size)),
                EntryType::XHeader => ahead.read_pax(self.data(start, size)),
                EntryType::GNULongLink | EntryType::XGlobalHeader => {}
                EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => {
                    let sparse = ahead.sparse || kind.is_gnu_sparse();
                    let name = name_of(header, ahead.name.take());
                    // How folders were written before there was a type for them.
                    if !name.ends_with('/') {
                        return Ok(Some(member(name, sparse, start, size, self.archive)));
                    }
                    ahead = Ahead::default();
                }
                // Folders, links and devices.
                _ => ahead = Ahead::default(),
            }
        }
        Ok(None)
    }

    /// The header that lies here; none at the end of the archive.
    fn header(&self) -> io::Result<Option<&'a Header>> {
        let rest = self.archive.get(self.at..).unwrap_or_default();
        if rest.is_empty() {
            return Ok(None);
        }
        let Some(block) = rest.get(..BLOCK) else {
            let message = "the archive ends within a header";
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
        };
        if block.iter().all(|byte| *byte == 0) {
            return Ok(None);
        }
        let header = Header::from_byte_slice(block);
        if header.cksum().ok() != Some(checksum(block)) {
            let message = format!("the archive is damaged at byte {}", self.at);
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        Ok(Some(header))
    }

    /// Goes to the next header, and says where between them the data lies.
    fn skip(&mut self, header: &Header, size: u64) -> usize {
        self.skip_sparse_map(header);
        let start = self.at + BLOCK;
        let blocks =
            usize::try_from(size).ok().and_then(|size| size.checked_next_multiple_of(BLOCK));
        self.at = start.saturating_add(blocks.unwrap_or(usize::MAX));
        start
    }

    /// Goes to the last of the blocks that continue the header of a sparse file.
    fn skip_sparse_map(&mut self, header: &Header) {
        let sparse = header.entry_type().is_gnu_sparse();
        let mut more = sparse && header.as_gnu().is_some_and(GnuHeader::is_extended);
        while more {
            self.at += BLOCK;
            let block = self.archive.get(self.at..self.at + BLOCK);
            let map = block.map(|block| block[SPARSE_MAP_GOES_ON]);
            more = map == Some(1);
        }
    }

    /// As many bytes as there are of those that begin here.
    fn data(&self, start: usize, size: u64) -> &'a [u8] {
        let rest = self.archive.get(start..).unwrap_or_default();
        &rest[..rest.len().min(usize::try_from(size).unwrap_or(usize::MAX))]
    }

    /// These bytes, up to a zero.
    fn text(&self, start: usize, size: u64) -> Vec<u8> {
        let bytes = self.data(start, size).iter().copied();
        bytes.take_while(|byte| *byte != 0).collect()
    }
}

impl Ahead {
    fn read_pax(&mut self, records: &[u8]) {
        for record in PaxExtensions::new(records).flatten() {
            match record.key() {
                Ok("path") => self.name = Some(record.value_bytes().to_vec()),
                Ok("size") => self.size = record.value().ok().and_then(|size| size.parse().ok()),
                Ok(key) => self.sparse |= key.starts_with("GNU.sparse."),
                Err(_) => {}
            }
        }
    }
}

/// Whether a header says something of the file whose header comes next.
fn is_about_another(kind: EntryType) -> bool {
    kind.is_gnu_longname()
        || kind.is_gnu_longlink()
        || kind.is_pax_local_extensions()
        || kind.is_pax_global_extensions()
}

fn member(name: String, sparse: bool, start: usize, size: u64, archive: &[u8]) -> Member {
    if sparse {
        let why = "it is stored as a sparse file, which tpq does not unpack; pack it as a whole";
        return Member::unreadable(name, why);
    }
    Member::within(name, start, size, archive)
}

fn name_of(header: &Header, ahead: Option<Vec<u8>>) -> String {
    let name = ahead.unwrap_or_else(|| header.path_bytes().into_owned());
    String::from_utf8_lossy(&name[..name.len().min(LONGEST_NAME)]).into_owned()
}

/// The sum of a header's bytes, those of the sum itself taken as spaces.
fn checksum(block: &[u8]) -> u32 {
    let sum = |bytes: &[u8]| bytes.iter().map(|byte| u32::from(*byte)).sum::<u32>();
    sum(&block[..148]) + 8 * u32::from(b' ') + sum(&block[156..])
}
