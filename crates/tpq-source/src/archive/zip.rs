//! Members of a ZIP archive.
//!
//! The directory at the end of the archive lists them, and each has a header of its own before its
//! bytes. Both are read: several files with one name stay several files, a difference between
//! directory and header is damage, and a file that is missing from the directory is listed as one
//! that is not read.

mod directory;
mod header;

use std::io;

use self::directory::{Directory, DirectoryEntry};
use self::header::LocalHeader;
use super::{Archive, ListBudget, Member};
use crate::decompress::Codec;

const ENCRYPTED: u16 = 1;
/// The flag of a member with its sizes and checksum after the bytes instead of in the header.
const HAS_DESCRIPTOR: u16 = 1 << 3;
/// The value of a 32-bit size that is stored in an extra field instead.
const IN_EXTRA_FIELD: u64 = 0xffff_ffff;

/// Lists the members that the directory at the end of the archive names.
pub(super) fn list(archive: &[u8], budget: &mut ListBudget) -> Archive {
    let directory = match Directory::find(archive) {
        Ok(directory) => directory,
        Err(damage) => return Archive::broken(damage),
    };
    let mut listed = Archive::default();
    let mut extents = Vec::new();
    let mut entries = directory.entries(archive);
    let mut full = None;
    for entry in entries.by_ref() {
        let header = LocalHeader::read(archive, entry.header);
        let mut extent = Extent::new(&entry, header.as_ref());
        let member = (!entry.is_folder()).then(|| member(entry, header, archive));
        if let Err(error) = budget.reserve(member.as_ref(), listed.members.len()) {
            full = Some(error);
            break;
        }
        extent.member = member.is_some().then_some(listed.members.len());
        extents.push(extent);
        listed.members.extend(member);
    }
    let is_full = full.is_some();
    listed.damage = full.or_else(|| entries.damage());
    extents.sort_by_key(|extent| extent.start);
    refuse_overlaps(&extents, &mut listed.members);
    if !is_full
        && let Err(error) =
            add_unlisted(&extents, directory.start, archive, budget, &mut listed.members)
    {
        listed.damage = Some(error);
    }
    listed
}

/// The range of the header and the bytes of a member.
struct Extent {
    start: usize,
    end: usize,
    /// The index of the member; `None` for a folder.
    member: Option<usize>,
}

impl Extent {
    fn new(entry: &DirectoryEntry, header: Option<&LocalHeader>) -> Self {
        let begins = header.map_or(entry.header, |header| header.data);
        let size = usize::try_from(packed_size(entry, header)).unwrap_or(usize::MAX);
        Self { start: entry.header, end: begins.saturating_add(size), member: None }
    }
}

/// The number of bytes that a file takes: the smaller of the sizes in the directory and in the
/// header, so that a damaged size does not cause the files after it to be refused.
fn packed_size(entry: &DirectoryEntry, header: Option<&LocalHeader>) -> u64 {
    // Some programs leave out the size without setting the flag for this.
    let has_size = |header: &&LocalHeader| !header.has_descriptor() && header.packed > 0;
    let in_header = header.filter(has_size).map(|header| header.packed);
    in_header.map_or(entry.packed, |packed| packed.min(entry.packed))
}

/// The member for a file of the directory.
fn member(entry: DirectoryEntry, header: Option<LocalHeader>, archive: &[u8]) -> Member {
    let packed = packed_size(&entry, header.as_ref());
    let DirectoryEntry { name, size, .. } = entry;
    let codec = match entry.method {
        _ if entry.is_link => {
            return Member::unread(name, size, Some("it is a symbolic link".to_owned()));
        }
        _ if entry.flags & ENCRYPTED != 0 => {
            return Member::unreadable(name, size, "it is encrypted; unpack it first");
        }
        0 => None,
        8 => Some(Codec::Deflate),
        93 => Some(Codec::Zstd),
        method => {
            let method = method_name(method);
            let why = format!("it is compressed with {method}, which tpq does not unpack");
            return Member::unreadable(name, size, why);
        }
    };
    let Some(header) = header else {
        let at = entry.header;
        let why = format!("its header is not at byte {at}, where the directory says it is");
        return Member::unreadable(name, size, why);
    };
    let differs = header.difference(entry.method, entry.checksum, entry.packed, &entry.raw_name);
    let mut member = Member::in_archive(name, header.data, packed, archive);
    member.size = size;
    if member.unread.is_some() {
        return member;
    }
    member.contradiction = differs.map(|what| {
        let message = format!("its header and the directory of the archive differ in its {what}");
        io::Error::new(io::ErrorKind::InvalidData, message)
    });
    (member.codec, member.checksum) = (codec, Some(entry.checksum));
    member
}

/// Marks members that overlap an earlier one as unreadable. A few bytes that many members share
/// would make the contents of a small file arbitrarily large.
fn refuse_overlaps(extents: &[Extent], members: &mut [Member]) {
    let mut end = 0;
    for Extent { start, end: own_end, member } in extents {
        if *start < end
            && let Some(member) = member.and_then(|member| members.get_mut(member))
            && !member.range.is_empty()
        {
            let why = "it overlaps another file of the archive, which no program writes";
            let name = std::mem::take(&mut member.name);
            *member = Member::unreadable(name, member.size, why);
        }
        end = end.max(*own_end);
    }
}

/// Adds the files that have a header but are not in the directory.
///
/// # Errors
/// When the budget is not enough for all of them.
fn add_unlisted(
    extents: &[Extent],
    directory: usize,
    archive: &[u8],
    budget: &mut ListBudget,
    members: &mut Vec<Member>,
) -> io::Result<()> {
    let mut at = 0;
    let ends = extents.iter().map(|extent| (extent.start, extent.end));
    for (start, end) in ends.chain([(directory, directory)]) {
        while at < start {
            let Some(header) = header::find_in_gap(archive, at, start) else { break };
            at = match header.has_descriptor() {
                true => start,
                false => header.data.saturating_add(header.packed as usize),
            };
            let member = (!header.name.ends_with('/')).then(|| {
                let why = "it is not in the directory of the archive, like a file that was deleted";
                Member::unread(header.name, header.size, Some(why.to_owned()))
            });
            budget.reserve(member.as_ref(), members.len())?;
            members.extend(member);
        }
        at = at.max(end);
    }
    Ok(())
}

fn method_name(method: u16) -> String {
    let name = match method {
        1 => "Shrink",
        2..=5 => "Reduce",
        6 => "Implode",
        9 => "Deflate64",
        12 => "bzip2",
        14 => "LZMA",
        95 => "XZ",
        97 => "WavPack",
        98 => "PPMd",
        99 => "AES encryption",
        other => return format!("method {other}"),
    };
    name.to_owned()
}
