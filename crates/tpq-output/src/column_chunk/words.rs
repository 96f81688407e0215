//! Values of 64 bits.

use datafusion::arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray};
use datafusion::parquet::basic::Encoding;
use datafusion::parquet::errors::ParquetError;

use super::bit_packing::append_numbers;
use super::numbering::Numbering;
use super::{DICTIONARY_BYTES, Dictionary, entry_bits, of_another_type};

/// Values below this have their number in an array.
const SMALL: usize = 1 << 16;

/// Values that have a dictionary until it is full.
pub(super) struct Words {
    /// `None` if there never is one.
    dictionary: Option<Numbering<i64>>,
    small: SmallNumbers,
    /// Whether the page has numbers of entries of the dictionary.
    is_numbered: bool,
    numbers: Vec<u32>,
    /// The values of a page without numbers.
    values: Vec<i64>,
}

impl Words {
    pub(super) fn new(has_dictionary: bool) -> Self {
        Self {
            dictionary: has_dictionary.then(Numbering::new),
            small: SmallNumbers::default(),
            is_numbered: has_dictionary,
            numbers: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Adds values to the page.
    pub(super) fn extend(&mut self, values: impl Iterator<Item = i64>) {
        match &mut self.dictionary {
            Some(dictionary) if self.is_numbered => {
                let small = &mut self.small;
                let number = |value| {
                    if let Some(number) = small.get(value) {
                        return number;
                    }
                    let number = dictionary.number(value);
                    small.set(value, number);
                    number
                };
                self.numbers.extend(values.map(number));
            }
            _ => self.values.extend(values),
        }
    }

    /// The bytes of the page, and begins the next. `append` encodes values without a dictionary.
    pub(super) fn end_page(
        &mut self,
        encoding: Encoding,
        append: impl Fn(&mut Vec<u8>, &[i64]),
    ) -> (Vec<u8>, Encoding) {
        let mut bytes = Vec::new();
        let encoding = match &self.dictionary {
            Some(dictionary) if self.is_numbered => {
                let width = entry_bits(dictionary.keys().len());
                bytes.push(width as u8);
                append_numbers(&mut bytes, &self.numbers, width);
                Encoding::RLE_DICTIONARY
            }
            _ => {
                append(&mut bytes, &self.values);
                encoding
            }
        };
        self.numbers.clear();
        self.values.clear();
        self.is_numbered = self.is_numbered && self.dictionary_bytes() < DICTIONARY_BYTES;
        (bytes, encoding)
    }

    fn dictionary_bytes(&self) -> usize {
        self.dictionary.as_ref().map_or(0, |dictionary| size_of_val(dictionary.keys()))
    }

    /// The dictionary of all pages.
    pub(super) fn dictionary(&self) -> Option<Dictionary> {
        let keys = self.dictionary.as_ref()?.keys();
        let mut bytes = Vec::with_capacity(size_of_val(keys));
        append_plain(&mut bytes, keys);
        Some(Dictionary { bytes, entries: keys.len() })
    }

    /// The bytes of the page and of the dictionary, about.
    pub(super) fn bytes(&self) -> usize {
        // Numbers of entries, and differences, take two bytes or less, about.
        self.dictionary_bytes() + 2 * (self.numbers.len() + self.values.len())
    }
}

/// The numbers of small values, such as those of threads and of CPUs.
#[derive(Default)]
struct SmallNumbers {
    /// One more than the number of each value, or zero.
    after: Vec<u32>,
}

impl SmallNumbers {
    #[inline]
    fn get(&self, value: i64) -> Option<u32> {
        self.after.get(usize::try_from(value).ok()?)?.checked_sub(1)
    }

    fn set(&mut self, value: i64, number: u32) {
        match usize::try_from(value) {
            Ok(value) if value < SMALL => {
                if value >= self.after.len() {
                    self.after.resize(value + 1, 0);
                }
                self.after[value] = number + 1;
            }
            _ => {}
        }
    }
}

/// Passes on the runs of values between NULLs.
///
/// # Errors
/// When the values are of another type.
pub(super) fn each_run<T: ArrowPrimitiveType>(
    rows: &ArrayRef,
    mut pass: impl FnMut(&[T::Native]),
) -> Result<(), ParquetError> {
    let rows = rows.as_primitive_opt::<T>().ok_or_else(|| of_another_type(rows))?;
    match rows.nulls().filter(|nulls| nulls.null_count() > 0) {
        None => pass(rows.values()),
        Some(nulls) => {
            let runs = nulls.valid_slices();
            runs.filter_map(|(start, end)| rows.values().get(start..end)).for_each(pass);
        }
    }
    Ok(())
}

/// Appends values one after the other.
pub(super) fn append_plain(out: &mut Vec<u8>, values: &[i64]) {
    out.reserve(size_of_val(values));
    values.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_other_values_are_numbered_alike() {
        let mut words = Words::new(true);
        let values = [-1, 65_535, 0, 65_536, i64::MIN, 65_535, -1, 0, 65_536, 7];
        words.extend(values.into_iter());
        assert_eq!(words.numbers, [0, 1, 2, 3, 4, 1, 0, 2, 3, 5]);
        let Dictionary { bytes, entries } = words.dictionary().unwrap();
        let mut expected = Vec::new();
        append_plain(&mut expected, &[-1, 65_535, 0, 65_536, i64::MIN, 7]);
        assert_eq!((bytes, entries), (expected, 6));
        let (page, encoding) = words.end_page(Encoding::PLAIN, append_plain);
        // Six entries have three bits.
        assert_eq!((page[0], encoding), (3, Encoding::RLE_DICTIONARY));
    }
}
