//! The destination that `-o` means, and its format.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, IsTerminal, stdout};
use std::path::{Path, PathBuf};

use anyhow::Context;
use tpq::FileIdentity;
use tpq_output::{FileFormat, Format, Sink};

use super::Unfinished;
use crate::exit::Usage;

/// The destination of results.
#[derive(Clone, Debug)]
pub enum Destination {
    /// `-`, `/dev/stdout`, or no `-o` at all.
    Stdout,
    /// A destination that cannot be replaced: a FIFO, a device, an open descriptor.
    Stream {
        /// The path as it was typed.
        path: PathBuf,
        /// The descriptor of this process that the path names.
        descriptor: Option<u32>,
    },
    /// A regular file, or a name that does not exist yet.
    File {
        /// The path as it was typed.
        path: PathBuf,
        /// The file itself, if the path is a link.
        target: PathBuf,
    },
}

/// The maximum length of a chain of links; the system follows 40.
const MAX_LINKS: usize = 40;

impl Destination {
    /// The destination for a path; `None` is stdout.
    ///
    /// # Errors
    /// When the path is a folder.
    pub fn of(path: Option<&Path>) -> anyhow::Result<Self> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else {
            return Ok(Self::Stdout);
        };
        let target = resolve_links(path);
        if let Some(descriptor) = descriptor(&target) {
            let path = path.to_owned();
            return Ok(match descriptor {
                1 => Self::Stdout,
                number => Self::Stream { path, descriptor: Some(number) },
            });
        }
        let is_folder = path.as_os_str().as_encoded_bytes().ends_with(b"/");
        let path = path.to_owned();
        match fs::metadata(&path) {
            found if is_folder || found.as_ref().is_ok_and(fs::Metadata::is_dir) => {
                let message = format!("{} is a folder; name a file", path.display());
                Err(Usage(message).into())
            }
            Ok(found) if !found.is_file() => Ok(Self::Stream { path, descriptor: None }),
            // If the path is invalid, opening it reports the error.
            _ => Ok(Self::File { path, target }),
        }
    }

    /// The path as it was typed, if there is one.
    fn path(&self) -> Option<&Path> {
        match self {
            Self::Stdout => None,
            Self::Stream { path, .. } | Self::File { path, .. } => Some(path),
        }
    }

    /// The format to write: `named` if given, otherwise the format of the file extension. On
    /// stdout, a table for a terminal and otherwise CSV, which is also the format of streams
    /// without a known extension.
    ///
    /// # Errors
    /// When the extension of a regular file is not that of a format, or binary data would go to a
    /// terminal.
    pub fn format(&self, named: Option<FileFormat>) -> anyhow::Result<FileFormat> {
        self.format_or(named, "pass --format")
    }

    /// Like [`Destination::format`], with another `advice` in the error about a file extension.
    ///
    /// # Errors
    /// Like [`Destination::format`].
    pub fn format_or(&self, named: Option<FileFormat>, advice: &str) -> anyhow::Result<FileFormat> {
        let is_terminal = matches!(self, Self::Stdout) && stdout().is_terminal();
        let format = match (named, self) {
            (Some(named), _) => named.for_path(self.path().unwrap_or(Path::new(""))),
            (None, Self::Stdout) if is_terminal => Format::Table.into(),
            (None, Self::Stdout) => Format::Csv.into(),
            (None, Self::Stream { path, .. }) => {
                FileFormat::of_path(path).unwrap_or(Format::Csv.into())
            }
            (None, Self::File { path, .. }) => {
                FileFormat::of_path(path).map_err(|error| Usage(format!("{error}; or {advice}")))?
            }
        };
        if format.is_binary() && is_terminal {
            let message = format!("{format} is not text; name a file with -o, or pipe it");
            return Err(Usage(message).into());
        }
        Ok(format)
    }

    /// Checks that the file is not one of `others`, which are read or written otherwise. `-` is
    /// stdin.
    ///
    /// # Errors
    /// When it is one of them, under any name.
    pub fn ensure_not_any_of<'a>(
        &self,
        others: impl IntoIterator<Item = &'a Path>,
    ) -> anyhow::Result<()> {
        match self.find_same(others) {
            Some(other) if other.as_os_str() == "-" => {
                Err(Usage(format!("-o {self} would overwrite the input")).into())
            }
            Some(other) => Err(Usage(format!("-o would overwrite {}", other.display())).into()),
            None => Ok(()),
        }
    }

    /// The first of `others` that is this regular file, under any name. `-` is stdin.
    pub fn find_same<'a>(&self, others: impl IntoIterator<Item = &'a Path>) -> Option<&'a Path> {
        let Self::File { path, target } = self else { return None };
        let is_same = |other: &&Path| *other == path || is_same_file(target, other);
        others.into_iter().find(is_same)
    }

    /// Creates the file that will replace a regular file.
    ///
    /// # Errors
    /// When it cannot be created there, or is no regular file.
    pub fn create_file(&self) -> anyhow::Result<Unfinished> {
        let Self::File { target, .. } = self else { anyhow::bail!("{self} is not a regular file") };
        Unfinished::create(target).with_context(|| format!("cannot create {self}"))
    }

    /// Opens the destination: returns the sink, and the file that gets its name once it is
    /// complete.
    ///
    /// # Errors
    /// When a file cannot be created or opened there.
    pub fn open(&self) -> anyhow::Result<(Sink, Option<Unfinished>)> {
        let cannot_create = || format!("cannot create {self}");
        match self {
            Self::Stdout => Ok((Box::new(stdout()), None)),
            Self::Stream { path, descriptor } => {
                let file = open_stream(path, *descriptor).with_context(cannot_create)?;
                Ok((Box::new(file), None))
            }
            Self::File { .. } => {
                let unfinished = self.create_file()?;
                let file = unfinished.file().try_clone().with_context(cannot_create)?;
                Ok((Box::new(file), Some(unfinished)))
            }
        }
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path() {
            Some(path) => path.display().fmt(f),
            None => f.write_str("stdout"),
        }
    }
}

/// Opens a destination that cannot be replaced.
///
/// Opening a descriptor of a regular file by its path gives it an offset of its own. So the file
/// must be in append mode, otherwise writes of other processes overwrite the same bytes.
fn open_stream(path: &Path, descriptor: Option<u32>) -> anyhow::Result<File> {
    if descriptor == Some(2) {
        return Ok(duplicate_of_stderr()?);
    }
    if let Some(number) = descriptor
        && fs::metadata(path)?.is_file()
        && !appends(number)
    {
        let what = format!("descriptor {number} does not append to its file; use {number}>>");
        return Err(Usage(what).into());
    }
    Ok(OpenOptions::new().write(true).append(descriptor.is_some()).open(path)?)
}

#[cfg(unix)]
fn duplicate_of_stderr() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(io::stderr().as_fd().try_clone_to_owned()?.into())
}

#[cfg(not(unix))]
fn duplicate_of_stderr() -> io::Result<File> {
    OpenOptions::new().append(true).open("/dev/stderr")
}

/// Whether a descriptor is in append mode. Only Linux provides this.
fn appends(descriptor: u32) -> bool {
    const APPEND: u32 = 0o2000;
    let Ok(about) = fs::read_to_string(format!("/proc/self/fdinfo/{descriptor}")) else {
        return true;
    };
    let flags = about.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
    flags.is_none_or(|flags| flags & APPEND != 0)
}

/// The final target of a chain of links, even if nothing exists there yet.
fn resolve_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        if descriptor(&path).is_some() {
            break;
        }
        let Ok(next) = fs::read_link(&path) else { break };
        // A relative link is relative to the folder that contains it.
        path = path.parent().unwrap_or(Path::new("")).join(next);
    }
    path
}

/// The number of an open descriptor of this process that the path names.
fn descriptor(path: &Path) -> Option<u32> {
    match path.to_str()? {
        "/dev/stdin" => return Some(0),
        "/dev/stdout" => return Some(1),
        "/dev/stderr" => return Some(2),
        _ => {}
    }
    let own = format!("/proc/{}/fd", std::process::id());
    let folder = path.parent()?;
    let is_folder = [Path::new("/dev/fd"), Path::new("/proc/self/fd"), Path::new(&own)];
    is_folder.contains(&folder).then(|| path.file_name()?.to_str()?.parse().ok())?
}

/// Whether two paths lead to the same regular file, or to the same free name; `-` is stdin.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    match (identity(a), identity(b)) {
        (Ok(Some(a)), Ok(Some(b))) => a == b,
        (Err(_), Err(_)) => matches!((free_name(a), free_name(b)), (Ok(a), Ok(b)) if a == b),
        _ => false,
    }
}

/// The path of a file that does not exist, with the links of its folder resolved.
fn free_name(path: &Path) -> io::Result<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize()?;
    Ok(folder.join(path.file_name().ok_or(io::ErrorKind::InvalidInput)?))
}

/// The identity of the regular file that a path leads to.
fn identity(path: &Path) -> io::Result<Option<FileIdentity>> {
    #[cfg(unix)]
    if path.as_os_str() == "-" {
        use std::os::fd::AsFd;
        let stdin = File::from(io::stdin().as_fd().try_clone_to_owned()?).metadata()?;
        return Ok(stdin.is_file().then(|| FileIdentity::of_metadata(&stdin)));
    }
    FileIdentity::of(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn names_of_descriptors() {
        for (path, number) in [
            ("/dev/stdout", Some(1)),
            ("/dev/fd/7", Some(7)),
            ("/proc/self/fd/2", Some(2)),
            ("/dev/null", None),
            ("/proc/self/fd", None),
            ("fd/1", None),
        ] {
            assert_eq!(descriptor(&resolve_links(Path::new(path))), number, "{path}");
        }
    }

    #[test]
    fn stdout_has_no_name() {
        for path in [None, Some("-")] {
            let destination = Destination::of(path.map(Path::new)).unwrap();
            assert!(matches!(destination, Destination::Stdout));
        }
    }
}
