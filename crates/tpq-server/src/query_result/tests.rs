use std::sync::Arc;
use std::time::Duration;

use datafusion::arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Decimal128Array, Float64Array, Int32Array, Int64Array,
    ListArray, NullArray, StringArray, StringViewArray, UInt64Array,
};
use datafusion::arrow::datatypes::Int64Type;
use datafusion::arrow::error::ArrowError;
use tpq_proto::message::query_result::cells_batch::CellType;

use super::*;

fn rows<const N: usize>(columns: [ArrayRef; N]) -> Result<RecordBatch, ArrowError> {
    let named = columns.into_iter().enumerate().map(|(index, column)| (index.to_string(), column));
    RecordBatch::try_from_iter_with_nullable(named.map(|(name, column)| (name, column, true)))
}

fn decoded(messages: &[Bytes]) -> QueryResult {
    let all = messages.concat();
    QueryResult::decode(all.as_slice()).expect("it is a QueryResult")
}

fn encoded(rows: &RecordBatch) -> QueryResult {
    let mut encoder = BatchEncoder::default();
    let mut messages = encoder.add(rows).expect("every type is known");
    messages.push(encoder.finish());
    decoded(&messages)
}

/// A row with each type of cell, byte by byte.
#[test]
fn a_row_has_these_bytes() -> Result<(), ArrowError> {
    let rows = rows([
        Arc::new(NullArray::new(1)),
        Arc::new(Int64Array::from(vec![300])),
        Arc::new(Float64Array::from(vec![1.0])),
        Arc::new(StringViewArray::from(vec!["ab"])),
        Arc::new(BinaryArray::from(vec![&b"\x00\xff"[..]])),
    ])?;
    let mut encoder = BatchEncoder::default();
    assert!(encoder.add(&rows)?.is_empty());
    let expected: &[u8] = &[
        0x1a, 32, // batch
        0x0a, 5, 1, 2, 3, 4, 5, // cells: NULL, VARINT, FLOAT64, STRING, BLOB
        0x12, 2, 0xac, 0x02, // varint_cells: 300
        0x1a, 8, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, // float64_cells: 1.0
        0x2a, 3, b'a', b'b', 0, // string_cells
        0x22, 2, 0x00, 0xff, // blob_cells
        0x30, 1, // is_last_batch
    ];
    assert_eq!(encoder.finish(), expected);
    Ok(())
}

#[test]
fn an_empty_result_has_names_and_a_last_batch() -> Result<(), ArrowError> {
    let schema = rows([Arc::new(Int64Array::from(Vec::<i64>::new())) as ArrayRef])?.schema();
    let counts = StatementCounts { statements: 2, with_output: 1, last_sql: "SELECT 1".into() };
    let first = counts.first_message(Some(&schema));
    let last = last_message(BatchEncoder::default(), Duration::from_millis(2));
    let result = decoded(&[first.encode_to_vec().into(), last]);
    assert_eq!(result.column_names, ["0"]);
    assert_eq!((result.statement_count, result.statement_with_output_count), (Some(2), Some(1)));
    assert_eq!(result.last_statement_sql.as_deref(), Some("SELECT 1"));
    assert_eq!(result.elapsed_time_ms, Some(2.0));
    let last = CellsBatch { is_last_batch: Some(true), ..CellsBatch::default() };
    assert_eq!(result.batch, [last]);
    Ok(())
}

#[test]
fn integers_keep_all_bits() -> Result<(), ArrowError> {
    let values = vec![i64::MIN, -1, 0, 127, 128, i64::MAX];
    let batch = encoded(&rows([Arc::new(Int64Array::from(values.clone())) as ArrayRef])?).batch;
    assert_eq!(batch[0].varint_cells, values);
    Ok(())
}

#[test]
fn a_nul_ends_a_text() -> Result<(), ArrowError> {
    let texts = StringArray::from(vec!["a\0b", "", "\0", "ä"]);
    let batch = encoded(&rows([Arc::new(texts) as ArrayRef])?).batch;
    assert_eq!(batch[0].string_cells(), "a\0\0\0ä\0");
    assert_eq!(batch[0].cells, [CellType::CellString as i32; 4]);
    Ok(())
}

/// Types that SQLite does not have become those that it has.
#[test]
fn other_types_become_numbers_or_texts() -> Result<(), ArrowError> {
    let list = ListArray::from_iter_primitive::<Int64Type, _, _>([Some(vec![Some(1), None])]);
    let batch = &encoded(&rows([
        Arc::new(BooleanArray::from(vec![true])),
        Arc::new(Int32Array::from(vec![-7])),
        Arc::new(UInt64Array::from(vec![u64::MAX])),
        Arc::new(Decimal128Array::from(vec![125]).with_precision_and_scale(5, 1)?),
        Arc::new(list),
    ])?)
    .batch[0];
    assert_eq!(batch.varint_cells, [1, -7]);
    assert_eq!(batch.float64_cells, [u64::MAX as f64, 12.5]);
    assert_eq!(batch.string_cells(), "[1, ]\0");
    Ok(())
}

/// Batches are split between rows, by cells and by bytes.
#[test]
fn batches_hold_whole_rows() -> Result<(), ArrowError> {
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1; 40_000]));
    let three = rows([Arc::clone(&numbers), Arc::clone(&numbers), numbers])?;
    let result = encoded(&three);
    assert_eq!(result.batch.iter().map(|batch| batch.cells.len()).sum::<usize>(), 120_000);
    for batch in &result.batch {
        assert!(batch.cells.len() <= MAX_CELLS && batch.cells.len() % 3 == 0);
    }
    assert_eq!(result.batch.iter().filter(|batch| batch.is_last_batch()).count(), 1);
    assert!(result.batch.last().is_some_and(CellsBatch::is_last_batch));

    let long = "x".repeat(100_000);
    let texts = StringArray::from(vec![long.as_str(); 5]);
    let result = encoded(&rows([Arc::new(texts) as ArrayRef])?);
    let lengths: Vec<usize> = result.batch.iter().map(|batch| batch.cells.len()).collect();
    assert_eq!(lengths, [2, 2, 1]);
    Ok(())
}

#[test]
fn an_error_is_the_last_batch() {
    let message = error_message("no such table");
    assert_eq!(message.error(), "no such table");
    assert!(message.batch.last().is_some_and(CellsBatch::is_last_batch));
}
