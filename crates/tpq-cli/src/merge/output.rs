//! The packed file: written beside its place, and moved there once it is whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::Member;
use crate::exit::Usage;
use crate::metatrace::is_same_file;

/// A file that is not finished, and is gone again unless it is kept.
pub struct Unfinished {
    /// Where it is now.
    path: PathBuf,
    /// Where it will be.
    target: PathBuf,
    kept: bool,
}

impl Unfinished {
    /// Begins a file that is to lie at `target` and must be none of those that it is made of.
    pub fn create(target: &Path, members: &[Member]) -> anyhow::Result<(Self, File)> {
        if let Some(member) = members.iter().find(|member| is_same_file(target, &member.path)) {
            let message = format!("-o would overwrite {}", member.path.display());
            return Err(Usage(message).into());
        }
        let shown = target.display();
        if let Ok(metadata) = target.metadata() {
            anyhow::ensure!(metadata.is_file(), "{shown} is not a regular file");
        }
        // Behind a link, the file is replaced and the link stays.
        let target = target.canonicalize().unwrap_or_else(|_| target.to_owned());
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let path = target.with_file_name(format!(".{name}.{}.part", std::process::id()));
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path)
            .with_context(|| format!("cannot create {shown}"))?;
        Ok((Self { path, target, kept: false }, file))
    }

    /// Where it is now.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Moves it to its place.
    pub fn keep(mut self) -> anyhow::Result<()> {
        fs::rename(&self.path, &self.target)
            .with_context(|| format!("cannot create {}", self.target.display()))?;
        self.kept = true;
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.kept {
            // There is nothing more to be done about a file that cannot be removed.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Writes a TAR archive of the files. The same files give the same bytes: of what a header can say
/// of a file, only its name and size are true.
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
        let contents = Contents { file, read: 0, bytes: member.bytes, before, tell: &mut progress };
        archive
            .append_data(&mut header, &member.name, contents)
            .with_context(|| format!("cannot pack {}", member.path.display()))?;
        before += member.bytes;
    }
    archive.into_inner()?.flush()?;
    Ok(())
}

/// As many bytes of a file as the archive's header says there are; tells of each read.
struct Contents<'a> {
    file: File,
    read: u64,
    bytes: u64,
    /// What was packed before this file.
    before: u64,
    tell: &'a mut dyn FnMut(u64),
}

impl Read for Contents<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.bytes - self.read).unwrap_or(usize::MAX);
        let most = left.min(buffer.len());
        let read = self.file.read(&mut buffer[..most])?;
        if read == 0 && most > 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it became shorter"));
        }
        self.read += read as u64;
        (self.tell)(self.before + self.read);
        Ok(read)
    }
}
