//! Reads the elements of an export, one after the other.

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::export::{Binary, Export, Frame, Part, Parts, Process, SYNC_SUBSYSTEM, Thread};

/// The deepest nesting of elements.
const MOST_DEPTH: usize = 256;

/// Elements that are read. Others are passed over; those within them are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Tag {
    Row,
    Thread,
    Tid,
    Process,
    Pid,
    Core,
    /// The time of a sample.
    SampleTime,
    /// The time of a signpost.
    EventTime,
    Subsystem,
    Number,
    Metadata,
    /// A stack, or one around it with tags.
    Backtrace,
    TaggedBacktrace,
    Frame,
    Binary,
    Other,
}

impl Tag {
    fn of(name: &str) -> Self {
        match name {
            "row" => Self::Row,
            "thread" => Self::Thread,
            "tid" => Self::Tid,
            "process" => Self::Process,
            "pid" => Self::Pid,
            "core" => Self::Core,
            "sample-time" => Self::SampleTime,
            "event-time" => Self::EventTime,
            "subsystem" => Self::Subsystem,
            "uint64" => Self::Number,
            "os-log-metadata" => Self::Metadata,
            "backtrace" => Self::Backtrace,
            "tagged-backtrace" => Self::TaggedBacktrace,
            "frame" => Self::Frame,
            "binary" => Self::Binary,
            _ => Self::Other,
        }
    }
}

/// An element that has begun.
#[derive(Debug)]
struct Open {
    tag: Tag,
    id: Option<u64>,
    /// What it is, once that is known.
    part: Option<Part>,
    /// Where its own text begins.
    text: String,
}

/// A row so far.
#[derive(Debug, Default)]
struct Row {
    at: usize,
    time: Option<i64>,
    is_sample: bool,
    thread: Option<u32>,
    backtrace: Option<u32>,
    core: Option<u32>,
    is_sync: bool,
    number: Option<u64>,
}

/// The attributes of an element that are read.
#[derive(Debug, Default)]
struct Attributes {
    id: Option<u64>,
    reference: Option<u64>,
    shown: Option<String>,
    name: Option<String>,
    address: Option<u64>,
    path: Option<String>,
    build_id: Option<String>,
    load_address: Option<u64>,
}

/// A walk over the elements.
pub(super) struct Elements<'a> {
    reader: Reader<&'a [u8]>,
    export: Export,
    parts: Parts,
    open: Vec<Open>,
    row: Option<Row>,
    last_sync: i64,
}

impl<'a> Elements<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            reader: Reader::from_str(text),
            export: Export::default(),
            parts: Parts::default(),
            open: Vec::new(),
            row: None,
            last_sync: i64::MIN,
        }
    }

    /// Reads all elements, up to the first damage.
    pub(super) fn read(mut self) -> Export {
        loop {
            let at = usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX);
            match self.reader.read_event() {
                Ok(Event::Start(element)) => self.start(&element, at),
                Ok(Event::Empty(element)) => {
                    self.start(&element, at);
                    self.end();
                }
                Ok(Event::End(_)) => self.end(),
                Ok(Event::Text(text)) => {
                    if let Some(open) = self.open.last_mut().filter(|it| it.tag != Tag::Other) {
                        open.text.push_str(&text);
                    }
                }
                Ok(Event::Eof) => {
                    if !self.open.is_empty() {
                        self.export.problems.push((at, "the export ends within an element"));
                    }
                    return self.export;
                }
                Ok(_) => {}
                Err(_) => {
                    let at = usize::try_from(self.reader.error_position()).unwrap_or(at);
                    self.export.problems.push((at, "this is no valid XML"));
                    return self.export;
                }
            }
            if self.open.len() > MOST_DEPTH {
                let what = "elements nest deeper than 256 levels";
                self.export.problems.push((at, what));
                return self.export;
            }
        }
    }

    fn start(&mut self, element: &BytesStart<'_>, at: usize) {
        let tag = Tag::of(element.name().0);
        if tag == Tag::Row {
            self.row = Some(Row { at, ..Row::default() });
        }
        let attributes = match tag {
            Tag::Other | Tag::Row => Attributes::default(),
            _ => Attributes::of(element),
        };
        let part = match attributes.reference {
            Some(id) => self.parts.get(id),
            None => self.define(tag, &attributes),
        };
        if tag == Tag::Frame && part.is_none() {
            self.export.missing_frames += 1;
        }
        if attributes.reference.is_none()
            && let Some(part) = part
        {
            // Elements within it may refer to it.
            self.parts.insert(attributes.id, part);
        }
        self.open.push(Open { tag, id: attributes.id, part, text: String::new() });
        if let Some(part) = part {
            self.place(tag, part);
        }
    }

    /// What a new element is, as far as its attributes say it.
    fn define(&mut self, tag: Tag, attributes: &Attributes) -> Option<Part> {
        let Export { threads, processes, binaries, frames, backtraces, .. } = &mut self.export;
        let Attributes { shown, name, address, path, build_id, load_address, .. } = attributes;
        Some(match tag {
            Tag::Thread => {
                threads.push(Thread { name: shown.clone(), ..Thread::default() });
                Part::Thread(last(threads))
            }
            Tag::Process => {
                processes.push(Process { name: shown.clone(), ..Process::default() });
                Part::Process(last(processes))
            }
            Tag::Binary => {
                let load_address = load_address.unwrap_or_default();
                binaries.push(Binary {
                    path: path.clone().or(name.clone()).unwrap_or_default(),
                    build_id: build_id.clone().unwrap_or_default(),
                    load_address,
                    last_address: load_address,
                });
                Part::Binary(last(binaries))
            }
            Tag::Frame => {
                let name = name.clone().unwrap_or_default();
                frames.push(Frame { address: address.unwrap_or_default(), name, binary: None });
                Part::Frame(last(frames))
            }
            Tag::Backtrace => {
                backtraces.push(Vec::new());
                Part::Backtrace(last(backtraces))
            }
            _ => return None,
        })
    }

    /// Adds a part to the element around it, and to the row.
    fn place(&mut self, tag: Tag, part: Part) {
        let around = self.open.iter().rev().skip(1).find_map(|open| open.part);
        match (part, around) {
            (Part::Process(process), Some(Part::Thread(thread))) => {
                if let Some(thread) = self.export.threads.get_mut(thread as usize) {
                    thread.process = Some(process);
                }
            }
            (Part::Binary(binary), Some(Part::Frame(frame))) => self.add_binary(binary, frame),
            (Part::Frame(frame), Some(Part::Backtrace(backtrace))) => {
                if let Some(frames) = self.export.backtraces.get_mut(backtrace as usize) {
                    frames.push(frame);
                }
            }
            _ => {}
        }
        if matches!(part, Part::Backtrace(_)) {
            let tagged = self.open.iter_mut().rev().find(|open| open.tag == Tag::TaggedBacktrace);
            if let Some(tagged) = tagged.filter(|tagged| tagged.part.is_none()) {
                tagged.part = Some(part);
            }
        }
        let Some(row) = &mut self.row else { return };
        match part {
            Part::Thread(thread) => row.thread = Some(thread),
            Part::Backtrace(backtrace) => row.backtrace = Some(backtrace),
            Part::Core(core) => row.core = Some(core),
            Part::Time(time) => {
                row.time = Some(time);
                row.is_sample |= tag == Tag::SampleTime;
            }
            Part::Subsystem(is_sync) => row.is_sync |= is_sync,
            Part::Number(number) if tag != Tag::Tid && tag != Tag::Pid => row.number = Some(number),
            Part::Number(_) | Part::Process(_) | Part::Binary(_) | Part::Frame(_) => {}
        }
    }

    /// Frames show how far a binary reaches at least.
    fn add_binary(&mut self, binary: u32, frame: u32) {
        let Some(frame) = self.export.frames.get_mut(frame as usize) else { return };
        frame.binary = Some(binary);
        if let Some(binary) = self.export.binaries.get_mut(binary as usize) {
            binary.last_address = binary.last_address.max(frame.address);
        }
    }

    fn end(&mut self) {
        let Some(Open { tag, id, part, text }) = self.open.pop() else { return };
        let text = text.trim();
        let around = self.open.iter().rev().find_map(|open| open.part);
        match (tag, part) {
            (Tag::Row, _) => self.end_row(),
            (Tag::Tid | Tag::Pid, _) => {
                let number = match part {
                    Some(Part::Number(number)) => Some(number),
                    _ => text.parse().ok(),
                };
                if let Some(number) = number {
                    self.parts.insert(id, Part::Number(number));
                    self.number_task(tag, around, number);
                }
            }
            (Tag::TaggedBacktrace, Some(part)) => self.parts.insert(id, part),
            (Tag::Metadata, None) => {
                if let Some(number) = self.row.as_ref().and_then(|row| row.number) {
                    self.parts.insert(id, Part::Number(number));
                }
            }
            (_, None) => {
                let part = match tag {
                    Tag::Core => text.parse().ok().map(Part::Core),
                    Tag::SampleTime | Tag::EventTime => text.parse().ok().map(Part::Time),
                    Tag::Subsystem => Some(Part::Subsystem(text == SYNC_SUBSYSTEM)),
                    Tag::Number => text.parse().ok().map(Part::Number),
                    _ => None,
                };
                if let Some(part) = part {
                    self.parts.insert(id, part);
                    // The element itself is no longer open.
                    self.open.push(Open { tag, id, part: Some(part), text: String::new() });
                    self.place(tag, part);
                    self.open.pop();
                }
            }
            _ => {}
        }
    }

    /// Gives the thread or process around it its number.
    fn number_task(&mut self, tag: Tag, around: Option<Part>, number: u64) {
        let number = i64::try_from(number).ok();
        match (tag, around) {
            (Tag::Tid, Some(Part::Thread(thread))) => {
                if let Some(thread) = self.export.threads.get_mut(thread as usize) {
                    thread.tid = number;
                }
            }
            (Tag::Pid, Some(Part::Process(process))) => {
                if let Some(process) = self.export.processes.get_mut(process as usize) {
                    process.pid = number;
                }
            }
            _ => {}
        }
    }

    fn end_row(&mut self) {
        let Some(row) = self.row.take() else { return };
        let Row { at, time, is_sample, thread, backtrace, core, is_sync, number } = row;
        if !is_sample && backtrace.is_none() && !is_sync {
            // A signpost of something else.
            return;
        }
        let Some(time) = time else {
            self.export.problems.push((at, "a row has no time"));
            return;
        };
        if is_sample || backtrace.is_some() {
            self.export.times.push(time);
            let number = |part: Option<u32>| part.map_or(0, |part| part.saturating_add(1));
            self.export.rows.extend([thread, backtrace, core].map(number));
            return;
        }
        let boottime = number.and_then(|number| i64::try_from(number).ok());
        // A reading that goes backwards is of no use.
        if let Some(boottime) = boottime.filter(|&boottime| boottime >= self.last_sync) {
            self.last_sync = boottime;
            self.export.syncs.push((at, time, boottime));
        }
    }
}

impl Attributes {
    fn of(element: &BytesStart<'_>) -> Self {
        let mut found = Self::default();
        let mut attributes = element.attributes();
        for attribute in attributes.with_checks(false).flatten() {
            let Ok(value) = attribute.normalized_value(XmlVersion::Implicit1_0) else { continue };
            let text = || Some(value.clone().into_owned());
            match attribute.key.0 {
                "id" => found.id = value.parse().ok(),
                "ref" => found.reference = value.parse().ok(),
                "fmt" => found.shown = text(),
                "name" => found.name = text(),
                "addr" => found.address = address(&value),
                "path" => found.path = text(),
                "UUID" => found.build_id = Some(build_id(&value)),
                "load-addr" => found.load_address = address(&value),
                _ => {}
            }
        }
        found
    }
}

/// The index of the last of some parts.
fn last<T>(parts: &[T]) -> u32 {
    u32::try_from(parts.len().saturating_sub(1)).unwrap_or(u32::MAX)
}

fn address(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).ok()
}

/// The digits of a UUID.
fn build_id(text: &str) -> String {
    text.chars().filter(char::is_ascii_hexdigit).map(|digit| digit.to_ascii_lowercase()).collect()
}
