//! `__intrinsic_winscope_proto_to_args_with_defaults(table_name)`: the fields of the recorded
//! messages of a table, and those that the messages leave out with their default values.
//!
//! The import stores the fields of a message as an arg set. The fields that it leaves out follow
//! from the descriptor of its type. A message that several rows share is returned once.

mod fields;
mod messages;

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::{Array, ArrayRef, AsArray, StringViewArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::{Result, exec_err, internal_err};
use tpq_tables::TraceTables;

use super::arg_sets::{self, ArgSets};
use super::index_kind::called_rows;
use super::value::{Builder, Value};
use super::{CallArgument, CalledRows, PendingCalls, RowParts, TableFunction};
use fields::{FieldRow, fields_of};
use messages::{MessageTable, Recorded};

const NAME: &str = "__intrinsic_winscope_proto_to_args_with_defaults";
/// The least number of rows of a part that is not the last one.
const ROWS: usize = 8192;

static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    let column = |name, kind, nullable| Field::new(name, kind, nullable);
    Arc::new(Schema::new(vec![
        column("id", DataType::Int64, false),
        column("table_name", DataType::Utf8View, false),
        column("base64_proto_id", DataType::Int64, false),
        column("flat_key", DataType::Utf8View, false),
        column("key", DataType::Utf8View, false),
        column("int_value", DataType::Int64, true),
        column("string_value", DataType::Utf8View, true),
        column("real_value", DataType::Float64, true),
        column("value_type", DataType::Utf8View, false),
    ]))
});

/// The table function.
pub(super) fn table(tables: &TraceTables) -> Arc<dyn TableFunction> {
    let args = arg_sets::index(tables);
    Arc::new(MessageDefaults { tables: messages::tables(tables), args })
}

struct MessageDefaults {
    tables: Vec<MessageTable>,
    args: Arc<ArgSets>,
}

impl fmt::Debug for MessageDefaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NAME)
    }
}

impl MessageDefaults {
    /// The table with a name, with or without the prefix of internal tables.
    fn find(&self, name: &str) -> Result<&MessageTable> {
        match self.tables.iter().find(|table| table.is_called(name)) {
            Some(table) => Ok(table),
            None => exec_err!("{NAME}(): '{name}' is not a table of recorded messages"),
        }
    }
}

impl TableFunction for MessageDefaults {
    fn name(&self) -> &str {
        NAME
    }

    fn arguments(&self) -> &[(&'static str, DataType)] {
        &[("table_name", DataType::Utf8View)]
    }

    fn schema(&self, args: &[CallArgument]) -> Result<SchemaRef> {
        if let Some(name) = args.first().and_then(|arg| arg.text.as_deref()) {
            self.find(name)?;
        }
        Ok(Arc::clone(&SCHEMA))
    }

    fn begin(self: Arc<Self>, args: &[ArrayRef]) -> Result<Option<Box<dyn RowParts>>> {
        let Some(names) = args.first() else {
            return internal_err!("{NAME}() without a table name");
        };
        let names = cast(names, &DataType::Utf8View)?.as_string_view().clone();
        Ok(Some(Box::new(Parts { function: self, names, current: None })))
    }
}

/// The rows of many calls.
struct Parts {
    function: Arc<MessageDefaults>,
    names: StringViewArray,
    /// The rest of the call that the next row belongs to, if it has begun.
    current: Option<Current>,
}

/// The messages of a call that are not read yet.
#[derive(Default)]
struct Current {
    /// The position of the table in the function's list.
    table: usize,
    messages: std::vec::IntoIter<Recorded>,
    next_id: i64,
}

impl RowParts for Parts {
    fn next_part(&mut self, calls: &mut PendingCalls) -> Result<CalledRows> {
        let mut builders: Vec<Builder> =
            SCHEMA.fields().iter().map(|field| Builder::new(field.data_type(), 0)).collect();
        let mut calls_of_rows = Vec::new();
        while !calls.are_complete() && calls_of_rows.len() < ROWS {
            let mut current = match self.current.take() {
                Some(current) => current,
                None if self.names.is_null(calls.call) => Current::default(),
                None => self.messages(self.names.value(calls.call))?,
            };
            let Some(message) = current.messages.next() else {
                calls.call += 1;
                continue;
            };
            for field in self.fields(&current, &message)? {
                calls_of_rows.push(u32::try_from(calls.call).unwrap_or(u32::MAX));
                let name = self.names.value(calls.call);
                push(&mut builders, current.next_id, name, &message, &field);
                current.next_id += 1;
            }
            self.current = Some(current);
        }
        let all: Vec<ArrayRef> = builders.into_iter().map(Builder::finish).collect();
        called_rows(calls_of_rows, &SCHEMA, &all, &calls.columns)
    }
}

impl Parts {
    /// The messages of a table.
    fn messages(&self, name: &str) -> Result<Current> {
        let tables = &self.function.tables;
        let found = self.function.find(name)?;
        let table = tables.iter().position(|table| std::ptr::eq(table, found)).unwrap_or_default();
        let mut seen = HashSet::new();
        let mut messages = found.messages()?;
        messages.retain(|message| seen.insert(message.number));
        Ok(Current { table, messages: messages.into_iter(), next_id: 0 })
    }

    fn fields(&self, current: &Current, message: &Recorded) -> Result<Vec<FieldRow>> {
        let function = &self.function;
        match function.tables.get(current.table) {
            Some(table) => fields_of(table, message, &function.args),
            None => internal_err!("{NAME}() lost its table"),
        }
    }
}

fn push(builders: &mut [Builder], id: i64, table: &str, message: &Recorded, field: &FieldRow) {
    let of_type = |is: fn(&Value<'_>) -> bool| match is(&field.value) {
        true => field.value.clone(),
        false => Value::Null,
    };
    let values = [
        Value::Integer(id),
        Value::text(table),
        Value::Integer(message.number),
        Value::text(field.flat_key.as_str()),
        Value::text(field.key.as_str()),
        of_type(|value| matches!(value, Value::Integer(_))),
        of_type(|value| matches!(value, Value::Text(_))),
        of_type(|value| matches!(value, Value::Real(_))),
        Value::text(&*field.kind),
    ];
    builders.iter_mut().zip(&values).for_each(|(builder, value)| builder.push(value));
}
