//! Runs a query the way a user of the library does, and gives cells as text.

#![allow(dead_code, reason = "each of the tests uses a part of it")]

use datafusion::arrow::array::{Array, ArrayRef, RecordBatch};
use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use tpq::{ResultSet, SqlError, Trace};

/// The type of the cells of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Integer,
    Float,
    Text,
    Other,
}

/// A result set as text; a NULL is `None`.
#[derive(Debug, Default)]
pub struct Rows {
    pub names: Vec<String>,
    pub kinds: Vec<Kind>,
    pub cells: Vec<Vec<Option<String>>>,
}

/// Runs one statement, which may give no rows.
pub async fn run(trace: &Trace, sql: &str) -> Result<Option<Rows>, String> {
    let session = trace.session();
    // With what is proposed instead, as a person would read it.
    let said = |error: SqlError| error.report();
    let mut result = None;
    for statement in session.statements(sql).map_err(said)? {
        result = session.run(&statement).await.map_err(said)?;
    }
    match result {
        Some(result) => read(result).await.map(Some),
        None => Ok(None),
    }
}

/// Runs statements, of which the last gives rows.
pub async fn query(trace: &Trace, sql: &str) -> Result<Rows, String> {
    let result = trace.session().query(sql).await.map_err(|error| error.to_string())?;
    read(result).await
}

async fn read(result: ResultSet) -> Result<Rows, String> {
    let fields = result.schema().fields();
    let mut rows = Rows {
        names: fields.iter().map(|field| field.name().clone()).collect(),
        kinds: fields.iter().map(|field| kind(field.data_type())).collect(),
        cells: Vec::new(),
    };
    for batch in result.collect().await.map_err(|error| error.to_string())? {
        append(&mut rows, &batch).map_err(|error| error.to_string())?;
    }
    Ok(rows)
}

fn append(rows: &mut Rows, batch: &RecordBatch) -> Result<(), ArrowError> {
    let options = FormatOptions::default();
    let columns: Vec<(&ArrayRef, ArrayFormatter<'_>)> = batch
        .columns()
        .iter()
        .map(|column| Ok((column, ArrayFormatter::try_new(column, &options)?)))
        .collect::<Result<_, ArrowError>>()?;
    for row in 0..batch.num_rows() {
        let cell = |(column, formatter): &(&ArrayRef, ArrayFormatter<'_>)| {
            column.is_valid(row).then(|| formatter.value(row).to_string())
        };
        rows.cells.push(columns.iter().map(cell).collect());
    }
    Ok(())
}

fn kind(data_type: &DataType) -> Kind {
    match data_type {
        DataType::Dictionary(_, values) => kind(values),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Kind::Text,
        data_type if data_type.is_integer() => Kind::Integer,
        data_type if data_type.is_floating() => Kind::Float,
        _ => Kind::Other,
    }
}
