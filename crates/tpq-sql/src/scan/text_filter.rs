//! Filters on the text of one column, evaluated once for each distinct string.
//!
//! A name can occur thousands of times in a trace. The filter evaluates a string when it first
//! occurs and caches the result by string id.

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

use super::ascii_contains::AsciiContains;
use super::chunked::ChunkedTable;

/// Functions that depend only on their arguments and never fail.
const FUNCTIONS: [&str; 1] = ["glob"];

const UNKNOWN: u8 = 0;
const NO: u8 = 1;
const YES: u8 = 2;

/// A filter on the text of a column.
pub(super) struct TextFilter {
    /// The position of the column in the table.
    column: usize,
    /// The filter, on the only column of `schema`.
    filter: Arc<dyn PhysicalExpr>,
    schema: SchemaRef,
    /// The same filter for texts of ASCII, if it has such a form.
    contains: Option<AsciiContains>,
    /// The result for each string, by string id: `UNKNOWN`, `NO` or `YES`.
    results: Vec<AtomicU8>,
}

impl TextFilter {
    /// Makes a filter of a scan that reads `columns` of a table. Returns `None` if `filter` depends
    /// on more than the text of one column, or the table has no string ids.
    pub(super) fn try_new(
        filter: &Arc<dyn PhysicalExpr>,
        table: &dyn ChunkedTable,
        columns: &[usize],
    ) -> Result<Option<Self>> {
        let used = collect_columns(filter);
        let (Some(used_column), 1) = (used.iter().next(), used.len()) else { return Ok(None) };
        let Some(&column) = columns.get(used_column.index()) else { return Ok(None) };
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
        let filter = moved.data()?;
        let contains = AsciiContains::of(&filter);
        let results = (0..strings).map(|_| AtomicU8::new(UNKNOWN)).collect();
        Ok(Some(Self { column, filter, schema, contains, results }))
    }

    /// Evaluates the filter on rows of a chunk; a set bit is a row that passes.
    pub(super) fn passing(
        &self,
        table: &dyn ChunkedTable,
        chunk: usize,
        rows: Range<usize>,
    ) -> Result<BooleanBuffer> {
        let ids = table.string_ids(chunk, rows, self.column)?;
        let mut all_known = true;
        let passing = BooleanBuffer::collect_bool(ids.len(), |row| {
            let result = self.result(ids[row]);
            all_known &= result != UNKNOWN;
            result == YES
        });
        if all_known {
            return Ok(passing);
        }
        self.evaluate_unknown(table, &ids)?;
        Ok(BooleanBuffer::collect_bool(ids.len(), |row| self.result(ids[row]) == YES))
    }

    /// The cached result for a string. An id that is out of range comes from a damaged file and
    /// does not pass.
    fn result(&self, id: u32) -> u8 {
        self.results.get(id as usize).map_or(NO, |result| result.load(Ordering::Relaxed))
    }

    fn store(&self, id: u32, passes: bool) {
        let result = if passes { YES } else { NO };
        self.results[id as usize].store(result, Ordering::Relaxed);
    }

    /// Evaluates the filter for the strings of some chunks, all at once: where letters of both
    /// cases are equal, an evaluation compiles a pattern.
    pub(super) fn look_ahead(&self, table: &dyn ChunkedTable, chunks: &[usize]) -> Result<()> {
        let mut unknown = Vec::new();
        let mut seen = vec![false; self.results.len()];
        for &chunk in chunks {
            for id in table.string_ids(chunk, 0..table.chunk_rows(chunk), self.column)? {
                // An id that is out of range is known to be none that passes.
                if self.result(id) == UNKNOWN && !std::mem::replace(&mut seen[id as usize], true) {
                    unknown.push(id);
                }
            }
        }
        self.evaluate(table, unknown)
    }

    /// Evaluates the filter for the strings without a cached result.
    fn evaluate_unknown(&self, table: &dyn ChunkedTable, ids: &[u32]) -> Result<()> {
        let mut unknown: Vec<u32> =
            ids.iter().copied().filter(|&id| self.result(id) == UNKNOWN).collect();
        unknown.sort_unstable();
        unknown.dedup();
        self.evaluate(table, unknown)
    }

    /// Evaluates the filter for strings, each of which is there once. Several threads may evaluate
    /// the same string at the same time; they get the same result.
    fn evaluate(&self, table: &dyn ChunkedTable, unknown: Vec<u32>) -> Result<()> {
        let unknown = match &self.contains {
            Some(contains) => self.without_ascii(contains, table, unknown),
            None => unknown,
        };
        if unknown.is_empty() {
            return Ok(());
        }
        let strings = table.strings(&unknown);
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), vec![strings])?;
        let passes = self.filter.evaluate(&batch)?.into_array(unknown.len())?;
        let passes: &BooleanArray = passes.as_boolean();
        for (row, id) in unknown.into_iter().enumerate() {
            self.store(id, passes.is_valid(row) && passes.value(row));
        }
        Ok(())
    }

    /// Evaluates the form of the filter for ASCII, and returns the strings that are not ASCII.
    fn without_ascii(
        &self,
        contains: &AsciiContains,
        table: &dyn ChunkedTable,
        mut unknown: Vec<u32>,
    ) -> Vec<u32> {
        let strings = table.strings(&unknown);
        let mut strings = strings.as_string_view().iter();
        unknown.retain(|&id| {
            let text = strings.next().flatten();
            let passes = text.map_or(Some(false), |text| contains.passes(text));
            if let Some(passes) = passes {
                self.store(id, passes);
            }
            passes.is_none()
        });
        unknown
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

/// Whether a filter is deterministic, depends only on text, and fails for no text.
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
