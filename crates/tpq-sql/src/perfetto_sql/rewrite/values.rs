//! `VALUES (1), ('a')`: a column has one type, so numbers among texts are texts, as in a UNION.

use datafusion::sql::sqlparser::ast::{Expr, SetExpr, UnaryOperator, Value};

use super::{call, take};
use crate::functions::CAST_TEXT;

pub(super) fn rewrite(body: &mut SetExpr) {
    let SetExpr::Values(values) = body else { return };
    let width = values.rows.first().map_or(0, |row| row.len());
    for column in 0..width {
        let mut cells: Vec<&mut Expr> =
            values.rows.iter_mut().filter_map(|row| row.get_mut(column)).collect();
        if !cells.iter().any(|cell| is_text(cell)) {
            continue;
        }
        for cell in cells.iter_mut().filter(|cell| is_number(cell)) {
            **cell = call(CAST_TEXT, vec![take(cell)]);
        }
    }
}

fn is_text(cell: &Expr) -> bool {
    matches!(cell, Expr::Value(value) if matches!(value.value, Value::SingleQuotedString(_)))
}

fn is_number(cell: &Expr) -> bool {
    match cell {
        Expr::Value(value) => matches!(value.value, Value::Number(..)),
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => is_number(expr),
        _ => false,
    }
}
