//! One file of an import.

use std::io;
use std::ops::Range;

use crate::Format;
use crate::bytes::Bytes;

/// A file, or an archive or compressed file that holds others: a row of `trace_file`.
#[derive(Debug)]
pub struct Entry {
    pub(crate) parent: Option<usize>,
    pub(crate) name: Option<String>,
    pub(crate) shown: String,
    pub(crate) size: u64,
    pub(crate) format: Format,
    pub(crate) processing_order: u32,
    pub(crate) bytes: Bytes,
    pub(crate) cut: Option<io::Error>,
    pub(crate) unread: Option<String>,
    pub(crate) remarks: Vec<String>,
}

impl Entry {
    /// The archive or compressed file it lies in.
    pub fn parent(&self) -> Option<usize> {
        self.parent
    }

    /// Its name within the archive; for one of several inputs the path as typed, and empty for
    /// what a compressed file holds. A single input has none.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// What messages call it: the path as typed, followed by the names within archives.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Its size in bytes: of an archive or compressed file as it is stored, of others unpacked.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// What it is.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Its position in the import.
    pub fn processing_order(&self) -> u32 {
        self.processing_order
    }

    /// Its contents; none for an archive or compressed file, whose contents are entries.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Says that a part of the contents is hardly going to be read again, so that it need not stay
    /// in memory. Whoever reads it after all finds it unchanged.
    pub fn release(&self, range: Range<usize>) {
        self.bytes.release(range);
    }

    /// Why it is not read, if so: it is a link, empty, hidden, or in no format that tpq reads. Where
    /// it is damaged besides, [`Self::cut`] says more.
    pub fn unread(&self) -> Option<&str> {
        let by_contents = match self.format {
            _ if self.parent.is_none() || self.cut.is_some() => None,
            Format::Unknown if self.size == 0 => Some("it is empty"),
            Format::Unknown => Some("it is in no format that tpq reads"),
            Format::Text => Some("it is text in no format that tpq reads"),
            _ => None,
        };
        self.unread.as_deref().or(by_contents)
    }

    /// What is unusual about an archive although nothing in it is missing, as several files of one
    /// name.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Why not all of it could be read, if so: it is cut off, damaged, or packed in a way tpq
    /// does not unpack. What came before is kept.
    pub fn cut(&self) -> Option<&io::Error> {
        self.cut.as_ref()
    }
}
