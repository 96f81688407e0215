//! Descriptions of trace formats for the import.

use tpq_ingest::{EventReader, FileContext, Prescan, PrescanMemory, Timeline, TraceBytes};
use tpq_source::ReportDate;
use tpq_tables::TableGroups;

/// Reader of the events of one file.
pub type Reader<'a> = Box<dyn EventReader + 'a>;
/// Work for another thread.
pub type Work<'a> = Box<dyn FnOnce() + Send + 'a>;

/// A format of traces.
pub struct TraceFormat {
    /// Whether a file is a sequence of packets, which the prescan reads: they name clocks, machines
    /// and writers. Any other file has one machine and one clock.
    pub has_packets: bool,
    /// The clock of events that name none, unless the prescan or a manifest names another.
    pub default_clock: DefaultClock,
    /// Whether events are nearly in order of time, so that windows of them can be sorted. Otherwise
    /// all events of a file are sorted at once.
    pub is_windowed: bool,
    /// Whether thread 0 is the idle task of a kernel. In other formats 0 is a number like any
    /// other.
    pub has_kernel: bool,
    /// Whether the deferred writer reads arguments from the bytes of the trace.
    pub has_deferred_args: bool,
    /// The pass over a file without packets before the import, where what is compressed in it has
    /// to be unpacked, or the clock of the file to be found.
    pub prescan: Option<ScanFile>,
    /// Opens a file.
    pub open: for<'a> fn(OpenFile<'a>) -> OpenedFile<'a>,
}

impl TraceFormat {
    /// A format without packets and kernel, with events of one clock that are sorted at once.
    pub(crate) const fn of_one_clock(
        default_clock: DefaultClock,
        open: for<'a> fn(OpenFile<'a>) -> OpenedFile<'a>,
    ) -> Self {
        Self {
            has_packets: false,
            default_clock,
            is_windowed: false,
            has_kernel: false,
            has_deferred_args: false,
            prescan: None,
            open,
        }
    }
}

/// Scans a file with the addresses from a number on. Unpacked bytes have a limit.
pub type ScanFile = for<'a> fn(&'a [u8], u64, PrescanMemory<'_, 'a>) -> Prescan<'a>;

/// The clock of events that name none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DefaultClock {
    /// A clock that packets and snapshots refer to, by its id.
    OfPackets(u32),
    /// The only clock of the file, by its id; a manifest may name another.
    OfFile(u32),
    /// A timeline of the file alone; a manifest may name a clock.
    Private,
    /// The file has no times.
    None,
}

/// A file to open.
pub struct OpenFile<'a> {
    /// The bytes of all files.
    pub bytes: &'a TraceBytes<'a>,
    /// The machines, clocks and location of the file.
    pub file: FileContext,
    /// Converts its clocks.
    pub timeline: Timeline,
    /// Size of the file in bytes.
    pub len: usize,
    /// Whether a second thread may read a part of the file.
    pub may_split: bool,
    /// The bug report that the file is part of.
    pub report: Option<Report>,
    /// Tables that get no rows: events that only these have may be left out.
    pub left_out: TableGroups,
}

/// A bug report of Android in an archive.
pub struct Report {
    /// Its date.
    pub date: ReportDate,
    /// Address and length of the logs that the device had stored. The text of the report repeats
    /// parts of them.
    pub stored_logs: Vec<(u64, usize)>,
}

/// An opened file.
pub struct OpenedFile<'a> {
    /// Reads its events.
    pub reader: Reader<'a>,
    /// The work of a second thread.
    pub work: Option<Work<'a>>,
}
