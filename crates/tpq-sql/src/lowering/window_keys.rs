//! Expressions that windows are partitioned and ordered by, as columns of a step below the window.
//!
//! DataFusion sorts rows by such an expression and then asks whether they are in its order. The
//! answer needs the ranges of values within the expression, and there are none for a comparison with
//! the result of a call, `length(name) > 3`: it is refused, and the window finds no order to cut
//! its partitions by. Of columns the order is known.
//!
//! The functions of a window also have to state equal keys, and a rule that computes expressions
//! once, below the window, changes those of some functions and not of others. Columns stay.

use std::sync::Arc;

use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{Expr, LogicalPlan, Projection, Window, col};

/// The columns that hold keys are called this, with a number that no other of the statement has.
const KEY: &str = "__window_key_";

/// Computes the keys of all windows below them.
pub(super) fn lower(plan: LogicalPlan) -> Result<LogicalPlan> {
    let mut number = 0;
    let lowered = plan.transform_up_with_subqueries(|node| match node {
        LogicalPlan::Window(window) => lower_window(window, &mut number),
        other => Ok(Transformed::no(other)),
    });
    Ok(lowered?.data)
}

fn lower_window(window: Window, number: &mut usize) -> Result<Transformed<LogicalPlan>> {
    let schema = Arc::clone(window.input.schema());
    let mut keys = Keys { schema: &schema, number, computed: Vec::new() };
    let preserver = NamePreserver::new_for_projection();
    let mut functions = window.window_expr.clone();
    for function in &mut functions {
        let saved = preserver.save(function);
        keys.replace(function);
        *function = saved.restore(std::mem::take(function));
    }
    if keys.computed.is_empty() {
        return Ok(Transformed::no(LogicalPlan::Window(window)));
    }
    let computed = keys.computed.into_iter().map(|(key, name)| key.alias(name));
    let below = columns(&schema).chain(computed).collect();
    let below = LogicalPlan::Projection(Projection::try_new(below, window.input)?);
    let lowered = LogicalPlan::Window(Window::try_new(functions, Arc::new(below))?);
    let above = columns(&window.schema).collect();
    let above = Projection::try_new(above, Arc::new(lowered))?;
    Ok(Transformed::yes(LogicalPlan::Projection(above)))
}

fn columns(schema: &DFSchema) -> impl Iterator<Item = Expr> {
    schema.columns().into_iter().map(Expr::Column)
}

/// The keys of the functions of a window.
struct Keys<'a> {
    /// The columns below the window.
    schema: &'a DFSchema,
    /// The number of the next column.
    number: &'a mut usize,
    /// Keys that become columns, and their names.
    computed: Vec<(Expr, String)>,
}

impl Keys<'_> {
    /// Puts columns in place of the keys of a function.
    fn replace(&mut self, function: &mut Expr) {
        match function {
            Expr::Alias(alias) => self.replace(&mut alias.expr),
            Expr::WindowFunction(function) => {
                let params = &mut function.params;
                let orders = params.order_by.iter_mut().map(|by| &mut by.expr);
                for key in params.partition_by.iter_mut().chain(orders) {
                    self.replace_key(key);
                }
            }
            _ => {}
        }
    }

    fn replace_key(&mut self, key: &mut Expr) {
        if is_plain(key) {
            return;
        }
        let known = self.computed.iter().find(|(known, _)| *known == *key);
        if let Some((_, name)) = known {
            *key = col(name.as_str());
            return;
        }
        let name = self.next_name();
        let computed = std::mem::replace(key, col(name.as_str()));
        self.computed.push((computed, name));
    }

    fn next_name(&mut self) -> String {
        loop {
            let name = format!("{KEY}{}", self.number);
            *self.number += 1;
            if !self.schema.has_column_with_unqualified_name(&name) {
                return name;
            }
        }
    }
}

/// Whether a key stays as it is. A call without arguments is of no columns.
fn is_plain(key: &Expr) -> bool {
    match key {
        Expr::Column(_) | Expr::Literal(..) => true,
        Expr::ScalarFunction(call) => call.args.is_empty(),
        _ => false,
    }
}
