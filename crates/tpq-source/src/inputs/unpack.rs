//! Unpacks files until no file contains others.

use std::io::{self, Read};

use super::split;
use crate::archive::{self, Archive, ListBudget, Member, plain};
use crate::bug_report::{is_report_text, is_stored_log};
use crate::bytes::Bytes;
use crate::decompress::{Codec, Unpacked, Unpacker};
use crate::prefix::Prefix;
use crate::unpacked::NoRoom;
use crate::{Format, Manifest, ManifestError, ReportDate, SourceError};

/// The largest depth of nested archives and compressed files. Some files unpack to themselves.
const MAX_DEPTH: usize = 8;
/// The largest number of files in total: each takes memory, however small it is.
const MAX_FILES: usize = 100_000;
/// The largest number of bytes of their names in total.
const MAX_NAME_BYTES: usize = 64 << 20;

/// A file and its contents.
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
    pub(super) report: Option<ReportDate>,
    pub(super) inside: Vec<Node>,
}

impl Node {
    /// The outermost archives in this node, or the node itself if it is one.
    pub(super) fn archives(&self) -> Vec<&Self> {
        if self.format.is_archive() {
            return vec![self];
        }
        self.inside.iter().flat_map(Self::archives).collect()
    }

    /// The number of traces in this node, without the symbols that lie next to them.
    pub(super) fn traces(&self) -> usize {
        let inside: usize = self.inside.iter().map(Node::traces).sum();
        inside + usize::from(self.format.is_trace() && !self.format.names_code())
    }
}

/// A file that is not unpacked yet.
#[derive(Default)]
struct File {
    name: Option<String>,
    shown: String,
    bytes: Bytes,
    cut: Option<io::Error>,
    /// Its size, if none of its bytes are read.
    size: Option<u64>,
    /// The reason why it is not read, if the archive gave one.
    unread: Option<String>,
    remarks: Vec<String>,
    /// The number of archives and compressed files that contain it.
    depth: usize,
    /// The number of bytes of its name and of the names of the archives around it.
    name_bytes: usize,
}

impl File {
    fn into_leaf(self, format: Format) -> Node {
        let Self { name, shown, bytes, cut, size, unread, remarks, .. } = self;
        let size = size.unwrap_or(bytes.len() as u64);
        let inside = Vec::new();
        Node { name, shown, format, size, bytes, cut, unread, remarks, report: None, inside }
    }

    /// Turns this file into a container, which has its contents in place of its bytes.
    fn into_container(self, format: Format, inside: Vec<Node>) -> Node {
        Node { bytes: Bytes::from(Vec::new()), inside, ..self.into_leaf(format) }
    }
}

/// The state of unpacking: the remaining budget, and the manifest once it is found.
pub(super) struct Unpack<'a> {
    pub(super) unpacker: Unpacker<'a>,
    pub(super) budget: ListBudget,
    pub(super) manifest: Option<Manifest>,
}

impl<'a> Unpack<'a> {
    pub(super) fn new(limit: u64, progress: &'a mut dyn FnMut(u64)) -> Self {
        let budget =
            ListBudget { files: MAX_FILES, name_bytes: MAX_NAME_BYTES, outer_name_bytes: 0 };
        Self { unpacker: Unpacker::new(limit, progress), budget, manifest: None }
    }

    /// Unpacks a file. `cut` is the reason why it is incomplete, if it is. The result has two nodes
    /// if the file holds a manifest and then a trace.
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

    /// Unpacks a compressed input while it arrives.
    pub(super) fn compressed_stream(
        &mut self,
        shown: &str,
        input: impl Read,
        codec: Codec,
        prefix: &mut Prefix<'_>,
    ) -> Result<Unpacked, SourceError> {
        let no_room = |NoRoom(why)| SourceError::NoRoom { shown: shown.to_owned(), why };
        self.unpacker.unpack_stream(input, codec, None, prefix).map_err(no_room)
    }

    /// The compressed input of `size` bytes that holds these bytes.
    pub(super) fn container_of(
        &mut self,
        shown: String,
        size: u64,
        format: Format,
        unpacked: Unpacked,
    ) -> Result<Node, SourceError> {
        let file = File { shown, size: Some(size), ..File::default() };
        self.holding(file, format, unpacked)
    }

    fn file(&mut self, file: File) -> Result<Vec<Node>, SourceError> {
        let format = Format::of(&file.bytes);
        let codec = match format {
            Format::Manifest => return self.manifest(file),
            Format::Gzip => Some(Codec::Gzip),
            Format::Zstd => Some(Codec::Zstd),
            Format::Tar | Format::Zip => None,
            _ => return Ok(vec![file.into_leaf(format)]),
        };
        if file.depth == MAX_DEPTH {
            let message = format!("it is nested {MAX_DEPTH} archives deep and is not unpacked");
            let cut = Some(io::Error::new(io::ErrorKind::Unsupported, message));
            return Ok(vec![File { cut, ..file }.into_container(format, Vec::new())]);
        }
        let node = match codec {
            Some(codec) => self.compressed(file, format, codec),
            None => self.archive(file, format),
        };
        Ok(vec![node?])
    }

    fn compressed(
        &mut self,
        file: File,
        format: Format,
        codec: Codec,
    ) -> Result<Node, SourceError> {
        let unpacked = self.unpack(&file.shown, &file.bytes, codec, None)?;
        self.holding(file, format, unpacked)
    }

    /// A compressed file with the file that was unpacked from it.
    fn holding(
        &mut self,
        mut file: File,
        format: Format,
        unpacked: Unpacked,
    ) -> Result<Node, SourceError> {
        let inside = self.file(File {
            name: Some(String::new()),
            shown: file.shown.clone(),
            bytes: unpacked.bytes,
            // The archive around it may have cut the compressed file itself, which is then why it
            // ends early.
            cut: file.cut.take().or(unpacked.error),
            depth: file.depth + 1,
            name_bytes: file.name_bytes,
            ..File::default()
        })?;
        Ok(file.into_container(format, inside))
    }

    fn archive(&mut self, mut file: File, format: Format) -> Result<Node, SourceError> {
        self.budget.outer_name_bytes = file.name_bytes;
        let mut listed = archive::list(&file.bytes, format, &mut self.budget);
        let is_report = listed.members.iter().any(|member| is_report_text(&member.name));
        if is_report {
            keep_report(&mut listed);
        }
        let mut inside = Vec::new();
        for member in listed.members {
            let member = self.member(member, &file)?;
            inside.extend(self.file(member)?);
        }
        if is_report {
            date_report(&mut inside);
        }
        file.cut = file.cut.or(listed.damage);
        file.remarks.extend(listed.remarks);
        Ok(file.into_container(format, inside))
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
        let is_whole = !member.range.is_empty() && !unpacked.is_unreadable;
        Ok(File {
            shown,
            name_bytes: archive.name_bytes + member.name.len(),
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
            return Ok(vec![file.into_leaf(Format::Manifest)]);
        };
        let document = File {
            name: file.name.clone(),
            shown: file.shown.clone(),
            bytes: file.bytes.slice(0..length),
            depth: file.depth,
            ..File::default()
        };
        let rest = File { bytes: file.bytes.slice(start..file.bytes.len()), ..file };
        let mut nodes = vec![document.into_leaf(Format::Manifest)];
        nodes.extend(self.file(rest)?);
        Ok(nodes)
    }
}

/// Leaves only the text and the stored logs of a bug report. The many other files are dumps of
/// services and copies of system files, some of which look like traces.
fn keep_report(listed: &mut Archive) {
    let count = listed.members.len();
    listed.members.retain(|member| is_report_text(&member.name) || is_stored_log(&member.name));
    match count - listed.members.len() {
        0 => {}
        others => listed.remarks.push(format!(
            "it is a bug report, of which {others} files other than its text and its stored logs \
             are not read"
        )),
    }
}

/// Gives the files of a bug report its date.
fn date_report(files: &mut [Node]) {
    let name = |node: &Node| node.name.clone().unwrap_or_default();
    let text = files.iter().find(|node| is_report_text(&name(node)));
    let date = text.and_then(|text| ReportDate::of(&text.bytes, text.name.as_deref()));
    for file in files {
        file.report = date;
    }
}
