//! Native types of values.

/// The native type of a column of integers, or of the ids of strings.
pub trait Native: Copy + Default + PartialOrd + Send + Sync + 'static {
    /// The least value.
    const MIN: Self;
    /// The greatest value.
    const MAX: Self;
    /// The value as SQL's integer; for a real, its bits.
    fn to_i64(self) -> i64;
    /// The value of that integer.
    fn from_i64(value: i64) -> Self;
    /// How much greater it is than a value that is not greater; for a real, its bits.
    fn since(self, least: Self) -> u64;
}

macro_rules! native {
    ($($type:ty),+) => {$(
        impl Native for $type {
            const MIN: Self = Self::MIN;
            const MAX: Self = Self::MAX;
            fn to_i64(self) -> i64 {
                i64::from(self)
            }
            fn from_i64(value: i64) -> Self {
                value as Self
            }
            #[inline]
            fn since(self, least: Self) -> u64 {
                u64::from(self.wrapping_sub(least) as u32)
            }
        }
    )+};
}

native!(i32, u32);

impl Native for i64 {
    const MIN: Self = Self::MIN;
    const MAX: Self = Self::MAX;
    fn to_i64(self) -> i64 {
        self
    }
    fn from_i64(value: i64) -> Self {
        value
    }
    #[inline]
    fn since(self, least: Self) -> u64 {
        self.wrapping_sub(least).cast_unsigned()
    }
}

impl Native for f64 {
    const MIN: Self = Self::MIN;
    const MAX: Self = Self::MAX;
    fn to_i64(self) -> i64 {
        self.to_bits().cast_signed()
    }
    fn from_i64(value: i64) -> Self {
        Self::from_bits(value.cast_unsigned())
    }
    #[inline]
    fn since(self, _: Self) -> u64 {
        self.to_bits()
    }
}
