//! What archives hold: a list of members, and where in the archive their bytes lie.
//!
//! Listing copies nothing and unpacks nothing. Every member of an archive is in the list, but for
//! folders; one that is not read says why. An archive that is damaged gives the members that can
//! still be found, and says what is wrong.

mod same_names;
mod tar;
mod zip;

use std::io;
use std::ops::Range;

use crate::Format;
use crate::decompress::Codec;

/// The files of an archive.
#[derive(Debug, Default)]
pub(crate) struct Archive {
    pub(crate) members: Vec<Member>,
    /// Why there may be more than these.
    pub(crate) damage: Option<io::Error>,
    /// What is unusual about it, though nothing is missing.
    pub(crate) remarks: Vec<String>,
}

/// A file in an archive.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// Where its bytes lie in the archive.
    pub(crate) range: Range<usize>,
    /// Its size as the archive states it.
    pub(crate) size: u64,
    /// How they are compressed.
    pub(crate) codec: Option<Codec>,
    /// The checksum of its contents.
    pub(crate) checksum: Option<u32>,
    /// Why they are not all there, or cannot be read.
    pub(crate) damage: Option<io::Error>,
    /// What the archive says of it in two ways, though its bytes may be whole.
    pub(crate) contradiction: Option<io::Error>,
    /// Why it is not read, though it is not damaged.
    pub(crate) unread: Option<String>,
}

/// What the lists of all archives may take together.
#[derive(Debug)]
pub(crate) struct Room {
    /// How many files and folders, of which each takes time and memory, however small it is.
    pub(crate) files: usize,
    /// How many bytes their names.
    pub(crate) names: usize,
    /// What each takes besides its own name: the names of the archives it lies in.
    pub(crate) outer_names: usize,
}

impl Room {
    /// Takes the room that the next file takes, or a folder, which stands in no list. `listed` is
    /// how many files are.
    ///
    /// # Errors
    /// That there is none left.
    fn take(&mut self, member: Option<&Member>, listed: usize) -> io::Result<()> {
        let names = member.map_or(0, |member| member.text() + self.outer_names);
        let only = format!("only its first {listed} files are read");
        let message = match (self.files.checked_sub(1), self.names.checked_sub(names)) {
            (Some(files), Some(names)) => {
                (self.files, self.names) = (files, names);
                return Ok(());
            }
            (None, _) => only,
            (Some(_), None) => format!("the names of its files are too long, and {only}"),
        };
        Err(io::Error::new(io::ErrorKind::FileTooLarge, message))
    }
}

/// Lists an archive, as much of it as there is `room` for.
pub(crate) fn list(bytes: &[u8], format: Format, room: &mut Room) -> Archive {
    let mut archive = match format {
        Format::Zip => zip::list(bytes, room),
        _ => tar::list(bytes, room),
    };
    archive.remarks.extend(same_names::remark(&archive.members));
    archive
}

impl Archive {
    /// An archive in which nothing can be found.
    fn broken(damage: io::Error) -> Self {
        Self { damage: Some(damage), ..Self::default() }
    }
}

impl Member {
    /// A member that cannot be read.
    fn unreadable(name: String, size: u64, why: impl Into<String>) -> Self {
        let damage = io::Error::new(io::ErrorKind::Unsupported, why.into());
        Self { damage: Some(damage), ..Self::unread(name, size, None) }
    }

    /// A member that is not read, for a reason that is no damage.
    fn unread(name: String, size: u64, why: Option<String>) -> Self {
        Self {
            name,
            range: 0..0,
            size,
            codec: None,
            checksum: None,
            damage: None,
            contradiction: None,
            unread: why,
        }
    }

    /// How many bytes the texts about it take that the archive chose.
    fn text(&self) -> usize {
        self.name.len() + self.unread.as_ref().map_or(0, String::len)
    }

    /// A member that claims these bytes of an archive, in which not all of them may lie.
    fn within(name: String, start: usize, size: u64, archive: &[u8]) -> Self {
        if is_hidden(&name) {
            let why = "its name marks it as hidden, like a file that a system keeps for itself";
            return Self::unread(name, size, Some(why.to_owned()));
        }
        let claimed = usize::try_from(size).unwrap_or(usize::MAX);
        let end = start.saturating_add(claimed);
        let damage = (end > archive.len()).then(|| {
            io::Error::new(io::ErrorKind::UnexpectedEof, "the archive ends within this file")
        });
        let end = end.min(archive.len());
        let range = start.min(end)..end;
        Self { range, damage, ..Self::unread(name, size, None) }
    }
}

/// Whether a name is of a file that was not meant to be part of the archive, as the `._` files of
/// macOS. The folders `.` and `..` are not hidden: nothing is written to where they lead.
fn is_hidden(name: &str) -> bool {
    name.split(['/', '\\']).any(|part| part.starts_with('.') && part != "." && part != "..")
}

/// A name without the leading `./` that packing the current folder gives.
pub(crate) fn plain(name: &str) -> &str {
    name.trim_start_matches("./")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_a_leading_dot_are_hidden() {
        for name in [".a", "a/.b", ".a/b", "__MACOSX/._a", "a/..b/c", "a\\.b"] {
            assert!(is_hidden(name), "{name}");
        }
        for name in ["a", "a.b", "a/b.c", "./a", "./a/./b", "a./b", "../a", "a/../b", "", "/a"] {
            assert!(!is_hidden(name), "{name}");
        }
    }
}
