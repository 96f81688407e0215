//! How much a statement grows where a value becomes several: `x BETWEEN a AND b` is two comparisons
//! of `x`, and each WHEN of a CASE with a collation, and each argument of `max()` with one, is
//! compared for itself. Where that happens within each other, the size doubles with each level, so a
//! short statement could take all memory.

use std::ops::ControlFlow;

use datafusion::sql::parser::Statement as Tree;
use datafusion::sql::sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Statement, Visitor,
};

use super::carried_collations;
use super::collation::states_any;
use super::orders::has;
use super::retry::is_query;
use crate::errors::SqlError;
use crate::perfetto_sql::complexity::too_large;
use crate::perfetto_sql::walk::walk;

/// The most expressions that are added as copies of large values.
const MOST: u64 = 1 << 14;

/// A value of so many expressions may be copied any number of times.
const FEW: u64 = 16;

/// Checks a statement before it is rewritten.
///
/// # Errors
/// When it would become too large.
pub(in super::super) fn check_growth(tree: &Tree) -> Result<(), SqlError> {
    match tree {
        Tree::Statement(statement) => match carried_collations::ctes(statement) {
            Some(ctes) => check(&carried_collations::written_out(statement, &ctes), true),
            None => check(statement, false),
        },
        Tree::Explain(explain) => check_growth(&explain.statement),
        _ => Ok(()),
    }
}

fn check(statement: &Statement, has_collations: bool) -> Result<(), SqlError> {
    let mut growth = Growth { has_collations, open: Vec::new(), added: 0 };
    match walk(statement, &mut growth) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

/// How many expressions are in the parts of an expression.
#[derive(Default)]
struct Parts {
    first: Option<u64>,
    all: u64,
}

struct Growth {
    /// Whether anything is compared with a collation.
    has_collations: bool,
    /// The parts of each expression around, the innermost last.
    open: Vec<Parts>,
    /// How many expressions are added.
    added: u64,
}

impl Growth {
    /// The size of what is copied for an expression that has such parts, and how many times it is.
    fn copies(&self, expr: &Expr, parts: &Parts) -> (u64, usize) {
        let first = parts.first.unwrap_or_default();
        match expr {
            Expr::Between { expr, .. } if !has(&**expr, is_query) => (first, 1),
            Expr::Case { operand: Some(operand), conditions, .. } if self.has_collations => {
                let is_collated = states_any(operand)
                    || conditions.iter().any(|case| states_any(&case.condition));
                (first, if is_collated { conditions.len().saturating_sub(1) } else { 0 })
            }
            Expr::Function(function) if self.has_collations => {
                (parts.all, copies_of_args(function))
            }
            _ => (0, 0),
        }
    }
}

/// How many times the arguments of a call are written besides the first time.
fn copies_of_args(function: &Function) -> usize {
    let FunctionArguments::List(list) = &function.args else { return 0 };
    let times = match function.name.to_string().to_ascii_lowercase().as_str() {
        "min" | "max" => 2,
        "nullif" => 1,
        _ => return 0,
    };
    let is_collated = list.args.iter().any(|arg| match arg {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => states_any(expr),
        _ => false,
    });
    if is_collated { times } else { 0 }
}

impl Visitor for Growth {
    type Break = SqlError;

    fn pre_visit_expr(&mut self, _: &Expr) -> ControlFlow<SqlError> {
        self.open.push(Parts::default());
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &Expr) -> ControlFlow<SqlError> {
        let parts = self.open.pop().unwrap_or_default();
        let (copied, times) = self.copies(expr, &parts);
        let copies = copied.saturating_mul(times as u64);
        if copied > FEW {
            self.added = self.added.saturating_add(copies);
        }
        if self.added > MOST {
            let message = format!("the statement takes more than {MOST} copies of expressions");
            let hint = "a value of BETWEEN, and one with COLLATE, is compared several times: compute a \
                        long one in a subquery, and compare its column";
            return ControlFlow::Break(too_large(message, hint));
        }
        let size = parts.all.saturating_add(copies).saturating_add(1);
        if let Some(around) = self.open.last_mut() {
            around.first.get_or_insert(size);
            around.all = around.all.saturating_add(size);
        }
        ControlFlow::Continue(())
    }
}
