//! Aggregates that collect all their input rows into one value.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Int64Array, new_empty_array};
use datafusion::arrow::compute::kernels::cmp::not_distinct;
use datafusion::arrow::compute::{cast, concat};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Fields, Int64Type};
use datafusion::common::{Result, ScalarValue, exec_err, internal_err, plan_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{Accumulator, AggregateUDFImpl, Signature, Volatility};

use crate::memory::column_bytes;
use crate::threads::on_threads;

use super::table::{column_type, columns_of, from_value, table_type, to_value};

/// Computes the result of an aggregate from the collected columns.
type Finish = fn(&[ArrayRef]) -> Result<Vec<ArrayRef>>;

/// The arguments and the result of a collecting aggregate.
#[derive(Debug)]
pub(super) struct Layout {
    pub name: &'static str,
    /// The names and types of the first arguments; `Null` allows any type. There, a struct is a row
    /// and is collected as one column for each of its fields.
    pub arguments: &'static [(&'static str, DataType)],
    /// Whether pairs of a column name and a value follow. Only the values are collected, because
    /// the function that uses the table gets the names again.
    pub pairs: bool,
    /// The computation on the collected rows, and its result columns; without one, the collected
    /// rows are the result.
    pub finish: Option<(Finish, fn() -> Fields)>,
    /// The error message for NULL values; `None` if NULL is allowed.
    pub null_error: Option<&'static str>,
}

/// The source of a collected column.
#[derive(Debug)]
struct Source {
    /// The position of the argument.
    argument: usize,
    /// The position of the field, if the argument is a row.
    part: Option<usize>,
    /// The column.
    field: FieldRef,
}

impl Source {
    fn new(argument: usize, part: Option<usize>, name: &str, kind: DataType) -> Self {
        Self { argument, part, field: Arc::new(Field::new(name, kind, true)) }
    }

    /// The values in a batch of arguments.
    fn values<'a>(&self, arguments: &'a [ArrayRef]) -> Option<&'a ArrayRef> {
        let argument = arguments.get(self.argument)?;
        match self.part {
            Some(part) => argument.as_struct_opt()?.columns().get(part),
            None => Some(argument),
        }
    }
}

impl Layout {
    /// The collected columns.
    fn collected(&self, arguments: &[DataType]) -> Result<Vec<Source>> {
        let own = self.arguments.len();
        let rest = arguments.len().saturating_sub(own);
        if arguments.len() < own || (rest > 0 && !self.pairs) || rest % 2 == 1 {
            let names: Vec<&str> = self.arguments.iter().map(|(name, _)| *name).collect();
            let pairs = if self.pairs { ", and pairs of name and value" } else { "" };
            return plan_err!("{}() takes {}{pairs}", self.name, names.join(", "));
        }
        let mut collected = Vec::new();
        for (index, (name, wanted)) in self.arguments.iter().enumerate() {
            match (wanted, &arguments[index]) {
                (DataType::Null, DataType::Struct(fields)) => {
                    collected.extend(fields.iter().enumerate().map(|(part, field)| {
                        let kind = column_type(field.data_type());
                        Source::new(index, Some(part), field.name(), kind)
                    }));
                }
                (DataType::Null, kind) => {
                    collected.push(Source::new(index, None, name, column_type(kind)));
                }
                (wanted, _) => collected.push(Source::new(index, None, name, wanted.clone())),
            }
        }
        for (pair, index) in (own + 1..arguments.len()).step_by(2).enumerate() {
            let kind = column_type(&arguments[index]);
            collected.push(Source::new(index, None, &format!("p{pair}"), kind));
        }
        Ok(collected)
    }
}

/// An aggregate function that collects rows.
#[derive(Debug)]
pub(super) struct Collect {
    layout: &'static Layout,
    signature: Signature,
}

impl Collect {
    pub(super) fn new(layout: &'static Layout) -> Self {
        Self { layout, signature: Signature::variadic_any(Volatility::Immutable) }
    }

    fn rows_type(&self, arguments: &[DataType]) -> Result<Fields> {
        let collected = self.layout.collected(arguments)?;
        Ok(collected.into_iter().map(|source| source.field).collect())
    }
}

impl PartialEq for Collect {
    fn eq(&self, other: &Self) -> bool {
        self.layout.name == other.layout.name
    }
}

impl Eq for Collect {}

impl Hash for Collect {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.layout.name.hash(state);
    }
}

impl AggregateUDFImpl for Collect {
    fn name(&self) -> &str {
        self.layout.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        let rows = self.rows_type(arguments)?;
        Ok(table_type(self.layout.finish.map_or(rows, |(_, columns)| columns())))
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let arguments: Vec<_> =
            args.input_fields.iter().map(|field| field.data_type().clone()).collect();
        let rows = table_type(self.rows_type(&arguments)?);
        Ok(vec![Arc::new(Field::new(format!("{}[rows]", args.name), rows, true))])
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        let arguments = args.expr_fields.iter().map(|field| field.data_type().clone());
        let collected = self.layout.collected(&arguments.collect::<Vec<_>>())?;
        let columns = collected.iter().map(|source| Values::new(source.field.data_type()));
        let columns = columns.collect();
        Ok(Box::new(CollectedRows { layout: self.layout, collected, columns, merged: 0 }))
    }
}

/// The rows that an aggregate has collected so far.
#[derive(Debug)]
struct CollectedRows {
    layout: &'static Layout,
    collected: Vec<Source>,
    columns: Vec<Values>,
    /// How many long tables were merged: each was collected by a thread.
    merged: usize,
}

/// The number of rows of a long table.
const LONG_TABLE: usize = 1 << 16;

/// The collected values of a column.
#[derive(Debug)]
enum Values {
    /// Integers without NULL: copied as they come, so that no batch has to stay for them.
    Integers(Vec<i64>),
    /// Arrays, one for each batch.
    Arrays(Vec<ArrayRef>),
}

impl Values {
    fn new(kind: &DataType) -> Self {
        match kind {
            DataType::Int64 => Self::Integers(Vec::new()),
            _ => Self::Arrays(Vec::new()),
        }
    }

    fn push(&mut self, values: ArrayRef) {
        match self {
            Self::Arrays(parts) => parts.push(values),
            Self::Integers(all) => match values.as_primitive_opt::<Int64Type>() {
                Some(integers) if integers.null_count() == 0 => {
                    make_room(all, integers.len());
                    all.extend_from_slice(integers.values());
                }
                _ => {
                    let before = Int64Array::from(std::mem::take(all));
                    *self = Self::Arrays(vec![Arc::new(before), values]);
                }
            },
        }
    }

    /// Adds a column that was collected elsewhere. A long one stays where it is until all are
    /// joined, as it is all that its memory holds; a short one may share it with those of many
    /// groups.
    fn merge(&mut self, values: ArrayRef) {
        match self {
            Self::Integers(all) if all.is_empty() && values.len() >= LONG_TABLE => {
                *self = Self::Arrays(vec![values]);
            }
            _ => self.push(values),
        }
    }

    /// All values as one array; `None` if no array was pushed.
    fn whole(&mut self) -> Result<Option<ArrayRef>> {
        let whole: ArrayRef = match self {
            Self::Integers(all) => Arc::new(Int64Array::from(std::mem::take(all))),
            Self::Arrays(parts) if parts.is_empty() => return Ok(None),
            Self::Arrays(parts) => {
                concat(&parts.iter().map(AsRef::as_ref).collect::<Vec<&dyn Array>>())?
            }
        };
        *self = Self::Arrays(vec![Arc::clone(&whole)]);
        Ok(Some(whole))
    }

    fn size(&self) -> usize {
        match self {
            Self::Integers(all) => size_of_val(&all[..]),
            Self::Arrays(parts) => parts.iter().map(column_bytes).sum(),
        }
    }
}

/// Room for more integers. A long list gets four times its room, which takes no memory before it is
/// used, so that it is copied rarely.
fn make_room(all: &mut Vec<i64>, more: usize) {
    /// The number of integers of a long list.
    const LONG: usize = 1 << 20;
    let needed = all.len().saturating_add(more);
    if needed > all.capacity() {
        let factor = if needed < LONG { 2 } else { 4 };
        let room = all.capacity().saturating_mul(factor).max(needed);
        all.reserve_exact(room - all.len());
    }
}

impl CollectedRows {
    /// Joins the values of each column; `None` if there are no rows.
    fn concatenate(&mut self) -> Result<Option<Vec<ArrayRef>>> {
        // Most of the time that it takes to join long columns is that of getting memory for them.
        let wholes = on_threads(self.merged, self.columns.iter_mut().collect(), Values::whole);
        let wholes: Option<Vec<ArrayRef>> = wholes.into_iter().collect::<Result<_>>()?;
        let Some(columns) = wholes else { return Ok(None) };
        Ok((columns.first().is_some_and(|column| !column.is_empty())).then_some(columns))
    }

    fn fields(&self) -> Fields {
        self.collected.iter().map(|source| Arc::clone(&source.field)).collect()
    }
}

impl Accumulator for CollectedRows {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        for (source, collected) in self.collected.iter().zip(&mut self.columns) {
            let Some(column) = source.values(values) else {
                return internal_err!("{}() without {}", self.layout.name, source.field.name());
            };
            if let Some(message) = self.layout.null_error
                && column.logical_null_count() > 0
            {
                return Err(datafusion::error::DataFusionError::Execution(message.to_owned()));
            }
            let values = cast(column, source.field.data_type())?;
            // What was computed of truncated numbers would look like that of the numbers.
            if self.layout.finish.is_some()
                && column.data_type().is_floating()
                && not_distinct(&cast(&values, column.data_type())?, column)?.true_count()
                    < column.len()
            {
                return exec_err!(
                    "{}() takes integers as {}",
                    self.layout.name,
                    source.field.name()
                );
            }
            collected.push(values);
        }
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let Some(tables) = states.first() else { return Ok(()) };
        for row in 0..tables.len() {
            let Some(columns) = from_value(tables, row)? else { continue };
            let is_long = columns.first().is_some_and(|column| column.len() >= LONG_TABLE);
            self.merged += usize::from(is_long);
            for (collected, column) in self.columns.iter_mut().zip(columns) {
                collected.merge(column);
            }
        }
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let columns = self.concatenate()?;
        Ok(vec![to_value(&self.fields(), columns)?])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let collected = self.concatenate()?;
        let Some((finish, columns)) = self.layout.finish else {
            return to_value(&self.fields(), collected);
        };
        let fields = columns();
        let finished = match collected {
            Some(collected) => finish(&collected)?,
            None => fields.iter().map(|field| new_empty_array(field.data_type())).collect(),
        };
        to_value(&fields, Some(finished))
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.columns.iter().map(Values::size).sum::<usize>()
    }
}

/// Whether a type is that of a table, or NULL.
pub(super) fn is_table(kind: &DataType) -> bool {
    columns_of(kind).is_some() || kind == &DataType::Null
}

/// The list array of a column of tables.
pub(super) fn as_tables(values: &ArrayRef) -> Option<&datafusion::arrow::array::LargeListArray> {
    values.as_list_opt::<i64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_joined_with_and_without_null() {
        let integers =
            |values: &[Option<i64>]| Arc::new(Int64Array::from(values.to_vec())) as ArrayRef;
        let mut values = Values::new(&DataType::Int64);
        values.push(integers(&[Some(1), Some(2)]));
        values.push(integers(&[]));
        values.push(integers(&[Some(3)]));
        assert_eq!(values.size(), 24);
        let whole = values.whole().unwrap().unwrap();
        assert_eq!(&whole, &integers(&[Some(1), Some(2), Some(3)]));
        // A window asks more than once.
        values.push(integers(&[Some(4)]));
        let whole = values.whole().unwrap().unwrap();
        assert_eq!(&whole, &integers(&[Some(1), Some(2), Some(3), Some(4)]));
        let mut values = Values::new(&DataType::Int64);
        values.push(integers(&[Some(1)]));
        values.push(integers(&[None]));
        values.push(integers(&[Some(2)]));
        let whole = values.whole().unwrap().unwrap();
        assert_eq!(&whole, &integers(&[Some(1), None, Some(2)]));
    }

    #[test]
    fn long_tables_are_joined_once() {
        let column =
            |from: i64, to: i64| Arc::new(Int64Array::from_iter_values(from..to)) as ArrayRef;
        let long = LONG_TABLE as i64;
        let mut values = Values::new(&DataType::Int64);
        values.merge(column(0, long));
        assert!(matches!(&values, Values::Arrays(parts) if parts.len() == 1));
        values.merge(column(long, long + 2));
        values.merge(column(long + 2, long * 2));
        assert_eq!(values.size(), LONG_TABLE * 2 * 8);
        assert_eq!(&values.whole().unwrap().unwrap(), &column(0, long * 2));
        // A short one is copied.
        let mut values = Values::new(&DataType::Int64);
        values.merge(column(0, 2));
        values.merge(column(2, long));
        assert!(matches!(&values, Values::Integers(all) if all.len() == LONG_TABLE));
    }

    #[test]
    fn long_lists_get_more_room() {
        let mut all = vec![0; 1 << 20];
        make_room(&mut all, 1);
        assert!(all.capacity() >= 4 << 20);
        let mut all = vec![0; 1000];
        make_room(&mut all, 5000);
        assert!((6000..1 << 20).contains(&all.capacity()));
    }
}
