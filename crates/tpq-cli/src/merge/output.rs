//! Writes the packed file.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};

use anyhow::Context;

use super::Member;

/// Writes a TAR archive of the files. The same files always give the same bytes: only the names and
/// sizes in the headers are those of the files.
pub fn pack(members: &[Member], file: File, mut progress: impl FnMut(u64)) -> anyhow::Result<()> {
    let mut archive = tar::Builder::new(BufWriter::with_capacity(1 << 20, file));
    let mut before = 0;
    for member in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(member.bytes);
        header.set_mode(0o644);
        header.set_mtime(0);
        header.set_uid(0);
        header.set_gid(0);
        let file = File::open(&member.path)
            .with_context(|| format!("cannot open {}", member.path.display()))?;
        let contents =
            Contents { file, read: 0, bytes: member.bytes, before, on_progress: &mut progress };
        archive
            .append_data(&mut header, &member.name, contents)
            .with_context(|| format!("cannot pack {}", member.path.display()))?;
        before += member.bytes;
    }
    archive.into_inner()?.flush()?;
    Ok(())
}

/// As many bytes of a file as its archive header states. Reports the progress on each read.
struct Contents<'a> {
    file: File,
    read: u64,
    bytes: u64,
    /// The number of bytes packed before this file.
    before: u64,
    on_progress: &'a mut dyn FnMut(u64),
}

impl Read for Contents<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.bytes - self.read).unwrap_or(usize::MAX);
        let most = left.min(buffer.len());
        let read = self.file.read(&mut buffer[..most])?;
        if read == 0 && most > 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file became shorter"));
        }
        self.read += read as u64;
        (self.on_progress)(self.before + self.read);
        Ok(read)
    }
}
