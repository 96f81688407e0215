//! Takes files apart until nothing in them holds files.

use std::io;

use super::split;
use crate::archive::{self, Member, plain};
use crate::bytes::Bytes;
use crate::decompress::{Codec, Unpacker};
use crate::{Format, Manifest, ManifestError};

/// How deep archives and compressed files are unpacked. Some files unpack to themselves.
const DEEPEST: usize = 8;
/// How many files are looked at in all: each takes memory, however small it is.
const MOST_FILES: usize = 100_000;

/// A file, and what lies in it.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) name: Option<String>,
    pub(super) shown: String,
    pub(super) format: Format,
    pub(super) size: u64,
    pub(super) bytes: Bytes,
    pub(super) cut: Option<io::Error>,
    pub(super) inside: Vec<Node>,
}

impl Node {
    /// The archives here.
    pub(super) fn archives(&self) -> Vec<&Self> {
        if self.format.is_archive() {
            return vec![self];
        }
        self.inside.iter().flat_map(Self::archives).collect()
    }

    /// How many traces there are here.
    pub(super) fn traces(&self) -> usize {
        let inside: usize = self.inside.iter().map(Node::traces).sum();
        inside + usize::from(self.format.is_trace())
    }
}

/// A file that is not taken apart yet.
struct File {
    name: Option<String>,
    shown: String,
    bytes: Bytes,
    cut: Option<io::Error>,
    /// How many archives and compressed files it lies in.
    depth: usize,
}

impl File {
    fn leaf(self, format: Format) -> Node {
        let Self { name, shown, bytes, cut, .. } = self;
        let size = bytes.len() as u64;
        Node { name, shown, format, size, bytes, cut, inside: Vec::new() }
    }

    /// This file as one whose bytes are those of the files in it.
    fn holding(self, format: Format, inside: Vec<Node>) -> Node {
        Node { bytes: Bytes::from(Vec::new()), inside, ..self.leaf(format) }
    }
}

/// The state of taking apart: what may still be unpacked, and the manifest once it is found.
pub(super) struct Unpack<'a> {
    unpacker: Unpacker<'a>,
    room: usize,
    pub(super) manifest: Option<Manifest>,
}

impl<'a> Unpack<'a> {
    pub(super) fn new(limit: u64, progress: &'a mut dyn FnMut(u64)) -> Self {
        Self { unpacker: Unpacker::new(limit, progress), room: MOST_FILES, manifest: None }
    }

    /// Takes a file apart. It is two files if it holds a manifest and then a trace.
    pub(super) fn open(
        &mut self,
        name: Option<String>,
        shown: String,
        bytes: Bytes,
    ) -> Result<Vec<Node>, ManifestError> {
        self.file(File { name, shown, bytes, cut: None, depth: 0 })
    }

    fn file(&mut self, file: File) -> Result<Vec<Node>, ManifestError> {
        let format = Format::of(&file.bytes);
        let codec = match format {
            Format::Manifest => return self.manifest(file),
            Format::Gzip => Some(Codec::Gzip),
            Format::Zstd => Some(Codec::Zstd),
            Format::Tar | Format::Zip => None,
            _ => return Ok(vec![file.leaf(format)]),
        };
        if file.depth == DEEPEST {
            let message = format!("it lies {DEEPEST} archives deep and is not unpacked");
            let cut = Some(io::Error::new(io::ErrorKind::Unsupported, message));
            return Ok(vec![File { cut, ..file }.holding(format, Vec::new())]);
        }
        let node = match codec {
            Some(codec) => self.compressed(file, format, codec),
            None => self.archive(file, format),
        };
        Ok(vec![node?])
    }

    fn compressed(
        &mut self,
        mut file: File,
        format: Format,
        codec: Codec,
    ) -> Result<Node, ManifestError> {
        let unpacked = self.unpacker.unpack(&file.bytes, codec);
        let inside = self.file(File {
            name: Some(String::new()),
            shown: file.shown.clone(),
            bytes: unpacked.bytes,
            // An archive may have cut the compressed file itself, which is why it ends early.
            cut: file.cut.take().or(unpacked.error),
            depth: file.depth + 1,
        })?;
        Ok(file.holding(format, inside))
    }

    fn archive(&mut self, mut file: File, format: Format) -> Result<Node, ManifestError> {
        let listed = archive::list(&file.bytes, format, self.room);
        self.room -= listed.members.len();
        let mut inside = Vec::new();
        for member in listed.members {
            let member = self.member(member, &file);
            inside.extend(self.file(member)?);
        }
        file.cut = file.cut.or(listed.damage);
        Ok(file.holding(format, inside))
    }

    fn member(&mut self, member: Member, archive: &File) -> File {
        let stored = archive.bytes.slice(member.range);
        let (bytes, error) = match member.packed {
            None => (stored, None),
            Some((codec, checksum)) => {
                let unpacked = self.unpacker.unpack(&stored, codec).verify(checksum);
                (unpacked.bytes, unpacked.error)
            }
        };
        File {
            shown: format!("{}/{}", archive.shown, plain(&member.name)),
            name: Some(member.name),
            bytes,
            cut: member.damage.or(error),
            depth: archive.depth + 1,
        }
    }

    fn manifest(&mut self, file: File) -> Result<Vec<Node>, ManifestError> {
        if let Some(first) = &self.manifest {
            let (first, second) = (first.shown().to_owned(), file.shown);
            return Err(ManifestError::Multiple { first, second });
        }
        let (manifest, length) = Manifest::parse(&file.bytes, &file.shown)?;
        self.manifest = Some(manifest);
        let Some(start) = split::after_document(&file.bytes, length) else {
            return Ok(vec![file.leaf(Format::Manifest)]);
        };
        let document = File {
            name: file.name.clone(),
            shown: file.shown.clone(),
            bytes: file.bytes.slice(0..length),
            cut: None,
            depth: file.depth,
        };
        let rest = File { bytes: file.bytes.slice(start..file.bytes.len()), ..file };
        let mut nodes = vec![document.leaf(Format::Manifest)];
        nodes.extend(self.file(rest)?);
        Ok(nodes)
    }
}
