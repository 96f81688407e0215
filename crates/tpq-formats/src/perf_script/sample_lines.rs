//! Divides the text into samples.

use tpq_ingest::Loss;

use super::SAMPLES;
use super::sample::Sample;
use crate::text::{Item, TextEvents, split_once, trim_line};

/// Divides the text into samples: a line, and the indented lines behind it.
pub(super) struct SampleLines;

impl TextEvents for SampleLines {
    fn next(&mut self, text: &[u8]) -> (usize, Item) {
        let (line, mut rest) = split_once(text, b'\n').unwrap_or((text, &[]));
        let len_before = |rest: &[u8]| text.len() - rest.len();
        if trim_line(line).is_empty() || line.starts_with(b"#") {
            return (len_before(rest), Item::Nothing);
        }
        if Sample::parse(line).is_none() {
            let what = "this line has no thread, time and event that can be read";
            return (len_before(rest), Item::Malformed(Loss::MalformedRecord, what));
        }
        while let Some((line, after)) = split_once(rest, b'\n') {
            let is_of_stack = line.first().is_some_and(u8::is_ascii_whitespace);
            if trim_line(line).is_empty() || !is_of_stack || Sample::parse(line).is_some() {
                break;
            }
            rest = after;
        }
        // The last line of a file may have no end.
        if memchr::memchr(b'\n', rest).is_none()
            && rest.first().is_some_and(u8::is_ascii_whitespace)
        {
            rest = &[];
        }
        let len = len_before(rest);
        let sample = text.get(..len).and_then(Sample::parse);
        match sample {
            Some(sample) if sample.frames().next().is_some() => {
                (len, Item::Event { kind: SAMPLES, ts: sample.ts })
            }
            _ => (len, Item::Malformed(Loss::SampleWithoutStack, "this sample has no call stack")),
        }
    }
}
