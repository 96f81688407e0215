//! `INTEGER PRIMARY KEY` of tables from `CREATE TABLE`: a number for each row, of which no two are
//! equal. As in SQLite, a row that states none gets the next one, and rows are in its order.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Int64Array, RecordBatch};
use datafusion::arrow::compute::interleave_record_batch;
use datafusion::arrow::datatypes::Int64Type;
use datafusion::common::{Result, exec_err, internal_err};

/// The key of a table.
#[derive(Clone, Debug)]
pub(crate) struct PrimaryKey {
    /// The position of its column.
    pub column: usize,
    /// Whether a row without a number gets one.
    pub numbers_rows: bool,
}

/// What a statement does with a row that has the key of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnConflict {
    /// It is an error.
    Fail,
    /// Keeps the other row.
    Ignore,
    /// Keeps this row.
    Replace,
}

impl PrimaryKey {
    /// The rows of a table after `rows` came to `old`, in the order of the key.
    ///
    /// # Errors
    /// When two rows have one key, unless `on_conflict` decides between them, and when a row has
    /// none.
    pub(crate) fn merged(
        &self,
        table: &str,
        old: Vec<RecordBatch>,
        rows: Vec<RecordBatch>,
        on_conflict: OnConflict,
    ) -> Result<Vec<RecordBatch>> {
        let last = old.iter().rev().find_map(|batch| {
            let keys = self.of(batch).values();
            keys.last().copied()
        });
        let rows = self.numbered(table, rows, last)?;
        if self.ascend(&rows, last) {
            return Ok(old.into_iter().chain(rows).collect());
        }
        let batches: Vec<RecordBatch> = old.into_iter().chain(rows).collect();
        let kept = self.kept(table, &batches, on_conflict)?;
        let batches: Vec<&RecordBatch> = batches.iter().collect();
        Ok(vec![interleave_record_batch(&batches, &kept)?])
    }

    fn of<'a>(&self, batch: &'a RecordBatch) -> &'a Int64Array {
        batch.column(self.column).as_primitive::<Int64Type>()
    }

    /// Gives numbers to rows without one: one more than the greatest before them. `last` is the
    /// greatest of the table.
    fn numbered(
        &self,
        table: &str,
        rows: Vec<RecordBatch>,
        mut last: Option<i64>,
    ) -> Result<Vec<RecordBatch>> {
        let mut numbered = Vec::with_capacity(rows.len());
        for batch in rows {
            let keys = self.of(&batch);
            if keys.null_count() > 0 && !self.numbers_rows {
                let column = batch.schema().field(self.column).name().clone();
                return exec_err!("`{column}` is the primary key of `{table}` and cannot be NULL");
            }
            let mut given = Vec::with_capacity(keys.len());
            for key in keys {
                let Some(key) = key.or_else(|| last.map_or(Some(1), |last| last.checked_add(1)))
                else {
                    return exec_err!("no number is left for another row of `{table}`");
                };
                last = last.max(Some(key));
                given.push(key);
            }
            if keys.null_count() == 0 {
                numbered.push(batch);
                continue;
            }
            let mut columns = batch.columns().to_vec();
            let Some(column) = columns.get_mut(self.column) else {
                return internal_err!("`{table}` has no column for its key");
            };
            *column = Arc::new(Int64Array::from(given)) as ArrayRef;
            numbered.push(RecordBatch::try_new(batch.schema(), columns)?);
        }
        Ok(numbered)
    }

    /// Whether each key is greater than the one before it, the first than `last`.
    fn ascend(&self, rows: &[RecordBatch], mut last: Option<i64>) -> bool {
        let mut keys = rows.iter().flat_map(|batch| self.of(batch).values());
        keys.all(|&key| last.replace(key) < Some(key))
    }

    /// The rows to keep, in the order of the key: the batch of each, and its position there.
    fn kept(
        &self,
        table: &str,
        batches: &[RecordBatch],
        on_conflict: OnConflict,
    ) -> Result<Vec<(usize, usize)>> {
        let mut rows: Vec<(i64, (usize, usize))> = Vec::new();
        for (index, batch) in batches.iter().enumerate() {
            let keys = self.of(batch).values().iter().copied();
            rows.extend(keys.zip((0..).map(|row| (index, row))));
        }
        // Those of one key stay in the order in which they came.
        rows.sort_by_key(|(key, _)| *key);
        let mut kept: Vec<(i64, (usize, usize))> = Vec::with_capacity(rows.len());
        for row in rows {
            let Some(before) = kept.last_mut().filter(|before| before.0 == row.0) else {
                kept.push(row);
                continue;
            };
            match on_conflict {
                OnConflict::Ignore => {}
                OnConflict::Replace => *before = row,
                OnConflict::Fail => {
                    let batch = &batches[row.1.0];
                    let column = batch.schema().field(self.column).name().clone();
                    return exec_err!(
                        "`{table}` has a row with {column} {} already: it is the primary key",
                        row.0
                    );
                }
            }
        }
        Ok(kept.into_iter().map(|(_, row)| row).collect())
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::StringViewArray;
    use datafusion::arrow::datatypes::{DataType, Field, Schema};

    use super::*;

    fn batch(rows: &[(Option<i64>, &str)]) -> RecordBatch {
        let schema = Schema::new(vec![
            Field::new("id", DataType::Int64, true),
            Field::new("name", DataType::Utf8View, true),
        ]);
        let keys: Int64Array = rows.iter().map(|(key, _)| *key).collect();
        let names = StringViewArray::from_iter_values(rows.iter().map(|(_, name)| *name));
        RecordBatch::try_new(Arc::new(schema), vec![Arc::new(keys), Arc::new(names)]).unwrap()
    }

    fn merged(
        old: &[(Option<i64>, &str)],
        rows: &[(Option<i64>, &str)],
        on_conflict: OnConflict,
    ) -> String {
        let key = PrimaryKey { column: 0, numbers_rows: true };
        let batches = match key.merged("t", vec![batch(old)], vec![batch(rows)], on_conflict) {
            Ok(batches) => batches,
            Err(error) => return error.strip_backtrace(),
        };
        let lines = batches.iter().flat_map(|batch| {
            let names = batch.column(1).as_string_view();
            let keys = key.of(batch).values();
            keys.iter().zip(names).map(|(key, name)| format!("{key}{}", name.unwrap()))
        });
        lines.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn rows_are_numbered_from_the_greatest_key() {
        assert_eq!(merged(&[], &[(None, "a"), (None, "b")], OnConflict::Fail), "1a 2b");
        let rows = [(None, "b"), (Some(9), "c"), (None, "d")];
        assert_eq!(merged(&[(Some(-7), "a")], &rows, OnConflict::Fail), "-7a -6b 9c 10d");
        // A row before the others moves there, and the next number does not come from it.
        let rows = [(Some(2), "b"), (None, "c")];
        assert_eq!(merged(&[(Some(5), "a")], &rows, OnConflict::Fail), "2b 5a 6c");
        let last = [(Some(i64::MAX), "a")];
        let error = merged(&last, &[(None, "b")], OnConflict::Fail);
        assert!(error.contains("no number is left for another row of `t`"), "{error}");
    }

    #[test]
    fn equal_keys_are_an_error_or_decided() {
        let old = [(Some(1), "a"), (Some(2), "b")];
        let rows = [(Some(2), "c"), (Some(3), "d"), (Some(3), "e")];
        let error = merged(&old, &rows, OnConflict::Fail);
        assert!(error.contains("`t` has a row with id 2 already"), "{error}");
        assert_eq!(merged(&old, &rows, OnConflict::Ignore), "1a 2b 3d");
        assert_eq!(merged(&old, &rows, OnConflict::Replace), "1a 2c 3e");
        let error = merged(&[], &[(Some(4), "a"), (Some(4), "b")], OnConflict::Fail);
        assert!(error.contains("with id 4 already"), "{error}");
    }
}
