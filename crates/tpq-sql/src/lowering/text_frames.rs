//! Frames of windows in steps from a text: `ORDER BY name RANGE BETWEEN 1 PRECEDING AND …`.
//!
//! No number of steps leads from one text to another. As in SQLite, such a bound is that of the
//! rows with the same text.

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr::WindowFunction;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{
    Expr, ExprSchemable, LogicalPlan, WindowFrame, WindowFrameBound, WindowFrameUnits,
};

use crate::functions::is_text;

/// Replaces the bounds of such frames.
pub(super) fn lower(plan: LogicalPlan) -> Result<LogicalPlan> {
    let lowered = plan.transform_up_with_subqueries(|node| {
        if !matches!(node, LogicalPlan::Window(_)) {
            return Ok(Transformed::no(node));
        }
        let schema = merge_schema(&node.inputs());
        let preserver = NamePreserver::new(&node);
        node.map_expressions(|expr| {
            let saved = preserver.save(&expr);
            let framed = expr.transform_up(|expr| match expr {
                Expr::WindowFunction(window) => Ok(framed(window, &schema)),
                other => Ok(Transformed::no(other)),
            })?;
            Ok(match framed.transformed {
                true => framed.update_data(|expr| saved.restore(expr)),
                false => framed,
            })
        })
    });
    Ok(lowered?.data)
}

fn framed(mut window: Box<WindowFunction>, schema: &DFSchema) -> Transformed<Expr> {
    let frame = &window.params.window_frame;
    let is_of_text = matches!(
        &window.params.order_by[..],
        [by] if by.expr.get_type(schema).is_ok_and(|data_type| is_text(&data_type))
    );
    if frame.units != WindowFrameUnits::Range || !is_of_text {
        return Transformed::no(Expr::WindowFunction(window));
    }
    let (start, end) = (peers(&frame.start_bound), peers(&frame.end_bound));
    if start.is_none() && end.is_none() {
        return Transformed::no(Expr::WindowFunction(window));
    }
    let start = start.unwrap_or_else(|| frame.start_bound.clone());
    let end = end.unwrap_or_else(|| frame.end_bound.clone());
    window.params.window_frame = WindowFrame::new_bounds(WindowFrameUnits::Range, start, end);
    Transformed::yes(Expr::WindowFunction(window))
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
