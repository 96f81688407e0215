//! Members of a ZIP archive.

use std::io::{self, Cursor};
use std::ops::Range;

use zip::CompressionMethod;
use zip::read::{ZipArchive, ZipFile};

use super::{Archive, Member, is_hidden, too_many};
use crate::decompress::Codec;

type Reader<'a> = Cursor<&'a [u8]>;

/// Lists the members, which the directory at the archive's end names.
pub(super) fn list(archive: &[u8], room: usize) -> Archive {
    let mut zip = match ZipArchive::new(Cursor::new(archive)) {
        Ok(zip) => zip,
        Err(error) => return Archive::broken(no_directory(&error)),
    };
    let mut listed = Archive::default();
    for index in 0..zip.len() {
        let Some(member) = member(&mut zip, index, archive) else { continue };
        if listed.members.len() == room {
            listed.damage = Some(too_many(room));
            break;
        }
        listed.members.push(member);
    }
    // A few bytes that many members share would make a small file arbitrarily large.
    if overlap(listed.members.iter().map(|member| member.range.clone())) {
        let message = "its files overlap, which no program writes";
        return Archive::broken(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    listed
}

/// One file of the directory, unless it is none that is to be read.
fn member(zip: &mut ZipArchive<Reader<'_>>, index: usize, archive: &[u8]) -> Option<Member> {
    let name = zip.name_for_index(index)?;
    let name = name.map_or_else(|_| format!("file {index}"), |name| name.into_owned());
    if is_hidden(&name) {
        return None;
    }
    match zip.by_index_raw(index) {
        Ok(file) if !file.is_file() => None,
        Ok(file) => Some(read(name, &file, archive)),
        Err(error) => Some(Member::unreadable(name, error.to_string())),
    }
}

fn read(name: String, file: &ZipFile<'_, Reader<'_>>, archive: &[u8]) -> Member {
    if file.encrypted() {
        return Member::unreadable(name, "it is encrypted; unpack it first");
    }
    let method = file.compression();
    let codec = match method {
        CompressionMethod::STORE => None,
        CompressionMethod::DEFLATE => Some(Codec::Deflate),
        CompressionMethod::ZSTD => Some(Codec::Zstd),
        _ => {
            let why = format!("it is compressed with {method}, which tpq does not unpack");
            return Member::unreadable(name, why);
        }
    };
    let start = file.data_start().and_then(|start| usize::try_from(start).ok());
    let mut member =
        Member::within(name, start.unwrap_or(usize::MAX), file.compressed_size(), archive);
    member.packed = codec.map(|codec| (codec, file.crc32()));
    member
}

fn no_directory(error: &zip::result::ZipError) -> io::Error {
    let message =
        format!("its directory, which is at its end, cannot be read; it may be cut off ({error})");
    io::Error::new(io::ErrorKind::InvalidData, message)
}

fn overlap(ranges: impl Iterator<Item = Range<usize>>) -> bool {
    let mut ranges: Vec<_> = ranges.filter(|range| !range.is_empty()).collect();
    ranges.sort_unstable_by_key(|range| range.start);
    ranges.windows(2).any(|pair| pair[0].end > pair[1].start)
}
