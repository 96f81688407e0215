//! Tokens of the text format, and the position of an error.

use std::fmt;

/// An error in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextError {
    /// The line, from 1.
    pub line: usize,
    /// The character in that line, from 1.
    pub column: usize,
    /// The error.
    pub message: String,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for TextError {}

/// A part of a text.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token<'a> {
    /// A name, or a word such as `true` or `inf`.
    Word(&'a str),
    /// A number as it is written, without its sign.
    Number(&'a str),
    /// The bytes of a string.
    Text(Vec<u8>),
    /// A punctuation mark.
    Mark(char),
    /// The end of the text.
    End,
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(text) | Self::Number(text) => write!(f, "`{text}`"),
            Self::Text(_) => f.write_str("a string"),
            Self::Mark(mark) => write!(f, "`{mark}`"),
            Self::End => f.write_str("the end of the text"),
        }
    }
}

/// Cuts a text into tokens.
pub(super) struct Tokens<'a> {
    text: &'a str,
    /// The byte after the last token.
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// An error at a byte of the text.
    pub(super) fn error(&self, at: usize, message: impl Into<String>) -> TextError {
        let before = self.text.get(..at).unwrap_or(self.text);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        TextError {
            line: before.matches('\n').count() + 1,
            column: before[start..].chars().count() + 1,
            message: message.into(),
        }
    }

    /// The next token, with the byte it starts at.
    pub(super) fn next(&mut self) -> Result<(usize, Token<'a>), TextError> {
        self.skip_blanks();
        let start = self.at;
        let Some(first) = self.rest().chars().next() else { return Ok((start, Token::End)) };
        let token = match first {
            'a'..='z' | 'A'..='Z' | '_' => {
                Token::Word(self.take(|_, next| next.is_ascii_alphanumeric() || next == '_'))
            }
            '0'..='9' | '.' => Token::Number(self.take(continues_number)),
            '"' | '\'' => Token::Text(self.string(first)?),
            '{' | '}' | '[' | ']' | '<' | '>' | ':' | ',' | ';' | '-' | '/' => {
                self.at += 1;
                Token::Mark(first)
            }
            other => return Err(self.error(start, format!("unexpected character `{other}`"))),
        };
        Ok((start, token))
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Skips blanks and comments.
    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start().len();
            self.at += blanks;
            let rest = &rest[blanks..];
            if !rest.starts_with('#') {
                return;
            }
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    /// Takes characters for as long as they belong to a token with the text before them.
    fn take(&mut self, belongs: impl Fn(&str, char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest
            .char_indices()
            .find(|&(at, next)| !belongs(&rest[..at], next))
            .map_or(rest.len(), |(at, _)| at);
        self.at += end;
        &rest[..end]
    }

    /// The bytes of a string that starts with `quote`.
    fn string(&mut self, quote: char) -> Result<Vec<u8>, TextError> {
        let start = self.at;
        self.at += 1;
        let mut bytes = Vec::new();
        loop {
            let Some(next) = self.rest().chars().next().filter(|&next| next != '\n') else {
                return Err(self.error(start, "the string has no end in its line"));
            };
            self.at += next.len_utf8();
            match next {
                _ if next == quote => return Ok(bytes),
                '\\' => self.escape(&mut bytes)?,
                _ => bytes.extend_from_slice(next.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
    }

    /// Appends the bytes of an escape; `at` is behind the backslash.
    fn escape(&mut self, bytes: &mut Vec<u8>) -> Result<(), TextError> {
        let start = self.at - 1;
        let wrong = || "not an escape; a backslash is written `\\\\`";
        let Some(kind) = self.rest().chars().next() else {
            return Err(self.error(start, wrong()));
        };
        self.at += kind.len_utf8();
        let byte = match kind {
            'a' => 0x07,
            'b' => 0x08,
            'f' => 0x0c,
            'n' => b'\n',
            'r' => b'\r',
            't' => b'\t',
            'v' => 0x0b,
            '?' => b'?',
            '\\' => b'\\',
            '\'' => b'\'',
            '"' => b'"',
            '0'..='7' => {
                self.at -= 1;
                let value = self.digits(8, 1, 3).and_then(|value| u8::try_from(value).ok());
                value.ok_or_else(|| self.error(start, wrong()))?
            }
            'x' | 'X' => {
                let value = self.digits(16, 1, 2).and_then(|value| u8::try_from(value).ok());
                value.ok_or_else(|| self.error(start, wrong()))?
            }
            'u' | 'U' => {
                let count = if kind == 'u' { 4 } else { 8 };
                let value = self.digits(16, count, count).and_then(char::from_u32);
                let letter = value.ok_or_else(|| self.error(start, wrong()))?;
                bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
            _ => return Err(self.error(start, wrong())),
        };
        bytes.push(byte);
        Ok(())
    }

    /// Takes the value of `least` to `most` digits.
    fn digits(&mut self, radix: u32, least: usize, most: usize) -> Option<u32> {
        let digits = self.rest().chars().take(most).take_while(|digit| digit.is_digit(radix));
        let count = digits.count();
        let text = self.rest().get(..count).filter(|_| count >= least)?;
        self.at += count;
        u32::from_str_radix(text, radix).ok()
    }
}

/// Whether a character continues a number: a digit, a letter as in `0x1f` and `1e5`, a point, or
/// the sign of an exponent.
fn continues_number(before: &str, next: char) -> bool {
    let in_hex = before.starts_with("0x") || before.starts_with("0X");
    let after_exponent = !in_hex && before.ends_with(['e', 'E']);
    next.is_ascii_alphanumeric() || next == '.' || (after_exponent && matches!(next, '+' | '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Result<Vec<Token<'_>>, TextError> {
        let mut tokens = Tokens::new(text);
        let mut all = Vec::new();
        loop {
            match tokens.next()?.1 {
                Token::End => return Ok(all),
                token => all.push(token),
            }
        }
    }

    #[test]
    fn words_numbers_marks_and_comments() {
        let found = tokens("a_1: -0x1F # no { here\n< 1.5e-3f, inf >");
        let expected = [
            Token::Word("a_1"),
            Token::Mark(':'),
            Token::Mark('-'),
            Token::Number("0x1F"),
            Token::Mark('<'),
            Token::Number("1.5e-3f"),
            Token::Mark(','),
            Token::Word("inf"),
            Token::Mark('>'),
        ];
        assert_eq!(found.as_deref(), Ok(&expected[..]));
    }

    #[test]
    fn strings_have_escapes() {
        let found = tokens(r#""a\n\x41\101\\" 'it\'s "é" \u00e9\U0001F600'"#);
        let expected =
            [Token::Text(b"a\nAA\\".to_vec()), Token::Text("it's \"é\" é😀".as_bytes().to_vec())];
        assert_eq!(found.as_deref(), Ok(&expected[..]));
    }

    #[test]
    fn errors_have_positions() {
        let at = |text: &'static str| tokens(text).map_err(|error| (error.line, error.column));
        assert_eq!(at("a: 1\n  b: 'é"), Err((2, 6)));
        assert_eq!(at("é"), Err((1, 1)));
        assert_eq!(at("a: 'é\\q'"), Err((1, 6)));
        assert_eq!(at(r"'\400'"), Err((1, 2)));
        assert_eq!(at(r"'\ud800'"), Err((1, 2)));
        assert_eq!(at("'\\"), Err((1, 2)));
    }
}
