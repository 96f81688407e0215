//! Conversions of C's `printf`: how each is written in a text, and what it makes of a number.

/// Widths and precisions above this are a mistake.
const MAX_WIDTH: usize = 64;
/// Digits after the point unless the text states others.
const USUAL_PRECISION: usize = 6;

/// A value of an event.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Number {
    /// A signed integer, or a character.
    Int(i64),
    /// An unsigned integer, or an address.
    Uint(u64),
    /// A floating-point number.
    Real(f64),
}

/// How a number is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Conversion {
    Signed,
    Unsigned,
    Octal,
    Hexadecimal,
    Character,
    Pointer,
    Fixed,
    Scientific,
    General,
}

/// A conversion with its flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Directive {
    pub(super) conversion: Conversion,
    /// Whether letters are capitals.
    is_upper: bool,
    /// Whether an unsigned integer has 64 bits.
    pub(super) is_long: bool,
    is_left: bool,
    has_plus: bool,
    has_space: bool,
    has_zeros: bool,
    is_alternate: bool,
    width: usize,
    pub(super) precision: Option<usize>,
    /// Whether the event sends the width.
    pub(super) has_sent_width: bool,
    /// Whether the event sends the precision.
    pub(super) has_sent_precision: bool,
}

/// Reads a text byte by byte.
struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn take(&mut self, wanted: u8) -> bool {
        let found = self.text.get(self.at) == Some(&wanted);
        self.at += usize::from(found);
        found
    }

    /// A number, or a star in its place.
    fn number(&mut self) -> (usize, bool) {
        if self.take(b'*') {
            return (0, true);
        }
        let mut number: usize = 0;
        while let Some(digit) = self.text.get(self.at).filter(|byte| byte.is_ascii_digit()) {
            number = number.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
            self.at += 1;
        }
        (number, false)
    }
}

impl Directive {
    /// Reads a conversion from its percent sign on, and its length. Other conversions, as those of
    /// texts, are `None`.
    pub(super) fn read(text: &[u8]) -> (Option<Self>, usize) {
        let mut reader = Reader { text, at: 1 };
        let mut directive = Self {
            conversion: Conversion::Signed,
            is_upper: false,
            is_long: false,
            is_left: false,
            has_plus: false,
            has_space: false,
            has_zeros: false,
            is_alternate: false,
            width: 0,
            precision: None,
            has_sent_width: false,
            has_sent_precision: false,
        };
        while let Some(flag) = text.get(reader.at) {
            match flag {
                b'-' => directive.is_left = true,
                b'+' => directive.has_plus = true,
                b' ' => directive.has_space = true,
                b'0' => directive.has_zeros = true,
                b'#' => directive.is_alternate = true,
                _ => break,
            }
            reader.at += 1;
        }
        (directive.width, directive.has_sent_width) = reader.number();
        if reader.take(b'.') {
            let (precision, is_sent) = reader.number();
            (directive.precision, directive.has_sent_precision) = (Some(precision), is_sent);
        }
        directive.is_long = match text.get(reader.at..) {
            Some([b'l', b'l', ..]) => {
                reader.at += 2;
                true
            }
            Some([b'h', b'h', ..]) => {
                reader.at += 2;
                false
            }
            Some([length @ (b'h' | b'l' | b'j' | b'z' | b't' | b'L'), ..]) => {
                reader.at += 1;
                *length == b'j'
            }
            _ => false,
        };
        let Some(letter) = text.get(reader.at) else { return (None, reader.at) };
        directive.is_upper = letter.is_ascii_uppercase();
        directive.conversion = match letter {
            b'd' | b'i' => Conversion::Signed,
            b'u' => Conversion::Unsigned,
            b'o' => Conversion::Octal,
            b'x' | b'X' => Conversion::Hexadecimal,
            b'c' => Conversion::Character,
            b'p' => Conversion::Pointer,
            b'f' | b'F' => Conversion::Fixed,
            // Hexadecimal fractions are shown as decimal ones.
            b'e' | b'E' | b'a' | b'A' => Conversion::Scientific,
            b'g' | b'G' => Conversion::General,
            _ => return (None, reader.at + 1),
        };
        (Some(directive), reader.at + 1)
    }

    /// Sets a width that was sent: a negative one is a width of a text on the left.
    pub(super) fn set_width(&mut self, width: i64) {
        self.is_left |= width < 0;
        self.width = usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX);
    }

    /// The text of a number.
    pub(super) fn show(&self, number: Number) -> String {
        let (sign, digits) = match number {
            Number::Int(value) if self.conversion == Conversion::Character => {
                ("", char::from(value as u8).to_string())
            }
            Number::Int(value) => {
                (self.sign(value < 0), self.with_zeros(value.unsigned_abs().to_string()))
            }
            Number::Uint(value) => self.unsigned(value),
            Number::Real(value) => (self.sign(value.is_sign_negative()), self.real(value.abs())),
        };
        self.padded(sign, digits)
    }

    fn sign(&self, is_negative: bool) -> &'static str {
        match (is_negative, self.has_plus, self.has_space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    /// Digits with zeros before them, as many as the precision asks for.
    fn with_zeros(&self, digits: String) -> String {
        match self.precision {
            Some(precision) => format!("{digits:0>width$}", width = precision.min(MAX_WIDTH)),
            None => digits,
        }
    }

    fn unsigned(&self, value: u64) -> (&'static str, String) {
        match (self.conversion, self.is_upper) {
            (Conversion::Octal, _) => {
                let digits = format!("{value:o}");
                (if self.is_alternate { "0" } else { "" }, self.with_zeros(digits))
            }
            (Conversion::Hexadecimal, true) => {
                let prefix = if self.is_alternate && value != 0 { "0X" } else { "" };
                (prefix, self.with_zeros(format!("{value:X}")))
            }
            (Conversion::Hexadecimal, false) => {
                let prefix = if self.is_alternate && value != 0 { "0x" } else { "" };
                (prefix, self.with_zeros(format!("{value:x}")))
            }
            (Conversion::Pointer, _) if value == 0 => ("", "(nil)".to_owned()),
            (Conversion::Pointer, _) => ("0x", format!("{value:x}")),
            _ => ("", self.with_zeros(value.to_string())),
        }
    }

    /// The text of a number that is not negative.
    fn real(&self, value: f64) -> String {
        if value.is_nan() || value.is_infinite() {
            let text = if value.is_nan() { "nan" } else { "inf" };
            return if self.is_upper { text.to_uppercase() } else { text.to_owned() };
        }
        let precision = self.precision.unwrap_or(USUAL_PRECISION).min(MAX_WIDTH);
        let text = match self.conversion {
            Conversion::Fixed => format!("{value:.precision$}"),
            Conversion::General => general(value, precision.max(1)),
            _ => scientific(value, precision).0,
        };
        if self.is_upper { text.to_uppercase() } else { text }
    }

    fn padded(&self, sign: &str, digits: String) -> String {
        let width = self.width.min(MAX_WIDTH);
        let len = sign.len() + digits.chars().count();
        let rest = width.saturating_sub(len);
        let is_integer = !matches!(
            self.conversion,
            Conversion::Fixed | Conversion::Scientific | Conversion::General
        );
        let has_zeros = self.has_zeros && !(is_integer && self.precision.is_some());
        match (self.is_left, has_zeros) {
            (true, _) => format!("{sign}{digits}{:rest$}", ""),
            (false, true) => format!("{sign}{}{digits}", "0".repeat(rest)),
            (false, false) => format!("{:rest$}{sign}{digits}", ""),
        }
    }
}

/// A number with an exponent of two digits at least, and that exponent.
fn scientific(value: f64, precision: usize) -> (String, i32) {
    let text = format!("{value:.precision$e}");
    let Some((mantissa, exponent)) = text.split_once('e') else { return (text, 0) };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let sign = if exponent < 0 { '-' } else { '+' };
    (format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs()), exponent)
}

/// A number of that many digits in the shorter of the two forms.
fn general(value: f64, precision: usize) -> String {
    let without_zeros = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    let (text, exponent) = scientific(value, precision - 1);
    if exponent >= -4 && exponent < precision as i32 {
        let digits = (precision as i32 - 1 - exponent).max(0) as usize;
        return without_zeros(&format!("{value:.digits$}"));
    }
    match text.split_once('e') {
        Some((mantissa, exponent)) => format!("{}e{exponent}", without_zeros(mantissa)),
        None => text,
    }
}
