//! Reads protobuf fields in place, without copying or allocating.
//!
//! Frequent messages are read with [`Fields`]. Malformed data ends the iteration and sets
//! [`Fields::is_damaged`], so that a decoder keeps the fields before the damage.

/// The value of one field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// Wire type 0.
    Varint(u64),
    /// Wire type 1.
    Fixed64(u64),
    /// Wire type 2.
    Bytes(&'a [u8]),
    /// Wire type 5.
    Fixed32(u32),
}

/// One field of a message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field<'a> {
    /// The field number.
    pub number: u32,
    /// Its value.
    pub value: Value<'a>,
}

impl<'a> Field<'a> {
    /// The value as an unsigned integer; 0 for bytes.
    pub fn as_u64(&self) -> u64 {
        match self.value {
            Value::Varint(value) | Value::Fixed64(value) => value,
            Value::Fixed32(value) => u64::from(value),
            Value::Bytes(_) => 0,
        }
    }

    /// The value as `int64` or `int32`: protobuf sign-extends both to 64 bits.
    pub fn as_i64(&self) -> i64 {
        self.as_u64() as i64
    }

    /// The value as `int32`.
    pub fn as_i32(&self) -> i32 {
        self.as_u64() as i32
    }

    /// The value as `uint32`.
    pub fn as_u32(&self) -> u32 {
        self.as_u64() as u32
    }

    /// The value as `bool`.
    pub fn as_bool(&self) -> bool {
        self.as_u64() != 0
    }

    /// The value as `double` or `float`.
    pub fn as_f64(&self) -> f64 {
        match self.value {
            Value::Fixed64(bits) => f64::from_bits(bits),
            Value::Fixed32(bits) => f64::from(f32::from_bits(bits)),
            Value::Varint(value) => value as f64,
            Value::Bytes(_) => 0.0,
        }
    }

    /// The bytes of a string, bytes, message or packed field; empty for others.
    pub fn as_bytes(&self) -> &'a [u8] {
        match self.value {
            Value::Bytes(bytes) => bytes,
            _ => &[],
        }
    }
}

/// Reads a varint at `at` and moves `at` past it. Returns `None` if it is cut off or longer than
/// ten bytes.
#[inline]
pub fn read_varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let first = *bytes.get(*at)?;
    if first < 0x80 {
        *at += 1;
        return Some(u64::from(first));
    }
    match bytes.get(*at..).and_then(|rest| rest.first_chunk::<8>()) {
        Some(chunk) => {
            let word = u64::from_le_bytes(*chunk);
            // The highest bit of a byte means that another byte follows.
            let last = !word & 0x8080_8080_8080_8080;
            if last == 0 {
                return read_long_varint(bytes, at, word);
            }
            *at += last.trailing_zeros() as usize / 8 + 1;
            // All bits up to the highest bit of the last byte.
            Some(join_seven_bits(word & (last ^ (last - 1))))
        }
        None => read_varint_bytewise(bytes, at),
    }
}

/// Reads the tag of a field and moves `at` past it. Returns `None` if the field number is not
/// valid.
#[inline(always)]
fn read_tag(bytes: &[u8], at: &mut usize) -> Option<u32> {
    let first = *bytes.get(*at)?;
    if first < 0x80 {
        *at += 1;
        return Some(u32::from(first)).filter(|tag| tag >> 3 != 0);
    }
    match bytes.get(*at + 1) {
        Some(&second) if second < 0x80 => {
            *at += 2;
            Some(u32::from(first & 0x7f) | u32::from(second) << 7).filter(|tag| tag >> 3 != 0)
        }
        _ => read_long_tag(bytes, at),
    }
}

/// Reads a tag of more than two bytes.
#[cold]
fn read_long_tag(bytes: &[u8], at: &mut usize) -> Option<u32> {
    let tag = u32::try_from(read_varint(bytes, at)?).ok()?;
    Some(tag).filter(|tag| tag >> 3 != 0)
}

/// Joins the lower seven bits of eight bytes.
#[inline]
fn join_seven_bits(word: u64) -> u64 {
    let sevens = word & 0x7f7f_7f7f_7f7f_7f7f;
    let pairs = sevens & 0x007f_007f_007f_007f | (sevens & 0x7f00_7f00_7f00_7f00) >> 1;
    let fours = pairs & 0x0000_3fff_0000_3fff | (pairs & 0x3fff_0000_3fff_0000) >> 2;
    fours & 0x0fff_ffff | (fours & 0x0fff_ffff_0000_0000) >> 4
}

/// Reads a varint of nine or ten bytes, of which `word` has the first eight: an id with random bits.
#[inline(never)]
fn read_long_varint(bytes: &[u8], at: &mut usize, word: u64) -> Option<u64> {
    let low = join_seven_bits(word);
    let ninth = *bytes.get(*at + 8)?;
    if ninth < 0x80 {
        *at += 9;
        return Some(low | u64::from(ninth) << 56);
    }
    let tenth = *bytes.get(*at + 9)?;
    if tenth >= 0x80 {
        return None;
    }
    *at += 10;
    Some(low | u64::from(ninth & 0x7f) << 56 | u64::from(tenth) << 63)
}

/// Reads a varint byte by byte near the end of the bytes.
#[cold]
fn read_varint_bytewise(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let (mut value, mut shift, mut next) = (0, 0, *at);
    loop {
        let byte = *bytes.get(next)?;
        next += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            *at = next;
            return Some(value);
        }
        shift += 7;
        if shift > 63 {
            return None;
        }
    }
}

/// An iterator over the fields of a message, in the order of the wire.
#[derive(Clone)]
pub struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
    damaged: bool,
}

impl<'a> Fields<'a> {
    /// Returns the fields of the message in `bytes`.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, damaged: false }
    }

    /// The offset of the next field from the start of the message.
    #[inline]
    pub fn position(&self) -> usize {
        self.at
    }

    /// Whether the message ended in the middle of a field, or contained invalid data.
    pub fn is_damaged(&self) -> bool {
        self.damaged
    }

    // Always inlined into the loop of the caller. Otherwise each field is passed through memory,
    // written in parts and read as a whole, for which the processor waits.
    #[inline(always)]
    fn read(&mut self) -> Option<Field<'a>> {
        let tag = read_tag(self.bytes, &mut self.at)?;
        let value = match tag & 7 {
            0 => Value::Varint(read_varint(self.bytes, &mut self.at)?),
            2 => {
                let len = usize::try_from(read_varint(self.bytes, &mut self.at)?).ok()?;
                let end = self.at.checked_add(len)?;
                let bytes = self.bytes.get(self.at..end)?;
                self.at = end;
                Value::Bytes(bytes)
            }
            wire_type => self.read_fixed(wire_type)?,
        };
        Some(Field { number: tag >> 3, value })
    }

    /// Reads a value of four or eight bytes, which is rare.
    #[cold]
    fn read_fixed(&mut self, wire_type: u32) -> Option<Value<'a>> {
        match wire_type {
            1 => Some(Value::Fixed64(u64::from_le_bytes(self.fixed()?))),
            5 => Some(Value::Fixed32(u32::from_le_bytes(self.fixed()?))),
            _ => None,
        }
    }

    fn fixed<const N: usize>(&mut self) -> Option<[u8; N]> {
        let bytes = self.bytes.get(self.at..)?.first_chunk::<N>()?;
        self.at += N;
        Some(*bytes)
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Field<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<Field<'a>> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let field = self.read();
        if field.is_none() {
            self.damaged = true;
            self.at = self.bytes.len();
        }
        field
    }
}

/// An iterator over the varints of a packed repeated field.
#[derive(Clone, Copy)]
pub struct Packed<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Packed<'a> {
    /// Returns the varints in `bytes`.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Whether the bytes hold something that is no varint, at which the values end.
    pub fn is_damaged(self) -> bool {
        let mut at = 0;
        while at < self.bytes.len() {
            if read_varint(self.bytes, &mut at).is_none() {
                return true;
            }
        }
        false
    }
}

impl Iterator for Packed<'_> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let value = read_varint(self.bytes, &mut self.at);
        if value.is_none() {
            self.at = self.bytes.len();
        }
        value
    }
}

/// The last value of each field of a message with a number below `N`. For a field that occurs at
/// most once, protobuf uses the last value.
#[derive(Clone, Copy, Debug)]
pub struct LastFields<'a, const N: usize>([Option<Field<'a>>; N]);

impl<'a, const N: usize> LastFields<'a, N> {
    /// Reads a message.
    pub fn new(bytes: &'a [u8]) -> Self {
        let mut last = [None; N];
        for field in Fields::new(bytes) {
            if let Some(slot) = last.get_mut(field.number as usize) {
                *slot = Some(field);
            }
        }
        Self(last)
    }

    /// Returns the field, if the message has it. `number` is below `N`.
    pub fn get(&self, number: u32) -> Option<Field<'a>> {
        debug_assert!((number as usize) < N, "field {number} is not below {N}");
        self.0.get(number as usize).copied().flatten()
    }

    /// Whether the message has the field.
    pub fn has(&self, number: u32) -> bool {
        self.get(number).is_some()
    }

    /// The field as a signed integer; 0 when the message does not have it.
    pub fn int(&self, number: u32) -> i64 {
        self.get(number).map(|field| field.as_i64()).unwrap_or_default()
    }

    /// The field as an unsigned integer; 0 when the message does not have it.
    pub fn uint(&self, number: u32) -> u64 {
        self.get(number).map(|field| field.as_u64()).unwrap_or_default()
    }

    /// The field as a floating-point number; 0 when the message does not have it.
    pub fn real(&self, number: u32) -> f64 {
        self.get(number).map(|field| field.as_f64()).unwrap_or_default()
    }

    /// The field's bytes; none when the message does not have it.
    pub fn bytes(&self, number: u32) -> &'a [u8] {
        self.get(number).map(|field| field.as_bytes()).unwrap_or_default()
    }
}

/// The number that `sint32` and `sint64` write as this varint.
pub fn zigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// The values of a repeated integer field, whether it was written packed or one by one.
// Inlined, since the iterator would be passed through memory.
#[inline]
pub fn repeated<'a>(field: &Field<'a>) -> impl Iterator<Item = u64> + use<'a> {
    let (single, packed) = match field.value {
        Value::Bytes(bytes) => (None, bytes),
        _ => (Some(field.as_u64()), &[][..]),
    };
    single.into_iter().chain(Packed::new(packed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_every_wire_type() {
        let bytes =
            [0x08, 0x96, 0x01, 0x12, 2, b'h', b'i', 0x1d, 1, 0, 0, 0, 0x21, 2, 0, 0, 0, 0, 0, 0, 0];
        let mut fields = Fields::new(&bytes);
        assert_eq!(fields.next(), Some(Field { number: 1, value: Value::Varint(150) }));
        assert_eq!(fields.next(), Some(Field { number: 2, value: Value::Bytes(b"hi") }));
        assert_eq!(fields.next(), Some(Field { number: 3, value: Value::Fixed32(1) }));
        assert_eq!(fields.next(), Some(Field { number: 4, value: Value::Fixed64(2) }));
        assert_eq!(fields.next(), None);
        assert!(!fields.is_damaged());
    }

    #[test]
    fn a_length_past_the_end_is_damage_not_a_panic() {
        let mut huge = vec![0x0a];
        huge.extend([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10]);
        let mut fields = Fields::new(&huge);
        assert_eq!(fields.next(), None);
        assert!(fields.is_damaged());
    }

    /// Field numbers of protobuf have 29 bits, and 0 is not valid.
    #[test]
    fn a_number_that_no_field_can_have_is_damage() {
        for (tag, is_one) in [
            (&[0xf8, 0xff, 0xff, 0xff, 0x0f][..], true),
            (&[0x80, 0x80, 0x80, 0x80, 0x10], false),
            (&[0x00], false),
            (&[0x80, 0x00], false),
        ] {
            let bytes = [tag, &[1]].concat();
            let mut fields = Fields::new(&bytes);
            assert_eq!(fields.next().map(|field| field.number), is_one.then_some((1 << 29) - 1));
            assert_eq!(fields.is_damaged(), !is_one, "{tag:x?}");
        }
    }

    #[test]
    fn of_a_field_that_occurs_twice_the_last_value_counts() {
        let fields = LastFields::<3>::new(&[0x08, 1, 0x10, 5, 0x08, 2, 0x18, 9]);
        assert_eq!((fields.uint(1), fields.int(2)), (2, 5));
        assert!(!fields.has(0), "no field has the number 0");
        assert_eq!(fields.bytes(1), b"", "a number has no bytes");
    }

    /// Eight bytes at a time, and byte by byte near the end.
    #[test]
    fn fast_and_slow_reads_of_a_varint_agree() {
        for shift in 0..64 {
            for value in [1_u64 << shift, (1 << shift) - 1, u64::MAX << shift, 0x5555 << shift] {
                let mut bytes = Vec::new();
                let mut rest = value;
                while rest > 0x7f {
                    bytes.push(rest as u8 | 0x80);
                    rest >>= 7;
                }
                bytes.push(rest as u8);
                let len = bytes.len();
                for followed_by in [&[][..], &[0xff; 12]] {
                    let bytes = [&bytes[..], followed_by].concat();
                    let mut at = 0;
                    assert_eq!(read_varint(&bytes, &mut at), Some(value), "{bytes:x?}");
                    assert_eq!(at, len, "{bytes:x?}");
                }
            }
        }
    }

    #[test]
    fn varints_longer_than_ten_bytes_are_refused() {
        assert_eq!(read_varint(&[0xff; 11], &mut 0), None);
        let max = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
        assert_eq!(read_varint(&max, &mut 0), Some(u64::MAX));
    }
}
