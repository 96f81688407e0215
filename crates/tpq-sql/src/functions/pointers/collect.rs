//! Aggregates whose value is all the rows they were given.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, new_empty_array};
use datafusion::arrow::compute::{cast, concat};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Fields};
use datafusion::common::{Result, ScalarValue, internal_err, plan_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{Accumulator, AggregateUDFImpl, Signature, Volatility};

use crate::memory::column_bytes;

use super::table::{column_type, columns_of, from_value, table_type, to_value};

/// What an aggregate makes of all its rows.
type Finish = fn(&[ArrayRef]) -> Result<Vec<ArrayRef>>;

/// What an aggregate is called with, and what it gives.
#[derive(Debug)]
pub(super) struct Layout {
    pub name: &'static str,
    /// The first arguments, and their types; `Null` for any.
    pub arguments: &'static [(&'static str, DataType)],
    /// Whether pairs of a column's name and value follow. Only the values are collected: the
    /// names are said again where the table is used.
    pub pairs: bool,
    /// Work on the collected rows, and the columns it gives.
    pub finish: Option<(Finish, fn() -> Fields)>,
    /// Why the collected values may not be NULL.
    pub no_nulls: Option<&'static str>,
}

impl Layout {
    /// Which arguments are collected, and in which columns.
    fn collected(&self, arguments: &[DataType]) -> Result<Vec<(usize, FieldRef)>> {
        let own = self.arguments.len();
        let rest = arguments.len().saturating_sub(own);
        if arguments.len() < own || (rest > 0 && !self.pairs) || rest % 2 == 1 {
            let names: Vec<&str> = self.arguments.iter().map(|(name, _)| *name).collect();
            let pairs = if self.pairs { ", and pairs of name and value" } else { "" };
            return plan_err!("{}() takes {}{pairs}", self.name, names.join(", "));
        }
        let mut collected = Vec::new();
        for (index, (name, wanted)) in self.arguments.iter().enumerate() {
            let kind = match wanted {
                DataType::Null => column_type(&arguments[index]),
                wanted => wanted.clone(),
            };
            collected.push((index, Arc::new(Field::new(*name, kind, true))));
        }
        for (pair, index) in (own + 1..arguments.len()).step_by(2).enumerate() {
            let field = Field::new(format!("p{pair}"), column_type(&arguments[index]), true);
            collected.push((index, Arc::new(field)));
        }
        Ok(collected)
    }
}

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
        Ok(collected.into_iter().map(|(_, field)| field).collect())
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
        let columns = collected.iter().map(|_| Vec::new()).collect();
        Ok(Box::new(Rows { layout: self.layout, collected, columns }))
    }
}

/// The rows seen so far.
#[derive(Debug)]
struct Rows {
    layout: &'static Layout,
    collected: Vec<(usize, FieldRef)>,
    /// The pieces of each column.
    columns: Vec<Vec<ArrayRef>>,
}

impl Rows {
    /// The columns, or `None` when there was no row.
    fn whole(&mut self) -> Result<Option<Vec<ArrayRef>>> {
        let mut whole = Vec::with_capacity(self.columns.len());
        for pieces in &mut self.columns {
            let arrays: Vec<&dyn Array> = pieces.iter().map(AsRef::as_ref).collect();
            if arrays.is_empty() {
                return Ok(None);
            }
            let all = concat(&arrays)?;
            *pieces = vec![Arc::clone(&all)];
            whole.push(all);
        }
        Ok((whole.first().is_some_and(|column| !column.is_empty())).then_some(whole))
    }

    fn fields(&self) -> Fields {
        self.collected.iter().map(|(_, field)| Arc::clone(field)).collect()
    }
}

impl Accumulator for Rows {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        for ((index, field), pieces) in self.collected.iter().zip(&mut self.columns) {
            let Some(column) = values.get(*index) else {
                return internal_err!("{}() without argument {index}", self.layout.name);
            };
            if let Some(message) = self.layout.no_nulls
                && column.logical_null_count() > 0
            {
                return Err(datafusion::error::DataFusionError::Execution(message.to_owned()));
            }
            pieces.push(cast(column, field.data_type())?);
        }
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let Some(tables) = states.first() else { return Ok(()) };
        for row in 0..tables.len() {
            let Some(columns) = from_value(tables, row)? else { continue };
            for (pieces, column) in self.columns.iter_mut().zip(columns) {
                pieces.push(column);
            }
        }
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let whole = self.whole()?;
        Ok(vec![to_value(&self.fields(), whole)?])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let whole = self.whole()?;
        let Some((finish, columns)) = self.layout.finish else {
            return to_value(&self.fields(), whole);
        };
        let fields = columns();
        let finished = match whole {
            Some(whole) => finish(&whole)?,
            None => fields.iter().map(|field| new_empty_array(field.data_type())).collect(),
        };
        to_value(&fields, Some(finished))
    }

    fn size(&self) -> usize {
        let pieces = self.columns.iter().flatten();
        size_of::<Self>() + pieces.map(column_bytes).sum::<usize>()
    }
}

/// Whether a type is that of collected rows, of which the first columns are integers.
pub(super) fn is_table(kind: &DataType) -> bool {
    columns_of(kind).is_some() || kind == &DataType::Null
}

/// The list array of a column of tables.
pub(super) fn as_tables(values: &ArrayRef) -> Option<&datafusion::arrow::array::LargeListArray> {
    values.as_list_opt::<i64>()
}
