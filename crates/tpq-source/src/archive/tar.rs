//! Members of a TAR archive.
//!
//! The iterator of the crate `tar` reads through a reader. Here members are slices of the mapped
//! file, so only the parsing of headers is taken from the crate.

mod pax;

use std::cmp::Ordering;
use std::io;

use tar::{EntryType, GnuHeader, Header};

use self::pax::{Attributes, MAX_NAME_LEN};
use super::{Archive, ListBudget, Member};

const BLOCK: usize = 512;
/// The offset of the byte that states whether the map of a sparse file continues in the next block.
const SPARSE_MAP_CONTINUES: usize = 504;
/// The largest number of remarks on an archive that consists of many archives.
const MAX_REMARKS: usize = 8;

/// The type of an extended header of Solaris.
const SOLARIS_HEADER: u8 = b'X';
/// The type of a member that is not a file but the label of a volume.
const VOLUME_LABEL: u8 = b'V';
/// The type of a member that continues from another volume.
const OTHER_VOLUME: u8 = b'M';

/// Lists the members, up to the end of the archive or the first header that is damaged.
pub(super) fn list(archive: &[u8], budget: &mut ListBudget) -> Archive {
    let mut members = Vec::new();
    let mut reader = TarReader {
        archive,
        at: 0,
        global: Attributes::default(),
        remarks: Vec::new(),
        is_last_incomplete: false,
    };
    let damage = reader.list(budget, &mut members).err();
    Archive { members, damage, remarks: reader.remarks }
}

struct TarReader<'a> {
    archive: &'a [u8],
    /// The offset of the next header.
    at: usize,
    /// The attributes of all files that follow.
    global: Attributes,
    remarks: Vec<String>,
    /// Whether the last file is already known to be incomplete.
    is_last_incomplete: bool,
}

impl<'a> TarReader<'a> {
    /// Adds the files, as far as the budget allows.
    fn list(&mut self, budget: &mut ListBudget, members: &mut Vec<Member>) -> io::Result<()> {
        while let Some(member) = self.next_member()? {
            budget.reserve(member.as_ref(), members.len())?;
            self.is_last_incomplete = member.as_ref().is_some_and(|member| member.damage.is_some());
            members.extend(member);
        }
        Ok(())
    }

    /// Returns the next member: `Some(None)` for a folder.
    fn next_member(&mut self) -> io::Result<Option<Option<Member>>> {
        let mut attributes = self.global.clone();
        let mut has_pending_header = false;
        while let Some(header) = self.header()? {
            let kind = header.entry_type();
            let size = self.size_of(header, &attributes)?;
            let start = self.skip(header, size);
            has_pending_header |= is_about_another(kind) && kind != EntryType::XGlobalHeader;
            match kind {
                EntryType::GNULongName => attributes.set_name(self.text(start, size)),
                EntryType::GNULongLink => attributes.set_link(self.text(start, size)),
                EntryType::XGlobalHeader => {
                    self.global.read_global(self.data(start, size));
                    attributes = self.global.clone();
                }
                _ if is_about_next(kind) => attributes.read(self.data(start, size)),
                EntryType::Directory => return Ok(Some(None)),
                _ => {
                    let name = name_of(header, attributes.name.take());
                    // Folders were written like this before there was a type for them.
                    let is_folder = name.ends_with('/') && kind == EntryType::Regular && size == 0;
                    let member = || self.member(name, header, &attributes, start, size);
                    return Ok(Some((!is_folder).then(member)));
                }
            }
        }
        self.check_end(has_pending_header).map(|()| None)
    }

    /// Checks that the archive ends where its contents end.
    ///
    /// # Errors
    /// When it ends before its contents do.
    fn check_end(&mut self, has_pending_header: bool) -> io::Result<()> {
        let message = match self.at.cmp(&self.archive.len()) {
            _ if has_pending_header => "the archive ends within the headers of a file",
            Ordering::Greater if !self.is_last_incomplete => {
                "the archive ends within its last block"
            }
            Ordering::Less => return Ok(()),
            Ordering::Equal | Ordering::Greater => {
                let remark = "it has no end mark: if it was cut off between two files, more files \
                              are missing";
                self.remark(remark.to_owned());
                return Ok(());
            }
        };
        Err(io::Error::new(io::ErrorKind::UnexpectedEof, message))
    }

    fn member(
        &self,
        name: String,
        header: &Header,
        attributes: &Attributes,
        start: usize,
        size: u64,
    ) -> Member {
        let kind = header.entry_type();
        let link = || {
            let target =
                attributes.link.clone().or(header.link_name_bytes().map(|it| it.into_owned()));
            String::from_utf8_lossy(&target.unwrap_or_default()).into_owned()
        };
        let why = match kind {
            // A hard link may have the contents of the file. If not, they are at its target.
            EntryType::Link if size == 0 => format!("it is a link to `{}`", link()),
            EntryType::Symlink => format!("it is a symbolic link to `{}`", link()),
            EntryType::Char | EntryType::Block => "it is a device".to_owned(),
            EntryType::Fifo => "it is a named pipe".to_owned(),
            _ if kind.as_byte() == VOLUME_LABEL => "it is the label of a volume".to_owned(),
            _ if kind.as_byte() == OTHER_VOLUME => {
                let why = "it begins in another volume of the archive; join the volumes first";
                return Member::unreadable(name, size, why);
            }
            _ if attributes.is_sparse() || kind.is_gnu_sparse() => {
                let why =
                    "it is stored as a sparse file, which tpq does not unpack; pack it as a whole";
                let name = attributes.sparse_name().unwrap_or(name);
                return Member::unreadable(name, size, why);
            }
            _ => {
                let mut member = Member::in_archive(name, start, size, self.archive);
                member.contradiction =
                    attributes.damage().map(|why| io::Error::new(io::ErrorKind::InvalidData, why));
                return member;
            }
        };
        Member::unread(name, size, Some(why))
    }

    /// The number of bytes of data after a header.
    fn size_of(&self, header: &Header, attributes: &Attributes) -> io::Result<u64> {
        let kind = header.entry_type();
        // Attributes apply to the next file, not to another header before it.
        let size = match attributes.size.filter(|_| !is_about_another(kind)) {
            Some(size) => size,
            None => header.entry_size()?,
        };
        Ok(match kind {
            EntryType::Symlink
            | EntryType::Char
            | EntryType::Block
            | EntryType::Directory
            | EntryType::Fifo => 0,
            // Some programs write the size of the target of a hard link.
            EntryType::Link if self.is_header(self.at + BLOCK) => 0,
            _ => size,
        })
    }

    /// Whether there is a header at this offset, or the end of the archive.
    fn is_header(&self, at: usize) -> bool {
        let block = self.archive.get(at..at.saturating_add(BLOCK));
        block.is_none_or(|block| is_zero(block) || is_valid_header(block))
    }

    /// Returns the header at this offset; `None` at the end of the archive.
    fn header(&mut self) -> io::Result<Option<&'a Header>> {
        let Some(block) = self.block()? else { return Ok(None) };
        if !is_valid_header(block) {
            let message =
                format!("the archive is damaged at byte {}, and what follows is not read", self.at);
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        Ok(Some(Header::from_byte_slice(block)))
    }

    /// Returns the block of the next header. After the end mark of an archive, another archive may
    /// follow.
    fn block(&mut self) -> io::Result<Option<&'a [u8]>> {
        let rest = self.archive.get(self.at..).unwrap_or_default();
        if rest.is_empty() {
            return Ok(None);
        }
        let Some(block) = rest.get(..BLOCK) else {
            let message = "the archive ends within a header";
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
        };
        if !is_zero(block) {
            return Ok(Some(block));
        }
        let zeros = rest.chunks(BLOCK).take_while(|block| is_zero(block)).count();
        let Some(after) = rest.get(zeros * BLOCK..).filter(|rest| !rest.is_empty()) else {
            return Ok(None);
        };
        let end = self.at;
        self.at += zeros * BLOCK;
        match after.get(..BLOCK).filter(|block| is_valid_header(block)) {
            Some(block) => {
                let remark = format!("another archive follows its end mark at byte {end}");
                self.remark(format!("{remark}; the files of both are read"));
                Ok(Some(block))
            }
            None => {
                let len = after.len();
                let remark = format!("{len} bytes that are not an archive follow its end mark");
                self.remark(format!("{remark} at byte {end}"));
                Ok(None)
            }
        }
    }

    /// Adds a remark, up to the limit.
    fn remark(&mut self, remark: String) {
        if self.remarks.len() < MAX_REMARKS {
            self.remarks.push(remark);
        }
    }

    /// Moves to the next header. Returns the offset of the data between the two headers.
    fn skip(&mut self, header: &Header, size: u64) -> usize {
        self.skip_sparse_map(header);
        let start = self.at + BLOCK;
        let blocks =
            usize::try_from(size).ok().and_then(|size| size.checked_next_multiple_of(BLOCK));
        self.at = start.saturating_add(blocks.unwrap_or(usize::MAX));
        start
    }

    /// Moves to the last of the blocks that continue the header of a sparse file.
    fn skip_sparse_map(&mut self, header: &Header) {
        let sparse = header.entry_type().is_gnu_sparse();
        let mut more = sparse && header.as_gnu().is_some_and(GnuHeader::is_extended);
        while more {
            self.at += BLOCK;
            let block = self.archive.get(self.at..self.at + BLOCK);
            let map = block.map(|block| block[SPARSE_MAP_CONTINUES]);
            more = map == Some(1);
        }
    }

    /// The bytes of this range, as far as the archive has them.
    fn data(&self, start: usize, size: u64) -> &'a [u8] {
        let rest = self.archive.get(start..).unwrap_or_default();
        &rest[..rest.len().min(usize::try_from(size).unwrap_or(usize::MAX))]
    }

    /// The bytes of this range up to the first zero, cut to the largest length of a name.
    fn text(&self, start: usize, size: u64) -> &'a [u8] {
        let bytes = self.data(start, size);
        let bytes = &bytes[..bytes.len().min(MAX_NAME_LEN + 1)];
        bytes.split(|byte| *byte == 0).next().unwrap_or_default()
    }
}

/// Whether a header describes the file of the next header.
fn is_about_next(kind: EntryType) -> bool {
    kind.is_pax_local_extensions() || kind.as_byte() == SOLARIS_HEADER
}

/// Whether a header describes other files.
fn is_about_another(kind: EntryType) -> bool {
    is_about_next(kind)
        || kind.is_gnu_longname()
        || kind.is_gnu_longlink()
        || kind.is_pax_global_extensions()
}

fn name_of(header: &Header, extended: Option<Vec<u8>>) -> String {
    let name = extended.unwrap_or_else(|| header.path_bytes().into_owned());
    String::from_utf8_lossy(&name).into_owned()
}

fn is_zero(block: &[u8]) -> bool {
    block.iter().all(|byte| *byte == 0)
}

/// Whether a block is a header with the correct checksum.
fn is_valid_header(block: &[u8]) -> bool {
    block.len() == BLOCK && Header::from_byte_slice(block).cksum().ok() == Some(checksum(block))
}

/// The sum of the bytes of a header, with spaces in place of the sum itself.
fn checksum(block: &[u8]) -> u32 {
    let sum = |bytes: &[u8]| bytes.iter().map(|byte| u32::from(*byte)).sum::<u32>();
    sum(&block[..148]) + 8 * u32::from(b' ') + sum(&block[156..])
}
