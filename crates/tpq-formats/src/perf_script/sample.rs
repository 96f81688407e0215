//! A sample and the functions of its call stack.

use crate::text::{lines, number, seconds, split_once, split_word, trim_line};

/// The binary of a function of which the text names none, as `perf` writes it.
const UNKNOWN: &[u8] = b"[unknown]";

/// A sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample<'a> {
    /// Name of the thread.
    pub(super) comm: &'a [u8],
    /// Process, if it is stated.
    pub(super) pid: Option<u32>,
    /// Thread.
    pub(super) tid: u32,
    /// Time, ns.
    pub(super) ts: i64,
    /// The text behind the event in the first line: the innermost function of samples without
    /// stacks.
    inline: &'a [u8],
    /// The lines behind the first.
    stack: &'a [u8],
}

/// A function of a call stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct StackFrame<'a> {
    /// Name of the function, without the offset in it.
    pub(super) function: &'a [u8],
    /// Path of the binary.
    pub(super) binary: &'a [u8],
}

impl<'a> Sample<'a> {
    /// Reads the lines of a sample.
    pub(super) fn parse(event: &'a [u8]) -> Option<Self> {
        let (line, stack) = split_once(event, b'\n').unwrap_or((event, &[]));
        let line = trim_line(line);
        // A thread name may contain anything; the time is the first word that is one behind a
        // thread.
        let mut words = word_ranges(line);
        words.find_map(|word| Self::around(line, word, stack))
    }

    /// Reads a line with its time in a word.
    fn around(line: &'a [u8], (start, end): (usize, usize), stack: &'a [u8]) -> Option<Self> {
        let ts = seconds(line.get(start..end)?.strip_suffix(b":")?)?;
        let before = line.get(..start)?.trim_ascii_end();
        let before = match last_word(before) {
            (rest, [b'[', cpu @ .., b']']) if number::<u32>(cpu).is_some() => rest,
            _ => before,
        };
        let (comm, task) = last_word(before);
        let (pid, tid) = match split_once(task, b'/') {
            Some((pid, tid)) => (Some(number(pid)?), number(tid)?),
            None => (None, number(task)?),
        };
        let inline = after_event(line.get(end..)?)?;
        let comm = comm.trim_ascii();
        (!comm.is_empty()).then_some(Self { comm, pid, tid, ts, inline, stack })
    }

    /// The functions of the call stack, the innermost first.
    pub(super) fn frames(self) -> impl Iterator<Item = StackFrame<'a>> {
        let of_stack = lines(self.stack).filter_map(StackFrame::of_stack);
        of_stack.chain(StackFrame::parse(self.inline))
    }
}

impl<'a> StackFrame<'a> {
    /// Reads `address function+offset (binary)`. Lines with places in source code are none.
    fn parse(line: &'a [u8]) -> Option<Self> {
        let (address, rest) = split_word(line)?;
        if !address.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        let inside = trim_line(rest).strip_suffix(b")")?;
        // A function may contain brackets, and so may a path: ` (deleted)`.
        let open = memchr::memmem::rfind(inside, b"(/")
            .or_else(|| memchr::memmem::rfind(inside, b"(["))
            .or_else(|| memchr::memrchr(b'(', inside))?;
        let before = inside.get(..open)?;
        // Otherwise the brackets are those of a function, as in `f(int)`.
        let is_binary = before.last().is_none_or(u8::is_ascii_whitespace);
        let function = without_offset(before.trim_ascii());
        is_binary.then_some(Self { function, binary: inside.get(open + 1..)? })
    }

    /// Reads a line of a stack, which may leave out the binary.
    fn of_stack(line: &'a [u8]) -> Option<Self> {
        Self::parse(line).or_else(|| {
            let (address, rest) = split_word(line)?;
            let function = without_offset(trim_line(rest));
            let is_frame = !function.is_empty() && address.iter().all(u8::is_ascii_hexdigit);
            is_frame.then_some(Self { function, binary: UNKNOWN })
        })
    }
}

/// A function without `+0x` and the hexadecimal digits behind it.
fn without_offset(function: &[u8]) -> &[u8] {
    let Some(at) = memchr::memmem::rfind(function, b"+0x") else { return function };
    match function.split_at_checked(at) {
        Some((name, offset)) if offset.iter().skip(3).all(u8::is_ascii_hexdigit) => name,
        _ => function,
    }
}

/// The text behind `period event:`; `None` if there is no event.
fn after_event(text: &[u8]) -> Option<&[u8]> {
    let (word, rest) = split_word(text)?;
    if word.ends_with(b":") {
        return Some(rest);
    }
    let is_period = word.iter().all(u8::is_ascii_digit);
    match split_word(rest) {
        Some((event, rest)) if is_period && event.ends_with(b":") => Some(rest),
        _ => None,
    }
}

/// Where each word of a line begins and ends.
fn word_ranges(line: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = line.get(at..)?;
        let start = at + rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let rest = line.get(start..)?;
        let len = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        at = start + len;
        Some((start, at))
    })
}

/// The text before the last word, and the last word.
fn last_word(text: &[u8]) -> (&[u8], &[u8]) {
    let text = text.trim_ascii_end();
    let start = text.iter().rposition(u8::is_ascii_whitespace).map_or(0, |space| space + 1);
    let (rest, word) = text.split_at(start);
    (rest.trim_ascii_end(), word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(line: &str) -> (&str, Option<u32>, u32, i64) {
        let sample = Sample::parse(line.as_bytes()).unwrap_or_else(|| panic!("{line:?}"));
        (std::str::from_utf8(sample.comm).unwrap_or("?"), sample.pid, sample.tid, sample.ts)
    }

    #[test]
    fn first_lines_in_each_form() {
        let ts = 264_874_155_353_000;
        for (line, expected) in [
            (
                "perf  7496/7497  [003] 264874.155353:    1001001 cpu-clock: ",
                ("perf", Some(7496), 7497, ts),
            ),
            ("a b 7/8 264874.155353: cycles:", ("a b", Some(7), 8, ts)),
            ("swapper     0 [000] 264874.155353: 1 cpu_atom/cycles/Pu:", ("swapper", None, 0, ts)),
            ("1.5: 7 264874.155353: a:b: c=1", ("1.5:", None, 7, ts)),
        ] {
            assert_eq!(parts(line), expected, "{line}");
        }
        for line in ["", "a", "a 7 [000]", "7 1.5: e:", "a 7 1.5 e:", "a 7 1.5: e", "a x 1.5: e:"] {
            assert!(Sample::parse(line.as_bytes()).is_none(), "{line:?}");
        }
    }

    #[test]
    fn functions_of_a_stack() {
        let frame = |line: &'static str| {
            let frame = StackFrame::parse(line.as_bytes())?;
            let text = |bytes| std::str::from_utf8(bytes).unwrap_or("?");
            Some((text(frame.function), text(frame.binary)))
        };
        assert_eq!(frame("\tff12 main+0x1e (/bin/a b)"), Some(("main", "/bin/a b")));
        assert_eq!(frame(" ff f(int) (/bin/a (deleted))"), Some(("f(int)", "/bin/a (deleted)")));
        assert_eq!(frame(" ff g ([kernel.kallsyms])"), Some(("g", "[kernel.kallsyms]")));
        assert_eq!(frame(" ff operator+ (inlined)"), Some(("operator+", "inlined")));
        assert_eq!(frame(" ff [unknown] ([unknown])"), Some(("[unknown]", "[unknown]")));
        assert_eq!(frame("  main.c:12"), None);
        assert_eq!(frame(" ff main"), None);
        assert_eq!(frame(" ff f(int)"), None);
    }

    #[test]
    fn lines_of_a_stack_without_binaries() {
        let frame = |line: &'static str| StackFrame::of_stack(line.as_bytes());
        let of = |function: &'static [u8]| Some(StackFrame { function, binary: UNKNOWN });
        assert_eq!(frame("\tff12 main+0x1e\n"), of(b"main"));
        assert_eq!(frame(" ff f(int)"), of(b"f(int)"));
        assert_eq!(frame(" ff f(void (*)(int))"), of(b"f(void (*)(int))"));
        assert_eq!(frame(" ff (/bin/a)"), Some(StackFrame { function: b"", binary: b"/bin/a" }));
        assert_eq!(frame("  main.c:12"), None);
        assert_eq!(frame(" ff"), None);
    }

    #[test]
    fn a_sample_of_one_line() {
        let line = b"a 7 1.5: 1 cycles:  ff12 main+0x1 (/bin/a)\n";
        let frames: Vec<_> = Sample::parse(line).into_iter().flat_map(Sample::frames).collect();
        assert_eq!(frames, [StackFrame { function: b"main", binary: b"/bin/a" }]);
    }
}
