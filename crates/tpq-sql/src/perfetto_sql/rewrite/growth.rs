//! How much a statement grows where a value becomes several: `x BETWEEN a AND b` is two comparisons
//! of `x`, each WHEN of a CASE with a collation and each argument of `max()` with one is compared for
//! itself, and so are the parts of row values. Where that happens within each other, the size doubles
//! with each level, so a short statement could take all memory.
//!
//! The time to plan a statement doubles as well where the result of a CASE is computed from another
//! CASE: the engine finds the type of a CASE from that of a result, and again whether it may be
//! NULL. Both ask for both where an operator or a call is between the two.

use std::ops::ControlFlow;

use datafusion::sql::parser::Statement as Tree;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Statement,
    Value, Visitor,
};

use super::carried_collations;
use super::collation::{is_comparison, states_any};
use super::orders::has;
use super::retry::is_query;
use crate::errors::SqlError;
use crate::perfetto_sql::complexity::too_large;
use crate::perfetto_sql::walk::walk;

/// The most expressions that are added as copies of large values to a small statement.
const MOST: u64 = 1 << 14;

/// The same for each expression of a large one.
const OF_OWN: u64 = 4;

/// A value of so many expressions may be copied any number of times.
const FEW: u64 = 16;

/// How many levels of CASE, each in a result of the next one and within an operator or a call
/// there, a statement may have.
const MOST_LEVELS: u32 = 16;

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
    let mut growth = Growth { has_collations, open: Vec::new(), own: 0, added: 0, levels: 0 };
    let _: ControlFlow<()> = walk(statement, &mut growth);
    if growth.levels > MOST_LEVELS {
        let message =
            format!("results of CASE are computed from CASE in more than {MOST_LEVELS} levels");
        let hint = "compute the inner levels in a subquery, and read the column of that";
        return Err(too_large(message, hint));
    }
    if growth.added <= MOST.max(growth.own.saturating_mul(OF_OWN)) {
        return Ok(());
    }
    let message = format!("the statement takes more than {MOST} copies of expressions");
    let hint = "a value of BETWEEN, one with COLLATE, and a row value is compared several times: \
                compute a long one in a subquery, and compare its column";
    Err(too_large(message, hint))
}

/// How many expressions are in the parts of an expression.
#[derive(Default)]
struct Parts {
    first: Option<u64>,
    all: u64,
    /// The levels of CASE in each part.
    levels: Vec<u32>,
}

struct Growth {
    /// Whether anything is compared with a collation.
    has_collations: bool,
    /// The parts of each expression around, the innermost last.
    open: Vec<Parts>,
    /// How many expressions the statement has.
    own: u64,
    /// How many expressions are added.
    added: u64,
    /// The most levels of CASE in an expression.
    levels: u32,
}

impl Growth {
    /// The size of what is copied for an expression that has such parts, and how many times it is.
    fn copies(&self, expr: &Expr, parts: &Parts) -> (u64, usize) {
        let first = parts.first.unwrap_or_default();
        match expr {
            Expr::Between { expr, .. } if !has(&**expr, is_query) => (first, 1),
            Expr::Case { operand: Some(operand), conditions, .. } => {
                let is_copied = row_width(operand).is_some()
                    || self.has_collations
                        && (states_any(operand)
                            || conditions.iter().any(|case| states_any(&case.condition)));
                (first, if is_copied { conditions.len().saturating_sub(1) } else { 0 })
            }
            Expr::InSubquery { expr, .. } => (parts.all, usize::from(row_width(expr).is_some())),
            Expr::BinaryOp { left, op, right } if is_comparison(op) => {
                let is_order = !matches!(op, BinaryOperator::Eq | BinaryOperator::NotEq);
                (parts.all, copies_of_rows(left, right, is_order))
            }
            Expr::IsDistinctFrom(left, right) | Expr::IsNotDistinctFrom(left, right) => {
                (parts.all, copies_of_rows(left, right, false))
            }
            Expr::Function(function) if self.has_collations => {
                (parts.all, copies_of_args(function))
            }
            _ => (0, 0),
        }
    }
}

/// The number of parts of a row value.
fn row_width(expr: &Expr) -> Option<usize> {
    match expr {
        Expr::Tuple(parts) => Some(parts.len()),
        Expr::Nested(inner) => row_width(inner),
        _ => None,
    }
}

/// The levels of CASE in an expression, given those in its parts.
fn levels_of(expr: &Expr, parts: &[u32]) -> u32 {
    if is_query(expr) {
        // The type of a subquery is that of its column.
        return 0;
    }
    let most = parts.iter().copied().max().unwrap_or_default();
    let typed = typed_result(expr).and_then(|(at, result)| Some((*parts.get(at)?, result)));
    match typed {
        // Of a CASE right in a CASE each question is asked once.
        Some((_, result)) if is_case(result) => most,
        Some((levels, _)) => most.max(levels + 1),
        None => most,
    }
}

/// The result that the engine asks for the type of a CASE, and for whether that may be NULL, with
/// its position among the parts of the CASE: the first one, unless it is NULL.
fn typed_result(expr: &Expr) -> Option<(usize, &Expr)> {
    let (at, result) = match expr {
        Expr::Case { operand, conditions, .. } => {
            (usize::from(operand.is_some()) + 1, &conditions.first()?.result)
        }
        Expr::Function(function) if is_choice(function) => {
            let FunctionArguments::List(list) = &function.args else { return None };
            match list.args.get(1)? {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(result)) => (1, result),
                _ => return None,
            }
        }
        _ => return None,
    };
    (!is_null(result)).then_some((at, result))
}

fn is_null(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(value) if value.value == Value::Null)
}

fn is_case(expr: &Expr) -> bool {
    match expr {
        Expr::Nested(inner) => is_case(inner),
        Expr::Function(function) => is_choice(function),
        other => matches!(other, Expr::Case { .. }),
    }
}

/// Whether a call becomes a CASE.
fn is_choice(function: &Function) -> bool {
    ["iif", "if"].iter().any(|name| function.name.to_string().eq_ignore_ascii_case(name))
}

/// How many times the sides of a comparison of row values are written besides the first time: where
/// the order of the rows is asked for, each part may be compared twice.
fn copies_of_rows(left: &Expr, right: &Expr, is_order: bool) -> usize {
    let again = usize::from(is_order);
    let (row, width) = match (row_width(left), row_width(right)) {
        (None, None) => return 0,
        (Some(_), Some(_)) => return again,
        (Some(width), None) => (left, width),
        (None, Some(width)) => (right, width),
    };
    // With an aggregate in the row, each part has a subquery of its own.
    match has(row, |part| matches!(part, Expr::Function(_))) {
        true => width.saturating_mul(1 + again).saturating_sub(1),
        false => again,
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
    type Break = ();

    fn pre_visit_expr(&mut self, _: &Expr) -> ControlFlow<()> {
        self.open.push(Parts::default());
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        let parts = self.open.pop().unwrap_or_default();
        let (copied, times) = self.copies(expr, &parts);
        let copies = copied.saturating_mul(times as u64);
        self.own += 1;
        if copied > FEW {
            self.added = self.added.saturating_add(copies);
        }
        let size = parts.all.saturating_add(copies).saturating_add(1);
        let levels = levels_of(expr, &parts.levels);
        self.levels = self.levels.max(levels);
        if let Some(around) = self.open.last_mut() {
            around.levels.push(levels);
            around.first.get_or_insert(size);
            around.all = around.all.saturating_add(size);
        }
        ControlFlow::Continue(())
    }
}
