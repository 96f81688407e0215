//! Where the parts of a JSON trace lie: a walk over its structure that parses no value.
//!
//! It keeps no stack, so neither depth nor size of what it walks costs memory.

use std::ops::Range;

use super::blocks::{BLOCK, Block, Brackets};

/// A part of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// An event, braces included.
    Event(Range<usize>),
    /// An element of `samples`, braces included.
    Sample(Range<usize>),
    /// A line of `systemTraceEvents`, as it stands within the string.
    Line(Range<usize>),
    /// Another field of the outermost object: the key without its quotes, and the value.
    Field(Range<usize>, Range<usize>),
    /// The value is not an event; it is skipped.
    Stray(usize, &'static str),
    /// The value is not valid; the walk ends.
    Broken(usize, &'static str),
    /// The text ends within a part that begins here.
    Cut(usize, &'static str),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Start,
    /// In the outermost object, before a key or its end.
    Keys,
    /// In an array of events.
    Events(Array),
    /// In the string of system trace lines.
    Lines,
    /// After the outermost value.
    After,
    Done,
}

/// An array of events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Array {
    /// It is all there is.
    Bare,
    /// The field `traceEvents`.
    TraceEvents,
    /// The field `samples`.
    Samples,
}

/// Walks a text.
#[derive(Clone)]
pub(super) struct Scan<'a> {
    text: &'a [u8],
    at: usize,
    state: State,
}

/// Events nested deeper are left out: no program means to write them, and a parser of the values
/// could keep a stack.
const MAX_DEPTH: usize = 512;

/// The end of a walk over a value.
enum End {
    At(usize),
    Cut,
    Broken(usize, &'static str),
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, state: State::Start }
    }

    /// How far the walk has come.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    /// The next part; `None` at the end.
    pub(super) fn next_part(&mut self) -> Option<Part> {
        loop {
            let part = match self.state {
                State::Start => self.start(),
                State::Keys => self.key(),
                State::Events(array) => self.event(array),
                State::Lines => self.line(),
                State::After => self.after(),
                State::Done => return None,
            };
            if let Some(part) = part {
                if matches!(part, Part::Broken(..) | Part::Cut(..)) {
                    self.state = State::Done;
                }
                return Some(part);
            }
        }
    }

    /// Goes back into an event that turned out to be none, to look for others from `at` on.
    pub(super) fn resume(&mut self, at: usize) {
        if matches!(self.state, State::Events(_)) {
            self.at = at.min(self.at);
        }
    }

    /// How far it is to a byte, of one at least.
    fn until(&self, is_it: impl Fn(&u8) -> bool) -> usize {
        let rest = self.text.get(self.at + 1..).unwrap_or_default();
        1 + rest.iter().position(is_it).unwrap_or(rest.len())
    }

    /// The next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        while let Some(byte) = self.text.get(self.at) {
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }

    fn start(&mut self) -> Option<Part> {
        const BOM: &[u8] = b"\xef\xbb\xbf";
        if self.text.starts_with(BOM) {
            self.at = BOM.len();
        }
        self.state = match self.peek() {
            Some(b'{') => State::Keys,
            Some(b'[') => State::Events(Array::Bare),
            Some(_) => return Some(Part::Broken(self.at, "expected an object or an array")),
            None => return Some(Part::Cut(self.at, "there is nothing but white space")),
        };
        self.at += 1;
        None
    }

    fn key(&mut self) -> Option<Part> {
        const CUT: &str = "the text ends before the outermost object does";
        let key = match self.peek() {
            Some(b',') => {
                self.at += 1;
                return None;
            }
            Some(b'}') => {
                self.at += 1;
                self.state = State::After;
                return None;
            }
            Some(b'"') => match self.string(self.at) {
                End::At(end) => self.at + 1..end - 1,
                End::Cut => return Some(Part::Cut(self.at, CUT)),
                End::Broken(at, what) => return Some(Part::Broken(at, what)),
            },
            Some(_) => return Some(Part::Broken(self.at, "expected a key, in quotes")),
            None => return Some(Part::Cut(self.at, CUT)),
        };
        let begin = self.at;
        self.at = key.end + 1;
        match self.peek() {
            Some(b':') => self.at += 1,
            Some(_) => return Some(Part::Broken(self.at, "expected a colon after a key")),
            None => return Some(Part::Cut(begin, CUT)),
        }
        let Some(first) = self.peek() else { return Some(Part::Cut(begin, CUT)) };
        match (&self.text[key.clone()], first) {
            (b"traceEvents", b'[') => self.enter(State::Events(Array::TraceEvents)),
            (b"traceEvents", _) => Some(Part::Broken(self.at, "traceEvents is not an array")),
            (b"samples", b'[') if self.has_objects() => self.enter(State::Events(Array::Samples)),
            (b"systemTraceEvents", b'"') => self.enter(State::Lines),
            _ => match self.value(self.at) {
                End::At(end) => {
                    let value = self.at..end;
                    self.at = end;
                    Some(Part::Field(key, value))
                }
                End::Cut => Some(Part::Cut(begin, CUT)),
                End::Broken(at, what) => Some(Part::Broken(at, what)),
            },
        }
    }

    /// Whether the array that begins here begins with an object: other programs have arrays of
    /// numbers under the same key.
    fn has_objects(&self) -> bool {
        let inside = self.text.get(self.at + 1..).unwrap_or_default();
        inside.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{')
    }

    /// Goes into what opens here.
    fn enter(&mut self, state: State) -> Option<Part> {
        self.at += 1;
        self.state = state;
        None
    }

    fn event(&mut self, array: Array) -> Option<Part> {
        match self.peek() {
            // A comma too many, as after the last event, is common and harmless.
            Some(b',') => self.at += 1,
            Some(b']') => {
                self.at += 1;
                self.state = if array == Array::Bare { State::After } else { State::Keys };
            }
            Some(b'{') => {
                let mut deepest = 0;
                return Some(match self.container(self.at, &mut deepest) {
                    End::At(end) => {
                        let event = self.at..end;
                        self.at = end;
                        match array {
                            _ if deepest > MAX_DEPTH => {
                                Part::Stray(event.start, "an event is nested too deeply")
                            }
                            Array::Samples => Part::Sample(event),
                            Array::Bare | Array::TraceEvents => Part::Event(event),
                        }
                    }
                    End::Cut => Part::Cut(self.at, "the text ends within an event"),
                    End::Broken(at, what) => Part::Broken(at, what),
                });
            }
            Some(byte) => {
                let stray = Part::Stray(self.at, "expected an event, a comma or ]");
                match byte {
                    b'"' | b'[' => match self.value(self.at) {
                        End::At(end) => self.at = end,
                        _ => self.at = self.text.len(),
                    },
                    _ => self.at += self.until(|byte| matches!(byte, b',' | b'{' | b']' | b'"')),
                }
                return Some(stray);
            }
            // Programs that write an array as they go may never get to close it.
            None if array == Array::Bare => self.state = State::Done,
            None if array == Array::Samples => {
                return Some(Part::Cut(self.at, "the text ends before samples does"));
            }
            None => return Some(Part::Cut(self.at, "the text ends before traceEvents does")),
        }
        None
    }

    fn line(&mut self) -> Option<Part> {
        let begin = self.at;
        let mut at = begin;
        while let Some(found) =
            memchr::memchr2(b'\\', b'"', self.text.get(at..).unwrap_or_default())
        {
            at += found;
            let end = at;
            if self.text[at] == b'"' {
                self.at = at + 1;
                self.state = State::Keys;
                return (end > begin).then_some(Part::Line(begin..end));
            }
            at += 2;
            if self.text.get(end + 1) == Some(&b'n') {
                self.at = at;
                return Some(Part::Line(begin..end));
            }
        }
        Some(Part::Cut(begin, "the text ends within systemTraceEvents"))
    }

    fn after(&mut self) -> Option<Part> {
        while self.peek() == Some(0) {
            self.at += 1;
        }
        let rest = self.peek().is_some();
        self.state = State::Done;
        rest.then_some(Part::Broken(self.at, "expected nothing more: one value is all of a trace"))
    }

    fn value(&self, at: usize) -> End {
        match self.text.get(at) {
            Some(b'"') => self.string(at),
            Some(b'{' | b'[') => self.container(at, &mut 0),
            Some(b'-' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z') => {
                let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t'..=b'\r');
                match self.text[at..].iter().position(ends) {
                    Some(len) => End::At(at + len),
                    None => End::Cut,
                }
            }
            Some(_) => End::Broken(at, "expected a value"),
            None => End::Cut,
        }
    }

    /// The end of the string that begins at `at`.
    fn string(&self, at: usize) -> End {
        let mut at = at + 1;
        while let Some(byte) = self.text.get(at) {
            match byte {
                b'"' => return End::At(at + 1),
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
        End::Cut
    }

    /// The end of the object or array that begins at `at`, and how deep it nests. Which brackets
    /// close which is not distinguished here: the parser of the value does that.
    fn container(&self, at: usize, deepest: &mut usize) -> End {
        let mut depth = 0usize;
        let mut begin = at;
        for Block { opening, closing } in Brackets::of(&self.text[at..]) {
            let mut brackets = opening | closing;
            while brackets != 0 {
                let bit = brackets.trailing_zeros();
                brackets &= brackets - 1;
                if opening >> bit & 1 == 1 {
                    depth += 1;
                    *deepest = depth.max(*deepest);
                } else {
                    depth -= 1;
                    if depth == 0 {
                        return End::At(begin + bit as usize + 1);
                    }
                }
            }
            begin += BLOCK;
        }
        End::Cut
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<String> {
        let mut scan = Scan::new(text.as_bytes());
        let mut parts = Vec::new();
        while let Some(part) = scan.next_part() {
            parts.push(match part {
                Part::Event(range) => format!("event {}", &text[range]),
                Part::Sample(range) => format!("sample {}", &text[range]),
                Part::Line(range) => format!("line {}", &text[range]),
                Part::Field(key, value) => format!("{} = {}", &text[key], &text[value]),
                Part::Stray(at, what) => format!("stray at {at}: {what}"),
                Part::Broken(at, what) => format!("broken at {at}: {what}"),
                Part::Cut(at, what) => format!("cut at {at}: {what}"),
            });
        }
        parts
    }

    #[test]
    fn arrays_of_events() {
        assert_eq!(parts("[]"), [""; 0]);
        assert_eq!(parts(" [ {} ,\n{\"a\":[1,{}]},]\n\0"), ["event {}", "event {\"a\":[1,{}]}"]);
        assert_eq!(parts("[{\"a\":\"}\\\"]\"}"), ["event {\"a\":\"}\\\"]\"}"], "never closed");
        assert_eq!(parts("[{},{\"a\":1"), ["event {}", "cut at 4: the text ends within an event"]);
        let stray = "expected an event, a comma or ]";
        assert_eq!(parts("[{} 5]"), ["event {}".to_owned(), format!("stray at 4: {stray}")]);
        let others = [format!("stray at 1: {stray}"), format!("stray at 4: {stray}")];
        assert_eq!(parts("[7, [{}], {}")[..2], others);
        assert_eq!(parts("[oops {} \"{}\" {}]").len(), 4);
        assert_eq!(
            parts("[{}] x"),
            ["event {}", "broken at 5: expected nothing more: one value is all of a trace"]
        );
    }

    #[test]
    fn events_of_great_depth_are_strays() {
        let deep =
            |depth: usize| format!("[{{\"a\":{}{}}},{{}}]", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(parts(&deep(MAX_DEPTH - 1)).len(), 2);
        let parts = parts(&deep(MAX_DEPTH));
        assert_eq!(parts, ["stray at 1: an event is nested too deeply", "event {}"]);
    }

    #[test]
    fn objects_with_events_among_other_fields() {
        let text = r#"{"a": {"traceEvents": [1]}, "traceEvents": [{}], "b":null,"c":-1.5e3}"#;
        assert_eq!(
            parts(text),
            [r#"a = {"traceEvents": [1]}"#, "event {}", "b = null", "c = -1.5e3"]
        );
        let cut = "the text ends before the outermost object does";
        assert_eq!(parts("{"), [format!("cut at 1: {cut}")]);
        assert_eq!(parts("{\"a\""), [format!("cut at 1: {cut}")]);
        assert_eq!(parts("{\"a\": [1, "), [format!("cut at 1: {cut}")]);
        assert_eq!(parts("{\"a\" 1}"), ["broken at 5: expected a colon after a key"]);
        assert_eq!(parts("{1}"), ["broken at 1: expected a key, in quotes"]);
        let events = r#"{"traceEvents": [{}"#;
        assert_eq!(parts(events), ["event {}", "cut at 19: the text ends before traceEvents does"]);
        assert_eq!(parts(r#"{"traceEvents": {}}"#), ["broken at 16: traceEvents is not an array"]);
    }

    #[test]
    fn samples_are_objects() {
        let text = r#"{"samples": [ {"ts":1}, {}], "traceEvents": []}"#;
        assert_eq!(parts(text), [r#"sample {"ts":1}"#, "sample {}"]);
        assert_eq!(parts(r#"{"samples": [1, {}]}"#), ["samples = [1, {}]"]);
        assert_eq!(parts(r#"{"samples": []}"#), ["samples = []"]);
        let cut = "cut at 15: the text ends before samples does";
        assert_eq!(parts(r#"{"samples": [{}"#), ["sample {}", cut]);
    }

    #[test]
    fn lines_of_a_system_trace() {
        let text = r##"{"systemTraceEvents": "# tracer: nop\n a \"b\" \\n c\nlast", "x": 1}"##;
        let lines = ["line # tracer: nop", r#"line  a \"b\" \\n c"#, "line last", "x = 1"];
        assert_eq!(parts(text), lines);
        assert_eq!(parts(r#"{"systemTraceEvents": "a\n"}"#), ["line a"]);
        let cut = "cut at 26: the text ends within systemTraceEvents";
        assert_eq!(parts(r#"{"systemTraceEvents": "a\nb"#), ["line a", cut]);
        assert_eq!(parts(r#"{"systemTraceEvents": "a\"#).len(), 1);
    }
}
