//! Recordings of `trace-cmd`, written byte by byte, of a little-endian machine of 64 bits.

use crate::{zlib, zstd};

/// Bytes of a page of the kernel's buffer.
const PAGE: usize = 4096;
const MAGIC: &[u8] = b"\x17\x08\x44tracing";
const HEADER_PAGE: &str = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;
";
const HEADER_EVENT: &str = "# compressed entry header
\ttype_len    :    5 bits
\ttime_delta  :   27 bits
\tarray       :   32 bits

\tpadding     : type == 29
\ttime_extend : type == 30
\ttime_stamp : type == 31
\tdata max type_len  == 28
";

/// A page of the kernel's buffer.
#[derive(Clone, Debug)]
pub struct KernelPage {
    time: u64,
    data: Vec<u8>,
    flags: u64,
}

impl KernelPage {
    /// A page that begins at a time.
    pub fn new(time: u64) -> Self {
        Self { time, data: Vec::new(), flags: 0 }
    }

    /// Events before the page are lost.
    #[must_use]
    pub fn missed(mut self) -> Self {
        self.flags = 1 << 31;
        self
    }

    /// Time passes.
    #[must_use]
    pub fn skip(mut self, ns: u64) -> Self {
        let header = (ns as u32 & 0x07ff_ffff) << 5 | 30;
        self.data.extend(header.to_le_bytes());
        self.data.extend(((ns >> 27) as u32).to_le_bytes());
        self
    }

    /// An event some ns after the one before: its number, its thread and its fields, which begin at
    /// offset 8.
    #[must_use]
    pub fn event(mut self, ns: u32, id: u16, pid: i32, fields: &[u8]) -> Self {
        let mut event = id.to_le_bytes().to_vec();
        event.extend([1, 0]);
        event.extend(pid.to_le_bytes());
        event.extend(fields);
        event.resize(event.len().next_multiple_of(4), 0);
        let words = event.len() as u32 / 4;
        if words <= 28 {
            self.data.extend((ns << 5 | words).to_le_bytes());
        } else {
            self.data.extend((ns << 5).to_le_bytes());
            self.data.extend((event.len() as u32 + 4).to_le_bytes());
        }
        self.data.extend(event);
        self
    }

    fn build(&self) -> Vec<u8> {
        let mut page = self.time.to_le_bytes().to_vec();
        page.extend((self.data.len() as u64 | self.flags).to_le_bytes());
        page.extend(&self.data);
        page.resize(PAGE, 0);
        page
    }
}

/// A recording.
#[derive(Clone, Debug, Default)]
pub struct TraceCmd {
    formats: Vec<String>,
    pages: Vec<Vec<KernelPage>>,
    kallsyms: String,
    cmdlines: String,
    clock: String,
    options: Vec<(u16, Vec<u8>)>,
}

fn sized4(data: &[u8]) -> Vec<u8> {
    [&(data.len() as u32).to_le_bytes()[..], data].concat()
}

fn sized8(data: &[u8]) -> Vec<u8> {
    [&(data.len() as u64).to_le_bytes()[..], data].concat()
}

fn header_info() -> Vec<u8> {
    let [page, event] = [HEADER_PAGE, HEADER_EVENT].map(|text| sized8(text.as_bytes()));
    [&b"header_page\0"[..], &page, b"header_event\0", &event].concat()
}

impl TraceCmd {
    /// A recording of a clock without events.
    pub fn new(clock: &str) -> Self {
        Self { clock: clock.to_owned(), ..Self::default() }
    }

    /// Adds the format of an event: name, number, and fields with declaration, offset, size and
    /// whether they are signed.
    #[must_use]
    pub fn format(mut self, name: &str, id: u16, fields: &[(&str, u32, u32, bool)]) -> Self {
        let mut text = format!("name: {name}\nID: {id}\nformat:\n");
        let common = [
            ("unsigned short common_type", 0, 2, false),
            ("unsigned char common_flags", 2, 1, false),
            ("unsigned char common_preempt_count", 3, 1, false),
            ("int common_pid", 4, 4, true),
        ];
        for (index, (declaration, offset, size, signed)) in common.iter().chain(fields).enumerate()
        {
            if index == common.len() {
                text.push('\n');
            }
            let signed = u8::from(*signed);
            text.push_str(&format!(
                "\tfield:{declaration};\toffset:{offset};\tsize:{size};\tsigned:{signed};\n"
            ));
        }
        text.push_str("\nprint fmt: \"\"\n");
        self.formats.push(text);
        self
    }

    /// Adds a page of a CPU.
    #[must_use]
    pub fn page(mut self, cpu: usize, page: KernelPage) -> Self {
        if self.pages.len() <= cpu {
            self.pages.resize(cpu + 1, Vec::new());
        }
        self.pages[cpu].push(page);
        self
    }

    /// Functions of the kernel.
    #[must_use]
    pub fn kallsyms(mut self, text: &str) -> Self {
        text.clone_into(&mut self.kallsyms);
        self
    }

    /// Names of threads.
    #[must_use]
    pub fn cmdlines(mut self, text: &str) -> Self {
        text.clone_into(&mut self.cmdlines);
        self
    }

    /// Adds an option.
    #[must_use]
    pub fn option(mut self, id: u16, data: &[u8]) -> Self {
        self.options.push((id, data.to_vec()));
        self
    }

    fn event_formats(&self) -> Vec<u8> {
        let mut bytes = 1_u32.to_le_bytes().to_vec();
        bytes.extend(b"test\0");
        bytes.extend((self.formats.len() as u32).to_le_bytes());
        self.formats.iter().for_each(|format| bytes.extend(sized8(format.as_bytes())));
        bytes
    }

    fn pages_of(&self, cpu: usize) -> Vec<u8> {
        self.pages[cpu].iter().flat_map(KernelPage::build).collect()
    }

    fn options(&self) -> Vec<u8> {
        let option = |(id, data): &(u16, Vec<u8>)| [&id.to_le_bytes()[..], &sized4(data)].concat();
        self.options.iter().flat_map(option).collect()
    }

    /// The formats of events, as `perf` has them in its recordings.
    #[must_use]
    pub fn tracing_data(&self) -> Vec<u8> {
        let mut data = [MAGIC, b"0.6\0\0\x08", &(PAGE as u32).to_le_bytes()].concat();
        data.extend(self.header_and_formats());
        data
    }

    /// The layout of pages, formats, and names of functions and threads.
    fn header_and_formats(&self) -> Vec<u8> {
        let mut data = header_info();
        // No formats of the tracer itself.
        data.extend(0_u32.to_le_bytes());
        data.extend(self.event_formats());
        data.extend(sized4(self.kallsyms.as_bytes()));
        data.extend(sized4(b""));
        data.extend(sized8(self.cmdlines.as_bytes()));
        data
    }

    /// The bytes of a file of version 6.
    #[must_use]
    pub fn version_6(&self) -> Vec<u8> {
        let mut file = [MAGIC, b"6\0\0\x08", &(PAGE as u32).to_le_bytes()].concat();
        file.extend(self.header_and_formats());
        file.extend((self.pages.len() as u32).to_le_bytes());
        file.extend(b"options  \0");
        file.extend(self.options());
        let clock = format!("first [{}] last\0", self.clock);
        file.extend([4, 0]);
        file.extend(sized4(clock.as_bytes()));
        file.extend([0, 0]);
        file.extend(b"flyrecord\0");
        let mut at = (file.len() + self.pages.len() * 16).next_multiple_of(PAGE);
        for pages in &self.pages {
            let size = pages.len() * PAGE;
            file.extend((at as u64).to_le_bytes());
            file.extend((size as u64).to_le_bytes());
            at += size;
        }
        file.resize(file.len().next_multiple_of(PAGE), 0);
        (0..self.pages.len()).for_each(|cpu| file.extend(self.pages_of(cpu)));
        file
    }

    /// The bytes of a file of version 7, with sections and pages compressed by `codec`: `none`,
    /// `zlib` or `zstd`.
    #[must_use]
    pub fn version_7(&self, codec: &str) -> Vec<u8> {
        let compress = |data: &[u8]| match codec {
            "zlib" => Some(zlib(data)),
            "zstd" => Some(zstd(data)),
            _ => None,
        };
        let packed = |data: &[u8]| {
            let packed = compress(data)?;
            let sizes = [packed.len() as u32, data.len() as u32].map(u32::to_le_bytes).concat();
            Some([sizes, packed].concat())
        };
        let section = |id: u16, data: &[u8]| {
            let (flags, contents) = match packed(data) {
                Some(packed) => (1_u16, packed),
                None => (0, data.to_vec()),
            };
            let head = [&id.to_le_bytes()[..], &flags.to_le_bytes(), &[0; 4]].concat();
            [head, sized8(&contents)].concat()
        };
        let mut file = [MAGIC, b"7\0\0\x08", &(PAGE as u32).to_le_bytes()].concat();
        file.extend(format!("{codec}\x001.5\0").bytes());
        let options_at = file.len();
        file.extend([0; 8]);
        let mut options = self.options();
        let mut refer = |id: u16, at: usize| {
            options.extend(id.to_le_bytes());
            options.extend(sized4(&(at as u64).to_le_bytes()));
        };
        for (id, data) in [
            (16, header_info()),
            (17, 0_u32.to_le_bytes().to_vec()),
            (18, self.event_formats()),
            (19, sized4(self.kallsyms.as_bytes())),
            (20, sized4(b"")),
            (21, sized8(self.cmdlines.as_bytes())),
        ] {
            refer(id, file.len());
            file.extend(section(id, &data));
        }
        let buffer = file.len();
        file.extend([3, 0, u8::from(compress(b"").is_some()), 0]);
        file.extend([0; 12]);
        let mut of_buffer = (buffer as u64).to_le_bytes().to_vec();
        of_buffer.extend(format!("\0{}\0", self.clock).bytes());
        of_buffer.extend([PAGE as u32, self.pages.len() as u32].map(u32::to_le_bytes).concat());
        for cpu in 0..self.pages.len() {
            file.resize(file.len().next_multiple_of(PAGE), 0);
            let pages = self.pages_of(cpu);
            of_buffer.extend((cpu as u32).to_le_bytes());
            of_buffer.extend((file.len() as u64).to_le_bytes());
            // The size does not count the number of chunks, of which there is one.
            let data = match packed(&pages) {
                Some(packed) => {
                    file.extend(1_u32.to_le_bytes());
                    packed
                }
                None => pages,
            };
            of_buffer.extend((data.len() as u64).to_le_bytes());
            file.extend(data);
        }
        options.extend([3, 0]);
        options.extend(sized4(&of_buffer));
        // No more options.
        options.extend([0, 0]);
        options.extend(sized4(&[0; 8]));
        let at = file.len() as u64;
        file[options_at..options_at + 8].copy_from_slice(&at.to_le_bytes());
        file.extend(section(0, &options));
        file
    }
}
