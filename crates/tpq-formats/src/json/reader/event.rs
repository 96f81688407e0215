//! One event of a JSON trace: what its fields say, read in one pass.

use sonic_rs::to_object_iter;
use tpq_ingest::{MAX_OWN_STRINGS, Span, own_strings};

use super::decimal::ns_of_us;
use super::plain::{PlainField, PlainFields};

/// Scope of an instant event.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::json) enum Scope {
    /// The event does not say.
    #[default]
    None,
    /// The thread.
    Thread,
    /// The process.
    Process,
    /// Everything.
    Global,
    /// Something that no program means.
    Unknown,
}

/// A pid or tid: mostly a number, but some programs write names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::json) enum JsonId {
    /// The event does not say.
    #[default]
    None,
    /// A number; what cannot be an id, as those below 0, is 0.
    Number(i64),
    /// A name, as it stands between its quotes.
    Name(Span),
}

/// An event. Spans are as the text has them: names and categories without their quotes but with
/// their escapes, everything else as a value of JSON. Those of what is missing are empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::json) struct JsonEvent {
    /// Its phase: the first character of `ph`.
    pub(in crate::json) phase: u8,
    /// The process.
    pub(in crate::json) pid: JsonId,
    /// The thread.
    pub(in crate::json) tid: JsonId,
    /// Timestamp, ns.
    pub(in crate::json) ts: Option<i64>,
    /// Duration, ns.
    pub(in crate::json) dur: Option<i64>,
    /// The thread's CPU time, in ns.
    pub(in crate::json) tts: Option<i64>,
    /// CPU time of the thread during the event, ns.
    pub(in crate::json) tdur: Option<i64>,
    /// Scope of an instant.
    pub(in crate::json) scope: Scope,
    /// Whether a flow leads here.
    pub(in crate::json) flow_in: bool,
    /// Whether a flow leads away from here.
    pub(in crate::json) flow_out: bool,
    /// Whether a flow that ends here ends in the slice around this moment, not the next one.
    pub(in crate::json) bind_enclosing: bool,
    /// Its name.
    pub(in crate::json) name: Span,
    /// Its categories.
    pub(in crate::json) category: Span,
    /// The id that it shares with other events.
    pub(in crate::json) id: Span,
    /// The same in the newer form: an object that says how far the id reaches.
    pub(in crate::json) id2: Span,
    /// The flow it is part of.
    pub(in crate::json) bind_id: Span,
    /// Its args: mostly an object, but any value may be.
    pub(in crate::json) args: Span,
    /// Its call stack: the id of the innermost frame, or an array of names.
    pub(in crate::json) stack: Span,
    /// The same at the end of a slice.
    pub(in crate::json) end_stack: Span,
}

/// The reason why an event could not be read: its offset in the event, and a message.
pub(in crate::json) type EventError = (usize, &'static str);

impl JsonEvent {
    /// Reads the event that lies at `span`. Of a key that occurs twice the later value counts.
    pub(in crate::json) fn read(text: &[u8], span: Span) -> Result<Self, EventError> {
        if let Some(event) = Self::read_plainly(text, span) {
            return Ok(event);
        }
        Self::read_strictly(text, span).or_else(|error| {
            let mended = mended(text).ok_or(error)?;
            Self::read_strictly(&mended, span)
        })
    }

    /// Reads an event that is written as nearly all are.
    fn read_plainly(text: &[u8], span: Span) -> Option<Self> {
        let mut event = Self::default();
        let mut fields = PlainFields::new(text);
        while let PlainField::Field(key, value) = fields.next_field()? {
            let at = span.inner(value.start, value.len());
            event.take(&text[key], &text[value], at);
        }
        Some(event)
    }

    fn read_strictly(text: &[u8], span: Span) -> Result<Self, EventError> {
        let mut event = Self::default();
        let mut last = 0;
        for field in to_object_iter(text) {
            let (key, value) = field.map_err(|error| (error_at(&error, last, text), WRONG))?;
            let raw = value.as_raw_str().as_bytes();
            let at = (raw.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
            last = at + raw.len();
            event.take(key.as_bytes(), raw, span.inner(at, raw.len()));
        }
        Ok(event)
    }

    fn take(&mut self, key: &[u8], raw: &[u8], span: Span) {
        match key {
            b"ph" => self.phase = unquoted(raw).and_then(|text| text.first().copied()).unwrap_or(0),
            b"ts" => self.ts = time(raw),
            b"dur" => self.dur = time(raw),
            b"tts" => self.tts = time(raw),
            b"tdur" => self.tdur = time(raw),
            b"pid" => self.pid = id(raw, span),
            b"tid" => self.tid = id(raw, span),
            b"name" => self.name = text_span(raw, span),
            b"cat" => self.category = text_span(raw, span),
            b"args" if raw != b"null" => self.args = span,
            b"id" => self.id = span,
            b"id2" => self.id2 = span,
            b"bind_id" => self.bind_id = span,
            b"s" => self.scope = scope(raw),
            b"sf" if is_frame_id(raw) => self.stack = span,
            b"stack" if raw.starts_with(b"[") => self.stack = span,
            b"esf" if is_frame_id(raw) => self.end_stack = span,
            b"estack" if raw.starts_with(b"[") => self.end_stack = span,
            b"bp" => self.bind_enclosing = unquoted(raw) == Some(b"e"),
            b"flow_in" => self.flow_in = raw == b"true",
            b"flow_out" => self.flow_out = raw == b"true",
            _ => {}
        }
    }
}

/// A copy of the same length with invalid UTF-8 and unescaped control characters replaced; `None`
/// if there are none. Positions in the copy are positions in the text.
fn mended(text: &[u8]) -> Option<Vec<u8>> {
    let mut mended = Vec::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        mended.extend_from_slice(chunk.valid().as_bytes());
        mended.resize(mended.len() + chunk.invalid().len(), b'?');
    }
    mended.iter_mut().filter(|byte| **byte < b' ').for_each(|byte| *byte = b' ');
    (mended != text).then_some(mended)
}

const WRONG: &str = "an event is not valid JSON";

/// Where in an event the library stopped: it counts lines, of which events have few.
fn error_at(error: &sonic_rs::Error, last: usize, text: &[u8]) -> usize {
    let line_starts = memchr::memchr_iter(b'\n', text).map(|at| at + 1);
    let start = std::iter::once(0).chain(line_starts).nth(error.line().saturating_sub(1));
    let at = start.unwrap_or_default() + error.column().saturating_sub(1);
    at.clamp(last.min(text.len()), text.len())
}

/// The text between the quotes of a string.
fn unquoted(raw: &[u8]) -> Option<&[u8]> {
    raw.strip_prefix(b"\"")?.strip_suffix(b"\"")
}

/// A time, which some programs write in quotes.
fn time(raw: &[u8]) -> Option<i64> {
    ns_of_us(unquoted(raw).unwrap_or(raw))
}

/// Whether a value can be the id of a frame: a text or a number.
fn is_frame_id(raw: &[u8]) -> bool {
    matches!(raw.first(), Some(b'"' | b'-' | b'0'..=b'9'))
}

fn text_span(raw: &[u8], span: Span) -> Span {
    match unquoted(raw) {
        Some(text) => span.inner(1, text.len()),
        None => Span::default(),
    }
}

fn id(raw: &[u8], span: Span) -> JsonId {
    let text = unquoted(raw);
    match (number(text.unwrap_or(raw)), text) {
        (Some(number), _) if number >= 0 && (number as f64) < LARGEST_ID => JsonId::Number(number),
        (Some(_), _) => JsonId::Number(0),
        (None, Some(text)) => JsonId::Name(span.inner(1, text.len())),
        (None, None) if raw.first().is_some_and(|byte| matches!(byte, b'-' | b'0'..=b'9')) => {
            JsonId::Number(0)
        }
        (None, None) => JsonId::None,
    }
}

/// A number that can be a pid; decimals are cut off.
fn number(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_number = digits.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
    if !is_number {
        return None;
    }
    text.parse().ok().or_else(|| {
        let value: f64 = text.parse().ok()?;
        (value.abs() < LARGEST_ID).then_some(value as i64)
    })
}

/// Numbers from here on are no ids.
const LARGEST_ID: f64 = (1u64 << 53) as f64;

fn scope(raw: &[u8]) -> Scope {
    match unquoted(raw) {
        Some(b"t") => Scope::Thread,
        Some(b"p") => Scope::Process,
        Some(b"g") => Scope::Global,
        Some(_) => Scope::Unknown,
        None => Scope::None,
    }
}

/// Number of words of an encoded event.
pub(super) const WIDTH: usize = 12;

/// No time.
const NO_TIME: i64 = i64::MIN;

impl JsonEvent {
    /// Writes it as numbers, and the spans that are not empty.
    pub(super) fn write(&self, words: &mut Vec<u32>, spans: &mut Vec<Span>) {
        let first = spans.len() as u32;
        let mut present = 0;
        for (bit, span) in self.spans().into_iter().enumerate().filter(|(_, span)| span.len > 0) {
            present |= 1 << bit;
            spans.push(span);
        }
        let (pid, pid_kind) = id_word(self.pid);
        let (tid, tid_kind) = id_word(self.tid);
        let flags = [self.flow_in, self.flow_out, self.bind_enclosing];
        let flags = (0..).zip(flags).fold(0, |bits, (bit, set)| bits | u32::from(set) << bit);
        let scope = self.scope as u32;
        let head = u32::from(self.phase) | present << 8 | flags << 18 | scope << 21;
        words.extend([head | pid_kind << 24 | tid_kind << 26, first]);
        let times = [self.dur, self.tts, self.tdur].map(|time| time.unwrap_or(NO_TIME));
        for number in [pid, tid].into_iter().chain(times) {
            words.extend([number as u32, (number >> 32) as u32]);
        }
    }

    /// Reads what [`Self::write`] wrote; `ts` is not part of it.
    pub(in crate::json) fn from_words(words: &[u32], strings: &[Span]) -> Self {
        let &[head, first, ref numbers @ ..] = words else { return Self::default() };
        let stored = |index: usize| match numbers.get(index * 2..index * 2 + 2) {
            Some(&[low, high]) => (u64::from(high) << 32 | u64::from(low)) as i64,
            _ => NO_TIME,
        };
        let time = |index: usize| Some(stored(index)).filter(|time| *time != NO_TIME);
        let mut next = first as usize;
        let spans: [Span; MAX_OWN_STRINGS] = std::array::from_fn(|bit| {
            if head >> 8 & 1 << bit == 0 {
                return Span::default();
            }
            next += 1;
            strings.get(next - 1).copied().unwrap_or_default()
        });
        let [name, category, id, id2, bind_id, args, pid_name, tid_name, stack, end_stack] = spans;
        Self {
            phase: head as u8,
            pid: id_of(head >> 24, stored(0), pid_name),
            tid: id_of(head >> 26, stored(1), tid_name),
            ts: None,
            dur: time(2),
            tts: time(3),
            tdur: time(4),
            scope: SCOPES[(head >> 21 & 7) as usize % SCOPES.len()],
            flow_in: head >> 18 & 1 != 0,
            flow_out: head >> 19 & 1 != 0,
            bind_enclosing: head >> 20 & 1 != 0,
            name,
            category,
            id,
            id2,
            bind_id,
            args,
            stack,
            end_stack,
        }
    }

    /// About where the text of an event lies that [`Self::write`] wrote: from the first of its
    /// spans to the last.
    pub(in crate::json) fn text_of(words: &[u32], strings: &[Span]) -> Option<Span> {
        let spans = strings.get(own_strings(words))?;
        let begin = spans.iter().map(|span| span.addr).min()?;
        let end = spans.iter().map(|span| span.addr + u64::from(span.len)).max()?;
        Some(Span { addr: begin, len: u32::try_from(end - begin).unwrap_or(u32::MAX) })
    }

    fn spans(&self) -> [Span; MAX_OWN_STRINGS] {
        let name = |id: JsonId| match id {
            JsonId::Name(span) => span,
            _ => Span::default(),
        };
        let Self { name: own, category, id, id2, bind_id, args, stack, end_stack, .. } = *self;
        let (pid, tid) = (name(self.pid), name(self.tid));
        [own, category, id, id2, bind_id, args, pid, tid, stack, end_stack]
    }
}

const SCOPES: [Scope; 5] =
    [Scope::None, Scope::Thread, Scope::Process, Scope::Global, Scope::Unknown];

fn id_word(id: JsonId) -> (i64, u32) {
    match id {
        JsonId::None => (0, 0),
        JsonId::Number(number) => (number, 1),
        JsonId::Name(_) => (0, 2),
    }
}

fn id_of(kind: u32, number: i64, name: Span) -> JsonId {
    match kind & 3 {
        1 => JsonId::Number(number),
        // An empty name has no span but is one.
        2 => JsonId::Name(name),
        _ => JsonId::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> JsonEvent {
        let span = Span { addr: 100, len: text.len() as u32 };
        JsonEvent::read(text.as_bytes(), span).unwrap()
    }

    fn at(text: &str, part: &str) -> Span {
        Span { addr: 100 + text.find(part).unwrap() as u64, len: part.len() as u32 }
    }

    #[test]
    fn fields_of_an_event() {
        let text = r#"{"ph":"X","ts":1.5,"dur":"2","tts":3,"tdur":0.001,"pid":7,"tid":"main",
            "name":"a\"b","cat":"c,d","args":{"x":[1]},"id":"0x1","id2":{"local":2},"bind_id":3,
            "s":"p","bp":"e","flow_in":true,"flow_out":false,"other":[{}],"sf":5,"stack":"none",
            "estack":["f"],"esf":null}"#;
        let event = read(text);
        let expected = JsonEvent {
            phase: b'X',
            pid: JsonId::Number(7),
            tid: JsonId::Name(at(text, "main")),
            ts: Some(1_500),
            dur: Some(2_000),
            tts: Some(3_000),
            tdur: Some(1),
            scope: Scope::Process,
            flow_in: true,
            flow_out: false,
            bind_enclosing: true,
            name: at(text, r#"a\"b"#),
            category: at(text, "c,d"),
            id: at(text, r#""0x1""#),
            id2: at(text, r#"{"local":2}"#),
            bind_id: Span { len: 1, ..at(text, "3,\n            \"s\"") },
            args: at(text, r#"{"x":[1]}"#),
            stack: Span { len: 1, ..at(text, "5,\"stack\"") },
            end_stack: at(text, r#"["f"]"#),
        };
        assert_eq!(event, expected);
    }

    #[test]
    fn words_hold_all_of_an_event_but_its_time() {
        let texts = [
            r#"{"ph":"X","dur":-2,"tts":0,"pid":7,"tid":"main","name":"a","args":{},"s":"g"}"#,
            r#"{"ph":"b","id":1,"id2":{},"bind_id":2,"cat":"c","pid":"","flow_out":true,"s":"?"}"#,
            r#"{"ph":"E","tid":"t","bp":"e","sf":"a","esf":2,"s":"t"}"#,
            "{}",
        ];
        let (mut words, mut spans) = (Vec::new(), Vec::new());
        let events = texts.map(read);
        events.iter().for_each(|event| event.write(&mut words, &mut spans));
        for (event, words) in events.iter().zip(words.chunks(WIDTH)) {
            let read = JsonEvent::from_words(words, &spans);
            // A name of no bytes lies nowhere.
            let same = JsonEvent {
                ts: event.ts,
                pid: if event.pid == read.pid { read.pid } else { event.pid },
                ..read
            };
            assert_eq!(same, *event);
        }
        // From the name of the thread to the args.
        let text = &texts[0][texts[0].find("main").unwrap()..=texts[0].find("{}").unwrap() + 1];
        assert_eq!(JsonEvent::text_of(&words, &spans), Some(at(texts[0], text)));
        assert_eq!(JsonEvent::text_of(&words[3 * WIDTH..], &spans), None);
    }

    #[test]
    fn ids_are_numbers_wherever_they_can_be() {
        let cases = [
            ("7", JsonId::Number(7)),
            ("7.9", JsonId::Number(7)),
            ("-1", JsonId::Number(0)),
            ("140234567890000", JsonId::Number(140_234_567_890_000)),
            ("9007199254740992", JsonId::Number(0)),
            ("1e300", JsonId::Number(0)),
            ("\"12\"", JsonId::Number(12)),
            ("true", JsonId::None),
            ("null", JsonId::None),
            ("[]", JsonId::None),
        ];
        for (raw, expected) in cases {
            assert_eq!(id(raw.as_bytes(), Span::default()), expected, "{raw}");
        }
        let name = id(b"\"gpu\"", Span { addr: 10, len: 5 });
        assert_eq!(name, JsonId::Name(Span { addr: 11, len: 3 }));
    }

    #[test]
    fn invalid_text_is_replaced_in_place() {
        let text = b"{\"ph\":\"X\",\"name\":\"caf\xe9\tb\",\"ts\":1}";
        let event = JsonEvent::read(text, Span { addr: 0, len: text.len() as u32 }).unwrap();
        assert_eq!((event.name, event.ts), (Span { addr: 18, len: 6 }, Some(1_000)));
    }

    #[test]
    fn the_later_of_two_values_counts() {
        assert_eq!(read(r#"{"ph":"B","ts":1,"ph":"E","ts":2}"#).ts, Some(2_000));
        assert_eq!(read(r#"{"ph":"B","ph":"E"}"#).phase, b'E');
    }

    /// Every byte of an event in turn is replaced by others, or cut off with all behind it.
    #[test]
    fn what_is_read_plainly_is_read_strictly_as_well() {
        const EVENT: &str = r#"{"ph":"X", "ts" : -1.50e1,"tid":"m\"n","id":[ ],
            "args":{"x":[1,{"y":null}],"z":{},"w":[false,"\n"]},"s":"g","flow_in":true }"#;
        const OTHERS: &[u8] = b"{}[]:,\"\\ 0-.eEatn/\n\t\x01\x7f\xc3";
        let span = Span { addr: 100, len: EVENT.len() as u32 };
        let check = |text: &[u8]| {
            let plain = JsonEvent::read_plainly(text, span);
            if plain.is_some() {
                let strict = JsonEvent::read_strictly(text, span);
                assert_eq!(strict.ok(), plain, "{}", String::from_utf8_lossy(text));
            }
            plain.is_some()
        };
        assert!(check(EVENT.as_bytes()));
        let mut read = 0;
        for at in 0..EVENT.len() {
            check(&EVENT.as_bytes()[..at]);
            for &other in OTHERS {
                let mut text = EVENT.as_bytes().to_vec();
                text[at] = other;
                read += usize::from(check(&text));
            }
        }
        assert!(read > EVENT.len(), "only {read} were read");
    }

    #[test]
    fn errors_say_where() {
        let cases = [
            (r#"{"ph": x}"#, 7),
            (r#"{"ph":"B","ts":01}"#, 15),
            ("{\"ph\":\"B\",\n\"a\" 1}", 15),
            (r#"{"a":[}]}"#, 5),
        ];
        for (text, near) in cases {
            let span = Span { addr: 0, len: text.len() as u32 };
            let (at, _) = JsonEvent::read(text.as_bytes(), span).unwrap_err();
            assert!(at.abs_diff(near) <= 2, "{text}: {at}");
        }
    }
}
