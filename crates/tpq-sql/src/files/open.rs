//! Opens files as tables.

use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::TableProvider;
use datafusion::common::{Column, Result, plan_err};
use datafusion::datasource::file_format::FileFormat;
use datafusion::datasource::file_format::csv::CsvFormat;
use datafusion::datasource::file_format::json::JsonFormat;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::datasource::{ViewTable, provider_as_source};
use datafusion::execution::SessionState;
use datafusion::logical_expr::{
    Expr, LogicalPlan, LogicalPlanBuilder, Partitioning, TableSource, cast,
};

use super::access::FileCall;
use super::format::{Reader, extension};
use super::paths::{cannot_read, expand};
use crate::cancel::CancelToken;
use crate::errors::{Names, SqlError, SqlErrorKind, translate};
use crate::perfetto_sql::Text;

/// The number of rows from which the types of columns are derived, in formats without types.
const TYPED_ROWS: usize = 20_000;

/// The name of a file's table within its view.
const FILE: &str = "file";

/// Opens the files of a call. Their columns get names in lower case and the types of SQL.
///
/// # Errors
/// When there is no such file, or it is not of the format of the function.
pub(super) async fn open(
    call: &FileCall,
    state: &SessionState,
) -> Result<Arc<dyn TableSource>, SqlError> {
    let files = expand(&call.paths)?;
    let first = files.first().map(PathBuf::as_path).unwrap_or(Path::new(""));
    let opened = table(call.reader, &files, state).await.and_then(view);
    opened.map_err(|error| {
        let reason = translate(error, &Text::none(), &Names::none());
        match reason.kind() {
            SqlErrorKind::Cancelled | SqlErrorKind::OutOfMemory => reason,
            _ => cannot_read(first, &reason),
        }
    })
}

/// The table of all files, with their own names and types of columns.
async fn table(
    reader: Reader,
    files: &[PathBuf],
    state: &SessionState,
) -> Result<Arc<dyn TableProvider>> {
    let Some(first) = files.first() else { return plan_err!("there is no file") };
    let is_array = reader == Reader::Json && is_json_array(first)?;
    let options = ListingOptions::new(format(reader, first, is_array)).with_file_extension("");
    let urls = files.iter().map(|file| url(file)).collect::<Result<Vec<_>>>()?;
    let mut schemas = Vec::with_capacity(urls.len());
    for url in &urls {
        CancelToken::of(state.config_options()).check()?;
        let schema = options.infer_schema(state, url).await?;
        schemas.push(without_metadata(&schema));
    }
    let schema: SchemaRef = Arc::new(Schema::try_merge(schemas)?);
    let Some(column) = schema.fields().first() else { return plan_err!("the file has no columns") };
    // DataFusion splits files between threads, but not those with a JSON array: all files of a
    // declared partition are read one after the other.
    let one_part = Partitioning::Hash(vec![Expr::Column(Column::from_name(column.name()))], 1);
    let options = options.with_output_partitioning(is_array.then_some(one_part));
    let config = ListingTableConfig::new_with_multi_paths(urls)
        .with_listing_options(options)
        .with_schema(schema);
    Ok(Arc::new(ListingTable::try_new(config)?))
}

fn format(reader: Reader, file: &Path, is_array: bool) -> Arc<dyn FileFormat> {
    match reader {
        Reader::Parquet => Arc::new(ParquetFormat::default()),
        Reader::Csv => {
            let has_tabs =
                file.to_str().and_then(extension).is_some_and(|extension| extension == "tsv");
            let csv = CsvFormat::default()
                .with_has_header(true)
                .with_delimiter(if has_tabs { b'\t' } else { b',' })
                .with_newlines_in_values(true)
                .with_schema_infer_max_rec(TYPED_ROWS);
            Arc::new(csv)
        }
        Reader::Json => {
            let json = JsonFormat::default()
                .with_newline_delimited(!is_array)
                .with_schema_infer_max_rec(TYPED_ROWS);
            Arc::new(json)
        }
    }
}

/// Whether a file has one array of objects, and not an object in each line.
fn is_json_array(file: &Path) -> Result<bool> {
    let mut start = [0; 512];
    let read = std::fs::File::open(file)?.read(&mut start)?;
    let is_first = |byte: &&u8| !byte.is_ascii_whitespace();
    Ok(start.get(..read).unwrap_or_default().iter().find(is_first) == Some(&b'['))
}

/// The address of a file. A path that looks like a pattern is written as a URL, in which no
/// character has a special meaning.
fn url(file: &Path) -> Result<ListingTableUrl> {
    let Some(path) = file.to_str() else {
        return plan_err!("the name of the file is not Unicode");
    };
    if !path.contains(['*', '?', '[']) {
        return ListingTableUrl::parse(path);
    }
    let mut url = String::from("file://");
    for byte in path.bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' => url.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => url.push(char::from(byte)),
            _ => url.push_str(&format!("%{byte:02X}")),
        }
    }
    ListingTableUrl::parse(url)
}

/// A schema without metadata, which may differ between files of the same columns.
fn without_metadata(schema: &Schema) -> Schema {
    let field = |field: &Arc<Field>| field.as_ref().clone().with_metadata(HashMap::new());
    Schema::new(schema.fields().iter().map(field).collect::<Vec<_>>())
}

/// A view of a table with names in lower case and the types of SQL.
fn view(table: Arc<dyn TableProvider>) -> Result<Arc<dyn TableSource>> {
    let schema = table.schema();
    let mut taken = HashSet::new();
    let columns = schema.fields().iter().map(|field| {
        let column = Expr::Column(Column::new(Some(FILE), field.name().as_str()));
        let column = match sql_type(field.data_type()) {
            Some(data_type) => cast(column, data_type),
            None => column,
        };
        column.alias(unique(field.name().to_lowercase(), &mut taken))
    });
    let columns: Vec<Expr> = columns.collect();
    let scan = LogicalPlanBuilder::scan(FILE, provider_as_source(table), None)?;
    let plan: LogicalPlan = scan.project(columns)?.build()?;
    Ok(provider_as_source(Arc::new(ViewTable::new(plan, None))))
}

/// The name, or the name with a number if another column has it.
fn unique(name: String, taken: &mut HashSet<String>) -> String {
    let mut unique = name.clone();
    let mut count = 0;
    while !taken.insert(unique.clone()) {
        count += 1;
        unique = format!("{name}_{count}");
    }
    unique
}

/// The type of SQL for a type that only files have: all integers have one width, all reals too.
fn sql_type(data_type: &DataType) -> Option<DataType> {
    use DataType::*;
    /// The most digits that always fit an integer.
    const DIGITS: u8 = 18;
    Some(match data_type {
        Boolean | Int8 | Int16 | Int32 | UInt8 | UInt16 | UInt32 | UInt64 => Int64,
        Decimal32(digits, 0) | Decimal64(digits, 0) | Decimal128(digits, 0)
            if *digits <= DIGITS =>
        {
            Int64
        }
        Float16 | Float32 | Decimal32(..) | Decimal64(..) | Decimal128(..) | Decimal256(..) => {
            Float64
        }
        Utf8 | LargeUtf8 | Null => Utf8View,
        Binary | LargeBinary => BinaryView,
        Dictionary(_, value) => sql_type(value).unwrap_or_else(|| value.as_ref().clone()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_files_become_types_of_sql() {
        assert_eq!(sql_type(&DataType::Int32), Some(DataType::Int64));
        assert_eq!(sql_type(&DataType::Int64), None);
        assert_eq!(sql_type(&DataType::Decimal128(10, 0)), Some(DataType::Int64));
        assert_eq!(sql_type(&DataType::Decimal128(30, 0)), Some(DataType::Float64));
        assert_eq!(sql_type(&DataType::Decimal128(10, 2)), Some(DataType::Float64));
        let dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        assert_eq!(sql_type(&dictionary), Some(DataType::Utf8View));
        assert_eq!(sql_type(&DataType::Date32), None);
    }

    #[test]
    fn columns_of_one_name_are_numbered() {
        let mut taken = HashSet::new();
        let names = ["a", "b", "a", "a_1", "a"].map(|name| unique(name.to_owned(), &mut taken));
        assert_eq!(names, ["a", "b", "a_1", "a_1_1", "a_2"]);
    }

    #[test]
    fn a_name_like_a_pattern_is_an_address() -> Result<()> {
        let address = url(Path::new("/tmp/x[1] #.csv"))?;
        assert_eq!(address.as_str(), "file:///tmp/x%5B1%5D%20%23.csv");
        assert_eq!(url(Path::new("/tmp/a b.csv"))?.as_str(), "file:///tmp/a%20b.csv");
        Ok(())
    }
}
