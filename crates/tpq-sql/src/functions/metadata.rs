//! `extract_metadata(name)`, `extract_metadata_for_machine(machine_id, name)` and
//! `extract_metadata_for_trace(trace_id, name)`: facts about the trace.
//!
//! A fact is an integer or text, but a column has one type. For a literal name it is the type of
//! the facts with this name: text if their types differ, and NULL if there are none.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::Result;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use tpq_tables::TraceTables;

use super::budget::Budget;
use super::per_row::{Argument, common, short_name};
use super::stored_rows::{Lazy, StoredRows};
use super::value::{Builder, Value};

/// The scope that an argument restricts facts to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Scope {
    All,
    Machine,
    Trace,
}

/// A row of `metadata`.
struct Fact {
    name: String,
    value: Value<'static>,
    machine: Option<i64>,
    trace: Option<i64>,
}

/// The facts of a trace, read on first use.
struct Facts {
    rows: Option<StoredRows>,
    facts: Lazy<Vec<Fact>>,
}

impl Facts {
    fn all(&self) -> Result<&Vec<Fact>> {
        self.facts.get(|| {
            let mut facts = Vec::new();
            let Some(rows) = &self.rows else { return Ok(facts) };
            rows.each(|_, columns, at| {
                let value = |column: usize| columns[column].value(at);
                let Value::Text(name) = value(0) else { return Ok(()) };
                let value_of_fact = match value(1) {
                    Value::Null => value(2),
                    integer => integer,
                };
                facts.push(Fact {
                    name: name.into_owned(),
                    value: value_of_fact.into_owned(),
                    machine: value(3).as_integer(),
                    trace: value(4).as_integer(),
                });
                Ok(())
            })?;
            // The first trace and the first machine come first.
            let order = |fact: &Fact| {
                (fact.trace.is_none(), fact.trace, fact.machine.is_none(), fact.machine)
            };
            facts.sort_by_key(order);
            Ok(facts)
        })
    }

    fn find(&self, scope: Scope, id: &Value, name: &str) -> Result<Value<'static>> {
        let id = id.as_integer();
        let in_scope = |fact: &&Fact| match scope {
            Scope::All => true,
            Scope::Machine => id.is_some() && fact.machine == id,
            Scope::Trace => id.is_some() && fact.trace == id,
        };
        let mut named = self.all()?.iter().filter(|fact| fact.name == name).filter(in_scope);
        Ok(named.next().map_or(Value::Null, |fact| fact.value.clone()))
    }

    fn data_type(&self, name: &str) -> Result<DataType> {
        let named = self.all()?.iter().filter(|fact| fact.name == name);
        let types = named.map(|fact| match fact.value {
            Value::Integer(_) => DataType::Int64,
            _ => DataType::Utf8View,
        });
        Ok(common(&types.collect::<Vec<_>>()))
    }
}

/// One of the functions.
#[derive(Clone)]
pub(super) struct ExtractMetadata {
    scope: Scope,
    facts: Arc<Facts>,
    signature: Signature,
}

pub(super) fn functions(tables: &TraceTables) -> Vec<ExtractMetadata> {
    let columns = ["name", "int_value", "str_value", "machine_id", "trace_id"];
    let rows = StoredRows::new(tables, "metadata", &columns);
    let facts = Arc::new(Facts { rows, facts: Lazy::default() });
    let function = |scope| {
        let arguments = if scope == Scope::All { 1 } else { 2 };
        let signature = Signature::any(arguments, Volatility::Immutable);
        ExtractMetadata { scope, facts: Arc::clone(&facts), signature }
    };
    [Scope::All, Scope::Machine, Scope::Trace].map(function).into()
}

impl std::fmt::Debug for ExtractMetadata {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl PartialEq for ExtractMetadata {
    fn eq(&self, other: &Self) -> bool {
        self.scope == other.scope && Arc::ptr_eq(&self.facts, &other.facts)
    }
}

impl Eq for ExtractMetadata {}

impl Hash for ExtractMetadata {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.scope.hash(state);
    }
}

impl ScalarUDFImpl for ExtractMetadata {
    fn name(&self) -> &str {
        match self.scope {
            Scope::All => "extract_metadata",
            Scope::Machine => "extract_metadata_for_machine",
            Scope::Trace => "extract_metadata_for_trace",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        short_name(self.name(), args)
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8View)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let name = args.scalar_arguments.last().copied().flatten();
        let data_type = match name.and_then(|name| name.try_as_str().flatten()) {
            Some(name) => self.facts.data_type(name)?,
            None => DataType::Utf8View,
        };
        Ok(Arc::new(Field::new(self.name(), data_type, true)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let rows = args.number_rows;
        let mut builder = Builder::new(args.return_field.data_type(), rows);
        let arguments = args.args.iter().map(|arg| Argument::new(arg, rows));
        let arguments = arguments.collect::<Result<Vec<_>>>()?;
        let mut budget = Budget::new(self.name(), &args.config_options).for_rows(rows);
        for row in 0..rows {
            let value = |argument: Option<&Argument>| {
                argument.map_or(Value::Null, |argument| argument.value(row).into_owned())
            };
            let found = match value(arguments.last()).as_text() {
                Some(name) => self.facts.find(self.scope, &value(arguments.first()), &name)?,
                None => Value::Null,
            };
            budget.reserve_value(found.byte_count())?;
            builder.push(&found);
        }
        Ok(ColumnarValue::Array(budget.attach(builder.finish())?))
    }
}
