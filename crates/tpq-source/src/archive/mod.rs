//! What archives hold: a list of members, and where in the archive their bytes lie.
//!
//! Listing copies nothing and unpacks nothing. An archive that is damaged gives the members that
//! can still be found, and says what is wrong.

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
}

/// A file in an archive.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// Where its bytes lie in the archive.
    pub(crate) range: Range<usize>,
    /// How they are compressed, and the checksum of what they unpack to.
    pub(crate) packed: Option<(Codec, u32)>,
    /// Why they are not all there, or cannot be read.
    pub(crate) damage: Option<io::Error>,
}

/// Lists an archive; at most so many members of it as there is `room` for.
pub(crate) fn list(bytes: &[u8], format: Format, room: usize) -> Archive {
    match format {
        Format::Zip => zip::list(bytes, room),
        _ => tar::list(bytes, room),
    }
}

impl Archive {
    /// An archive in which nothing can be found.
    fn broken(damage: io::Error) -> Self {
        Self { members: Vec::new(), damage: Some(damage) }
    }
}

impl Member {
    /// A member of which only the name can be told.
    fn unreadable(name: String, why: impl Into<String>) -> Self {
        let damage = io::Error::new(io::ErrorKind::Unsupported, why.into());
        Self { name, range: 0..0, packed: None, damage: Some(damage) }
    }

    /// A member that claims these bytes of an archive, in which not all of them may lie.
    fn within(name: String, start: usize, size: u64, archive: &[u8]) -> Self {
        let claimed = usize::try_from(size).unwrap_or(usize::MAX);
        let end = start.saturating_add(claimed);
        let damage = (end > archive.len()).then(|| {
            io::Error::new(io::ErrorKind::UnexpectedEof, "the archive ends within this file")
        });
        let end = end.min(archive.len());
        Self { name, range: start.min(end)..end, packed: None, damage }
    }
}

/// Whether a name is of a file that was not meant to be part of the archive, as the `._` files of
/// macOS. The folder `.` is not hidden.
fn is_hidden(name: &str) -> bool {
    name.split('/').any(|part| part.starts_with('.') && part != ".")
}

/// A name without the leading `./` that packing the current folder gives.
pub(crate) fn plain(name: &str) -> &str {
    name.trim_start_matches("./")
}

fn too_many(room: usize) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("only its first {room} files are read"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_a_leading_dot_are_hidden() {
        for name in [".a", "a/.b", ".a/b", "__MACOSX/._a", "../a", "a/..b/c"] {
            assert!(is_hidden(name), "{name}");
        }
        for name in ["a", "a.b", "a/b.c", "./a", "./a/./b", "a./b"] {
            assert!(!is_hidden(name), "{name}");
        }
    }
}
