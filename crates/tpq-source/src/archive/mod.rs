//! Contents of archives: a list of members, and the ranges of their bytes in the archive.
//!
//! Listing copies and unpacks nothing. The list has every member of an archive except folders; a
//! member that is not read has a reason. A damaged archive gives the members that can still be
//! found, and a description of the damage.

mod duplicate_names;
mod tar;
mod zip;

use std::io;
use std::ops::Range;

use crate::Format;
use crate::decompress::Codec;

/// The list of the files of an archive.
#[derive(Debug, Default)]
pub(crate) struct Archive {
    pub(crate) members: Vec<Member>,
    /// The reason why files may be missing from the list.
    pub(crate) damage: Option<io::Error>,
    /// Unusual properties of the archive, though nothing is missing.
    pub(crate) remarks: Vec<String>,
}

/// A file in an archive.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// The range of its bytes in the archive.
    pub(crate) range: Range<usize>,
    /// Its size as the archive states it.
    pub(crate) size: u64,
    /// The compression of its bytes, if any.
    pub(crate) codec: Option<Codec>,
    /// The checksum of its unpacked contents.
    pub(crate) checksum: Option<u32>,
    /// The reason why its bytes are incomplete or cannot be read.
    pub(crate) damage: Option<io::Error>,
    /// A contradiction between two statements of the archive about it, though its bytes may be
    /// intact.
    pub(crate) contradiction: Option<io::Error>,
    /// The reason why it is not read, though it is not damaged.
    pub(crate) unread: Option<String>,
}

/// The remaining budget for the lists of all archives together.
#[derive(Debug)]
pub(crate) struct ListBudget {
    /// The number of files and folders. Each takes time and memory, however small it is.
    pub(crate) files: usize,
    /// The number of bytes of their names.
    pub(crate) name_bytes: usize,
    /// The number of bytes that each file needs in addition to its own name: the names of the
    /// archives that contain it.
    pub(crate) outer_name_bytes: usize,
}

impl ListBudget {
    /// Reserves budget for the next file, or for a folder, which is not listed. `listed` is the
    /// number of files in the list.
    ///
    /// # Errors
    /// When the budget is used up.
    fn reserve(&mut self, member: Option<&Member>, listed: usize) -> io::Result<()> {
        let names = member.map_or(0, |member| member.text_len() + self.outer_name_bytes);
        let only = format!("only its first {listed} files are read");
        let message = match (self.files.checked_sub(1), self.name_bytes.checked_sub(names)) {
            (Some(files), Some(names)) => {
                (self.files, self.name_bytes) = (files, names);
                return Ok(());
            }
            (None, _) => only,
            (Some(_), None) => format!("the names of its files are too long, and {only}"),
        };
        Err(io::Error::new(io::ErrorKind::FileTooLarge, message))
    }
}

/// Lists the members of an archive, as far as the budget allows.
pub(crate) fn list(bytes: &[u8], format: Format, budget: &mut ListBudget) -> Archive {
    let mut archive = match format {
        Format::Zip => zip::list(bytes, budget),
        _ => tar::list(bytes, budget),
    };
    archive.remarks.extend(duplicate_names::remark(&archive.members));
    archive
}

impl Archive {
    /// Returns the list of an archive in which nothing can be found.
    fn broken(damage: io::Error) -> Self {
        Self { damage: Some(damage), ..Self::default() }
    }
}

impl Member {
    /// Returns a member that cannot be read.
    fn unreadable(name: String, size: u64, why: impl Into<String>) -> Self {
        let damage = io::Error::new(io::ErrorKind::Unsupported, why.into());
        Self { damage: Some(damage), ..Self::unread(name, size, None) }
    }

    /// Returns a member that is not read, for a reason other than damage.
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

    /// The number of bytes of the texts about it that are taken from the archive.
    fn text_len(&self) -> usize {
        self.name.len() + self.unread.as_ref().map_or(0, String::len)
    }

    /// Returns a member with these bytes of an archive, not all of which may be in the archive.
    fn in_archive(name: String, start: usize, size: u64, archive: &[u8]) -> Self {
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

/// Whether a name is that of a file that was not meant to be part of the archive, such as the `._`
/// files of macOS. The folders `.` and `..` are not hidden: tpq writes nothing to the paths that
/// names lead to.
fn is_hidden(name: &str) -> bool {
    name.split(['/', '\\']).any(|part| part.starts_with('.') && part != "." && part != "..")
}

/// Removes the leading `./` that packing the current folder adds to a name.
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
