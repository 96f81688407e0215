//! The texts of a column.

use std::mem;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, MAX_INLINE_VIEW_LEN, StringViewArray};
use datafusion::arrow::buffer::Buffer;
use datafusion::parquet::basic::Encoding;
use datafusion::parquet::data_type::ByteArray;
use datafusion::parquet::errors::ParquetError;
use datafusion::parquet::file::statistics::{Statistics, ValueStatistics};

use super::bit_packing::append_numbers;
use super::entries::Entries;
use super::numbering::Numbering;
use super::text_bounds::{at_least, at_most};
use super::{DICTIONARY_BYTES, Dictionary, PageValues, Values, entry_bits, of_another_type};

/// The bytes of the texts of a page without a dictionary, about.
const PAGE_BYTES: usize = 1 << 20;
/// The same with a dictionary, which has most texts once.
const NUMBERED_PAGE_BYTES: usize = 16 << 20;

/// Texts that have a dictionary until it is full, and are written one after the other then.
///
/// Rows with the same text have mostly the same view, since batches share the buffers of a string
/// pool. So a text is looked at when its view is new.
pub(super) struct Texts {
    entries: Entries,
    has_dictionary: bool,
    /// Whether the page has numbers of entries.
    is_numbered: bool,
    numbers: Vec<u32>,
    /// The texts of a page without numbers, with the length before each.
    texts: Vec<u8>,
    /// The bytes of all texts of the page.
    page_bytes: usize,
    views: Numbering<u128>,
    /// The entry of each numbered view.
    entry_of_view: Vec<u32>,
    /// What the views refer to. They are held, so that no others get their addresses.
    buffers: Vec<Buffer>,
    bounds: PageBounds,
}

/// The least and the greatest text of a page.
#[derive(Default)]
struct PageBounds {
    entries: Option<(u32, u32)>,
    texts: Option<(Vec<u8>, Vec<u8>)>,
    /// The number of the page.
    page: u32,
    /// The page that each entry was last in, from 1 on.
    last_page: Vec<u32>,
}

impl Texts {
    pub(super) fn new(has_dictionary: bool) -> Self {
        Self {
            entries: Entries::new(),
            has_dictionary,
            is_numbered: has_dictionary,
            numbers: Vec::new(),
            texts: Vec::new(),
            page_bytes: 0,
            views: Numbering::new(),
            entry_of_view: Vec::new(),
            buffers: Vec::new(),
            bounds: PageBounds { page: 1, ..PageBounds::default() },
        }
    }

    /// Forgets the views if those to come refer to other buffers.
    fn refer_to(&mut self, buffers: &[Buffer]) {
        let is_same = |(one, other): (&Buffer, &Buffer)| {
            one.as_ptr() == other.as_ptr() && one.len() == other.len()
        };
        let same =
            self.buffers.len() == buffers.len() && self.buffers.iter().zip(buffers).all(is_same);
        if !same {
            self.views.clear();
            self.entry_of_view.clear();
            self.buffers = buffers.to_vec();
        }
    }

    fn push(&mut self, rows: &StringViewArray, row: usize, view: u128) {
        self.page_bytes += view as u32 as usize;
        if !self.is_numbered {
            let text = rows.value(row).as_bytes();
            self.texts.extend_from_slice(&(text.len() as u32).to_le_bytes());
            self.texts.extend_from_slice(text);
            self.bounds.meet_text(text);
            return;
        }
        let number = self.views.number(view) as usize;
        if number == self.entry_of_view.len() {
            self.entry_of_view.push(self.entries.number(rows.value(row).as_bytes()));
        }
        let entry = self.entry_of_view[number];
        self.numbers.push(entry);
        self.bounds.meet(entry, &self.entries);
    }
}

impl Values for Texts {
    type Bound = Vec<u8>;

    fn room(&self, rows: &ArrayRef) -> usize {
        let limit = if self.is_numbered { NUMBERED_PAGE_BYTES } else { PAGE_BYTES };
        let room = limit.saturating_sub(self.page_bytes);
        let Some(rows) = rows.as_string_view_opt() else { return rows.len() };
        let all: usize = rows.lengths().map(|length| length as usize).sum();
        if all <= room {
            return rows.len();
        }
        let mut bytes = 0;
        let fits = |length: &u32| {
            bytes += *length as usize;
            bytes <= room
        };
        rows.lengths().take_while(fits).count()
    }

    fn add(&mut self, rows: &ArrayRef) -> Result<(), ParquetError> {
        let rows = rows.as_string_view_opt().ok_or_else(|| of_another_type(rows))?;
        if rows.lengths().any(|length| length > MAX_INLINE_VIEW_LEN) {
            self.refer_to(rows.data_buffers());
        }
        let views = rows.views();
        match rows.nulls().filter(|nulls| nulls.null_count() > 0) {
            None => {
                views.iter().enumerate().for_each(|(row, view)| self.push(rows, row, *view));
            }
            Some(nulls) => nulls.valid_indices().for_each(|row| self.push(rows, row, views[row])),
        }
        Ok(())
    }

    fn end_page(&mut self) -> PageValues<Vec<u8>> {
        let (bytes, encoding) = if self.is_numbered {
            let width = entry_bits(self.entries.len());
            let mut bytes = vec![width as u8];
            append_numbers(&mut bytes, &self.numbers, width);
            (bytes, Encoding::RLE_DICTIONARY)
        } else {
            (mem::take(&mut self.texts), Encoding::PLAIN)
        };
        self.numbers.clear();
        self.page_bytes = 0;
        self.is_numbered = self.is_numbered && self.entries.bytes().len() < DICTIONARY_BYTES;
        PageValues { bytes, encoding, bounds: self.bounds.end_page(&self.entries) }
    }

    fn dictionary(&self) -> Option<Dictionary> {
        // It may have no entries, if pages have no texts.
        let dictionary =
            || Dictionary { bytes: self.entries.bytes().to_vec(), entries: self.entries.len() };
        self.has_dictionary.then(dictionary)
    }

    fn bytes(&self) -> usize {
        self.entries.bytes().len() + self.texts.len() + 2 * self.numbers.len()
    }

    fn stated((least, greatest): &(Vec<u8>, Vec<u8>)) -> (Vec<u8>, Vec<u8>) {
        // Short bounds need not have the order of the texts: a character of several bytes that does
        // not fit is left out as a whole.
        (at_most(least).0, at_least(greatest).0)
    }

    fn index_bounds(bounds: &(Vec<u8>, Vec<u8>)) -> (Vec<u8>, Vec<u8>) {
        Self::stated(bounds)
    }

    fn statistics(bounds: Option<(Vec<u8>, Vec<u8>)>, nulls: u64) -> Statistics {
        let (least, greatest) = bounds.unzip();
        let least = least.map(|text| at_most(&text));
        let greatest = greatest.map(|text| at_least(&text));
        let is_exact = |bound: &Option<(Vec<u8>, bool)>| bound.as_ref().is_none_or(|it| it.1);
        let (is_least, is_greatest) = (is_exact(&least), is_exact(&greatest));
        let bytes = |bound: Option<(Vec<u8>, bool)>| bound.map(|(text, _)| ByteArray::from(text));
        ValueStatistics::new(bytes(least), bytes(greatest), None, Some(nulls), false)
            .with_min_is_exact(is_least)
            .with_max_is_exact(is_greatest)
            .into()
    }
}

impl PageBounds {
    /// An entry in a row of the page.
    fn meet(&mut self, entry: u32, entries: &Entries) {
        let at = entry as usize;
        if at >= self.last_page.len() {
            self.last_page.resize(at + 1, 0);
        }
        if mem::replace(&mut self.last_page[at], self.page) != self.page {
            let (mut least, mut greatest) = self.entries.unwrap_or((entry, entry));
            let text = entries.text(entry);
            if text < entries.text(least) {
                least = entry;
            }
            if text > entries.text(greatest) {
                greatest = entry;
            }
            self.entries = Some((least, greatest));
        }
    }

    /// A text in a row of a page without numbers.
    fn meet_text(&mut self, text: &[u8]) {
        match &mut self.texts {
            None => self.texts = Some((text.to_vec(), text.to_vec())),
            Some((least, _)) if text < least.as_slice() => text.clone_into(least),
            Some((_, greatest)) if text > greatest.as_slice() => text.clone_into(greatest),
            Some(_) => {}
        }
    }

    fn end_page(&mut self, entries: &Entries) -> Option<(Vec<u8>, Vec<u8>)> {
        self.page += 1;
        let of_entry = |entry: u32| entries.text(entry).to_vec();
        let numbered = self.entries.take();
        let numbered = numbered.map(|(least, greatest)| (of_entry(least), of_entry(greatest)));
        numbered.or(self.texts.take())
    }
}
