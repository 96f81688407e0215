//! A chunk that is packed and can still be changed.

use std::sync::Arc;

use bytes::BytesMut;

use super::form::{Form, pack};
use super::{Facts, FrozenValues, Native, Packing, Valid};
use crate::spill::{Spill, Spilled};

/// A packed chunk that can still be changed.
pub(crate) struct PackedChunk {
    /// The base that is added to each value.
    base: i64,
    /// The bytes of a value; none where every row is NULL.
    width: usize,
    values: Storage,
    rows: usize,
    packing: Packing,
    facts: Facts,
    /// Whether a value was changed since `facts` were found.
    changed: bool,
}

/// The storage of the values.
enum Storage {
    InMemory(BytesMut),
    Spilled(Spilled),
}

impl PackedChunk {
    /// Packs values.
    pub(crate) fn pack<N: Native>(values: &[N], valid: Valid<'_>, packing: Packing) -> Self {
        let (Form { base, width, facts }, bytes) = pack(values, valid, packing);
        let rows = values.len();
        Self { base, width, values: Storage::InMemory(bytes), rows, packing, facts, changed: false }
    }

    /// Puts as many other values in place of its own, in the memory of these where they take as
    /// much.
    pub(crate) fn repack<N: Native>(&mut self, values: &[N], valid: Valid<'_>) {
        let form = Form::of(values, valid, self.packing);
        let len = form.width * values.len();
        let bytes = match &mut self.values {
            Storage::InMemory(own) if own.len() == len => {
                own.clear();
                form.write(values, own);
                std::mem::take(own)
            }
            _ => form.written(values),
        };
        let Form { base, width, facts } = form;
        (self.base, self.width, self.values) = (base, width, Storage::InMemory(bytes));
        (self.facts, self.changed) = (facts, false);
    }

    /// Gives the values to a file, where memory has no room for them.
    pub(crate) fn spill(&mut self, spill: &Arc<Spill>) {
        let Storage::InMemory(bytes) = &self.values else { return };
        if let Some(spilled) = (!bytes.is_empty()).then(|| spill.take(bytes)).flatten() {
            self.values = Storage::Spilled(spilled);
        }
    }

    /// Rows of nothing but NULL.
    pub(crate) fn null(rows: usize) -> Self {
        let facts = Facts { bounds: None, nulls: rows, sorted: false };
        let (packing, values) = (Packing::Integers, Storage::InMemory(BytesMut::new()));
        Self { base: 0, width: 0, values, rows, packing, facts, changed: false }
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// How many bytes its values take in memory.
    pub(crate) fn bytes_in_memory(&self) -> usize {
        match &self.values {
            Storage::InMemory(bytes) => bytes.len(),
            Storage::Spilled(_) => 0,
        }
    }

    /// Whether no value takes more than two bytes.
    pub(crate) fn is_narrow(&self) -> bool {
        self.width <= 2
    }

    pub(crate) fn get(&self, row: usize) -> i64 {
        let at = row * self.width;
        let difference = match &self.values {
            Storage::InMemory(bytes) => difference(&bytes[at..][..self.width]),
            Storage::Spilled(spilled) => difference(&spilled.get(at, self.width)),
        };
        self.base.wrapping_add(difference)
    }

    /// Notes that a row became NULL, in bits next to the chunk.
    pub(crate) fn forget(&mut self) {
        self.changed = true;
    }

    /// Changes a value; false where the chunk is too narrow for it.
    pub(crate) fn set(&mut self, row: usize, value: i64) -> bool {
        let difference = value.wrapping_sub(self.base).cast_unsigned();
        if self.width == 0 || self.width < 8 && difference >> (8 * self.width) != 0 {
            return false;
        }
        let bytes = &difference.to_le_bytes()[..self.width];
        let at = row * self.width;
        match &mut self.values {
            Storage::InMemory(values) => values[at..][..self.width].copy_from_slice(bytes),
            Storage::Spilled(spilled) => spilled.set(at, bytes),
        }
        self.changed = true;
        true
    }

    pub(crate) fn unpack<N: Native>(&self) -> Vec<N> {
        let read;
        let bytes = match &self.values {
            Storage::InMemory(bytes) => &**bytes,
            Storage::Spilled(spilled) => {
                read = spilled.get(0, self.rows * self.width);
                &*read
            }
        };
        match self.width {
            1 => self.widen(bytes, u8::from_le_bytes),
            2 => self.widen(bytes, u16::from_le_bytes),
            4 => self.widen(bytes, u32::from_le_bytes),
            8 => self.widen(bytes, i64::from_le_bytes),
            _ => vec![N::from_i64(0); self.rows],
        }
    }

    fn widen<N: Native, V: Into<i64>, const W: usize>(
        &self,
        bytes: &[u8],
        value: impl Fn([u8; W]) -> V,
    ) -> Vec<N> {
        let (values, _) = bytes.as_chunks::<W>();
        let wide = |&bytes: &[u8; W]| N::from_i64(self.base.wrapping_add(value(bytes).into()));
        values.iter().map(wide).collect()
    }

    pub(crate) fn freeze(self, valid: Valid<'_>) -> (FrozenValues, Facts) {
        let facts = match self.changed {
            true => Facts::of::<i64>(self.packing, &self.unpack(), valid),
            false => self.facts,
        };
        if facts.nulls == self.rows {
            return (FrozenValues::null(), facts);
        }
        let values = match self.values {
            Storage::InMemory(bytes) => {
                FrozenValues::in_memory(self.base, self.width, bytes.freeze(), self.rows)
            }
            Storage::Spilled(spilled) => {
                FrozenValues::spilled(self.base, self.width, spilled, self.rows)
            }
        };
        (values, facts)
    }
}

/// The differences from the base of a chunk, of one, two, four or eight bytes each.
fn difference(bytes: &[u8]) -> i64 {
    match *bytes {
        [] => 0,
        [byte] => byte.into(),
        [a, b] => u16::from_le_bytes([a, b]).into(),
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]).into(),
        _ => bytes.first_chunk().map_or(0, |bytes| i64::from_le_bytes(*bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(values: &[i64]) -> PackedChunk {
        PackedChunk::pack(values, Valid(None), Packing::Integers)
    }

    #[test]
    fn values_are_as_wide_as_their_differences() {
        for (spread, bytes) in [(0, 1), (255, 1), (256, 2), (65_535, 2), (1 << 32, 8)] {
            let least = 1_000_000_000_000_i64;
            let chunk = packed(&[least, least + spread]);
            assert_eq!(chunk.width, bytes, "{spread}");
            assert_eq!([chunk.get(0), chunk.get(1)], [least, least + spread]);
        }
        let extremes = packed(&[i64::MIN, 0, i64::MAX]);
        assert_eq!(extremes.unpack::<i64>(), [i64::MIN, 0, i64::MAX]);
    }

    #[test]
    fn values_that_fit_are_changed_in_place() {
        let mut chunk = packed(&[-1, 200, -1]);
        assert!(chunk.set(0, 254) && !chunk.set(2, 255) && !chunk.set(2, -2));
        let (values, facts) = chunk.freeze(Valid(None));
        let wide = values.wide(0..3).expect("is in memory").map(|wide| wide.to_vec());
        assert_eq!(wide, Some(vec![254, 200, -1]));
        assert_eq!(facts, Facts { bounds: Some((-1, 254)), nulls: 0, sorted: false });
    }

    /// The bits of a NULL do not widen the other values.
    #[test]
    fn nulls_take_no_width() {
        let base = 5_000_000_000_i64;
        let pack = |values: &[i64], valid: &[u64]| {
            PackedChunk::pack(values, Valid::of(valid), Packing::Integers)
        };
        let chunk = pack(&[0, base, base + 7], &[0b110]);
        assert_eq!(chunk.width, 1);
        assert_eq!(chunk.facts, Facts { bounds: Some((base, base + 7)), nulls: 1, sorted: false });
        assert_eq!([chunk.get(1), chunk.get(2)], [base, base + 7]);
        let none = pack(&[1, 2], &[0]);
        assert_eq!(none.width, 0);
        assert_eq!(none.facts, Facts { bounds: None, nulls: 2, sorted: false });
    }

    /// Ids are in the order in which strings were first met.
    #[test]
    fn nothing_is_concluded_from_the_ids_of_strings() {
        let chunk = PackedChunk::pack(&[1_u32, 2, 0, 300], Valid(None), Packing::Strings);
        assert_eq!(chunk.facts, Facts { bounds: None, nulls: 1, sorted: false });
        assert_eq!(chunk.unpack::<u32>(), [1, 2, 0, 300]);
    }
}
