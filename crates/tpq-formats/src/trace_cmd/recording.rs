//! The contents of a file except its trace data: formats of events, names, options, and where the
//! data of each CPU lies.
//!
//! ```text
//! version 6:  header | page layout | formats | kallsyms | printk | cmdlines | options | CPUs | data
//! version 7:  header | sections, which options refer to | data
//! ```

use std::borrow::Cow;
use std::ops::Range;

use super::numbers::{ByteOrder, Numbers};
use super::page_layout::PageLayout;
use super::sections::{Codec, is_compressed, section};

/// Options of a file.
mod option {
    pub(super) const DONE: u16 = 0;
    pub(super) const DATE: u16 = 1;
    pub(super) const CPU_STATS: u16 = 2;
    pub(super) const BUFFER: u16 = 3;
    pub(super) const TRACE_CLOCK: u16 = 4;
    pub(super) const UNAME: u16 = 5;
    pub(super) const OFFSET: u16 = 7;
    pub(super) const TSC_TO_NS: u16 = 14;
    pub(super) const HEADER_INFO: u16 = 16;
    pub(super) const FTRACE_EVENTS: u16 = 17;
    pub(super) const EVENT_FORMATS: u16 = 18;
    pub(super) const KALLSYMS: u16 = 19;
    pub(super) const CMDLINES: u16 = 21;
}

/// Sections of options of a file. Each refers to the next.
const MOST_OPTION_SECTIONS: usize = 1000;
/// The largest page of a ring buffer.
const LARGEST_PAGE: u32 = 1 << 20;
const MAGIC_LEN: usize = 10;

/// A damaged place of a file, and what is wrong there.
pub(super) type Problem = (usize, Damage);

/// What is wrong at a place of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Damage {
    Header,
    Version,
    Cut,
    Section,
    Formats,
    Option,
    Codec,
    Page,
    Chunk,
    OtherClock,
    Text,
    TooLarge,
    Overlap,
}

impl Damage {
    /// All kinds, by number.
    pub(super) const ALL: [Self; 13] = [
        Self::Header,
        Self::Version,
        Self::Cut,
        Self::Section,
        Self::Formats,
        Self::Option,
        Self::Codec,
        Self::Page,
        Self::Chunk,
        Self::OtherClock,
        Self::Text,
        Self::TooLarge,
        Self::Overlap,
    ];

    /// The words of an import log.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Header => "the header of the recording cannot be read",
            Self::Version => "recordings of this version are not read, only of versions 6 and 7",
            Self::Cut => "the file ends before the data that its header lists",
            Self::Section => "a section of the recording cannot be read",
            Self::Formats => "the formats of events cannot be read",
            Self::Option => "from here on the options of the recording cannot be read",
            Self::Codec => "the recording is compressed in a way that is not read",
            Self::Page => "a page of the kernel's buffer cannot be read from here on",
            Self::Chunk => "compressed pages of the kernel's buffer cannot be unpacked",
            Self::OtherClock => "a buffer with another clock than the first is not read",
            Self::Text => "a buffer of text is not read",
            Self::Overlap => "the data of CPUs overlaps, which no recorder writes",
            Self::TooLarge => "the recording is too large to be unpacked as a whole",
        }
    }
}

/// A buffer: the pages of each CPU.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffer {
    /// Clock of its timestamps; empty if it states none.
    pub(super) clock: Vec<u8>,
    pub(super) page_size: usize,
    /// Number of each CPU, and where its data lies.
    pub(super) cpus: Vec<(u32, Range<usize>)>,
    pub(super) is_compressed: bool,
}

/// The contents of a file.
#[derive(Clone, Debug)]
pub(super) struct Recording<'a> {
    pub(super) order: ByteOrder,
    pub(super) codec: Codec,
    pub(super) layout: PageLayout,
    /// Formats of events.
    pub(super) formats: Vec<Vec<u8>>,
    pub(super) kallsyms: Cow<'a, [u8]>,
    /// Names of threads: a number and a name in each line.
    pub(super) cmdlines: Cow<'a, [u8]>,
    pub(super) buffers: Vec<Buffer>,
    /// The clock that is marked in a list of all clocks.
    pub(super) trace_clock: Vec<u8>,
    /// System, host, release, version and machine.
    pub(super) uname: Vec<u8>,
    /// Statistics of the buffer of each CPU.
    pub(super) cpu_stats: Vec<Vec<u8>>,
    /// What is added to timestamps, ns.
    pub(super) offset: i64,
    /// Whether timestamps with the offset are wall time.
    pub(super) is_wall_time: bool,
    /// Factor, shift and offset from ticks to ns.
    pub(super) tsc: Option<(u32, u32, u64)>,
    pub(super) problems: Vec<Problem>,
    page_size: u32,
    /// The sections that were read. Each is there once.
    seen: Vec<u16>,
    /// Bytes of trace data of all CPUs, which do not overlap.
    data_bytes: usize,
}

impl<'a> Recording<'a> {
    /// Reads a file. `most` is the number of bytes that sections may unpack to.
    ///
    /// # Errors
    /// When nothing of it can be read: where, and why.
    pub(super) fn read(file: &'a [u8], most: usize) -> Result<Self, Problem> {
        let mut numbers = Numbers::new(file, ByteOrder::Little);
        let (mut recording, version) = Self::begin(&mut numbers)?;
        match version {
            b"6" => recording.read_in_order(&mut numbers, file)?,
            b"7" => recording.read_sections(&mut numbers, file, most)?,
            _ => return Err((MAGIC_LEN, Damage::Version)),
        }
        Ok(recording)
    }

    /// Reads the formats of events in a recording of perf, which has them as version 6 does, without
    /// options and data.
    ///
    /// # Errors
    /// When they cannot be read: where, and why.
    pub(super) fn read_formats(data: &'a [u8]) -> Result<Self, Problem> {
        let mut numbers = Numbers::new(data, ByteOrder::Little);
        let (mut recording, _) = Self::begin(&mut numbers)?;
        recording.read_header_and_formats(&mut numbers)?;
        // Old versions end before the names of threads.
        let _ = recording.read_texts(&mut numbers);
        Ok(recording)
    }

    /// Reads the header; returns the version as well.
    fn begin(numbers: &mut Numbers<'a>) -> Result<(Self, &'a [u8]), Problem> {
        numbers.at = MAGIC_LEN;
        let header = |at: usize| (at, Damage::Header);
        let version = numbers.text().ok_or(header(MAGIC_LEN))?;
        let at = numbers.at;
        let order = match numbers.u8().ok_or(header(at))? {
            0 => ByteOrder::Little,
            1 => ByteOrder::Big,
            _ => return Err(header(at)),
        };
        numbers.order = order;
        let long_size = usize::from(numbers.u8().ok_or(header(at))?);
        let page_size = numbers.u32().ok_or(header(at))?;
        if !(64..=LARGEST_PAGE).contains(&page_size) || !matches!(long_size, 4 | 8) {
            return Err(header(at));
        }
        let recording = Self {
            order,
            codec: Codec::None,
            layout: PageLayout::of_long(long_size),
            formats: Vec::new(),
            kallsyms: Cow::default(),
            cmdlines: Cow::default(),
            buffers: Vec::new(),
            trace_clock: Vec::new(),
            uname: Vec::new(),
            cpu_stats: Vec::new(),
            offset: 0,
            is_wall_time: false,
            tsc: None,
            problems: Vec::new(),
            page_size,
            seen: Vec::new(),
            data_bytes: 0,
        };
        Ok((recording, version))
    }

    fn read_header_and_formats(&mut self, numbers: &mut Numbers<'a>) -> Result<(), Problem> {
        let at = numbers.at;
        self.header_info(numbers).ok_or((at, Damage::Header))?;
        let at = numbers.at;
        self.ftrace_formats(numbers).ok_or((at, Damage::Formats))?;
        let at = numbers.at;
        self.event_formats(numbers).ok_or((at, Damage::Formats))
    }

    /// Reads the names of functions and of threads.
    fn read_texts(&mut self, numbers: &mut Numbers<'a>) -> Option<()> {
        self.kallsyms = Cow::Borrowed(numbers.sized(4)?);
        let _printk = numbers.sized(4)?;
        self.cmdlines = Cow::Borrowed(numbers.sized(8)?);
        Some(())
    }

    /// Reads a file of version 6.
    fn read_in_order(&mut self, numbers: &mut Numbers<'a>, file: &'a [u8]) -> Result<(), Problem> {
        self.read_header_and_formats(numbers)?;
        let at = numbers.at;
        let cpus = self.read_texts(numbers).and_then(|()| numbers.u32());
        let cpus = cpus.ok_or((at, Damage::Header))?;
        let at = numbers.at;
        let mut kind = numbers.take(MAGIC_LEN).ok_or((at, Damage::Header))?;
        if kind.starts_with(b"options") {
            self.options_in_order(numbers, cpus, file);
            let at = numbers.at;
            kind = numbers.take(MAGIC_LEN).ok_or((at, Damage::Header))?;
        }
        if !kind.starts_with(b"flyrecord") {
            return Err((numbers.at, Damage::Text));
        }
        let mut buffer = Buffer { page_size: self.page_size as usize, ..Buffer::default() };
        self.read_cpus(numbers, cpus, file, &mut buffer);
        self.buffers.insert(0, buffer);
        Ok(())
    }

    /// Reads where the data of each CPU lies.
    fn read_cpus(
        &mut self,
        numbers: &mut Numbers<'a>,
        cpus: u32,
        file: &[u8],
        buffer: &mut Buffer,
    ) {
        for cpu in 0..cpus {
            let at = numbers.at;
            let mut next = || Some((numbers.u64()?, numbers.u64()?));
            let Some((offset, size)) = next() else {
                return self.problems.push((at, Damage::Cut));
            };
            self.add_cpu(cpu, (offset, size), at, file, buffer);
        }
    }

    fn add_cpu(
        &mut self,
        cpu: u32,
        (offset, size): (u64, u64),
        at: usize,
        file: &[u8],
        buffer: &mut Buffer,
    ) {
        let range = usize::try_from(offset).ok().zip(usize::try_from(size).ok());
        let Some((start, size)) = range.filter(|&(_, size)| size > 0) else { return };
        let end = start.saturating_add(size);
        if end > file.len() {
            self.problems.push((at, Damage::Cut));
        }
        let range = start.min(file.len())..end.min(file.len());
        self.data_bytes = self.data_bytes.saturating_add(range.len());
        if self.data_bytes > file.len() {
            // A few bytes that many CPUs share would make any number of events.
            return self.problems.push((at, Damage::Overlap));
        }
        if !range.is_empty() {
            buffer.cpus.push((cpu, range));
        }
    }

    /// Reads options of version 6, which end with number 0.
    fn options_in_order(&mut self, numbers: &mut Numbers<'a>, cpus: u32, file: &'a [u8]) {
        loop {
            let at = numbers.at;
            let mut next = || {
                let id = numbers.u16()?;
                if id == option::DONE {
                    return Some((id, &[][..]));
                }
                Some((id, numbers.sized(4)?))
            };
            match next() {
                Some((option::DONE, _)) => return,
                Some((option::BUFFER, data)) => {
                    if self.instance(data, cpus, file).is_none() {
                        self.problems.push((at, Damage::Option));
                    }
                }
                Some((id, data)) => self.option(id, data),
                None => return self.problems.push((at, Damage::Option)),
            }
        }
    }

    /// A further buffer of version 6: its list of CPUs lies at an offset.
    fn instance(&mut self, data: &[u8], cpus: u32, file: &'a [u8]) -> Option<()> {
        let mut option = Numbers::new(data, self.order);
        let mut numbers = Numbers::new(file, self.order);
        numbers.at = usize::try_from(option.u64()?).ok()?;
        let mut kind = numbers.take(MAGIC_LEN)?;
        if kind.starts_with(b"options") {
            self.options_in_order(&mut numbers, cpus, &[]);
            kind = numbers.take(MAGIC_LEN)?;
        }
        if kind.starts_with(b"flyrecord") {
            let mut buffer = Buffer { page_size: self.page_size as usize, ..Buffer::default() };
            self.read_cpus(&mut numbers, cpus, file, &mut buffer);
            self.buffers.push(buffer);
        }
        Some(())
    }

    /// Reads a file of version 7.
    fn read_sections(
        &mut self,
        numbers: &mut Numbers<'a>,
        file: &'a [u8],
        most: usize,
    ) -> Result<(), Problem> {
        let at = numbers.at;
        let mut header = || {
            let codec = Codec::of_name(numbers.text()?);
            let _version = numbers.text()?;
            Some((codec, numbers.u64()?))
        };
        let (codec, mut next) = header().ok_or((at, Damage::Header))?;
        self.codec = codec;
        if codec == Codec::Unknown {
            return Err((at, Damage::Codec));
        }
        for _ in 0..MOST_OPTION_SECTIONS {
            if next == 0 {
                return Ok(());
            }
            let place = usize::try_from(next).unwrap_or(usize::MAX).min(file.len());
            let options = section(file, next, self.order, codec, most)
                .filter(|section| section.id == option::DONE)
                .ok_or((place, Damage::Option))?;
            match self.options_of_section(&options.data, file, most) {
                Some(following) => next = following,
                None => {
                    self.problems.push((place, Damage::Option));
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Reads the options of a section; returns the offset of the next one.
    fn options_of_section(&mut self, data: &[u8], file: &'a [u8], most: usize) -> Option<u64> {
        let mut numbers = Numbers::new(data, self.order);
        loop {
            let (id, data) = (numbers.u16()?, numbers.sized(4)?);
            let mut value = Numbers::new(data, self.order);
            match id {
                option::DONE => return value.u64(),
                option::BUFFER => self.buffer(&mut value, file)?,
                option::HEADER_INFO
                | option::FTRACE_EVENTS
                | option::EVENT_FORMATS
                | option::KALLSYMS
                | option::CMDLINES => {
                    let offset = value.u64()?;
                    if self.seen.contains(&id) {
                        continue;
                    }
                    self.seen.push(id);
                    if self.read_section(id, offset, file, most).is_none() {
                        let place = usize::try_from(offset).unwrap_or(usize::MAX).min(file.len());
                        self.problems.push((place, Damage::Section));
                    }
                }
                id => self.option(id, data),
            }
        }
    }

    /// A buffer of version 7.
    fn buffer(&mut self, value: &mut Numbers<'_>, file: &[u8]) -> Option<()> {
        let section = value.u64()?;
        let _name = value.text()?;
        let clock = value.text()?.to_vec();
        let (page_size, cpus) = (value.u32()?, value.u32()?);
        if !(64..=LARGEST_PAGE).contains(&page_size) {
            return None;
        }
        let is_compressed = is_compressed(file, section, self.order);
        let mut buffer =
            Buffer { clock, page_size: page_size as usize, is_compressed, cpus: Vec::new() };
        for _ in 0..cpus {
            let (cpu, place) = (value.u32()?, (value.u64()?, value.u64()?));
            let at = usize::try_from(section).unwrap_or(usize::MAX).min(file.len());
            self.add_cpu(cpu, place, at, file, &mut buffer);
        }
        self.buffers.push(buffer);
        Some(())
    }

    fn read_section(&mut self, id: u16, offset: u64, file: &'a [u8], most: usize) -> Option<()> {
        let order = self.order;
        let data = section(file, offset, order, self.codec, most)?.data;
        // Texts have their size before them.
        let text = |width: usize| match &data {
            Cow::Borrowed(data) => {
                let data: &'a [u8] = data;
                Numbers::new(data, order).sized(width).map(Cow::Borrowed)
            }
            Cow::Owned(data) => {
                let text = Numbers::new(data, order).sized(width);
                text.map(|text| Cow::Owned(text.to_vec()))
            }
        };
        match id {
            option::KALLSYMS => self.kallsyms = text(4)?,
            option::CMDLINES => self.cmdlines = text(8)?,
            option::HEADER_INFO => self.header_info(&mut Numbers::new(&data, order))?,
            option::FTRACE_EVENTS => self.ftrace_formats(&mut Numbers::new(&data, order))?,
            _ => self.event_formats(&mut Numbers::new(&data, order))?,
        }
        Some(())
    }

    /// Options that both versions have.
    fn option(&mut self, id: u16, data: &[u8]) {
        let end = memchr::memchr(0, data).unwrap_or(data.len());
        let text = data.get(..end).unwrap_or_default();
        match id {
            option::DATE => {
                // In µs.
                self.offset = self.offset.saturating_add(signed(text).saturating_mul(1000));
                self.is_wall_time = true;
            }
            option::OFFSET => self.offset = self.offset.saturating_add(signed(text)),
            option::CPU_STATS => self.cpu_stats.push(text.to_vec()),
            option::TRACE_CLOCK => self.trace_clock = marked(text).to_vec(),
            option::UNAME => self.uname = text.to_vec(),
            option::TSC_TO_NS => {
                let mut value = Numbers::new(data, self.order);
                let mut read = || Some((value.u32()?, value.u32()?, value.u64()?));
                self.tsc = read().filter(|&(factor, shift, _)| factor > 0 && shift < 64);
            }
            // The others do not change what events mean.
            _ => {}
        }
    }

    /// The layout of pages.
    fn header_info(&mut self, numbers: &mut Numbers<'_>) -> Option<()> {
        (numbers.text()? == b"header_page").then_some(())?;
        let page = numbers.sized(8)?;
        (numbers.text()? == b"header_event").then_some(())?;
        numbers.sized(8)?;
        self.layout = PageLayout::read(page).unwrap_or(self.layout);
        Some(())
    }

    fn ftrace_formats(&mut self, numbers: &mut Numbers<'_>) -> Option<()> {
        for _ in 0..numbers.u32()? {
            self.formats.push(numbers.sized(8)?.to_vec());
        }
        Some(())
    }

    fn event_formats(&mut self, numbers: &mut Numbers<'_>) -> Option<()> {
        for _ in 0..numbers.u32()? {
            let _system = numbers.text()?;
            for _ in 0..numbers.u32()? {
                self.formats.push(numbers.sized(8)?.to_vec());
            }
        }
        Some(())
    }
}

/// A number with a sign, in decimal digits or in hexadecimal ones after `0x`.
fn signed(text: &[u8]) -> i64 {
    let text = text.trim_ascii();
    let (is_negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let digits = std::str::from_utf8(digits).unwrap_or_default();
    let number = match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).map(u64::cast_signed).unwrap_or_default(),
        None => digits.parse().unwrap_or_default(),
    };
    if is_negative { number.saturating_neg() } else { number }
}

/// The word in brackets of a list, such as `local [global] boot`; the list itself without one.
fn marked(list: &[u8]) -> &[u8] {
    let marked = memchr::memchr(b'[', list).and_then(|start| {
        let rest = list.get(start + 1..)?;
        rest.get(..memchr::memchr(b']', rest)?)
    });
    marked.unwrap_or(list).trim_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_options() {
        assert_eq!(marked(b"local [global] counter\n"), b"global");
        assert_eq!(marked(b"mono"), b"mono");
        assert_eq!(signed(b"0x10"), 16);
        assert_eq!(signed(b"-25"), -25);
        assert_eq!(signed(b"0xffffffffffffffff"), -1);
        assert_eq!(signed(b"x"), 0);
    }
}
