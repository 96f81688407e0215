//! `x BETWEEN low AND high` as two comparisons: each of them has its own types and collation.

use datafusion::sql::sqlparser::ast::{BinaryOperator, Expr, UnaryOperator};

use super::orders::has;
use super::take;

pub(super) fn rewrite(expr: &mut Expr) {
    let Expr::Between { expr: value, negated, low, high } = expr else { return };
    // A subquery would run twice.
    if has_subquery(value) {
        return;
    }
    let compare = |op, left: Expr, right: &mut Expr| Expr::BinaryOp {
        left: Box::new(left),
        op,
        right: Box::new(take(right)),
    };
    let from_low = compare(BinaryOperator::GtEq, (**value).clone(), low);
    let mut to_high = compare(BinaryOperator::LtEq, take(value), high);
    let both = Expr::Nested(Box::new(compare(BinaryOperator::And, from_low, &mut to_high)));
    *expr = match negated {
        true => Expr::UnaryOp { op: UnaryOperator::Not, expr: Box::new(both) },
        false => both,
    };
}

fn has_subquery(expr: &Expr) -> bool {
    has(expr, |part| {
        matches!(part, Expr::Subquery(_) | Expr::Exists { .. } | Expr::InSubquery { .. })
    })
}
