//! Frames of windows in steps from a text, `ORDER BY name RANGE BETWEEN 1 PRECEDING AND …`, in
//! steps that are no integers from an integer, and in steps from a condition.
//!
//! No number of steps leads from one text, or NULL, to another. As in SQLite, such a bound is that
//! of the rows with the same text. From an integer to another leads a whole number of steps. A
//! condition is 0 or 1.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::WindowFunction;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{
    Expr, ExprSchemable, LogicalPlan, SortExpr, WindowFrame, WindowFrameBound, WindowFrameUnits,
    cast,
};

use crate::functions::is_text;
use crate::named_expressions::rewrite_expressions;

/// Replaces the bounds of such frames.
pub(super) fn lower(plan: LogicalPlan) -> Result<LogicalPlan> {
    let lowered = plan.transform_up_with_subqueries(|node| {
        if !matches!(node, LogicalPlan::Window(_)) {
            return Ok(Transformed::no(node));
        }
        let schema = merge_schema(&node.inputs());
        rewrite_expressions(node, |expr| match expr {
            Expr::WindowFunction(window) => Ok(framed(window, &schema)),
            other => Ok(Transformed::no(other)),
        })
    });
    Ok(lowered?.data)
}

fn framed(mut window: Box<WindowFunction>, schema: &DFSchema) -> Transformed<Expr> {
    let is_counted = count_truth(&mut window.params.order_by, schema);
    let frame = &window.params.window_frame;
    let data_type = match &window.params.order_by[..] {
        [by] if frame.units == WindowFrameUnits::Range => by.expr.get_type(schema).ok(),
        _ => None,
    };
    let (start, end) = match data_type {
        Some(DataType::Null) => (peers(&frame.start_bound), peers(&frame.end_bound)),
        Some(text) if is_text(&text) => (peers(&frame.start_bound), peers(&frame.end_bound)),
        Some(DataType::Int64) => {
            (whole_steps(&frame.start_bound, true), whole_steps(&frame.end_bound, false))
        }
        _ => (None, None),
    };
    if start.is_none() && end.is_none() {
        let window = Expr::WindowFunction(window);
        return Transformed::new_transformed(window, is_counted);
    }
    let start = start.unwrap_or_else(|| frame.start_bound.clone());
    let end = end.unwrap_or_else(|| frame.end_bound.clone());
    window.params.window_frame = WindowFrame::new_bounds(WindowFrameUnits::Range, start, end);
    Transformed::yes(Expr::WindowFunction(window))
}

/// Makes integers of the condition that rows are ordered by, if they are by one only. Functions of
/// a window have one order, so this does not depend on the frame of one of them.
fn count_truth(order: &mut [SortExpr], schema: &DFSchema) -> bool {
    let [by] = order else { return false };
    if !matches!(by.expr.get_type(schema), Ok(DataType::Boolean)) {
        return false;
    }
    by.expr = cast(std::mem::take(&mut by.expr), DataType::Int64);
    true
}

/// The bound of the rows that are alike, in place of one that is some steps away.
fn peers(bound: &WindowFrameBound) -> Option<WindowFrameBound> {
    match bound {
        WindowFrameBound::Preceding(steps) | WindowFrameBound::Following(steps)
            if !steps.is_null() =>
        {
            Some(WindowFrameBound::CurrentRow)
        }
        _ => None,
    }
}

/// The bound in whole steps that has the same integers in the frame as one with a fraction.
fn whole_steps(bound: &WindowFrameBound, is_start: bool) -> Option<WindowFrameBound> {
    /// Up to here reals have all integers.
    const MOST: f64 = 9_007_199_254_740_992.0;
    let steps = match bound {
        WindowFrameBound::Preceding(steps) | WindowFrameBound::Following(steps) => steps,
        WindowFrameBound::CurrentRow => return None,
    };
    let written = steps.try_as_str().flatten()?;
    if written.parse::<i64>().is_ok() {
        return None;
    }
    let steps: f64 = written.parse().ok().filter(|steps| (0.0..=MOST).contains(steps))?;
    // From the row to the outside of the frame the last whole step counts, to the inside the next.
    let is_preceding = matches!(bound, WindowFrameBound::Preceding(_));
    let whole = if is_preceding == is_start { steps.floor() } else { steps.ceil() };
    let whole = ScalarValue::Utf8(Some((whole as i64).to_string()));
    Some(match is_preceding {
        true => WindowFrameBound::Preceding(whole),
        false => WindowFrameBound::Following(whole),
    })
}
