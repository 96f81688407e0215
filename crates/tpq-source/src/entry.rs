//! One file of an import.

use std::io;
use std::ops::Range;

use crate::bytes::Bytes;
use crate::{Format, ReportDate};

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
    pub(crate) report: Option<ReportDate>,
}

impl Entry {
    /// The index of the archive or compressed file that contains it.
    pub fn parent(&self) -> Option<usize> {
        self.parent
    }

    /// Its name within the archive. For one of several inputs it is the path as typed; for the
    /// contents of a compressed file it is empty. A single input has none.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Its name in messages: the path as typed, followed by the names within archives.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Its size in bytes: as stored for an archive or compressed file, unpacked for other files.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Its format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Its position in the import.
    pub fn processing_order(&self) -> u32 {
        self.processing_order
    }

    /// Its contents; empty for an archive or compressed file, which has its contents in entries of
    /// their own.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Drops a part of the contents from memory, because it is not likely to be read again. A later
    /// read loads it again, unchanged.
    pub fn release(&self, range: Range<usize>) {
        self.bytes.release(range);
    }

    /// The reason why it is not read, if it is not: it is a link, empty, hidden, or in no format
    /// that tpq reads. If it is also damaged, [`Self::cut`] has more information.
    pub fn unread(&self) -> Option<&str> {
        let by_contents = match self.format {
            _ if self.parent.is_none() || self.cut.is_some() => None,
            Format::Unknown if self.size == 0 => Some("it is empty"),
            Format::Unknown => Some("it is in no format that tpq reads"),
            Format::Text => Some("it is text in no format that tpq reads"),
            Format::Tracy => Some("it is a capture of Tracy, which tpq does not read"),
            _ => None,
        };
        self.unread.as_deref().or(by_contents)
    }

    /// Unusual properties of an archive in which nothing is missing, for example several files with
    /// one name.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// The date of the bug report that it is a file of.
    pub fn report(&self) -> Option<ReportDate> {
        self.report
    }

    /// The reason why it could not be read completely, if so: it is cut off, damaged, or packed in
    /// a way that tpq does not unpack. The data before that point is kept.
    pub fn cut(&self) -> Option<&io::Error> {
        self.cut.as_ref()
    }
}
