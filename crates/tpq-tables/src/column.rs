//! A column while it is being built: chunks of plain values, which are packed once they are full
//! and another is under way, with validity bits where it may be NULL. Rows can still be changed,
//! since an end is often seen long after its beginning.

use std::sync::Arc;

use crate::finished::{CHUNK_ROWS, StoredColumn};
use crate::packed::{Native, PackedChunk, Packing};
use crate::packer::{Packer, Pending};
use crate::two_threads::on_two_threads;
use crate::{ArgSetNumber, StringId};

/// A value a builder takes for one cell.
pub trait Cell: Copy {
    /// The stored value.
    type Native: Native;
    /// Whether the cell may be NULL.
    const NULLABLE: bool;
    /// How values are stored.
    const PACKING: Packing;
    /// The stored value and whether it is not NULL.
    fn store(self) -> (Self::Native, bool);
    /// The cell of a stored value.
    fn load(native: Self::Native, valid: bool) -> Self;
}

macro_rules! cell {
    ($type:ty, $native:ty, $packing:expr, $to:expr, $from:expr) => {
        impl Cell for $type {
            type Native = $native;
            const NULLABLE: bool = false;
            const PACKING: Packing = $packing;
            fn store(self) -> ($native, bool) {
                ($to(self), true)
            }
            fn load(native: $native, _: bool) -> Self {
                $from(native)
            }
        }
        impl Cell for Option<$type> {
            type Native = $native;
            const NULLABLE: bool = true;
            const PACKING: Packing = $packing;
            fn store(self) -> ($native, bool) {
                (self.map($to).unwrap_or_default(), self.is_some())
            }
            fn load(native: $native, valid: bool) -> Self {
                valid.then(|| $from(native))
            }
        }
    };
}

cell!(i64, i64, Packing::Integers, std::convert::identity, std::convert::identity);
cell!(i32, i32, Packing::Integers, std::convert::identity, std::convert::identity);
cell!(u32, u32, Packing::Integers, std::convert::identity, std::convert::identity);
cell!(ArgSetNumber, u32, Packing::Integers, |number: ArgSetNumber| number.0, ArgSetNumber);
cell!(bool, u32, Packing::Integers, u32::from, |native| native != 0);
cell!(f64, f64, Packing::Reals, std::convert::identity, std::convert::identity);

impl Cell for StringId {
    type Native = u32;
    const NULLABLE: bool = true;
    const PACKING: Packing = Packing::Strings;
    fn store(self) -> (u32, bool) {
        (self.0, true)
    }
    fn load(native: u32, _: bool) -> Self {
        Self(native)
    }
}

/// Plain values, with a bit for each row that is not NULL where there may be such rows.
pub(crate) struct Plain<N> {
    pub(crate) values: Vec<N>,
    pub(crate) valid: Vec<u64>,
}

impl<N> Default for Plain<N> {
    fn default() -> Self {
        Self { values: Vec::new(), valid: Vec::new() }
    }
}

enum Chunk<N> {
    /// Every row is NULL.
    Null,
    /// Not packed yet, or changed beyond what the packed form holds.
    Plain(Plain<N>),
    /// Sent to another thread, to be packed.
    Packing(Pending<N>),
    Packed(PackedChunk, Vec<u64>),
}

/// Builds one column.
pub struct ColumnBuilder<C: Cell> {
    /// All chunks but the one under way.
    full: Vec<Chunk<C::Native>>,
    /// The chunk under way; without values for as long as all of its rows are NULL.
    last: Plain<C::Native>,
    /// The rows of the chunk under way.
    rows: usize,
    /// Packs full chunks.
    packer: Option<Arc<Packer>>,
}

impl<C: Cell> Default for ColumnBuilder<C> {
    fn default() -> Self {
        Self { full: Vec::new(), last: Plain::default(), rows: 0, packer: None }
    }
}

impl<C: Cell> ColumnBuilder<C> {
    /// Strings are NULL where their id is 0, and need no bits.
    const HAS_BITS: bool = C::NULLABLE && !matches!(C::PACKING, Packing::Strings);

    #[inline]
    pub(crate) fn push(&mut self, cell: C) {
        let (native, valid) = cell.store();
        if self.rows == CHUNK_ROWS {
            self.begin_chunk();
        }
        if self.last.values.len() != self.rows || self.rows == 0 {
            if Self::is_null(native, valid) {
                self.rows += 1;
                return;
            }
            self.last.fill::<C>(self.rows, self.capacity());
        }
        if Self::HAS_BITS {
            let bit = self.rows % 64;
            match self.last.valid.last_mut() {
                Some(word) if bit != 0 => *word |= u64::from(valid) << bit,
                _ => self.last.valid.push(u64::from(valid)),
            }
        }
        self.last.values.push(native);
        self.rows += 1;
    }

    /// Pushes a cell of each row.
    pub(crate) fn extend<R>(&mut self, mut rows: &[R], cell: impl Fn(&R) -> C) {
        while !rows.is_empty() {
            if self.rows == CHUNK_ROWS {
                self.begin_chunk();
            }
            let (now, later) = rows.split_at(rows.len().min(CHUNK_ROWS - self.rows));
            self.extend_chunk(now, &cell);
            rows = later;
        }
    }

    /// The same of rows that fit into the chunk under way.
    fn extend_chunk<R>(&mut self, rows: &[R], cell: impl Fn(&R) -> C) {
        let cells = rows.iter().map(|row| cell(row).store());
        if self.last.values.len() != self.rows || self.rows == 0 {
            if cells.clone().all(|(native, valid)| Self::is_null(native, valid)) {
                self.rows += rows.len();
                return;
            }
            self.last.fill::<C>(self.rows, self.capacity());
        }
        self.last.values.extend(cells.clone().map(|(native, _)| native));
        if Self::HAS_BITS {
            push_bits(&mut self.last.valid, self.rows, cells.map(|(_, valid)| valid));
        }
        self.rows += rows.len();
    }

    fn is_null(native: C::Native, valid: bool) -> bool {
        !valid || C::PACKING == Packing::Strings && native.to_i64() == 0
    }

    /// Packs the chunk before the one that is full. The latest rows are those that change, so that
    /// one is left as it is for a while.
    #[cold]
    fn begin_chunk(&mut self) {
        let packer = self.packer.as_deref();
        let sent = self.full.len().checked_sub(2).map(|index| &mut self.full[index]);
        let settled = sent.and_then(|sent| sent.settle());
        let packed = self.full.last_mut().and_then(|before| before.send(C::PACKING, packer));
        let spare = packed.or(settled);
        self.end_chunk();
        // Memory that was used a moment ago need not be asked for, and cleared, again.
        self.last.values = spare.unwrap_or_default();
    }

    /// Has chunks packed by `packer` from now on.
    pub(crate) fn pack_by(&mut self, packer: &Arc<Packer>) {
        self.packer = Some(Arc::clone(packer));
    }

    /// The first chunk grows as it fills, so that the many small tables stay small.
    fn capacity(&self) -> usize {
        if self.full.is_empty() { self.rows } else { CHUNK_ROWS }
    }

    fn end_chunk(&mut self) {
        let full = std::mem::take(&mut self.last);
        self.full.push(if full.values.is_empty() { Chunk::Null } else { Chunk::Plain(full) });
        self.rows = 0;
    }

    /// The cell of a row that was pushed.
    #[inline]
    pub fn get(&self, row: u32) -> C {
        let (chunk, row) = (row as usize / CHUNK_ROWS, row as usize % CHUNK_ROWS);
        let (native, valid) = match self.full.get(chunk) {
            None => self.last.get(row),
            Some(Chunk::Plain(plain)) => plain.get(row),
            Some(Chunk::Packing(pending)) => pending.plain().get(row),
            Some(Chunk::Packed(packed, valid)) => {
                (C::Native::from_i64(packed.get(row)), is_set(valid, row))
            }
            Some(Chunk::Null) => (C::Native::default(), false),
        };
        C::load(native, valid)
    }

    /// All cells that were pushed, in order; a chunk at a time where they are packed.
    pub fn iter(&self) -> impl Iterator<Item = C> {
        let cells = |values: Vec<C::Native>, valid: &[u64]| {
            let cell = |(row, native)| C::load(native, is_set(valid, row));
            values.into_iter().enumerate().map(cell).collect::<Vec<C>>()
        };
        let nothing = move |rows: usize| vec![C::load(C::Native::default(), false); rows];
        let full = self.full.iter().flat_map(move |chunk| match chunk {
            Chunk::Plain(plain) => cells(plain.values.clone(), &plain.valid),
            Chunk::Packing(pending) => {
                cells(pending.plain().values.clone(), &pending.plain().valid)
            }
            Chunk::Packed(packed, valid) => cells(packed.unpack(), valid),
            Chunk::Null => nothing(CHUNK_ROWS),
        });
        let first = (self.full.len() * CHUNK_ROWS) as u32;
        full.chain((first..first + self.rows as u32).map(|row| self.get(row)))
    }

    /// Changes a row that was pushed.
    #[inline]
    pub fn set(&mut self, row: u32, cell: C) {
        let (chunk, row) = (row as usize / CHUNK_ROWS, row as usize % CHUNK_ROWS);
        let (native, valid) = cell.store();
        match self.full.get_mut(chunk) {
            None => {
                if self.last.values.is_empty() {
                    if Self::is_null(native, valid) {
                        return;
                    }
                    let capacity = self.capacity();
                    self.last.fill::<C>(self.rows, capacity);
                }
                self.last.set(row, native, valid);
            }
            Some(Chunk::Plain(plain)) => plain.set(row, native, valid),
            Some(chunk) => chunk.set::<C>(row, native, valid),
        }
    }

    pub(crate) fn finish(mut self) -> StoredColumn {
        if self.rows > 0 {
            let rows = self.rows;
            self.end_chunk();
            self.full.last_mut().into_iter().for_each(|chunk| chunk.give_rows(rows));
        }
        let packer = self.packer.take().unwrap_or_default();
        let mut finish = |mut chunk: Chunk<C::Native>| {
            chunk.settle();
            chunk.pack(C::PACKING, &packer);
            match chunk {
                Chunk::Packed(packed, valid) => (packed, valid),
                _ => (PackedChunk::null(CHUNK_ROWS), Vec::new()),
            }
        };
        StoredColumn::new(self.full.into_iter().map(&mut finish))
    }
}

impl<C: Cell<Native = u32>> ColumnBuilder<C> {
    /// Puts other numbers in place of all that are not NULL; 0 stands for NULL where there can be.
    pub(crate) fn renumber(&mut self, number: &(impl Fn(u32) -> u32 + Sync)) {
        self.renumber_chunks(|_| true, number);
    }

    /// The same of chunks that hold numbers of more than two bytes.
    pub(crate) fn renumber_wide(&mut self, number: &(impl Fn(u32) -> u32 + Sync)) {
        self.renumber_chunks(|packed| !packed.is_narrow(), number);
    }

    fn renumber_chunks(
        &mut self,
        is_meant: impl Fn(&PackedChunk) -> bool + Sync,
        number: &(impl Fn(u32) -> u32 + Sync),
    ) {
        /// Fewer are done before another thread has begun.
        const WORTH: usize = 8;
        let packer = self.packer.take().unwrap_or_default();
        let renumber = |chunk: &mut Chunk<u32>| {
            chunk.settle();
            if !matches!(chunk, Chunk::Packed(packed, _) if !is_meant(packed)) {
                chunk.renumber(Self::HAS_BITS, &packer, number);
            }
        };
        match packer.has_thread() && self.full.len() >= WORTH {
            true => on_two_threads(&mut self.full, renumber),
            false => self.full.iter_mut().for_each(renumber),
        }
        self.last.renumber(Self::HAS_BITS, number);
        self.packer = Some(packer);
    }
}

/// Appends bits behind those of a number of rows.
fn push_bits(words: &mut Vec<u64>, rows: usize, bits: impl Iterator<Item = bool>) {
    let mut row = rows;
    let mut word = if row.is_multiple_of(64) { 0 } else { words.pop().unwrap_or_default() };
    for bit in bits {
        word |= u64::from(bit) << (row % 64);
        row += 1;
        if row.is_multiple_of(64) {
            words.push(std::mem::take(&mut word));
        }
    }
    if !row.is_multiple_of(64) {
        words.push(word);
    }
}

#[inline]
fn is_set(valid: &[u64], row: usize) -> bool {
    valid.is_empty() || valid[row / 64] >> (row % 64) & 1 == 1
}

fn set_bit(valid: &mut [u64], row: usize, value: bool) {
    if let Some(word) = valid.get_mut(row / 64) {
        *word = *word & !(1 << (row % 64)) | u64::from(value) << (row % 64);
    }
}

impl<N: Native> Plain<N> {
    /// Gives values to a chunk of NULLs.
    #[cold]
    fn fill<C: Cell<Native = N>>(&mut self, rows: usize, capacity: usize) {
        self.values.reserve_exact(capacity.max(rows));
        self.values.resize(rows, N::default());
        if ColumnBuilder::<C>::HAS_BITS {
            self.valid.resize(rows.div_ceil(64), 0);
        }
    }

    #[inline]
    fn get(&self, row: usize) -> (N, bool) {
        match self.values.get(row) {
            Some(&value) => (value, is_set(&self.valid, row)),
            None => (N::default(), false),
        }
    }

    #[inline]
    fn set(&mut self, row: usize, value: N, valid: bool) {
        self.values[row] = value;
        set_bit(&mut self.valid, row, valid);
    }
}

impl Plain<u32> {
    fn renumber(&mut self, has_bits: bool, number: &impl Fn(u32) -> u32) {
        for (row, value) in self.values.iter_mut().enumerate() {
            if *value == 0 || has_bits && !is_set(&self.valid, row) {
                continue;
            }
            *value = number(*value);
            if has_bits && *value == 0 {
                set_bit(&mut self.valid, row, false);
            }
        }
    }
}

impl Chunk<u32> {
    fn renumber(&mut self, has_bits: bool, packer: &Packer, number: &impl Fn(u32) -> u32) {
        match self {
            Self::Packed(packed, valid) => {
                packer.unpacked(packed);
                let values = packed.unpack();
                let mut plain = Plain { values, valid: std::mem::take(valid) };
                plain.renumber(has_bits, number);
                packer.repack(packed, &plain);
                *valid = plain.valid;
            }
            Self::Plain(plain) => plain.renumber(has_bits, number),
            _ => {}
        }
    }
}

impl<N: Native> Chunk<N> {
    /// Gives the memory that plain values had, for others.
    fn pack(&mut self, packing: Packing, packer: &Packer) -> Option<Vec<N>> {
        let Self::Plain(plain) = self else { return None };
        let packed = packer.pack(plain, packing);
        let mut spare = std::mem::take(&mut plain.values);
        spare.clear();
        *self = Self::Packed(packed, std::mem::take(&mut plain.valid));
        Some(spare)
    }

    /// Packs plain values here or elsewhere; gives their memory where that is done.
    fn send(&mut self, packing: Packing, packer: Option<&Packer>) -> Option<Vec<N>> {
        let Self::Plain(plain) = self else { return None };
        let Some(packer) = packer else { return self.pack(packing, &Packer::default()) };
        match packer.send(std::mem::take(plain), packing) {
            Ok(pending) => {
                *self = Self::Packing(pending);
                None
            }
            Err(plain) => {
                *self = Self::Plain(plain);
                self.pack(packing, packer)
            }
        }
    }

    /// Has values packed that were sent to be; gives the memory that they had.
    fn settle(&mut self) -> Option<Vec<N>> {
        if !matches!(self, Self::Packing(_)) {
            return None;
        }
        let Self::Packing(pending) = std::mem::replace(self, Self::Null) else { return None };
        let (packed, Plain { mut values, valid }) = pending.wait();
        *self = Self::Packed(packed, valid);
        values.clear();
        Some(values)
    }

    /// Changes a row of a chunk that is packed or NULL, which may make it plain again.
    #[cold]
    fn set<C: Cell<Native = N>>(&mut self, row: usize, value: N, is_valid: bool) {
        self.settle();
        if let Self::Packed(packed, valid) = self {
            let had_bits = !valid.is_empty();
            set_bit(valid, row, is_valid);
            if had_bits && !is_valid {
                return packed.forget();
            }
            if packed.set(row, value.to_i64()) {
                return;
            }
            *self = Self::Plain(Plain { values: packed.unpack(), valid: std::mem::take(valid) });
        }
        if let Self::Null = self {
            if ColumnBuilder::<C>::is_null(value, is_valid) {
                return;
            }
            let mut plain = Plain::default();
            plain.fill::<C>(CHUNK_ROWS, CHUNK_ROWS);
            *self = Self::Plain(plain);
        }
        if let Self::Plain(plain) = self {
            plain.set(row, value, is_valid);
        }
    }

    /// Says how many rows there are where all are NULL.
    fn give_rows(&mut self, rows: usize) {
        if let Self::Null = self {
            *self = Self::Packed(PackedChunk::null(rows), Vec::new());
        }
    }
}

#[cfg(test)]
mod tests;
