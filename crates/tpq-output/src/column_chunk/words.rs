//! Values of 64 bits.

use datafusion::parquet::basic::Encoding;

use super::bit_packing::append_numbers;
use super::numbering::Numbering;
use super::{DICTIONARY_BYTES, Dictionary, entry_bits};

/// Values that have a dictionary until it is full.
pub(super) struct Words {
    /// `None` if there never is one.
    dictionary: Option<Numbering<i64>>,
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
            is_numbered: has_dictionary,
            numbers: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Adds values to the page.
    pub(super) fn extend(&mut self, values: impl Iterator<Item = i64>) {
        match &mut self.dictionary {
            Some(dictionary) if self.is_numbered => {
                self.numbers.extend(values.map(|value| dictionary.number(value)));
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

/// Appends values one after the other.
pub(super) fn append_plain(out: &mut Vec<u8>, values: &[i64]) {
    out.reserve(size_of_val(values));
    values.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
}
