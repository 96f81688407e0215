//! The groups of one partition of rows, with the state of each function.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::Result;
use datafusion::logical_expr::{EmitTo, GroupsAccumulator};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::expressions::Literal;

use crate::operators::key_table::{Key, KeyTable};

/// Groups of rows.
pub(super) struct Groups {
    /// The position of the column of keys.
    column: usize,
    key: Key,
    table: KeyTable,
    /// The group of each row of a batch.
    of_rows: Vec<usize>,
    functions: Vec<Function>,
}

impl Groups {
    /// No groups yet.
    ///
    /// # Errors
    /// When the state of a function cannot be made.
    pub(super) fn new(
        column: usize,
        key: Key,
        functions: &[Arc<AggregateFunctionExpr>],
        filters: &[Option<Arc<dyn PhysicalExpr>>],
    ) -> Result<Self> {
        let functions = functions.iter().zip(filters);
        let functions = functions.map(|(function, filter)| Function::new(function, filter.clone()));
        let (table, functions) = (KeyTable::new(&key), functions.collect::<Result<_>>()?);
        Ok(Self { column, key, table, of_rows: Vec::new(), functions })
    }

    /// Adds the rows of a batch.
    ///
    /// # Errors
    /// When an argument cannot be computed, or a function fails.
    pub(super) fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        self.table.assign(batch.column(self.column), &mut self.of_rows)?;
        let count = self.table.len();
        for function in &mut self.functions {
            function.add(batch, &self.of_rows, count)?;
        }
        Ok(())
    }

    /// The key of each group with the state of each function; `None` if there are no groups.
    ///
    /// # Errors
    /// When a function fails.
    pub(super) fn finish(mut self, schema: SchemaRef) -> Result<Option<RecordBatch>> {
        if self.table.len() == 0 {
            return Ok(None);
        }
        let mut columns = vec![self.table.keys(&self.key)];
        for function in &mut self.functions {
            columns.extend(function.state.state(EmitTo::All)?);
        }
        Ok(Some(RecordBatch::try_new(schema, columns)?))
    }

    /// Bytes of memory.
    pub(super) fn size(&self) -> usize {
        let states = self.functions.iter().map(|function| function.state.size());
        let rows = self.of_rows.capacity() * size_of::<usize>();
        self.table.size() + rows + states.sum::<usize>()
    }
}

/// A function with its state for each group.
struct Function {
    arguments: Vec<Argument>,
    filter: Option<Arc<dyn PhysicalExpr>>,
    state: Box<dyn GroupsAccumulator>,
}

impl Function {
    fn new(
        function: &AggregateFunctionExpr,
        filter: Option<Arc<dyn PhysicalExpr>>,
    ) -> Result<Self> {
        let arguments = function.expressions().into_iter();
        let arguments = arguments.map(|expr| Argument { expr, constant: None }).collect();
        Ok(Self { arguments, filter, state: function.create_groups_accumulator()? })
    }

    fn add(&mut self, batch: &RecordBatch, of_rows: &[usize], count: usize) -> Result<()> {
        let arguments = self.arguments.iter_mut().map(|argument| argument.values(batch));
        let arguments = arguments.collect::<Result<Vec<_>>>()?;
        let passes = match &self.filter {
            Some(filter) => Some(filter.evaluate(batch)?.into_array(batch.num_rows())?),
            None => None,
        };
        let passes = passes.as_ref().map(|passes| passes.as_boolean());
        self.state.update_batch(&arguments, of_rows, passes, count)
    }
}

/// An argument of a function.
struct Argument {
    expr: Arc<dyn PhysicalExpr>,
    /// The values of the longest batch so far, where all are the same: `count(*)` has such.
    constant: Option<ArrayRef>,
}

impl Argument {
    fn values(&mut self, batch: &RecordBatch) -> Result<ArrayRef> {
        let rows = batch.num_rows();
        if let Some(known) = self.constant.as_ref().filter(|known| known.len() >= rows) {
            return Ok(known.slice(0, rows));
        }
        let values = self.expr.evaluate(batch)?.into_array(rows)?;
        if self.expr.downcast_ref::<Literal>().is_some() {
            self.constant = Some(Arc::clone(&values));
        }
        Ok(values)
    }
}
