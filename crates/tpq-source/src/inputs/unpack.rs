//! Takes files apart until nothing in them holds files.

use std::io;

use super::split;
use crate::archive::{self, Member, Room, plain};
use crate::bytes::Bytes;
use crate::decompress::{Codec, Unpacked, Unpacker};
use crate::unpacked::NoRoom;
use crate::{Format, Manifest, ManifestError, SourceError};

/// How deep archives and compressed files are unpacked. Some files unpack to themselves.
const DEEPEST: usize = 8;
/// How many files are looked at in all: each takes memory, however small it is.
const MOST_FILES: usize = 100_000;
/// How many bytes their names may take.
const MOST_NAMES: usize = 64 << 20;

/// A file, and what lies in it.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) name: Option<String>,
    pub(super) shown: String,
    pub(super) format: Format,
    pub(super) size: u64,
    pub(super) bytes: Bytes,
    pub(super) cut: Option<io::Error>,
    pub(super) unread: Option<String>,
    pub(super) remarks: Vec<String>,
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
#[derive(Default)]
struct File {
    name: Option<String>,
    shown: String,
    bytes: Bytes,
    cut: Option<io::Error>,
    /// Its size, where none of its bytes are read.
    size: Option<u64>,
    /// Why it is not read, where an archive says that of it.
    unread: Option<String>,
    remarks: Vec<String>,
    /// How many archives and compressed files it lies in.
    depth: usize,
    /// What the names take that it and the archives have in the archives they lie in.
    names: usize,
}

impl File {
    fn leaf(self, format: Format) -> Node {
        let Self { name, shown, bytes, cut, size, unread, remarks, .. } = self;
        let size = size.unwrap_or(bytes.len() as u64);
        Node { name, shown, format, size, bytes, cut, unread, remarks, inside: Vec::new() }
    }

    /// This file as one whose bytes are those of the files in it.
    fn holding(self, format: Format, inside: Vec<Node>) -> Node {
        Node { bytes: Bytes::from(Vec::new()), inside, ..self.leaf(format) }
    }
}

/// The state of taking apart: what may still be unpacked, and the manifest once it is found.
pub(super) struct Unpack<'a> {
    pub(super) unpacker: Unpacker<'a>,
    pub(super) room: Room,
    pub(super) manifest: Option<Manifest>,
}

impl<'a> Unpack<'a> {
    pub(super) fn new(limit: u64, progress: &'a mut dyn FnMut(u64)) -> Self {
        let room = Room { files: MOST_FILES, names: MOST_NAMES, outer_names: 0 };
        Self { unpacker: Unpacker::new(limit, progress), room, manifest: None }
    }

    /// Takes a file apart, which was cut for some reason or is whole. It is two files if it holds a manifest and then a trace.
    pub(super) fn open(
        &mut self,
        name: Option<String>,
        shown: String,
        bytes: Bytes,
        cut: Option<io::Error>,
    ) -> Result<Vec<Node>, SourceError> {
        let file = File { name, shown, bytes, cut, ..File::default() };
        self.file(file)
    }

    fn file(&mut self, file: File) -> Result<Vec<Node>, SourceError> {
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
    ) -> Result<Node, SourceError> {
        let unpacked = self.unpack(&file.shown, &file.bytes, codec, None)?;
        let inside = self.file(File {
            name: Some(String::new()),
            shown: file.shown.clone(),
            bytes: unpacked.bytes,
            // An archive may have cut the compressed file itself, which is why it ends early.
            cut: file.cut.take().or(unpacked.error),
            depth: file.depth + 1,
            names: file.names,
            ..File::default()
        })?;
        Ok(file.holding(format, inside))
    }

    fn archive(&mut self, mut file: File, format: Format) -> Result<Node, SourceError> {
        self.room.outer_names = file.names;
        let listed = archive::list(&file.bytes, format, &mut self.room);
        let mut inside = Vec::new();
        for member in listed.members {
            let member = self.member(member, &file)?;
            inside.extend(self.file(member)?);
        }
        file.cut = file.cut.or(listed.damage);
        file.remarks.extend(listed.remarks);
        Ok(file.holding(format, inside))
    }

    fn unpack(
        &mut self,
        shown: &str,
        packed: &[u8],
        codec: Codec,
        checksum: Option<u32>,
    ) -> Result<Unpacked, SourceError> {
        let no_room = |NoRoom(why)| SourceError::NoRoom { shown: shown.to_owned(), why };
        self.unpacker.unpack(packed, codec, checksum).map_err(no_room)
    }

    fn member(&mut self, member: Member, archive: &File) -> Result<File, SourceError> {
        let shown = match plain(&member.name) {
            "" => format!("{}/(no name)", archive.shown),
            name => format!("{}/{name}", archive.shown),
        };
        let stored = archive.bytes.slice(member.range.clone());
        let checksum = member.checksum.filter(|_| member.damage.is_none());
        let unpacked = match member.codec {
            None => Unpacked::stored(stored, checksum),
            Some(codec) => self.unpack(&shown, &stored, codec, checksum)?,
        };
        let is_whole = !member.range.is_empty() && !unpacked.is_nothing;
        Ok(File {
            shown,
            names: archive.names + member.name.len(),
            name: Some(member.name),
            bytes: unpacked.bytes,
            cut: member.damage.or(unpacked.error).or(member.contradiction),
            size: (!is_whole).then_some(member.size),
            unread: member.unread,
            depth: archive.depth + 1,
            ..File::default()
        })
    }

    fn manifest(&mut self, file: File) -> Result<Vec<Node>, SourceError> {
        if let Some(first) = &self.manifest {
            let (first, second) = (first.shown().to_owned(), file.shown);
            return Err(ManifestError::Multiple { first, second }.into());
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
            depth: file.depth,
            ..File::default()
        };
        let rest = File { bytes: file.bytes.slice(start..file.bytes.len()), ..file };
        let mut nodes = vec![document.leaf(Format::Manifest)];
        nodes.extend(self.file(rest)?);
        Ok(nodes)
    }
}
