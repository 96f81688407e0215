//! `printf(format, …)`, also called `format`, with SQLite's conversions.

use datafusion::common::Result;

use super::number::{general, rounded, scientific};
use super::per_row::{PerRow, text};
use super::value::Value;

/// Limits widths and precisions: larger ones exceed the maximum length of a text anyway.
const MAX_SIZE: usize = usize::MAX / 16;

pub(super) fn functions() -> Vec<PerRow> {
    vec![PerRow::new("printf", 1..=usize::MAX, text, printf).alias("format").sized(size)]
}

/// An upper bound of the result in bytes: for each conversion the size of its argument and its
/// width.
fn size(values: &[Value]) -> usize {
    let Some(format) = values[0].as_text() else { return 0 };
    let mut args = values[1..].iter();
    let mut rest = format.chars().peekable();
    let mut size = format.len();
    while let Some(c) = rest.next() {
        if c != '%' {
            continue;
        }
        let spec = parse_spec(&mut rest, &mut args);
        let letter = rest.next();
        let arg = if letter == Some('%') { None } else { args.next() };
        let value = match (letter, arg) {
            (Some('c'), Some(_)) => spec.precision.unwrap_or(1).saturating_mul(4),
            // A missing argument is formatted as 0 or empty text, with the precision.
            (_, arg) => arg.map_or(0, text_bound).saturating_add(spec.precision.unwrap_or(6)),
        };
        // Twice for commas, and 8 more for the sign and a prefix.
        let value = value.max(spec.width).saturating_mul(if spec.commas { 2 } else { 1 });
        size = size.saturating_add(value).saturating_add(8);
    }
    size
}

/// An upper bound, in bytes, of a value as text for every conversion.
fn text_bound(value: &Value) -> usize {
    match value {
        // The largest real has more than 300 digits.
        Value::Integer(_) | Value::Real(_) => 400,
        // Quotes can be doubled.
        other => other.text_size().saturating_mul(2).saturating_add(400),
    }
}

/// The flags, width and precision between `%` and the letter of a conversion.
#[derive(Default)]
struct Spec {
    left: bool,
    plus: bool,
    blank: bool,
    zero: bool,
    alternate: bool,
    alternate2: bool,
    commas: bool,
    width: usize,
    precision: Option<usize>,
}

fn printf<'a>(values: &[Value<'a>]) -> Result<Value<'a>> {
    let Some(format) = values[0].as_text() else { return Ok(Value::Null) };
    let mut args = values[1..].iter();
    let mut out = String::with_capacity(format.len());
    let mut rest = format.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let spec = parse_spec(&mut rest, &mut args);
        let Some(letter) = rest.next() else {
            // A `%` at the end of the format is literal.
            out.push('%');
            break;
        };
        if letter == '%' {
            pad(&mut out, "%", &spec);
            continue;
        }
        match convert(letter, &spec, &mut args) {
            Some(text) => pad(&mut out, &text, &spec),
            // An invalid conversion ends the output, as in SQLite.
            None => break,
        }
    }
    Ok(Value::text(out))
}

type Chars<'s> = std::iter::Peekable<std::str::Chars<'s>>;
type Args<'s, 'a> = std::slice::Iter<'s, Value<'a>>;

fn parse_spec(rest: &mut Chars, args: &mut Args) -> Spec {
    let mut spec = Spec::default();
    while let Some(&flag) = rest.peek() {
        match flag {
            '-' => spec.left = true,
            '+' => spec.plus = true,
            ' ' => spec.blank = true,
            '0' => spec.zero = true,
            '#' => spec.alternate = true,
            '!' => spec.alternate2 = true,
            ',' => spec.commas = true,
            _ => break,
        }
        rest.next();
    }
    if let Some(width) = parse_size(rest, args) {
        spec.left |= width < 0;
        spec.width = usize::try_from(width.unsigned_abs()).unwrap_or(MAX_SIZE).min(MAX_SIZE);
    }
    if rest.peek() == Some(&'.') {
        rest.next();
        let precision = parse_size(rest, args).unwrap_or(0);
        let size = usize::try_from(precision.unsigned_abs()).unwrap_or(MAX_SIZE).min(MAX_SIZE);
        spec.precision = Some(size);
    }
    while rest.peek() == Some(&'l') {
        rest.next();
    }
    spec
}

/// Parses a number, or `*` for the value of the next argument.
fn parse_size(rest: &mut Chars, args: &mut Args) -> Option<i64> {
    if rest.peek() == Some(&'*') {
        rest.next();
        return Some(args.next().and_then(Value::as_integer).unwrap_or(0));
    }
    let mut size: Option<i64> = None;
    while let Some(digit) = rest.peek().and_then(|c| c.to_digit(10)) {
        size = Some(size.unwrap_or(0).saturating_mul(10).saturating_add(i64::from(digit)));
        rest.next();
    }
    size
}

fn convert(letter: char, spec: &Spec, args: &mut Args) -> Option<String> {
    Some(match letter {
        'd' | 'i' => {
            let value = args.next().and_then(Value::as_integer).unwrap_or(0);
            integer(&value.unsigned_abs().to_string(), value < 0, spec)
        }
        'u' => {
            let value = args.next().and_then(Value::as_integer).unwrap_or(0);
            integer(&value.cast_unsigned().to_string(), false, spec)
        }
        'x' | 'X' | 'o' | 'p' => {
            let value = args.next().and_then(Value::as_integer).unwrap_or(0);
            radix(value, letter, spec)
        }
        'f' | 'e' | 'E' | 'g' | 'G' => {
            let value = args.next().and_then(Value::as_real).unwrap_or(0.0);
            float(value, letter, spec)
        }
        'c' => {
            let text = args.next().and_then(Value::as_text).unwrap_or_default();
            let first: String = text.chars().take(1).collect();
            first.repeat(spec.precision.unwrap_or(1).max(1))
        }
        's' | 'z' => {
            cut(args.next().and_then(Value::as_text).unwrap_or_default().into_owned(), spec)
        }
        'q' | 'w' | 'Q' => {
            let value = args.next().and_then(Value::as_text);
            let quote = if letter == 'w' { '"' } else { '\'' };
            let Some(value) = value else {
                return Some(if letter == 'Q' { "NULL" } else { "(NULL)" }.into());
            };
            let doubled = cut(value.into_owned(), spec).replace(quote, &format!("{quote}{quote}"));
            if letter == 'Q' { format!("'{doubled}'") } else { doubled }
        }
        _ => return None,
    })
}

/// Cuts text to the precision.
fn cut(text: String, spec: &Spec) -> String {
    match spec.precision {
        Some(precision) => text.chars().take(precision).collect(),
        None => text,
    }
}

fn sign(negative: bool, spec: &Spec) -> &'static str {
    match (negative, spec.plus, spec.blank) {
        (true, _, _) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        _ => "",
    }
}

fn with_commas(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn integer(digits: &str, negative: bool, spec: &Spec) -> String {
    let sign = sign(negative, spec);
    let mut digits = digits.to_owned();
    let mut min_digits = spec.precision.unwrap_or(0);
    if spec.zero {
        min_digits = min_digits.max(spec.width.saturating_sub(sign.len()));
    }
    if digits.len() < min_digits {
        digits.insert_str(0, &"0".repeat(min_digits - digits.len()));
    }
    let digits = if spec.commas { with_commas(&digits) } else { digits };
    format!("{sign}{digits}")
}

/// Formats an integer in octal or hexadecimal.
fn radix(value: i64, letter: char, spec: &Spec) -> String {
    let digits = match letter {
        'o' => format!("{value:o}"),
        'x' => format!("{value:x}"),
        _ => format!("{value:X}"),
    };
    let prefix = match letter {
        _ if !spec.alternate || value == 0 => "",
        'o' => "0",
        'x' => "0x",
        _ => "0X",
    };
    let mut min_digits = spec.precision.unwrap_or(0);
    if spec.zero {
        min_digits = min_digits.max(spec.width.saturating_sub(prefix.len()));
    }
    format!("{prefix}{}{digits}", "0".repeat(min_digits.saturating_sub(digits.len())))
}

fn float(value: f64, letter: char, spec: &Spec) -> String {
    let sign = sign(value < 0.0, spec);
    if !value.is_finite() {
        return if value.is_nan() { "NaN".into() } else { format!("{sign}Inf") };
    }
    let value = value.abs();
    let precision = spec.precision.unwrap_or(6);
    let digits = match letter {
        'f' => rounded(value, precision, if spec.alternate2 { 26 } else { 16 }),
        'e' | 'E' => exponential(value, precision),
        _ => {
            // SQLite knows no more digits of a number.
            let digits = precision.clamp(1, if spec.alternate2 { 19 } else { 16 });
            general(value, digits, spec.alternate || spec.alternate2, spec.alternate)
        }
    };
    let mut digits = if letter.is_uppercase() { digits.to_uppercase() } else { digits };
    if spec.alternate2 && letter == 'f' {
        // `!` drops zeros at the end, but keeps one digit after the point.
        if !digits.contains('.') {
            digits.push_str(".0");
        }
        digits.truncate(digits.trim_end_matches('0').len());
        if digits.ends_with('.') {
            digits.push('0');
        }
    }
    if spec.commas && letter == 'f' {
        let (whole, fraction) = digits
            .split_once('.')
            .map_or((digits.as_str(), None), |(whole, fraction)| (whole, Some(fraction)));
        let whole = with_commas(whole);
        digits = fraction.map_or(whole.clone(), |fraction| format!("{whole}.{fraction}"));
    }
    if spec.zero && !spec.left {
        let min_digits = spec.width.saturating_sub(sign.len());
        digits.insert_str(0, &"0".repeat(min_digits.saturating_sub(digits.len())));
    }
    format!("{sign}{digits}")
}

fn exponential(value: f64, precision: usize) -> String {
    let text = scientific(value, precision);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, digits) = match exponent.strip_prefix('-') {
        Some(digits) => ('-', digits),
        None => ('+', exponent),
    };
    format!("{mantissa}e{sign}{digits:0>2}")
}

fn pad(out: &mut String, text: &str, spec: &Spec) {
    // The width counts bytes, and characters with `!`.
    let width = if spec.alternate2 { text.chars().count() } else { text.len() };
    let missing = spec.width.saturating_sub(width);
    if spec.left {
        out.push_str(text);
    }
    out.extend(std::iter::repeat_n(' ', missing));
    if !spec.left {
        out.push_str(text);
    }
}
