//! Databases of tokens of Pigweed: a header, a number of tokens, and as many texts that end in 0.

use rustc_hash::FxHashMap;

/// What a database begins with: its name and its version.
const MAGIC: &[u8] = b"TOKENS\0\0";
const HEADER: usize = 16;
/// Where the header states the number of tokens.
const COUNT_AT: usize = 8;
/// A token, and the date when it was removed.
const ENTRY: usize = 8;
/// The date of a token that is in use.
const NEVER: u32 = u32::MAX;

/// Texts by token.
#[derive(Debug, Default)]
pub(super) struct Tokens(FxHashMap<u32, String>);

impl Tokens {
    /// Reads a database; `None` if it is damaged.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        if !bytes.starts_with(MAGIC) {
            return None;
        }
        let count = number(bytes.get(COUNT_AT..)?)? as usize;
        let rest = bytes.get(HEADER..)?;
        let (entries, mut texts) = rest.split_at_checked(count.checked_mul(ENTRY)?)?;
        let mut tokens = FxHashMap::default();
        for entry in entries.chunks_exact(ENTRY) {
            let end = texts.iter().position(|byte| *byte == 0)?;
            let text = texts.get(..end)?;
            if number(entry.get(4..)?)? == NEVER {
                tokens.insert(number(entry)?, String::from_utf8_lossy(text).into_owned());
            }
            texts = texts.get(end + 1..)?;
        }
        Some(Self(tokens))
    }

    /// The text of a token.
    pub(super) fn text(&self, token: u32) -> Option<&str> {
        self.0.get(&token).map(String::as_str)
    }
}

fn number(bytes: &[u8]) -> Option<u32> {
    bytes.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn database(entries: &[(u32, u32, &str)]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend((entries.len() as u32).to_le_bytes());
        bytes.extend([0; 4]);
        for (token, removed, _) in entries {
            bytes.extend(token.to_le_bytes());
            bytes.extend(removed.to_le_bytes());
        }
        entries.iter().for_each(|(_, _, text)| bytes.extend([text.as_bytes(), b"\0"].concat()));
        bytes
    }

    #[test]
    fn tokens_in_use_have_texts() {
        let bytes = database(&[(7, NEVER, "seven"), (8, 2024, "old"), (9, NEVER, "")]);
        let tokens = Tokens::read(&bytes).unwrap();
        let texts = [7, 8, 9, 10].map(|token| tokens.text(token));
        assert_eq!(texts, [Some("seven"), None, Some(""), None]);
        for len in 0..bytes.len() {
            assert!(Tokens::read(&bytes[..len]).is_none(), "{len}");
        }
        let mut many = bytes.clone();
        many[COUNT_AT..HEADER].fill(0xff);
        assert!(Tokens::read(&many).is_none());
    }
}
