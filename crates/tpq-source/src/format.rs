//! Tells formats apart by how they begin.

/// How a whole file is compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

/// What the decompressed bytes are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// A Perfetto protobuf trace.
    Perfetto,
    /// Text, in no format tpq reads.
    Text,
    /// Something else.
    Unknown,
}

impl Compression {
    /// Sniffs the compression of a file.
    pub fn of(bytes: &[u8]) -> Self {
        match bytes {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            _ => Self::None,
        }
    }

    /// Its name, for `tpq info`.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Gzip => Some("gzip"),
            Self::Zstd => Some("zstd"),
        }
    }
}

impl Format {
    /// Sniffs the format of decompressed bytes. A Perfetto trace is a message whose only field is
    /// number 1, a length-delimited packet that itself begins with a field tag.
    pub fn of(bytes: &[u8]) -> Self {
        if looks_like_packets(bytes) {
            return Self::Perfetto;
        }
        let head = &bytes[..bytes.len().min(4096)];
        let text = !head.is_empty()
            && head.iter().all(|&byte| {
                byte >= 0x80
                    || byte == b'\t'
                    || byte == b'\n'
                    || byte == b'\r'
                    || (0x20..0x7f).contains(&byte)
            });
        if text { Self::Text } else { Self::Unknown }
    }

    /// Its name in the `trace_file` table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Perfetto => "proto",
            Self::Text => "text",
            Self::Unknown => "unknown",
        }
    }
}

fn looks_like_packets(bytes: &[u8]) -> bool {
    let [0x0a, rest @ ..] = bytes else { return false };
    let Some(end) = rest.iter().take(10).position(|byte| *byte < 0x80) else { return false };
    // A first packet so short that nothing follows, or one whose first byte is a plausible tag:
    // a field number above 0 and a wire type protobuf has.
    rest.get(end + 1).is_none_or(|tag| tag >> 3 != 0 && matches!(tag & 7, 0 | 1 | 2 | 5))
        && !is_json_or_log(bytes)
}

/// A text file may begin with an empty line, which is the tag of a packet.
fn is_json_or_log(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(256)];
    head.iter().all(|&byte| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..0x7f))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_by_their_first_bytes() {
        assert_eq!(Format::of(&[0x0a, 4, 0x40, 1, 0x50, 1]), Format::Perfetto);
        assert_eq!(Format::of(b"\nhello world\n"), Format::Text);
        assert_eq!(Format::of(b"{\"traceEvents\": []}"), Format::Text);
        assert_eq!(Format::of(&[0, 1, 2, 3]), Format::Unknown);
        assert_eq!(Compression::of(&[0x1f, 0x8b, 8]), Compression::Gzip);
        assert_eq!(Compression::of(&[0x28, 0xb5, 0x2f, 0xfd]), Compression::Zstd);
    }
}
