//! Members of a ZIP archive.
//!
//! The directory at the end of the archive lists them, and each has a header of its own before its
//! bytes. Both are read: several files of one name stay several files, a difference between the two
//! is damage, and a file that the directory lacks is listed as one that is not read.

mod directory;
mod header;

use std::io;

use self::directory::{Directory, Listed};
use self::header::LocalHeader;
use super::{Archive, Member, Room};
use crate::decompress::Codec;

const ENCRYPTED: u16 = 1;
/// Sizes and checksum follow the bytes instead of being in the header before them.
const HAS_DESCRIPTOR: u16 = 1 << 3;
/// What a size of 32 bits says where an extra field has it instead.
const ELSEWHERE: u64 = 0xffff_ffff;

/// Lists the members, which the directory at the archive's end names.
pub(super) fn list(archive: &[u8], room: &mut Room) -> Archive {
    let directory = match Directory::find(archive) {
        Ok(directory) => directory,
        Err(damage) => return Archive::broken(damage),
    };
    let mut listed = Archive::default();
    let mut occupied = Vec::new();
    let mut entries = directory.entries(archive);
    let mut full = None;
    for entry in entries.by_ref() {
        let header = LocalHeader::read(archive, entry.header);
        let mut place = Occupied::by(&entry, header.as_ref());
        let member = (!entry.is_folder()).then(|| member(entry, header, archive));
        if let Err(error) = room.take(member.as_ref(), listed.members.len()) {
            full = Some(error);
            break;
        }
        place.member = member.is_some().then_some(listed.members.len());
        occupied.push(place);
        listed.members.extend(member);
    }
    let is_full = full.is_some();
    listed.damage = full.or_else(|| entries.damage());
    occupied.sort_by_key(|occupied| occupied.start);
    refuse_overlaps(&occupied, &mut listed.members);
    if !is_full
        && let Err(error) =
            add_unlisted(&occupied, directory.start, archive, room, &mut listed.members)
    {
        listed.damage = Some(error);
    }
    listed
}

/// Where the header and the bytes of a member lie.
struct Occupied {
    start: usize,
    end: usize,
    /// Which of the members it is, unless it is a folder.
    member: Option<usize>,
}

impl Occupied {
    fn by(entry: &Listed, header: Option<&LocalHeader>) -> Self {
        let begins = header.map_or(entry.header, |header| header.data);
        let size = usize::try_from(packed(entry, header)).unwrap_or(usize::MAX);
        Self { start: entry.header, end: begins.saturating_add(size), member: None }
    }
}

/// How many bytes a file takes: the fewer of those that the directory and its header say, so that
/// a number that is damaged refuses none of the files behind it.
fn packed(entry: &Listed, header: Option<&LocalHeader>) -> u64 {
    // Some programs leave it out and do not say so.
    let says = |header: &&LocalHeader| !header.has_descriptor() && header.packed > 0;
    let in_header = header.filter(says).map(|header| header.packed);
    in_header.map_or(entry.packed, |packed| packed.min(entry.packed))
}

/// What is read of a file of the directory.
fn member(entry: Listed, header: Option<LocalHeader>, archive: &[u8]) -> Member {
    let packed = packed(&entry, header.as_ref());
    let Listed { name, size, .. } = entry;
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
    let mut member = Member::within(name, header.data, packed, archive);
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

/// A few bytes that many members share would make a small file arbitrarily large: of members that
/// overlap, only the first is read.
fn refuse_overlaps(occupied: &[Occupied], members: &mut [Member]) {
    let mut end = 0;
    for Occupied { start, end: own_end, member } in occupied {
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
/// When there is no room for all of them.
fn add_unlisted(
    occupied: &[Occupied],
    directory: usize,
    archive: &[u8],
    room: &mut Room,
    members: &mut Vec<Member>,
) -> io::Result<()> {
    let mut at = 0;
    let ends = occupied.iter().map(|occupied| (occupied.start, occupied.end));
    for (start, end) in ends.chain([(directory, directory)]) {
        while at < start {
            let Some(header) = header::in_gap(archive, at, start) else { break };
            at = match header.has_descriptor() {
                true => start,
                false => header.data.saturating_add(header.packed as usize),
            };
            let member = (!header.name.ends_with('/')).then(|| {
                let why = "it is not in the directory of the archive, like a file that was deleted";
                Member::unread(header.name, header.size, Some(why.to_owned()))
            });
            room.take(member.as_ref(), members.len())?;
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
