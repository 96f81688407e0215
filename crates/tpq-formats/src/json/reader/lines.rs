//! Lines and columns of a text, counted as errors in it turn up.

use tpq_ingest::TextLocation;

/// Counts lines up to where it was last asked about, so that the text is counted through once.
#[derive(Debug, Default)]
pub(super) struct Lines {
    counted: usize,
    breaks: u64,
    line_start: usize,
}

impl Lines {
    /// The line and column of an offset, both from 1; columns count bytes. Offsets must not
    /// decrease from call to call.
    pub(super) fn location(&mut self, text: &[u8], at: usize, what: &'static str) -> TextLocation {
        let at = at.min(text.len());
        for newline in memchr::memchr_iter(b'\n', text.get(self.counted..at).unwrap_or_default()) {
            self.breaks += 1;
            self.line_start = self.counted + newline + 1;
        }
        self.counted = self.counted.max(at);
        TextLocation { line: self.breaks + 1, column: (at - self.line_start) as u64 + 1, what }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_onwards() {
        let text = b"ab\ncd\n\nef";
        let mut lines = Lines::default();
        let mut location = |at| {
            let location = lines.location(text, at, "");
            (location.line, location.column)
        };
        assert_eq!(location(0), (1, 1));
        assert_eq!(location(1), (1, 2));
        assert_eq!(location(4), (2, 2));
        assert_eq!(location(8), (4, 2));
        assert_eq!(location(99), (4, 3));
    }
}
