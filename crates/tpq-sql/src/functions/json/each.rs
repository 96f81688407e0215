//! `json_each(json[, path])` and `json_tree(json[, path])`: the elements of an array or the members
//! of an object as the rows of a table; with `json_tree` the value itself and all within it.
//!
//! A column has one type. Where a statement holds the JSON text, `key`, `value` and `atom` have the
//! type that all their values have. Other values are texts, which comparisons with numbers read as
//! numbers, like those of `json_extract`.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::{Result, internal_err};

use super::super::table_function::{
    CallArgument, CalledRows, PendingCalls, RowParts, TableFunction,
};
use super::super::value::{Builder, Column, Value};
use super::function::Output;
use super::scan::{Kind, Scan, Scanner, sql_value};
use super::walk::{Key, Node, Walk};

/// The maximum number of rows of a part.
const ROWS: usize = 8192;

/// A part ends with the row in which its texts reach this size, in bytes.
const BYTES: usize = 1 << 20;

const ARGUMENTS: &[(&str, DataType)] = &[("json", DataType::Null), ("path", DataType::Null)];

/// The path to the outermost value.
const ROOT: &str = "$";

const KEY: usize = 0;
const VALUE: usize = 1;
const TYPE: usize = 2;
const ATOM: usize = 3;
const ID: usize = 4;
const PARENT: usize = 5;
const FULLKEY: usize = 6;

/// The table functions of this family.
pub(in super::super) fn table() -> Vec<Arc<dyn TableFunction>> {
    let table = |deep| -> Arc<dyn TableFunction> {
        Arc::new(JsonTable { deep, types: ValueTypes::default() })
    };
    vec![table(false), table(true)]
}

/// `json_each` or `json_tree`.
#[derive(Clone, Debug)]
struct JsonTable {
    /// Whether rows are made of what is within elements, too.
    deep: bool,
    types: ValueTypes,
}

impl TableFunction for JsonTable {
    fn name(&self) -> &str {
        if self.deep { "json_tree" } else { "json_each" }
    }

    fn arguments(&self) -> &[(&'static str, DataType)] {
        ARGUMENTS
    }

    fn least_arguments(&self) -> usize {
        1
    }

    fn for_call(&self, args: &[CallArgument]) -> Option<Arc<dyn TableFunction>> {
        let types = ValueTypes::of_call(args, self.deep)?;
        Some(Arc::new(Self { deep: self.deep, types }))
    }

    fn schema(&self, _: &[CallArgument]) -> Result<SchemaRef> {
        Ok(self.columns())
    }

    fn begin(self: Arc<Self>, args: &[ArrayRef]) -> Result<Option<Box<dyn RowParts>>> {
        let Some(json) = args.first() else {
            return internal_err!("{}() of nothing", self.name());
        };
        Ok(Some(Box::new(Parts {
            schema: self.columns(),
            deep: self.deep,
            json: Column::from_array(json)?,
            paths: args.get(1).map(Column::from_array).transpose()?,
            walk: None,
        })))
    }
}

impl JsonTable {
    fn columns(&self) -> SchemaRef {
        let ValueTypes { key, value, atom } = self.types;
        let text = |name| Field::new(name, DataType::Utf8View, true);
        let integer = |name| Field::new(name, DataType::Int64, true);
        Arc::new(Schema::new(vec![
            key.column("key"),
            value.column("value"),
            text("type"),
            atom.column("atom"),
            integer("id"),
            integer("parent"),
            text("fullkey"),
            text("path"),
        ]))
    }
}

/// The type of all values of a column, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ValueType {
    /// There are no values but NULL.
    None,
    Integer,
    Real,
    Text,
    /// The values have several types, or are not known.
    Mixed,
}

impl ValueType {
    fn of_data_type(data_type: &DataType) -> Option<Self> {
        match data_type {
            DataType::Boolean => Some(Self::Integer),
            data_type if data_type.is_integer() => Some(Self::Integer),
            data_type if data_type.is_floating() => Some(Self::Real),
            _ => None,
        }
    }

    fn of_key(key: &Key) -> Self {
        match key {
            Key::None => Self::None,
            Key::Index(_) => Self::Integer,
            Key::Name(_) => Self::Text,
        }
    }

    fn of_value(value: &str) -> Self {
        match Kind::of(value) {
            Kind::Null => Self::None,
            Kind::True | Kind::False => Self::Integer,
            // An integer of more than 64 bits is a real.
            Kind::Integer if value.parse::<i64>().is_ok() => Self::Integer,
            Kind::Integer | Kind::Real => Self::Real,
            Kind::Text | Kind::Array | Kind::Object => Self::Text,
        }
    }

    /// The type of values of both types.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, one) | (one, Self::None) => one,
            (one, same) if one == same => one,
            (Self::Integer | Self::Real, Self::Integer | Self::Real) => Self::Real,
            _ => Self::Mixed,
        }
    }

    fn column(self, name: &str) -> Field {
        match self {
            Self::Integer => Field::new(name, DataType::Int64, true),
            Self::Real => Field::new(name, DataType::Float64, true),
            Self::Text | Self::None => Field::new(name, DataType::Utf8View, true),
            Self::Mixed => {
                Output::Extracted.mark_column(Field::new(name, DataType::Utf8View, true))
            }
        }
    }
}

/// The types of the columns that have values of JSON.
#[derive(Clone, Copy, Debug)]
struct ValueTypes {
    key: ValueType,
    value: ValueType,
    atom: ValueType,
}

impl Default for ValueTypes {
    fn default() -> Self {
        Self { key: ValueType::Mixed, value: ValueType::Mixed, atom: ValueType::Mixed }
    }
}

impl ValueTypes {
    /// The types for a call; `None` if its arguments are not known during planning, or wrong.
    fn of_call(args: &[CallArgument], deep: bool) -> Option<Self> {
        let json = args.first()?;
        let Some(text) = &json.text else {
            // A number is JSON as well.
            let value = ValueType::of_data_type(&json.data_type)?;
            return Some(Self { key: ValueType::None, value, atom: value });
        };
        let path = match args.get(1) {
            None => ROOT,
            Some(path) => path.text.as_deref()?,
        };
        let none = ValueType::None;
        let mut types = Self { key: none, value: none, atom: none };
        let Some(mut walk) = Walk::begin(text, path, deep).ok()? else { return Some(types) };
        while let Some(node) = walk.next(text).ok()? {
            let value = ValueType::of_value(node.value);
            types.key = types.key.and(ValueType::of_key(&node.key));
            types.value = types.value.and(value);
            if !is_container(node.value) {
                types.atom = types.atom.and(value);
            }
        }
        Some(types)
    }
}

fn is_container(value: &str) -> bool {
    matches!(Kind::of(value), Kind::Array | Kind::Object)
}

/// The rows of many calls.
struct Parts {
    schema: SchemaRef,
    deep: bool,
    json: Column,
    /// `None` for calls without a path.
    paths: Option<Column>,
    /// The rest of the call that the next row belongs to, if it has begun.
    walk: Option<Walk>,
}

impl RowParts for Parts {
    fn next_part(&mut self, calls: &mut PendingCalls) -> Result<CalledRows> {
        let mut rows = Rows::new(&self.schema, &calls.columns);
        while !calls.are_complete() && !rows.is_full() {
            let walk = self.walk.take();
            self.walk = self.call_rows(calls.call, walk, &mut rows)?;
            calls.call += usize::from(self.walk.is_none());
        }
        rows.finish(&self.schema, &calls.columns)
    }
}

impl Parts {
    /// Adds rows of a call, which may have begun; returns what is left of it.
    fn call_rows(&self, call: usize, begun: Option<Walk>, rows: &mut Rows) -> Result<Option<Walk>> {
        let Some(text) = self.json.value(call).as_text() else { return Ok(None) };
        let begun = match begun {
            Some(walk) => Some(walk),
            None => match self.paths.as_ref().map(|paths| paths.value(call).as_text()) {
                None => Walk::begin(&text, ROOT, self.deep)?,
                Some(None) => None,
                Some(Some(path)) => Walk::begin(&text, &path, self.deep)?,
            },
        };
        let Some(mut walk) = begun else { return Ok(None) };
        let call = u32::try_from(call).unwrap_or(u32::MAX);
        while !rows.is_full() {
            let Some(node) = walk.next(&text)? else { return Ok(None) };
            rows.push(call, &node, walk.fullkey())?;
        }
        Ok(Some(walk))
    }
}

/// The rows of a part.
struct Rows {
    calls: Vec<u32>,
    /// The requested columns with their positions.
    columns: Vec<(usize, Builder)>,
    /// The size of the texts.
    bytes: usize,
}

impl Rows {
    fn new(schema: &Schema, columns: &[usize]) -> Self {
        let builder = |&at: &usize| (at, Builder::new(schema.field(at).data_type(), 0));
        Self { calls: Vec::new(), columns: columns.iter().map(builder).collect(), bytes: 0 }
    }

    fn is_full(&self) -> bool {
        self.calls.len() >= ROWS || self.bytes >= BYTES
    }

    fn push(&mut self, call: u32, node: &Node, fullkey: &str) -> Result<()> {
        for (column, builder) in &mut self.columns {
            let value = cell(*column, node, fullkey)?;
            self.bytes += value.byte_count();
            builder.push(&value);
        }
        self.calls.push(call);
        Ok(())
    }

    fn finish(self, schema: &Schema, columns: &[usize]) -> Result<CalledRows> {
        let options = RecordBatchOptions::new().with_row_count(Some(self.calls.len()));
        let schema = Arc::new(schema.project(columns)?);
        let columns = self.columns.into_iter().map(|(_, builder)| builder.finish()).collect();
        let rows = RecordBatch::try_new_with_options(schema, columns, &options)?;
        Ok(CalledRows { calls: self.calls.into(), rows })
    }
}

/// The value of a row in a column.
fn cell<'a>(column: usize, node: &'a Node, fullkey: &'a str) -> Scan<Value<'a>> {
    let integer = |value: Option<i64>| value.map_or(Value::Null, Value::Integer);
    Ok(match column {
        KEY => match &node.key {
            Key::None => Value::Null,
            Key::Index(index) => Value::Integer(*index),
            Key::Name(name) => Value::text(name.as_ref()),
        },
        // The text of an array or object may go on behind it.
        VALUE if is_container(node.value) => sql_value(Scanner::new(node.value).value()?),
        ATOM if is_container(node.value) => Value::Null,
        VALUE | ATOM => sql_value(node.value),
        TYPE => Value::text(Kind::of(node.value).name()),
        ID => integer(Some(node.id)),
        PARENT => integer(node.parent),
        FULLKEY => Value::text(fullkey),
        _ => Value::text(fullkey.get(..node.path).unwrap_or_default()),
    })
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::StringArray;
    use datafusion::arrow::util::display::array_value_to_string;

    use super::*;
    use crate::functions::CallPart;

    fn types(json: &str, deep: bool) -> [ValueType; 3] {
        let text = CallArgument { data_type: DataType::Utf8, text: Some(json.into()) };
        let ValueTypes { key, value, atom } = ValueTypes::of_call(&[text], deep).unwrap();
        [key, value, atom]
    }

    #[test]
    fn columns_have_the_type_of_all_their_values() {
        use ValueType::{Integer, Mixed, None, Real, Text};
        assert_eq!(types("[1, null, true]", false), [Integer; 3]);
        assert_eq!(types("[1, 2.5]", false), [Integer, Real, Real]);
        assert_eq!(types("{\"a\": 1, \"b\": [2]}", false), [Text, Mixed, Integer]);
        assert_eq!(types("{\"a\": \"x\"}", true), [Text, Text, Text]);
        assert_eq!(types("[[\"x\"]]", true), [Integer, Text, Text]);
        assert_eq!(types("9223372036854775808", false), [None, Real, Real]);
        assert_eq!(types("[]", false), [None; 3]);
    }

    /// The calls, values and number of complete calls of every part.
    fn parts(texts: Vec<Option<String>>) -> Vec<(Vec<u32>, Vec<String>, usize)> {
        let calls = texts.len();
        let args: Vec<ArrayRef> = vec![Arc::new(StringArray::from(texts))];
        let table = Arc::new(JsonTable { deep: false, types: ValueTypes::default() });
        let parts = table.call_in_parts(args, calls, vec![VALUE]);
        let rows = |part: Result<CallPart>| {
            let CallPart { called, complete } = part.unwrap();
            let values = called.rows.column(0);
            let text = |row| array_value_to_string(values, row).unwrap();
            let texts = (0..values.len()).map(text).collect();
            (called.calls.values().to_vec(), texts, complete)
        };
        parts.unwrap().map(rows).collect()
    }

    #[test]
    fn calls_share_a_part_and_a_long_one_takes_several() {
        let text = |text: &str| Some(text.to_owned());
        let short = parts(vec![text("[1, \"x\"]"), None, text("[]"), text("{\"a\": [ 3 ]}")]);
        let values = ["1", "x", "[3]"].map(str::to_owned).to_vec();
        assert_eq!(short, [(vec![0, 0, 3], values, 4)]);
        let long = format!("[{}0]", "0,".repeat(ROWS));
        let long = parts(vec![Some(long), text("7")]);
        let lengths: Vec<_> = long.iter().map(|(_, values, done)| (values.len(), *done)).collect();
        assert_eq!(lengths, [(ROWS, 0), (2, 2)]);
    }
}
