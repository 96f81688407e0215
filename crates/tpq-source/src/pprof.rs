//! Detects profiles of pprof, which are a protobuf message without magic bytes.

/// Kinds of fields of a profile.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Length-delimited, and present in any profile with samples.
    Core,
    /// A type of values: two numbers.
    ValueType,
    /// A number.
    Number,
    /// Numbers, one by one or packed.
    Numbers,
}

/// The kind of each field from number 1 on.
const FIELDS: [Kind; 15] = [
    Kind::ValueType,
    Kind::Core,
    Kind::Core,
    Kind::Core,
    Kind::Core,
    Kind::Core,
    Kind::Number,
    Kind::Number,
    Kind::Number,
    Kind::Number,
    Kind::ValueType,
    Kind::Number,
    Kind::Numbers,
    Kind::Number,
    Kind::Number,
];
/// The number of the last field that profiles have. Field 15 is a link to documentation.
const LAST_FIELD: u64 = FIELDS.len() as u64;
/// A profile is at least this long.
const LEAST_LEN: usize = 10;
/// The number of whole fields before one that is cut by the end of the file.
const LEAST_WHOLE: usize = 3;
/// The number of bytes that a caller of [`is_pprof`] has at least, unless the file is shorter.
const CUT_LEN: usize = 1 << 20;

/// Whether all fields of the bytes are fields of a profile. The last one may be cut.
pub(crate) fn is_pprof(bytes: &[u8]) -> bool {
    if bytes.len() < LEAST_LEN {
        return false;
    }
    let (mut at, mut has_core, mut whole) = (0, false, 0_usize);
    while at < bytes.len() {
        let Some(tag) = varint(bytes, &mut at) else { return false };
        let number = tag >> 3;
        let kind = match number {
            1..=LAST_FIELD => FIELDS[number as usize - 1],
            _ => return false,
        };
        match (tag & 7, kind) {
            (0, Kind::Number | Kind::Numbers) => {
                if varint(bytes, &mut at).is_none() {
                    return false;
                }
            }
            (2, Kind::Core | Kind::ValueType | Kind::Numbers) => {
                let Some(len) = varint(bytes, &mut at) else { return false };
                has_core |= kind == Kind::Core;
                let end = usize::try_from(len).ok().and_then(|len| at.checked_add(len));
                let Some(end) = end.filter(|&end| end <= bytes.len()) else {
                    // Nothing but a profile begins with a type of values and then several such fields.
                    return has_core && (whole >= LEAST_WHOLE || bytes.len() >= CUT_LEN);
                };
                whole += usize::from(kind == Kind::Core);
                // Packets of a trace are fields of number 1 as well. They end the walk here, at the
                // first, as a large trace has millions of them.
                if kind == Kind::ValueType && !is_value_type(&bytes[at..end]) {
                    return false;
                }
                at = end;
            }
            _ => return false,
        }
    }
    has_core
}

/// Whether these bytes are a type of values: the numbers of two strings.
fn is_value_type(bytes: &[u8]) -> bool {
    let mut at = 0;
    while at < bytes.len() {
        let is_number = matches!(bytes[at], 0x08 | 0x10);
        at += 1;
        if !is_number || varint(bytes, &mut at).is_none() {
            return false;
        }
    }
    true
}

fn varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_by_their_fields() {
        let profile = [0x0a, 4, 8, 1, 16, 2, 0x12, 2, 8, 1, 0x48, 7, 0x32, 0];
        assert!(is_pprof(&profile));
        assert!(!is_pprof(&profile[..6]), "too short");
        assert!(!is_pprof(&profile[..9]), "cut");
        let samples = [&profile[..10], &[0x12, 2, 8, 1, 0x12, 2, 8, 1, 0x12, 9, 8]].concat();
        assert!(is_pprof(&samples), "cut in the last sample");
        // Packets are fields of number 1 alone.
        assert!(!is_pprof(&[0x0a, 4, 8, 1, 16, 2, 0x0a, 4, 8, 1, 16, 2]));
        assert!(!is_pprof(&[0x0a, 4, 0x40, 1, 0x50, 1, 0x12, 2, 8, 1]), "a packet");
        // Field 9 is a number, field 16 none of a profile.
        assert!(!is_pprof(&[0x12, 2, 8, 1, 0x4a, 2, 8, 1, 0x32, 0]));
        assert!(!is_pprof(&[0x12, 2, 8, 1, 0x80, 1, 1, 0x32, 0, 0x32, 0]));
        assert!(!is_pprof(b"HELLO WORLD, this is a text\n"));
    }
}
