//! `__intrinsic_symbolize(frames)`: the names of functions at addresses. There is no symbolizer
//! here, so the result has no rows.

use std::sync::Arc;

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::{DataType, Field, Fields};
use datafusion::common::Result;

use super::collect::Layout;
use super::operator::{Operand, OperandType, TableOperator, wrong_operands};
use super::table::integer;

/// The aggregate that collects the frames.
pub(super) const COLLECTED: &[Layout] = &[Layout {
    name: "__intrinsic_symbolize_agg",
    arguments: &[
        ("file_name", DataType::Utf8View),
        ("rel_pc", DataType::Int64),
        ("mapping_id", DataType::Int64),
        ("address", DataType::Int64),
    ],
    pairs: false,
    finish: None,
    null_error: None,
}];

/// The function `__intrinsic_symbolize`.
#[derive(Debug)]
pub(super) struct Symbolize;

impl TableOperator for Symbolize {
    fn name(&self) -> &'static str {
        "__intrinsic_symbolize"
    }

    fn columns(&self, operands: &[OperandType]) -> Result<Fields> {
        let text = |name: &str| Arc::new(Field::new(name, DataType::Utf8View, true));
        match operands {
            [frames] if frames.is_table() => Ok(Fields::from(vec![
                text("function_name"),
                text("file_name"),
                integer("line_number"),
                integer("mapping_id"),
                integer("address"),
            ])),
            _ => {
                wrong_operands(self.name(), "the frames that __intrinsic_symbolize_agg() collects")
            }
        }
    }

    fn run(&self, _: &[Operand]) -> Result<Option<Vec<ArrayRef>>> {
        Ok(None)
    }
}
