//! Detects traces of Primes, which are a protobuf message without magic bytes.

/// The tags of the fields of a trace: its id, which comes first, its name, start, edges, duration
/// and call site.
const ID: u8 = 1 << 3 | 1;
const OTHERS: [u8; 5] = [2 << 3 | 2, 4 << 3 | 2, 7 << 3 | 2, 11 << 3 | 2, 12 << 3 | 2];
const START: u8 = OTHERS[1];
/// The number of fields that are looked at.
const MOST_FIELDS: usize = 16;
/// The size of the id with its tag.
const ID_LEN: usize = 9;

/// Whether the first fields are those of a trace, with its start among them. The last one may be
/// cut.
pub(crate) fn is_primes(bytes: &[u8]) -> bool {
    let Some(mut rest) = bytes.get(ID_LEN..).filter(|_| bytes.first() == Some(&ID)) else {
        return false;
    };
    let mut has_start = false;
    for _ in 0..MOST_FIELDS {
        let Some((tag, after)) = rest.split_first() else { break };
        if !OTHERS.contains(tag) {
            return false;
        }
        has_start |= *tag == START;
        let Some((len, after)) = length(after) else { return false };
        rest = after.get(len..).unwrap_or_default();
    }
    has_start
}

/// A length, and the bytes after it.
fn length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut len = 0;
    for (at, byte) in bytes.iter().take(4).enumerate() {
        len |= usize::from(byte & 0x7f) << (7 * at);
        if *byte < 0x80 {
            return Some((len, &bytes[at + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_by_their_first_fields() {
        let id = [ID, 0, 1, 2, 3, 4, 5, 6, 7];
        let with = |rest: &[u8]| is_primes(&[&id[..], rest].concat());
        assert!(with(&[0x22, 2, 8, 1, 0x3a, 2, 8, 1]));
        assert!(with(&[0x12, 1, b'a', 0x22, 2, 8, 1, 0x3a, 9, 8]), "cut within an edge");
        assert!(!with(&[0x3a, 2, 8, 1]), "no start");
        assert!(!with(&[0x22, 2, 8, 1, 0x10, 1]), "a number");
        assert!(!with(&[]));
        assert!(!is_primes(b"\ta line that is indented"));
        assert!(!is_primes(b""));
    }
}
