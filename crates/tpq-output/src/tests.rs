//! Every format on the same difficult values.

use std::io::Write;
use std::sync::{Arc, Mutex};

use datafusion::arrow::array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, ListArray, NullArray, RecordBatch,
    StringViewArray,
};
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::datatypes::Int64Type;
use datafusion::arrow::ipc::reader::FileReader;
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::{Format, OutputError, OutputOptions, ResultWriter, writer};

#[derive(Clone, Default)]
struct Bytes(Arc<Mutex<Vec<u8>>>);

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Bytes {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    )
    .unwrap()
}

fn difficult_values() -> RecordBatch {
    batch(vec![
        ("n", Arc::new(Int64Array::from(vec![Some(1), None, Some(-3)]))),
        ("x", Arc::new(Float64Array::from(vec![0.1, 2.0, f64::INFINITY]))),
        ("b", Arc::new(BooleanArray::from(vec![true, false, true]))),
        (
            "text, \"quoted\"",
            Arc::new(StringViewArray::from(vec![Some("a,\"b\"\n|c\td"), Some(""), None])),
        ),
        ("nothing", Arc::new(NullArray::new(3))),
    ])
}

fn write(writer: &mut dyn ResultWriter, batch: &RecordBatch) -> Result<(), OutputError> {
    writer.begin(&batch.schema())?;
    writer.write(batch)?;
    writer.end()
}

fn written(format: Format, options: OutputOptions, batches: &[RecordBatch]) -> String {
    let bytes = Bytes::default();
    let mut writer = writer(format, Box::new(bytes.clone()), options);
    for batch in batches {
        write(writer.as_mut(), batch).unwrap();
    }
    String::from_utf8(bytes.take()).unwrap()
}

#[test]
fn text_formats() {
    let mut all = String::new();
    for &format in Format::ALL.iter().filter(|format| !format.is_binary()) {
        let text = written(format, OutputOptions::default(), &[difficult_values()]);
        all.push_str(&format!("== {format}\n{text}"));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn csv_distinguishes_null_empty_text_and_result_sets() {
    let one = |values: Vec<Option<&str>>| {
        batch(vec![("v", Arc::new(StringViewArray::from(values)) as ArrayRef)])
    };
    let sets = [one(vec![Some(""), None, Some(" ")]), one(vec![Some("[NULL]")]), one(vec![])];
    let options = OutputOptions { null: Some("[NULL]".into()), ..OutputOptions::default() };
    let text = written(Format::Csv, options, &sets);
    assert_eq!(text, "v\n\"\"\n[NULL]\n\" \"\n\nv\n\"[NULL]\"\n\nv\n");
    let options = OutputOptions { header: false, ..OutputOptions::default() };
    assert_eq!(written(Format::Csv, options, &[one(vec![None, Some("a")])]), "\"\"\na\n");
}

#[test]
fn a_table_reports_how_many_rows_are_hidden() {
    let rows = batch(vec![("v", Arc::new(Int64Array::from_iter_values(0..10)) as ArrayRef)]);
    let options = OutputOptions { max_rows: Some(2), ..OutputOptions::default() };
    let text = written(Format::Table, options, &[rows]);
    assert!(text.ends_with("(8 more rows not shown)\n"), "{text}");
}

#[test]
fn files_read_back_and_hold_one_result_set() {
    let twice = difficult_values().project(&[0, 0, 3]).unwrap();
    for format in [Format::Arrow, Format::Parquet] {
        let bytes = Bytes::default();
        let mut writer = writer(format, Box::new(bytes.clone()), OutputOptions::default());
        write(writer.as_mut(), &twice).unwrap();
        assert!(matches!(writer.begin(&twice.schema()), Err(OutputError::OneResultSet { .. })));
        let bytes = bytes.take();
        let batch = if format == Format::Arrow {
            FileReader::try_new(std::io::Cursor::new(bytes), None).unwrap().next().unwrap().unwrap()
        } else {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&bytes).unwrap();
            let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
            reader.build().unwrap().next().unwrap().unwrap()
        };
        let names: Vec<_> = batch.schema().fields().iter().map(|f| f.name().clone()).collect();
        assert_eq!(names, ["n", "n:1", "text, \"quoted\""]);
        assert_eq!(batch.columns(), twice.columns());
    }
}

#[test]
fn integers_of_parquet_files_have_the_encoding_that_suits_them() {
    const ROWS: i64 = 40_000;
    let column = |of: fn(i64) -> i64| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values((0..ROWS).map(of)))
    };
    // Four values, and values of which no two are equal.
    let rows = batch(vec![
        ("cpu", column(|row| row * 7 % 4)),
        ("dur", column(|row| row * 7_919 % 1_000_003)),
    ]);
    let bytes = Bytes::default();
    let mut writer = writer(Format::Parquet, Box::new(bytes.clone()), OutputOptions::default());
    writer.begin(&rows.schema()).unwrap();
    // The first rows are kept, until there are enough to look at.
    for start in [0, 10_000, 20_000, 30_000] {
        writer.write(&rows.slice(start, 10_000)).unwrap();
    }
    writer.end().unwrap();
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&bytes.take()).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let group = reader.metadata().row_group(0);
    let has_dictionary = |at: usize| group.column(at).dictionary_page_offset().is_some();
    assert_eq!((has_dictionary(0), has_dictionary(1)), (true, false));
    let read = reader.with_batch_size(ROWS as usize).build().unwrap().next().unwrap().unwrap();
    assert_eq!(read.columns(), rows.columns());
}

#[test]
fn parquet_files_are_the_same_on_any_number_of_threads() {
    // More rows than a row group and than what is collected, with nothing, lists and texts.
    const ROWS: usize = 600_000;
    let list = |row: usize| Some([Some(row as i64), None].into_iter().take(row % 3));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(Int64Array::from_iter_values(0..ROWS as i64))),
        (
            "n",
            Arc::new(
                (0..ROWS)
                    .map(|row| (row % 5 > 0).then_some(row as i64 * 7))
                    .collect::<Int64Array>(),
            ),
        ),
        (
            "text",
            Arc::new(
                (0..ROWS)
                    .map(|row| Some(format!("text {}", row % 1_000)))
                    .collect::<StringViewArray>(),
            ),
        ),
        ("list", Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>((0..ROWS).map(list)))),
    ];
    let rows = batch(columns);
    let written = |threads: usize, batch_rows: usize, row_group_bytes: usize| {
        let bytes = Bytes::default();
        let options = OutputOptions { threads, row_group_bytes, ..OutputOptions::default() };
        let mut writer = writer(Format::Parquet, Box::new(bytes.clone()), options);
        writer.begin(&rows.schema()).unwrap();
        for start in (0..ROWS).step_by(batch_rows) {
            writer.write(&rows.slice(start, batch_rows.min(ROWS - start))).unwrap();
        }
        writer.end().unwrap();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes.take()).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        let groups = reader.metadata().row_groups().iter();
        let groups: Vec<i64> = groups.map(|group| group.num_rows()).collect();
        let read = reader.with_batch_size(ROWS).build().unwrap();
        let read: Vec<RecordBatch> = read.map(Result::unwrap).collect();
        assert_eq!(concat_batches(&read[0].schema(), &read).unwrap().columns(), rows.columns());
        groups
    };
    for (threads, batch_rows) in [(1, 8_192), (2, 8_192), (3, 100_000), (8, ROWS), (2, 1_000)] {
        assert_eq!(written(threads, batch_rows, 16 << 20), [524_288, 75_712], "{threads}");
    }
    // A row takes some bytes: row groups of 1 MB hold far fewer rows.
    let groups = written(2, 8_192, 1 << 20);
    assert!(groups.len() >= 3 && groups.iter().all(|rows| *rows < 262_144), "{groups:?}");
}
