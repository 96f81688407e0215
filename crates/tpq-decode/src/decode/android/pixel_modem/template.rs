//! Texts with conversions of C's `printf`, and the values that an event sends for them.

use tpq_proto::wire::{read_varint, zigzag};

use super::printf::{Conversion, Directive, Number};

/// What stands in a text for a value that was not sent.
const MISSING: &str = "<ERROR>";

/// A text with places for values.
#[derive(Debug)]
pub(super) struct Template<'a> {
    text: &'a str,
    /// The places with the ranges of the text that they replace.
    directives: Vec<(usize, usize, Directive)>,
}

/// A text with its values.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) text: String,
    pub(super) numbers: Vec<Number>,
}

impl<'a> Template<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let (mut directives, mut at) = (Vec::new(), 0);
        while let Some(found) = text.get(at..).and_then(|rest| rest.find('%')) {
            let start = at + found;
            let (directive, len) = Directive::read(&text.as_bytes()[start..]);
            at = start + len.max(1);
            // The text after a lone sign may be anything.
            while !text.is_char_boundary(at) {
                at += 1;
            }
            if let Some(directive) = directive {
                directives.push((start, at, directive));
            }
        }
        Self { text, directives }
    }

    /// Fills in the values of an event, as far as they were sent.
    pub(super) fn show(&self, values: &[u8]) -> Shown {
        let (mut at, mut is_complete) = (0, true);
        let (mut numbers, mut text, mut shown_to) = (Vec::new(), String::new(), 0);
        for &(start, end, directive) in &self.directives {
            text.push_str(&self.text[shown_to..start]);
            shown_to = end;
            let read = match is_complete && at < values.len() {
                true => Self::value(directive, values, &mut at),
                false => None,
            };
            is_complete = read.is_some();
            match read {
                Some((directive, number)) => {
                    numbers.push(number);
                    text.push_str(&directive.show(number));
                }
                None => text.push_str(MISSING),
            }
        }
        text.push_str(&self.text[shown_to..]);
        Shown { text, numbers }
    }

    /// The next value, and its conversion with width and precision.
    fn value(
        mut directive: Directive,
        values: &[u8],
        at: &mut usize,
    ) -> Option<(Directive, Number)> {
        let integer = |at: &mut usize| read_varint(values, at).map(zigzag);
        if directive.has_sent_width {
            directive.set_width(integer(at)?);
        }
        if directive.has_sent_precision {
            directive.precision = usize::try_from(integer(at)?).ok();
        }
        let number = match directive.conversion {
            Conversion::Fixed | Conversion::Scientific | Conversion::General => {
                let bytes = values.get(*at..)?.first_chunk()?;
                *at += size_of::<f32>();
                Number::Real(f64::from(f32::from_le_bytes(*bytes)))
            }
            Conversion::Signed | Conversion::Character => Number::Int(integer(at)?),
            Conversion::Pointer => Number::Uint(integer(at)? as u64),
            Conversion::Unsigned | Conversion::Octal | Conversion::Hexadecimal => {
                let value = integer(at)? as u64;
                let is_short = !directive.is_long;
                Number::Uint(if is_short { value & u64::from(u32::MAX) } else { value })
            }
        };
        Some((directive, number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn varint(value: i64) -> Vec<u8> {
        let mut rest = (value << 1 ^ value >> 63).cast_unsigned();
        let mut bytes = Vec::new();
        while rest >= 0x80 {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
        bytes
    }

    fn show(text: &str, values: &[Vec<u8>]) -> String {
        Template::new(text).show(&values.concat()).text
    }

    #[test]
    fn values_are_filled_in() {
        assert_eq!(
            show("a %d, %u%%: %x.", &[varint(-5), varint(7), varint(255)]),
            "a -5, 7%%: ff."
        );
        assert_eq!(
            show("%5d|%-4u|%04x|%+d", &[varint(1), varint(2), varint(3), varint(4)]),
            "    1|2   |0003|+4"
        );
        assert_eq!(show("%.2f %c", &[1.5_f32.to_le_bytes().to_vec(), varint(65)]), "1.50 A");
        assert_eq!(
            show("%*d|%.*f", &[varint(3), varint(7), varint(1), 2.25_f32.to_le_bytes().to_vec()]),
            "  7|2.2"
        );
        assert_eq!(show("%s %", &[]), "%s %");
        assert_eq!(
            show("%u %llu %p", &[varint(-1), varint(-1), varint(16)]),
            "4294967295 18446744073709551615 0x10"
        );
    }

    #[test]
    fn values_that_are_missing_are_marked() {
        assert_eq!(show("%d and %d", &[varint(1)]), "1 and <ERROR>");
        assert_eq!(show("%f", &[vec![1, 2]]), "<ERROR>");
        let shown = Template::new("%d %f").show(&[varint(1), vec![0; 4]].concat());
        assert_eq!(shown.numbers, [Number::Int(1), Number::Real(0.0)]);
    }

    #[test]
    fn widths_are_bounded() {
        assert!(show("%999999999d", &[varint(1)]).len() <= 64);
        assert!(show("%*d", &[varint(i64::MAX), varint(1)]).len() <= 64);
        assert!(show("%.*d", &[varint(i64::MAX), varint(1)]).len() <= 64);
        assert_eq!(show("\u{25a0}%\u{2666}", &[]), "\u{25a0}%\u{2666}");
    }
}
