//! Lines of stacks.

use tpq_ingest::Loss;

use super::STACKS;
use crate::text::{Item, TextEvents, number, split_once, trim_line};

/// A stack and the number of its samples.
#[derive(Clone, Copy, Debug)]
pub(super) struct StackLine<'a> {
    stack: &'a [u8],
    /// Number of samples, at least 1.
    pub(super) count: i64,
}

impl<'a> StackLine<'a> {
    pub(super) fn parse(line: &'a [u8]) -> Option<Self> {
        let line = line.trim_ascii();
        let (stack, count) = line.split_at_checked(memchr::memrchr(b' ', line)?)?;
        let count = number(count.get(1..)?).filter(|&count| count > 0)?;
        Some(Self { stack, count }).filter(|line| line.functions().next().is_some())
    }

    /// The functions, the outermost first.
    pub(super) fn functions(self) -> impl Iterator<Item = &'a [u8]> {
        self.stack.split(|&byte| byte == b';').filter(|function| !function.is_empty())
    }
}

/// Divides the text into stacks. They have no times, and so all have time 0.
pub(super) struct StackLines;

impl TextEvents for StackLines {
    fn next(&mut self, text: &[u8]) -> (usize, Item) {
        let (line, rest) = split_once(text, b'\n').unwrap_or((text, &[]));
        let len = text.len() - rest.len();
        let trimmed = trim_line(line).trim_ascii_start();
        if trimmed.is_empty() || trimmed.starts_with(b"#") {
            return (len, Item::Nothing);
        }
        match StackLine::parse(line) {
            Some(_) => (len, Item::Event { kind: STACKS, ts: 0 }),
            None => {
                let what = "this line has no functions with a count above 0";
                (len, Item::Malformed(Loss::MalformedRecord, what))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_with_its_count() {
        let line =
            StackLine::parse(b" a;b c;;d() 12 \r").unwrap_or(StackLine { stack: b"", count: 0 });
        let functions: Vec<&[u8]> = line.functions().collect();
        assert_eq!(functions, [&b"a"[..], b"b c", b"d()"]);
        assert_eq!(line.count, 12);
        for line in ["", "a", "a;b", "a;b 0", "a;b -1", "a;b 1.5", ";; 3", " 3"] {
            assert!(StackLine::parse(line.as_bytes()).is_none(), "{line:?}");
        }
    }
}
