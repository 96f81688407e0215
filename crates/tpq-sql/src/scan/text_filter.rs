//! Filters on the text of one column, evaluated once for each string there is.
//!
//! A name occurs thousands of times in a trace. Whether it matches a pattern is found out the first
//! time it is met, and remembered by its number in the pool of strings.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use datafusion::arrow::array::{Array, AsArray, BooleanArray, RecordBatch};
use datafusion::arrow::buffer::BooleanBuffer;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::expressions::{
    BinaryExpr, Column, InListExpr, IsNotNullExpr, IsNullExpr, LikeExpr, Literal, NotExpr,
};
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};

use super::chunked::ChunkedTable;

/// Functions whose value depends on nothing but their arguments, and which fail for none of them.
const FUNCTIONS: [&str; 1] = ["glob"];

const UNKNOWN: u8 = 0;
const NO: u8 = 1;
const YES: u8 = 2;

/// A filter on the text of a column.
pub(super) struct TextFilter {
    /// The column of the table.
    column: usize,
    /// The filter, of the only column of `schema`.
    filter: Arc<dyn PhysicalExpr>,
    schema: SchemaRef,
    /// By the number of a string, whether it passes.
    known: Vec<AtomicU8>,
}

impl TextFilter {
    /// A filter of a scan that reads `columns` of a table; `None` where it asks for more than the
    /// text of one column, or the table keeps no text by number.
    pub(super) fn of(
        filter: &Arc<dyn PhysicalExpr>,
        table: &dyn ChunkedTable,
        columns: &[usize],
    ) -> Result<Option<Self>> {
        let used = collect_columns(filter);
        let (Some(only), 1) = (used.iter().next(), used.len()) else { return Ok(None) };
        let Some(&column) = columns.get(only.index()) else { return Ok(None) };
        let field: &Field = table.schema().field(column);
        let Some(strings) = table.string_count() else { return Ok(None) };
        if field.data_type() != &DataType::Utf8View || !depends_on_text_alone(filter) {
            return Ok(None);
        }
        let schema = Arc::new(Schema::new(vec![field.clone()]));
        let first = Arc::new(Column::new(field.name(), 0)) as Arc<dyn PhysicalExpr>;
        let moved = Arc::clone(filter).transform_up(|node| {
            Ok(match node.downcast_ref::<Column>() {
                Some(_) => Transformed::yes(Arc::clone(&first)),
                None => Transformed::no(node),
            })
        });
        let known = (0..strings).map(|_| AtomicU8::new(UNKNOWN)).collect();
        Ok(Some(Self { column, filter: moved.data()?, schema, known }))
    }

    /// Which rows of a chunk pass.
    pub(super) fn passing(
        &self,
        table: &dyn ChunkedTable,
        chunk: usize,
        rows: Range<usize>,
    ) -> Result<BooleanBuffer> {
        let ids = table.string_ids(chunk, rows, self.column)?;
        self.learn(table, &ids)?;
        Ok(BooleanBuffer::collect_bool(ids.len(), |row| self.known(ids[row]) == YES))
    }

    /// No number lies beyond the strings, but those of a damaged file.
    fn known(&self, id: u32) -> u8 {
        self.known.get(id as usize).map_or(NO, |known| known.load(Ordering::Relaxed))
    }

    /// Finds out what is not known yet of these strings. Two threads may do so at once, and find
    /// the same.
    fn learn(&self, table: &dyn ChunkedTable, ids: &[u32]) -> Result<()> {
        let mut unknown: Vec<u32> =
            ids.iter().copied().filter(|&id| self.known(id) == UNKNOWN).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        unknown.sort_unstable();
        unknown.dedup();
        let strings = table.strings(&unknown);
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), vec![strings])?;
        let passes = self.filter.evaluate(&batch)?.into_array(unknown.len())?;
        let passes: &BooleanArray = passes.as_boolean();
        for (row, id) in unknown.into_iter().enumerate() {
            let passes = passes.is_valid(row) && passes.value(row);
            self.known[id as usize].store(if passes { YES } else { NO }, Ordering::Relaxed);
        }
        Ok(())
    }
}

impl fmt::Debug for TextFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.filter)
    }
}

impl fmt::Display for TextFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.filter)
    }
}

/// Whether a filter says the same of the same text each time, and says it of any.
fn depends_on_text_alone(filter: &Arc<dyn PhysicalExpr>) -> bool {
    let compares = |operator: &Operator| {
        use Operator::*;
        matches!(operator, Eq | NotEq | Lt | LtEq | Gt | GtEq | And | Or)
    };
    let is_plain = |node: &Arc<dyn PhysicalExpr>| {
        let function = node.downcast_ref::<ScalarFunctionExpr>();
        node.downcast_ref::<BinaryExpr>().is_some_and(|binary| compares(binary.op()))
            || function.is_some_and(|function| FUNCTIONS.contains(&function.name()))
            || node.downcast_ref::<Column>().is_some()
            || node.downcast_ref::<Literal>().is_some()
            || node.downcast_ref::<LikeExpr>().is_some()
            || node.downcast_ref::<InListExpr>().is_some()
            || node.downcast_ref::<NotExpr>().is_some()
            || node.downcast_ref::<IsNullExpr>().is_some()
            || node.downcast_ref::<IsNotNullExpr>().is_some()
    };
    is_plain(filter) && filter.children().into_iter().all(depends_on_text_alone)
}
