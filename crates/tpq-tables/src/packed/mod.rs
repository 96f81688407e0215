//! Chunks of a column in the narrowest form that holds them: differences from the least value, in
//! one, two, four or eight bytes each, and nothing at all where every row is NULL.
//!
//! A chunk is packed while the rest of the column is still being built, so that an import never
//! holds much more than its finished tables. A later change, such as the end of a long slice, is
//! written into the packed values if it fits.

mod chunk;
mod facts;
mod form;
mod frozen;
mod native;

pub(crate) use chunk::PackedChunk;
pub(crate) use facts::{Facts, Valid};
pub(crate) use frozen::{FrozenValues, TakeIds};
pub use native::Native;

/// How a column's values may be packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    /// As differences from the least value.
    Integers,
    /// As they are, in fewer bytes: 0 is NULL.
    Strings,
    /// Not at all.
    Reals,
}

// Values are written byte by byte, lowest first, and read by Arrow as they lie.
const _: () = assert!(cfg!(target_endian = "little"));
