//! Members of a TAR archive.
//!
//! The crate's own iterator reads through a reader; here members stay slices of what is mapped,
//! so only the understanding of headers is taken from it.

mod pax;

use std::cmp::Ordering;
use std::io;

use tar::{EntryType, GnuHeader, Header};

use self::pax::{Attributes, LONGEST_NAME};
use super::{Archive, Member, Room};

const BLOCK: usize = 512;
/// The byte that tells whether the map of a sparse file goes on in the next block.
const SPARSE_MAP_GOES_ON: usize = 504;
/// An archive of many archives is remarked on so often.
const MOST_REMARKS: usize = 8;

/// The type of an extended header as Solaris wrote it.
const SOLARIS_HEADER: u8 = b'X';
/// The type of a member that holds no file but the label of a volume.
const VOLUME_LABEL: u8 = b'V';
/// The type of a member that goes on from another volume.
const OTHER_VOLUME: u8 = b'M';

/// Lists the members, up to the end of the archive or the first header that is damaged.
pub(super) fn list(archive: &[u8], room: &mut Room) -> Archive {
    let mut members = Vec::new();
    let mut walk = Walk {
        archive,
        at: 0,
        global: Attributes::default(),
        remarks: Vec::new(),
        is_cut_known: false,
    };
    let damage = walk.list(room, &mut members).err();
    Archive { members, damage, remarks: walk.remarks }
}

struct Walk<'a> {
    archive: &'a [u8],
    /// Where the next header lies.
    at: usize,
    /// What holds for all files that follow.
    global: Attributes,
    remarks: Vec<String>,
    /// Whether the last file says of itself that it is not all there.
    is_cut_known: bool,
}

impl<'a> Walk<'a> {
    /// Adds the files, as many as there is room for.
    fn list(&mut self, room: &mut Room, members: &mut Vec<Member>) -> io::Result<()> {
        while let Some(member) = self.next_member()? {
            room.take(member.as_ref(), members.len())?;
            self.is_cut_known = member.as_ref().is_some_and(|member| member.damage.is_some());
            members.extend(member);
        }
        Ok(())
    }

    /// The next file, or what else is no folder; of a folder, that there is one.
    fn next_member(&mut self) -> io::Result<Option<Option<Member>>> {
        let mut ahead = self.global.clone();
        let mut is_announced = false;
        while let Some(header) = self.header()? {
            let kind = header.entry_type();
            let size = self.size_of(header, &ahead)?;
            let start = self.skip(header, size);
            is_announced |= is_about_another(kind) && kind != EntryType::XGlobalHeader;
            match kind {
                EntryType::GNULongName => ahead.set_name(self.text(start, size)),
                EntryType::GNULongLink => ahead.set_link(self.text(start, size)),
                EntryType::XGlobalHeader => {
                    self.global.read_global(self.data(start, size));
                    ahead = self.global.clone();
                }
                _ if is_about_next(kind) => ahead.read(self.data(start, size)),
                EntryType::Directory => return Ok(Some(None)),
                _ => {
                    let name = name_of(header, ahead.name.take());
                    // How folders were written before there was a type for them.
                    let is_folder = name.ends_with('/') && kind == EntryType::Regular && size == 0;
                    let member = || self.member(name, header, &ahead, start, size);
                    return Ok(Some((!is_folder).then(member)));
                }
            }
        }
        self.check_end(is_announced).map(|()| None)
    }

    /// Says what the end of the archive says of it.
    ///
    /// # Errors
    /// When it ends before what is in it does.
    fn check_end(&mut self, is_announced: bool) -> io::Result<()> {
        let message = match self.at.cmp(&self.archive.len()) {
            _ if is_announced => "the archive ends within the headers of a file",
            Ordering::Greater if !self.is_cut_known => "the archive ends within its last block",
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
        ahead: &Attributes,
        start: usize,
        size: u64,
    ) -> Member {
        let kind = header.entry_type();
        let link = || {
            let target = ahead.link.clone().or(header.link_name_bytes().map(|it| it.into_owned()));
            String::from_utf8_lossy(&target.unwrap_or_default()).into_owned()
        };
        let why = match kind {
            // A hard link may come with the contents of the file; else they are where it leads.
            EntryType::Link if size == 0 => format!("it is a link to `{}`", link()),
            EntryType::Symlink => format!("it is a symbolic link to `{}`", link()),
            EntryType::Char | EntryType::Block => "it is a device".to_owned(),
            EntryType::Fifo => "it is a named pipe".to_owned(),
            _ if kind.as_byte() == VOLUME_LABEL => "it is the label of a volume".to_owned(),
            _ if kind.as_byte() == OTHER_VOLUME => {
                let why = "it begins in another volume of the archive; join the volumes first";
                return Member::unreadable(name, size, why);
            }
            _ if ahead.is_sparse() || kind.is_gnu_sparse() => {
                let why =
                    "it is stored as a sparse file, which tpq does not unpack; pack it as a whole";
                let name = ahead.sparse_name().unwrap_or(name);
                return Member::unreadable(name, size, why);
            }
            _ => {
                let mut member = Member::within(name, start, size, self.archive);
                member.contradiction =
                    ahead.damage().map(|why| io::Error::new(io::ErrorKind::InvalidData, why));
                return member;
            }
        };
        Member::unread(name, size, Some(why))
    }

    /// How many bytes follow a header.
    fn size_of(&self, header: &Header, ahead: &Attributes) -> io::Result<u64> {
        let kind = header.entry_type();
        // What is said ahead is said of a file, not of another header before it.
        let size = match ahead.size.filter(|_| !is_about_another(kind)) {
            Some(size) => size,
            None => header.entry_size()?,
        };
        Ok(match kind {
            EntryType::Symlink
            | EntryType::Char
            | EntryType::Block
            | EntryType::Directory
            | EntryType::Fifo => 0,
            // Some programs write the size of the file that a hard link leads to.
            EntryType::Link if self.is_header(self.at + BLOCK) => 0,
            _ => size,
        })
    }

    /// Whether a header lies there, or the end of the archive.
    fn is_header(&self, at: usize) -> bool {
        let block = self.archive.get(at..at.saturating_add(BLOCK));
        block.is_none_or(|block| is_zero(block) || is_whole(block))
    }

    /// The header that lies here; none at the end of the archive.
    fn header(&mut self) -> io::Result<Option<&'a Header>> {
        let Some(block) = self.block()? else { return Ok(None) };
        if !is_whole(block) {
            let message =
                format!("the archive is damaged at byte {}, and what follows is not read", self.at);
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        Ok(Some(Header::from_byte_slice(block)))
    }

    /// The block of the next header. Behind the end mark of an archive another archive may follow.
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
        match after.get(..BLOCK).filter(|block| is_whole(block)) {
            Some(block) => {
                let remark = format!("another archive follows its end mark at byte {end}");
                self.remark(format!("{remark}; the files of both are read"));
                Ok(Some(block))
            }
            None => {
                let len = after.len();
                let remark = format!("{len} bytes follow its end mark at byte {end}");
                self.remark(format!("{remark} that are no archive"));
                Ok(None)
            }
        }
    }

    /// Notes what is unusual, as often as is of use to anyone.
    fn remark(&mut self, remark: String) {
        if self.remarks.len() < MOST_REMARKS {
            self.remarks.push(remark);
        }
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

    /// These bytes, up to a zero; of very many, the first.
    fn text(&self, start: usize, size: u64) -> &'a [u8] {
        let bytes = self.data(start, size);
        let bytes = &bytes[..bytes.len().min(LONGEST_NAME + 1)];
        bytes.split(|byte| *byte == 0).next().unwrap_or_default()
    }
}

/// Whether a header says something of the file whose header comes next.
fn is_about_next(kind: EntryType) -> bool {
    kind.is_pax_local_extensions() || kind.as_byte() == SOLARIS_HEADER
}

/// Whether a header says something of other files.
fn is_about_another(kind: EntryType) -> bool {
    is_about_next(kind)
        || kind.is_gnu_longname()
        || kind.is_gnu_longlink()
        || kind.is_pax_global_extensions()
}

fn name_of(header: &Header, ahead: Option<Vec<u8>>) -> String {
    let name = ahead.unwrap_or_else(|| header.path_bytes().into_owned());
    String::from_utf8_lossy(&name).into_owned()
}

fn is_zero(block: &[u8]) -> bool {
    block.iter().all(|byte| *byte == 0)
}

/// Whether a block is a header that is not damaged.
fn is_whole(block: &[u8]) -> bool {
    block.len() == BLOCK && Header::from_byte_slice(block).cksum().ok() == Some(checksum(block))
}

/// The sum of a header's bytes, those of the sum itself taken as spaces.
fn checksum(block: &[u8]) -> u32 {
    let sum = |bytes: &[u8]| bytes.iter().map(|byte| u32::from(*byte)).sum::<u32>();
    sum(&block[..148]) + 8 * u32::from(b' ') + sum(&block[156..])
}
