//! Columns of a row group, encoded and compressed: those of integers, floating-point numbers and
//! texts, which are nearly all values of a trace.
//!
//! ```text
//! arrays ──▶ values of a page ──▶ encoded bytes ──▶ compressed page ─┐
//!            and their bounds                                        ├─▶ column chunk
//!            dictionary of the row group ────────────────────────────┘
//! ```
//!
//! The writers of the library hash each value of a column with a dictionary, compare each text, and
//! take single bits. These number the values of a page by small tables, compare texts once for each
//! page, and pack whole pages. What they write is the same format. Other types, such as lists, have
//! the library's writers.

mod bit_packing;
mod compressors;
mod differences;
mod entries;
mod floats;
mod integers;
mod numbering;
mod text_bounds;
mod texts;
mod words;

use bytes::Bytes;
use datafusion::arrow::array::{Array, ArrayRef, BooleanBufferBuilder};
use datafusion::arrow::datatypes::DataType;
use datafusion::parquet::basic::{BoundaryOrder, Compression, Encoding, PageType, ZstdLevel};
use datafusion::parquet::column::page::{CompressedPage, Page, PageWriteSpec, PageWriter};
use datafusion::parquet::column::writer::ColumnCloseResult;
use datafusion::parquet::errors::ParquetError;
use datafusion::parquet::file::metadata::{
    ColumnChunkMetaData, ColumnIndexBuilder, OffsetIndexBuilder, PageEncodingStats,
};
use datafusion::parquet::file::statistics::Statistics;
use datafusion::parquet::file::writer::{
    SerializedPageWriter, SerializedRowGroupWriter, TrackedWrite,
};
use datafusion::parquet::schema::types::ColumnDescPtr;

use self::bit_packing::{append_bits, append_run};
pub(crate) use self::compressors::Compressors;
use self::floats::Floats;
use self::integers::Integers;
pub(crate) use self::numbering::Numbering;
use self::texts::Texts;
use crate::Sink;
use crate::integer_encoding::bits;

/// The most rows of a page, the unit that readers skip within a row group.
const PAGE_ROWS: usize = 32 * 1024;
/// The size of a dictionary from which on there are no more entries.
const DICTIONARY_BYTES: usize = 1 << 20;

/// A column of a row group that is being written.
pub(crate) trait ColumnChunk: Send {
    /// Adds rows.
    ///
    /// # Errors
    /// When the rows have another type, or cannot be compressed.
    fn write(&mut self, rows: &ArrayRef, compressors: &Compressors) -> Result<(), ParquetError>;

    /// The bytes so far, about.
    fn bytes(&self) -> usize;

    /// Ends the column.
    ///
    /// # Errors
    /// When the rows cannot be compressed.
    fn finish(self: Box<Self>, compressors: &Compressors) -> Result<EncodedChunk, ParquetError>;
}

/// The writer of a column, if this module has one for its type.
pub(crate) fn column_chunk(
    column: &ColumnDescPtr,
    data_type: &DataType,
    has_dictionary: bool,
) -> Option<Box<dyn ColumnChunk>> {
    Some(match data_type {
        DataType::Int64 => Box::new(Pages::new(column, Integers::new(has_dictionary))),
        DataType::Float64 => Box::new(Pages::new(column, Floats::new(has_dictionary))),
        DataType::Utf8View => Box::new(Pages::new(column, Texts::new(has_dictionary))),
        _ => return None,
    })
}

/// A column of a row group, complete.
pub(crate) struct EncodedChunk {
    bytes: Bytes,
    close: ColumnCloseResult,
}

impl EncodedChunk {
    /// Writes the column, which is the next one of the row group.
    ///
    /// # Errors
    /// When the bytes cannot be written.
    pub(crate) fn append_to(
        self,
        group: &mut SerializedRowGroupWriter<'_, Sink>,
    ) -> Result<(), ParquetError> {
        group.append_column(&self.bytes, self.close)
    }
}

/// The values of a column, of which pages are made.
trait Values: Send {
    /// A least or greatest value.
    type Bound: Ord + Clone + Send;

    /// How many of the rows fit the page.
    fn room(&self, rows: &ArrayRef) -> usize {
        rows.len()
    }

    /// Adds the rows that are not NULL to the page.
    fn add(&mut self, rows: &ArrayRef) -> Result<(), ParquetError>;

    /// The page, and begins the next.
    fn end_page(&mut self) -> PageValues<Self::Bound>;

    /// The dictionary of all pages, if the column has one.
    fn dictionary(&self) -> Option<Dictionary>;

    /// The bytes of the page and of the dictionary, about.
    fn bytes(&self) -> usize;

    /// The bounds that the index of the column states for those of a page. It shortens long ones.
    fn stated(bounds: &(Self::Bound, Self::Bound)) -> (Self::Bound, Self::Bound) {
        bounds.clone()
    }

    /// The bounds of a page in the index of the column.
    fn index_bounds(bounds: &(Self::Bound, Self::Bound)) -> (Vec<u8>, Vec<u8>);

    /// The statistics of the column.
    fn statistics(bounds: Option<(Self::Bound, Self::Bound)>, nulls: u64) -> Statistics;
}

/// The values of a page.
struct PageValues<B> {
    bytes: Vec<u8>,
    encoding: Encoding,
    /// The least and the greatest value, if there are any that have an order.
    bounds: Option<(B, B)>,
}

struct Dictionary {
    bytes: Vec<u8>,
    entries: usize,
}

/// The pages of a column.
struct Pages<V: Values> {
    column: ColumnDescPtr,
    values: V,
    /// The rows of the page.
    rows: usize,
    nulls: usize,
    /// Which rows of the page have values.
    validity: BooleanBufferBuilder,
    done: Vec<DonePage<V::Bound>>,
    done_bytes: usize,
}

struct DonePage<B> {
    page: CompressedPage,
    rows: usize,
    nulls: usize,
    bounds: Option<(B, B)>,
}

impl<V: Values> Pages<V> {
    fn new(column: &ColumnDescPtr, values: V) -> Self {
        Self {
            column: ColumnDescPtr::clone(column),
            values,
            rows: 0,
            nulls: 0,
            validity: BooleanBufferBuilder::new(0),
            done: Vec::new(),
            done_bytes: 0,
        }
    }

    fn is_nullable(&self) -> bool {
        self.column.max_def_level() > 0
    }

    /// Adds rows that fit the page.
    fn add(&mut self, rows: &ArrayRef) -> Result<(), ParquetError> {
        self.values.add(rows)?;
        self.rows += rows.len();
        self.nulls += rows.null_count();
        if self.is_nullable() {
            match rows.nulls() {
                Some(nulls) => self.validity.append_buffer(nulls.inner()),
                None => self.validity.append_n(rows.len(), true),
            }
        } else if rows.null_count() > 0 {
            let message = format!("NULL in {}, which cannot be NULL", self.column.path());
            return Err(ParquetError::General(message));
        }
        Ok(())
    }

    /// Which rows of the page have values, with the length before.
    fn levels(&mut self) -> Vec<u8> {
        if !self.is_nullable() {
            return Vec::new();
        }
        let mut levels = Vec::new();
        match self.nulls {
            0 => append_run(&mut levels, 1, self.rows, 1),
            nulls if nulls == self.rows => append_run(&mut levels, 0, self.rows, 1),
            _ => append_bits(&mut levels, self.validity.as_slice(), self.rows),
        }
        self.validity.truncate(0);
        let mut bytes = (levels.len() as u32).to_le_bytes().to_vec();
        bytes.append(&mut levels);
        bytes
    }

    fn end_page(&mut self, compressors: &Compressors) -> Result<(), ParquetError> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut bytes = self.levels();
        let PageValues { bytes: mut values, encoding, bounds } = self.values.end_page();
        bytes.append(&mut values);
        let compressed = compressors.compress(&bytes, encoding)?;
        self.done_bytes += compressed.len();
        let page = Page::DataPage {
            buf: compressed.into(),
            num_values: self.rows as u32,
            encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        let page = CompressedPage::new(page, bytes.len());
        self.done.push(DonePage { page, rows: self.rows, nulls: self.nulls, bounds });
        (self.rows, self.nulls) = (0, 0);
        Ok(())
    }

    /// The dictionary as a page.
    fn dictionary(
        &self,
        compressors: &Compressors,
    ) -> Result<Option<CompressedPage>, ParquetError> {
        let Some(Dictionary { bytes, entries }) = self.values.dictionary() else { return Ok(None) };
        let page = Page::DictionaryPage {
            buf: compressors.compress(&bytes, Encoding::PLAIN)?.into(),
            num_values: entries as u32,
            encoding: Encoding::PLAIN,
            is_sorted: false,
        };
        Ok(Some(CompressedPage::new(page, bytes.len())))
    }
}

impl<V: Values> ColumnChunk for Pages<V> {
    fn write(&mut self, rows: &ArrayRef, compressors: &Compressors) -> Result<(), ParquetError> {
        let mut start = 0;
        while start < rows.len() {
            let count = (rows.len() - start).min(PAGE_ROWS - self.rows);
            let some = rows.slice(start, count);
            match self.values.room(&some) {
                0 if self.rows > 0 => self.end_page(compressors)?,
                room => {
                    // A page has one row, however long.
                    let room = room.max(1);
                    self.add(&some.slice(0, room))?;
                    start += room;
                    if self.rows >= PAGE_ROWS {
                        self.end_page(compressors)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.done_bytes + self.values.bytes() + self.validity.len() / 8
    }

    fn finish(
        mut self: Box<Self>,
        compressors: &Compressors,
    ) -> Result<EncodedChunk, ParquetError> {
        self.end_page(compressors)?;
        let mut chunk = ChunkWriter::new(self.done_bytes);
        if let Some(page) = self.dictionary(compressors)? {
            chunk.write(page)?;
        }
        let Self { column, done, .. } = *self;
        let mut column_index = ColumnIndexBuilder::new(column.physical_type());
        let stated: Vec<_> =
            done.iter().filter_map(|page| page.bounds.as_ref()).map(V::stated).collect();
        column_index.set_boundary_order(boundary_order(&stated));
        let mut offset_index = OffsetIndexBuilder::new();
        let (mut rows, mut nulls, mut bounds) = (0, 0, None);
        for done in done {
            let is_null = done.nulls == done.rows;
            if done.bounds.is_none() && !is_null {
                // All values of the page are NaN.
                column_index.to_invalid();
            }
            let (least, greatest) = done.bounds.as_ref().map(V::index_bounds).unwrap_or_default();
            column_index.append(is_null, least, greatest, done.nulls as i64);
            let spec = chunk.write(done.page)?;
            offset_index.append_row_count(done.rows as i64);
            offset_index.append_offset_and_size(spec.offset as i64, spec.compressed_size as i32);
            rows += done.rows as u64;
            nulls += done.nulls as u64;
            bounds = wider(bounds, done.bounds);
        }
        let statistics = V::statistics(bounds, nulls);
        let column_index = column_index.valid().then(|| column_index.build()).transpose()?;
        let (bytes, metadata) = chunk.finish(column, rows, statistics)?;
        let close = ColumnCloseResult {
            bytes_written: bytes.len() as u64,
            rows_written: rows,
            metadata,
            bloom_filter: None,
            column_index,
            offset_index: Some(offset_index.build()),
        };
        Ok(EncodedChunk { bytes, close })
    }
}

/// Pages one after the other, and what the metadata of the column states of them.
struct ChunkWriter {
    file: TrackedWrite<Vec<u8>>,
    compressed: usize,
    uncompressed: usize,
    dictionary_offset: Option<i64>,
    data_offset: Option<i64>,
    pages: Vec<PageEncodingStats>,
}

impl ChunkWriter {
    fn new(bytes: usize) -> Self {
        Self {
            file: TrackedWrite::new(Vec::with_capacity(bytes)),
            compressed: 0,
            uncompressed: 0,
            dictionary_offset: None,
            data_offset: None,
            pages: Vec::new(),
        }
    }

    fn write(&mut self, page: CompressedPage) -> Result<PageWriteSpec, ParquetError> {
        let (page_type, encoding) = (page.page_type(), page.encoding());
        let spec = SerializedPageWriter::new(&mut self.file).write_page(page)?;
        self.compressed += spec.compressed_size;
        self.uncompressed += spec.uncompressed_size;
        match page_type {
            PageType::DICTIONARY_PAGE => self.dictionary_offset = Some(spec.offset as i64),
            _ => self.data_offset = self.data_offset.or(Some(spec.offset as i64)),
        }
        match self.pages.last_mut() {
            Some(last) if last.page_type == page_type && last.encoding == encoding => {
                last.count += 1;
            }
            _ => self.pages.push(PageEncodingStats { page_type, encoding, count: 1 }),
        }
        Ok(spec)
    }

    fn finish(
        self,
        column: ColumnDescPtr,
        values: u64,
        statistics: Statistics,
    ) -> Result<(Bytes, ColumnChunkMetaData), ParquetError> {
        let of_pages = self.pages.iter().map(|pages| pages.encoding);
        // Levels are runs.
        let encodings = of_pages.chain([Encoding::RLE]).collect();
        let metadata = ColumnChunkMetaData::builder(column)
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_encodings(encodings)
            .set_page_encoding_stats(self.pages)
            .set_total_compressed_size(self.compressed as i64)
            .set_total_uncompressed_size(self.uncompressed as i64)
            .set_num_values(values as i64)
            .set_data_page_offset(self.data_offset.unwrap_or_default())
            .set_dictionary_page_offset(self.dictionary_offset)
            .set_statistics(statistics)
            .build()?;
        Ok((self.file.into_inner()?.into(), metadata))
    }
}

/// Bounds of both.
fn wider<B: Ord>(one: Option<(B, B)>, other: Option<(B, B)>) -> Option<(B, B)> {
    match (one, other) {
        (Some((least, greatest)), Some((other_least, other_greatest))) => {
            Some((least.min(other_least), greatest.max(other_greatest)))
        }
        (one, other) => one.or(other),
    }
}

/// Whether the bounds of pages ascend or descend.
fn boundary_order<B: Ord>(bounds: &[(B, B)]) -> BoundaryOrder {
    let pairs = || bounds.iter().zip(bounds.iter().skip(1));
    if pairs().all(|(one, next)| one.0 <= next.0 && one.1 <= next.1) {
        BoundaryOrder::ASCENDING
    } else if pairs().all(|(one, next)| one.0 >= next.0 && one.1 >= next.1) {
        BoundaryOrder::DESCENDING
    } else {
        BoundaryOrder::UNORDERED
    }
}

/// The bits of the number of an entry.
fn entry_bits(entries: usize) -> u32 {
    bits(entries.saturating_sub(1) as u64)
}

fn of_another_type(rows: &ArrayRef) -> ParquetError {
    ParquetError::General(format!("a column has values of another type, {}", rows.data_type()))
}

#[cfg(test)]
mod tests;
