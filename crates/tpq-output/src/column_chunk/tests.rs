//! Columns that are read back.

use std::io::Write;
use std::sync::{Arc, Mutex};

use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringViewArray};
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::parquet::arrow::ArrowSchemaConverter;
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use datafusion::parquet::file::page_index::column_index::ColumnIndexMetaData;

use super::*;
use crate::{Format, OutputOptions, writer};

#[derive(Clone, Default)]
struct File(Arc<Mutex<Vec<u8>>>);

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The metadata of the columns in the first row group, after reading back what was written.
fn round_trip(rows: &RecordBatch, batch_rows: usize) -> Vec<ColumnChunkMetaData> {
    let file = File::default();
    let mut writer = writer(Format::Parquet, Box::new(file.clone()), OutputOptions::default());
    writer.begin(&rows.schema()).unwrap();
    for start in (0..rows.num_rows()).step_by(batch_rows) {
        writer.write(&rows.slice(start, batch_rows.min(rows.num_rows() - start))).unwrap();
    }
    writer.end().unwrap();
    let bytes = Bytes::from(std::mem::take(&mut *file.0.lock().unwrap()));
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes).unwrap();
    let columns = reader.metadata().row_group(0).columns().to_vec();
    let read: Vec<RecordBatch> = reader.build().unwrap().map(Result::unwrap).collect();
    assert_eq!(concat_batches(&read[0].schema(), &read).unwrap().columns(), rows.columns());
    columns
}

fn has_encoding(column: &ColumnChunkMetaData, encoding: Encoding) -> bool {
    column.encodings().any(|it| it == encoding)
}

/// Numbers without an order, the same in every run.
fn scattered(row: usize) -> i64 {
    (row as u64).wrapping_mul(6_364_136_223_846_793_005).rotate_left(17).cast_signed()
}

#[test]
fn integers_are_read_back() {
    const ROWS: usize = 70_000;
    let column = |of: &dyn Fn(usize) -> Option<i64>| -> ArrayRef {
        Arc::new((0..ROWS).map(of).collect::<Int64Array>())
    };
    let rows = RecordBatch::try_from_iter_with_nullable([
        ("all", column(&|row| Some(scattered(row))), true),
        ("some", column(&|row| (row % 3 > 0).then_some(scattered(row) >> 40)), true),
        ("none", column(&|_| None), true),
        ("runs", column(&|row| Some(row as i64 / 20_000)), true),
        ("few", column(&|row| (row > 40_000).then_some(scattered(row) % 100)), true),
        // Few at first, and many then.
        ("many", column(&|row| Some(scattered(if row < 20_000 { row % 7 } else { row }))), true),
        ("rising", column(&|row| Some(row as i64 * 7 + scattered(row) % 5)), false),
        ("extremes", column(&|row| [Some(i64::MIN), None, Some(i64::MAX)][row % 3]), true),
    ])
    .unwrap();
    for batch_rows in [1_000, 8_192, ROWS] {
        let columns = round_trip(&rows, batch_rows);
        let bounds = |at: usize| match columns[at].statistics() {
            Some(Statistics::Int64(it)) => {
                (it.min_opt().copied(), it.max_opt().copied(), it.null_count_opt())
            }
            _ => (None, None, None),
        };
        assert_eq!(bounds(2), (None, None, Some(ROWS as u64)));
        assert_eq!(bounds(3), (Some(0), Some(3), Some(0)));
        assert_eq!(bounds(7), (Some(i64::MIN), Some(i64::MAX), Some(23_333)));
        assert!(has_encoding(&columns[6], Encoding::DELTA_BINARY_PACKED));
        assert!(columns[4].dictionary_page_offset().is_some());
        assert!(has_encoding(&columns[5], Encoding::RLE_DICTIONARY));
    }
}

#[test]
fn a_full_dictionary_is_left_and_kept() {
    // Each value is new, but the sample has few.
    let value = |row: usize| scattered(if row < 20_000 { row % 7 } else { row });
    let text = |row: usize| format!("a text of some length {}", value(row));
    let integers: ArrayRef = Arc::new((0..400_000).map(value).map(Some).collect::<Int64Array>());
    let texts: ArrayRef = Arc::new((0..400_000).map(text).map(Some).collect::<StringViewArray>());
    let rows = RecordBatch::try_from_iter([("n", integers), ("text", texts)]).unwrap();
    let columns = round_trip(&rows, 8_192);
    assert!(has_encoding(&columns[0], Encoding::RLE_DICTIONARY));
    assert!(has_encoding(&columns[0], Encoding::DELTA_BINARY_PACKED));
    assert!(has_encoding(&columns[1], Encoding::RLE_DICTIONARY));
    assert!(has_encoding(&columns[1], Encoding::PLAIN));
}

#[test]
fn floating_point_numbers_are_read_back() {
    const ROWS: usize = 200_000;
    let column = |of: &dyn Fn(usize) -> Option<f64>| -> ArrayRef {
        Arc::new((0..ROWS).map(of).collect::<Float64Array>())
    };
    let rows = RecordBatch::try_from_iter_with_nullable([
        ("few", column(&|row| (row % 7 > 0).then_some((row % 5) as f64 / 4.0)), true),
        ("many", column(&|row| Some(row as f64 * 0.37)), false),
        ("zeros", column(&|row| Some([0.0, -0.0][row % 2])), true),
        ("zero", column(&|_| Some(0.0)), true),
        ("infinite", column(&|row| Some([f64::NEG_INFINITY, 1.0, f64::INFINITY][row % 3])), true),
    ])
    .unwrap();
    let columns = round_trip(&rows, 8_192);
    let bounds = |at: usize| match columns[at].statistics() {
        Some(Statistics::Double(it)) => it.min_opt().copied().zip(it.max_opt().copied()),
        _ => None,
    };
    assert_eq!(bounds(0), Some((0.0, 1.0)));
    assert_eq!(bounds(4), Some((f64::NEG_INFINITY, f64::INFINITY)));
    for at in [2, 3] {
        let (least, greatest) = bounds(at).unwrap();
        assert_eq!((least.to_bits(), greatest.to_bits()), ((-0.0_f64).to_bits(), 0), "{at}");
    }
    assert!(has_encoding(&columns[1], Encoding::RLE_DICTIONARY));
    assert!(has_encoding(&columns[1], Encoding::PLAIN));
}

#[test]
fn nan_is_in_no_bounds() {
    let page = |value: f64| vec![Some(value); PAGE_ROWS];
    let values = |pages: [f64; 2]| -> ArrayRef {
        Arc::new(pages.into_iter().flat_map(page).collect::<Float64Array>())
    };
    let column = descriptor("x", DataType::Float64);
    let finished = |rows: ArrayRef| finished(&column, &rows);
    let bounds = |close: &ColumnCloseResult| match close.metadata.statistics() {
        Some(Statistics::Double(it)) => it.min_opt().copied().zip(it.max_opt().copied()),
        _ => None,
    };
    // No page of NaN has bounds, and an index has bounds for each page.
    let close = finished(values([f64::NAN, 2.5]));
    assert_eq!(bounds(&close), Some((2.5, 2.5)));
    assert!(close.column_index.is_none());
    let close = finished(values([f64::NAN; 2]));
    assert!(bounds(&close).is_none() && close.column_index.is_none());
    let close = finished(values([1.0, 2.5]));
    assert_eq!(bounds(&close), Some((1.0, 2.5)));
    assert!(close.column_index.is_some());
}

#[test]
fn texts_are_read_back() {
    const ROWS: usize = 40_000;
    let column = |of: &dyn Fn(usize) -> Option<String>| -> ArrayRef {
        Arc::new((0..ROWS).map(of).collect::<StringViewArray>())
    };
    let long = |row: usize| "é".repeat(row % 50 + 1);
    let rows = RecordBatch::try_from_iter_with_nullable([
        ("short", column(&|row| Some(format!("t{}", row % 9))), true),
        ("long", column(&|row| (row % 4 > 0).then(|| long(row))), true),
        ("none", column(&|_| None), true),
        ("empty", column(&|_| Some(String::new())), false),
        ("distinct", column(&|row| Some(format!("{row} of many texts"))), true),
    ])
    .unwrap();
    for batch_rows in [8_192, ROWS] {
        let columns = round_trip(&rows, batch_rows);
        let bounds = |at: usize| match columns[at].statistics() {
            Some(Statistics::ByteArray(it)) => {
                let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
                (it.min_bytes_opt().map(text), it.max_bytes_opt().map(text), it.max_is_exact())
            }
            _ => (None, None, false),
        };
        assert_eq!(bounds(0), (Some("t0".to_owned()), Some("t8".to_owned()), true));
        // 100 bytes, of which the bound has 64.
        let greatest = format!("{}ê", "é".repeat(31));
        assert_eq!(bounds(1), (Some("é".to_owned()), Some(greatest), false));
        assert_eq!(bounds(2), (None, None, false));
        assert_eq!(bounds(3), (Some(String::new()), Some(String::new()), true));
    }
}

#[test]
fn texts_of_other_buffers_are_not_those_of_the_same_views() {
    // The views of both batches are equal: long texts with the same start at the same place.
    let schema = Arc::new(Schema::new(vec![Field::new("text", DataType::Utf8View, false)]));
    let batch = |text: &str| {
        let column: ArrayRef = Arc::new(StringViewArray::from(vec![text; 3]));
        RecordBatch::try_new(Arc::clone(&schema), vec![column]).unwrap()
    };
    let (one, other) = (batch("the start is the same, one"), batch("the start is the same, two"));
    let file = File::default();
    let mut writer = writer(Format::Parquet, Box::new(file.clone()), OutputOptions::default());
    writer.begin(&schema).unwrap();
    writer.write(&one).unwrap();
    writer.write(&other).unwrap();
    writer.end().unwrap();
    let bytes = Bytes::from(std::mem::take(&mut *file.0.lock().unwrap()));
    let mut read = ParquetRecordBatchReaderBuilder::try_new(bytes).unwrap().build().unwrap();
    let both = concat_batches(&schema, [&one, &other]).unwrap();
    assert_eq!(read.next().unwrap().unwrap().columns(), both.columns());
}

fn descriptor(name: &str, data_type: DataType) -> ColumnDescPtr {
    let schema = Schema::new(vec![Field::new(name, data_type, true)]);
    ArrowSchemaConverter::new().convert(&schema).unwrap().column(0)
}

/// What is stated of a column with a dictionary.
fn finished(column: &ColumnDescPtr, rows: &ArrayRef) -> ColumnCloseResult {
    let compressors = Compressors::new();
    let mut chunk = column_chunk(column, rows.data_type(), true).unwrap();
    chunk.write(rows, &compressors).unwrap();
    chunk.finish(&compressors).unwrap().close
}

#[test]
fn pages_have_an_index_and_an_end() {
    let rising: ArrayRef = Arc::new(Int64Array::from_iter_values(0..100_000));
    let close = finished(&descriptor("n", DataType::Int64), &rising);
    let index = close.column_index.unwrap();
    assert_eq!(index.get_boundary_order(), Some(BoundaryOrder::ASCENDING));
    let ColumnIndexMetaData::INT64(index) = index else { panic!("not of integers") };
    assert_eq!(index.min_value(1), Some(&32_768));
    assert_eq!(index.max_value(3), Some(&99_999));
    let pages = close.offset_index.unwrap().page_locations;
    let starts: Vec<i64> = pages.iter().map(|page| page.first_row_index).collect();
    assert_eq!(starts, [0, 32_768, 65_536, 98_304]);

    // Texts of 6 MB each, of which a page has 16 MB at most.
    let text = |row: usize| row.to_string().repeat(6 << 20);
    let long: ArrayRef = Arc::new((0..5).map(|row| Some(text(row))).collect::<StringViewArray>());
    let close = finished(&descriptor("text", DataType::Utf8View), &long);
    let pages = close.offset_index.unwrap().page_locations;
    let starts: Vec<i64> = pages.iter().map(|page| page.first_row_index).collect();
    // The dictionary is full after the first page, and others have no more than one such text.
    assert_eq!(starts, [0, 2, 3, 4]);
}

#[test]
fn the_order_of_pages_is_that_of_their_short_bounds() {
    let page = |end: &str| vec![Some(format!("{}{end}", "x".repeat(63))); PAGE_ROWS];
    let order = |ends: [&str; 2]| {
        let pages = ends.into_iter().flat_map(page);
        let texts: ArrayRef = Arc::new(pages.collect::<StringViewArray>());
        let close = finished(&descriptor("text", DataType::Utf8View), &texts);
        close.column_index.unwrap().get_boundary_order()
    };
    assert_eq!(order(["a", "b"]), Some(BoundaryOrder::ASCENDING));
    assert_eq!(order(["b", "a"]), Some(BoundaryOrder::DESCENDING));
    // The second text has 65 bytes. It is greater, and its least bound is less: 63 bytes.
    assert_eq!(order(["a", "é"]), Some(BoundaryOrder::UNORDERED));
}
