//! Windows that are built on others, `OVER (w ORDER BY ts)`, and bounds of frames.
//!
//! DataFusion forgets what a window is built on, and refuses a frame that begins after its end.
//! Such a frame has no rows.

use std::ops::ControlFlow;

use crate::perfetto_sql::walk::walk_expressions_mut;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, NamedWindowExpr, Select, Value, WindowFrame, WindowFrameBound,
    WindowFrameUnits, WindowSpec, WindowType,
};

use super::number;

/// Puts what a base window says into the windows that are built on it.
pub(super) fn inline_bases(select: &mut Select) {
    let mut named: Vec<(String, WindowSpec)> = Vec::new();
    for definition in &mut select.named_window {
        let mut spec = match &mut definition.1 {
            NamedWindowExpr::WindowSpec(spec) => {
                spec.window_frame.iter_mut().for_each(fold);
                spec.clone()
            }
            NamedWindowExpr::NamedWindow(name) => WindowSpec {
                window_name: Some(name.clone()),
                partition_by: vec![],
                order_by: vec![],
                window_frame: None,
            },
        };
        inline(&mut spec, &named);
        definition.1 = NamedWindowExpr::WindowSpec(spec.clone());
        named.push((definition.0.value.to_lowercase(), spec));
    }
    if named.is_empty() {
        return;
    }
    let _: ControlFlow<()> = walk_expressions_mut(&mut select.projection, |expr| {
        if let Expr::Function(function) = expr
            && let Some(WindowType::WindowSpec(spec)) = &mut function.over
        {
            inline(spec, &named);
        }
        ControlFlow::Continue(())
    });
}

/// Computes the bounds of a frame that are written as sums or products: `1 + 1 PRECEDING`.
pub(super) fn fold_bounds(expr: &mut Expr) {
    let Expr::Function(function) = expr else { return };
    let Some(WindowType::WindowSpec(spec)) = &mut function.over else { return };
    spec.window_frame.iter_mut().for_each(fold);
}

fn fold(frame: &mut WindowFrame) {
    for bound in std::iter::once(&mut frame.start_bound).chain(&mut frame.end_bound) {
        let (WindowFrameBound::Preceding(Some(steps)) | WindowFrameBound::Following(Some(steps))) =
            bound
        else {
            continue;
        };
        if !matches!(**steps, Expr::Value(_))
            && let Some(value) = constant(steps)
        {
            **steps = number(&value.to_string());
        }
    }
    if is_reversed(frame) {
        // No table has so many rows.
        let preceding = |rows: &str| WindowFrameBound::Preceding(Some(Box::new(number(rows))));
        frame.units = WindowFrameUnits::Rows;
        frame.start_bound = preceding("9223372036854775807");
        frame.end_bound = Some(preceding("9223372036854775806"));
    }
}

/// Whether a frame begins after its end, as `BETWEEN 1 PRECEDING AND 2 PRECEDING` does.
fn is_reversed(frame: &WindowFrame) -> bool {
    use WindowFrameBound::{Following, Preceding};
    let (start, end, is_preceding) = match (&frame.start_bound, &frame.end_bound) {
        (Preceding(Some(start)), Some(Preceding(Some(end)))) => (start, end, true),
        (Following(Some(start)), Some(Following(Some(end)))) => (start, end, false),
        _ => return false,
    };
    let (Some(start), Some(end)) = (steps(start), steps(end)) else { return false };
    if is_preceding { start < end } else { start > end }
}

/// The steps of a bound that is a literal.
fn steps(expr: &Expr) -> Option<f64> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => digits.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

/// The integer that an expression of literals is.
fn constant(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => digits.parse().ok(),
            _ => None,
        },
        Expr::Nested(inner) => constant(inner),
        Expr::BinaryOp { left, op, right } => {
            let (left, right) = (constant(left)?, constant(right)?);
            match op {
                BinaryOperator::Plus => left.checked_add(right),
                BinaryOperator::Minus => left.checked_sub(right),
                BinaryOperator::Multiply => left.checked_mul(right),
                _ => None,
            }
        }
        _ => None,
    }
}

fn inline(spec: &mut WindowSpec, named: &[(String, WindowSpec)]) {
    let Some(base) = spec.window_name.as_ref().map(|name| name.value.to_lowercase()) else {
        return;
    };
    let Some((_, base)) = named.iter().find(|(name, _)| *name == base) else { return };
    spec.window_name = None;
    // Its own PARTITION BY can only be what EXCLUDE was rewritten to.
    spec.partition_by.extend_from_slice(&base.partition_by);
    if spec.order_by.is_empty() {
        spec.order_by.clone_from(&base.order_by);
    }
    if spec.window_frame.is_none() {
        spec.window_frame.clone_from(&base.window_frame);
    }
}
